// Package journal builds the entries of a scope's journal and compares stored rows with
// them (ADR 23).
//
// Every stored decision has an entry, which is added in the decision's own transaction.
// The entry's leaf contains hashes over the row: over the plain columns, and over the
// answer, the facts and the features with salts that are derived from the applicant's
// data key. So a row that was deleted, exchanged or altered in the database no longer
// matches its leaf.
//
// Keys derives the data keys of a tenant's people. Complete builds the entry of a new
// decision. Compare compares a stored decision with its leaf, and Reader reads leaves by
// their number.
package journal
