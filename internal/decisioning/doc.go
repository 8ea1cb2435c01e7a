// Package decisioning decides, with all the I/O around one pure decision: evaluate and
// decide, preview and eligibility, the explanation of stored decisions, their features
// and reviews, the underwriting of an application by an agent, and the bill.
//
// A caller hands in who is calling and Go values, and gets back Go values, or a
// refusal that names what was wrong (ADR 22). An application is handed in as the
// application.Request of its document. What a decision answers is stored as the bytes
// that Options.Encode made of it, and Options.Decode reads them again; besides that,
// only their hash is checked here.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	Decide, Evaluate
//	    decide and store: Invalid with every fault, no_active_policy, quota_exceeded;
//	    the reply has the answer as it was stored
//	Preview, Eligibility
//	    decide and store nothing: Invalid, no_active_policy, NotFound of a rule set
//	Underwrite
//	    decides, has it studied by an agent, stores both: as Decide, and the errors of the
//	    study
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
