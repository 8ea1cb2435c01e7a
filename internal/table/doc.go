// Package table implements the lender's tables: rows of values that are found by fields of an application. It checks
// definitions and rows, refuses rows that overlap, finds the row of an application, and encodes tables for storage.
//
// A key is exact or a range. Two texts are equal if their normal forms are (see list.Normal). A range contains its
// lower bound and not its upper bound, as the bins of a scorecard do. At most one row matches an application, because
// rows that overlap are refused.
//
// The package does no I/O. Package tabledesk stores tables and caches them.
package table
