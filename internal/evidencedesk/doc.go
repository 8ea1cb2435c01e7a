// Package evidencedesk contains the use cases of the log: signing checkpoints, and giving
// examiners what they need to check a decision without the service (ADR 23).
//
// The log of a scope is the Merkle tree over the leaves of its journal. Decisions do not
// wait for it: Sign extends the logs afterwards, about once a second.
//
// The operations, the scope that each requires, and their refusals besides
// insufficient_scope and unavailable:
//
//	Key           log:read       not_found if the service has no key
//	Checkpoint    log:read       not_found if nothing is signed yet
//	Tile          log:read       not_found beyond the checkpoint
//	Cosign        log:read       not_found, invalid_field, cap_reached
//	Proof         log:read       not_found, not_signed_yet, log_not_signed
//	Capsule       evidence:read  the same, and erased if the applicant was erased; adds an audit entry
//
// The operator's work, for which no caller is checked:
//
//	Sign          extends and signs the logs that have grown
//	Resume        checks the logs that were signed before, when the service starts
//	SignAll       looks for logs that other nodes, or a former run, left unsigned
//	Audit         compares the signed checkpoints with the journals
//	Reopen        begins a new log for a scope whose log cannot be signed any more
//	Stopped       the number of logs that are not signed
//	UnsignedAge   the age of the oldest entry that could not be signed
package evidencedesk
