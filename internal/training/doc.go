// Package training fits a scorecard to rows whose outcome is known.
//
// Each column is divided into the bins that carry the most information, subject
// to a monotone bad rate (or, if that is clearly better, one that turns once).
// Missing and special values have bins of their own. A logistic regression on the
// weights of evidence gives each column its coefficient, and the points are the
// bins' effects on the log-odds, scaled by the points that double the odds. The
// result is a scorecard document that the engine can use as it is, and a report
// for the people who are responsible for it.
//
// The package accepts files as lenders have them: it leaves out identifiers and
// columns that reveal the outcome, reads texts such as "N/A" as missing numbers,
// supports weights, and reports how it read the file.
//
// Rows are read twice and stored as one byte a column. Bins, columns and settings
// are chosen on the training rows alone; the hold-out is only measured. There
// is no clock and no randomness: the same rows give the same bytes.
package training
