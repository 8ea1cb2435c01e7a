// Package decisioning decides, with all the I/O around one pure decision: evaluate and
// decide, preview and eligibility, the explanation of stored decisions, their features
// and reviews, the underwriting of an application by an agent, and the bill.
//
// A caller hands in who is calling and a parsed body, and gets back a result
// that writes itself as JSON, or a refusal that names what was wrong. What a
// result looks like on the wire belongs here, because an answer is stored as
// the bytes it was given in; how it travels (status codes, headers) does not.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	Decide, Evaluate
//	    decide and store: Invalid with every fault, no_active_policy, quota_exceeded
//	Preview, Eligibility
//	    decide and store nothing: Invalid, no_active_policy, NotFound of a rule set
//	Underwrite
//	    decides, has it studied by an agent, stores both: as Decide
//	Decision, Decisions, Story
//	    stored decisions, explained again: NotFound, invalid_cursor
//	Features
//	    the features of a stored decision: NotFound, features_not_generated, invalid_cursor
//	Verify
//	    replays the stored decisions of tenants: NotFound
//	ReviewDecision, Referrals
//	    what people say of decisions, and those that wait: NotFound, Invalid
//	Usage
//	    what a tenant used in a period
//
// For study and agentdesk: Bill is what a request costs. Flush is the background work of the room.
//
// Storage is called as it is. Nothing here remembers anything that storage could not
// tell again.
package decisioning
