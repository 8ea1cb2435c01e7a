// Package journal builds the entries of a scope's journal, compares stored rows with them,
// and encrypts the stored documents of people (ADR 23).
//
// Every stored decision has an entry, which is added in the decision's own transaction.
// The entry's leaf contains hashes over the row: over the plain columns, and over the
// answer, the facts and the features with salts that are derived from the applicant's
// data key. So a row that was deleted, exchanged or altered in the database no longer
// matches its leaf.
//
// Complete builds the entry of a new decision. Compare compares a stored decision with its
// leaf, and Reader reads leaves by their number.
//
// Keys has the key trees of the tenants, from which the data keys of their people are derived.
// With a master key, a Tree encrypts ("seals") the documents of decisions and runs, stored
// answers and the secrets of webhooks with these keys, and Keys opens them again. The trees
// themselves are encrypted with the master key. Protect encrypts the trees and the
// installation's secret that were stored before there was a master key. Refresh reads a new
// master key, and Rewrap encrypts the trees again with it. Remove removes the keys of a
// person, so that nothing can decrypt the person's documents any more. NewUpload generates the key of
// the rows of a backtest or a batch, which is destroyed some days after the job has ended.
package journal
