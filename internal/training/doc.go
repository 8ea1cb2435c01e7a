// Package training makes a scorecard from rows whose outcome is known.
//
// Each column is cut into the bins that carry the most information while the
// bad rate runs one way (or, where that is clearly better, turns once); missing
// and special values have bins of their own. A logistic regression on the
// weights of evidence says how much each column counts beside the others, and
// points are that, scaled by the points that double the odds. What comes out is
// a document that the engine scores as it stands, and a report for the people
// who have to answer for it.
//
// Files are taken as lenders have them: identifiers and columns that know the
// outcome are left out, missing numbers may be spelt out, rows may have weights,
// and the report notes how the file was read.
//
// Rows are read twice and kept as one byte a column. Bins, columns and settings
// are chosen on the training rows alone; the hold-out is only measured. There
// is no clock and no randomness: the same rows give the same bytes.
package training
