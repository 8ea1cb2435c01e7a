// Package privacydesk contains the use cases of personal data: access, erasure, legal holds and
// retention periods (ADR 23, docs/PRIVACY.md).
//
// Operations take the caller and Go values, and return Go values or a refusal that names the
// faults. These are the operations. Each first checks the permissions of the caller
// (Forbidden). In addition to the errors named here, each can return an error of storage.
//
//	Erase
//	    erases everything about a person and returns the receipt, or stores that the erasure
//	    must wait: Invalid, NotFound if nothing is held
//	Withdraw
//	    withdraws an erasure that waits: NotFound, Conflict
//	Erasure, Erasures
//	    read receipts: NotFound, invalid_cursor
//	PlaceHold, ReleaseHold, Hold, Holds
//	    place, end and read legal holds: Invalid, NotFound, Conflict, cap_reached,
//	    invalid_cursor
//	Retention, SetRetention
//	    read and replace the retention periods: Invalid, precondition_failed
//	Applicant
//	    returns everything that is held about a person: NotFound, invalid_cursor
//	Standing
//	    returns the legal holds and the erasure of a person
//	Resume, RunDeferred, Retain
//	    complete erasures that were interrupted, carry out those that need not wait any more,
//	    and apply the retention periods, on any node
//	EraseForgotten
//	    erases again people who were erased after the restored backup was taken
//
// An erasure empties the person's documents in batches and removes the person's keys last, in
// the transaction that also empties the last documents. While documents remain, their key must
// exist: the replacement of the reference is a hash with that key, and a document without a key
// would be an unreadable row that no entry of the journal explains. If an erasure is interrupted,
// its row names the person, so that Resume can continue.
package privacydesk
