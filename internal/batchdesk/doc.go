// Package batchdesk runs batches: jobs with up to ten million applications, each of which is decided, stored and
// billed as if it had been sent alone (ADR 27).
//
// A row is one line with a JSON document. The rows are stored in chunks as they arrive, and the workers of all nodes
// decide the chunks. A row is decided once: the record that it was decided is stored in the transaction of its
// decision, under the id of the batch and the index of the row.
//
// These are the operations. Each first checks the permissions of the caller (Forbidden). In addition to the errors
// named here, each can return an error of storage.
//
//	Start
//	    stores the rows and enqueues the batch: no_rows, TooLarge, cap_reached, malformed_body,
//	    invalid_transition if the batch is cancelled before all rows have arrived
//	Get, List, Cancel, Delete
//	    return, cancel and delete batches: NotFound, invalid_transition, invalid_cursor
//	Results
//	    returns the outcomes of the rows: NotFound, batch_expired
//	Limits
//	    returns the limits of batches, to anybody
//
// Run, Abandon, Resume, FailReceiving and Purge are for the workers and the background work, and take no caller. They
// fail if storage fails; the workers then retry them.
package batchdesk
