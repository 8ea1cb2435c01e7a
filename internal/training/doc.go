// Package training fits a scorecard to rows whose outcome is known.
//
// It divides each column into the bins that contain the most information. The bad rate of the bins must be monotone or,
// if that is clearly better, may turn once. Missing and special values have bins of their own. A logistic regression on
// the weights of evidence gives each column its coefficient. The points are the effects of the bins on the log-odds,
// scaled by the points that double the odds. The result is a scorecard document that the engine can use without
// changes, and a report for the people who are responsible for the scorecard.
//
// The package accepts files as lenders have them: it leaves out identifiers and columns that reveal the outcome, reads
// texts such as "N/A" as missing numbers, supports weights, and reports how it read the file.
//
// Rows are read three times: to find their encoding, to survey the columns, and to store one byte for each cell. Bins,
// columns and settings are chosen on the training rows alone. The hold-out rows are used only to measure the result.
// The package uses no clock and no randomness, so the same rows give the same bytes.
package training
