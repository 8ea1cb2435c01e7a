// Package privacydesk erases what is stored about people (ADR 23, docs/PRIVACY.md).
//
// Operations take the caller and Go values, and return Go values or a refusal that names the
// faults. These are the operations. Each first checks the permissions of the caller
// (Forbidden). In addition to the errors named here, each can return an error of storage.
//
//	Erase
//	    erases everything about a person and returns the receipt: Invalid, NotFound if
//	    nothing is held
//	Erasure, Erasures
//	    read receipts: NotFound, invalid_cursor
//	Resume
//	    completes erasures that were interrupted, on whichever node
//	EraseForgotten
//	    erases people again who were erased after the backup that was restored
//
// An erasure empties the person's documents in batches and removes the person's keys last, in
// the transaction that also empties the last documents. While documents remain, their key must
// exist: the replacement of the reference is a hash with that key, and a document without a key
// would be an unreadable row that no entry of the journal explains. If an erasure is interrupted,
// its row names the person, so that Resume can go on.
package privacydesk
