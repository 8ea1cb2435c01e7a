// Package decisioning makes decisions. It does all the I/O around the pure decision of
// package engine: evaluate and decide, preview and eligibility, the explanation of
// stored decisions, their features and reviews, the run of an underwriting agent, and
// usage.
//
// Operations take the caller and Go values, and return Go values or a refusal that
// names the faults (ADR 22). An application is passed as the application.Request of its
// document. The answer of a decision is stored as the bytes that Options.Encode wrote,
// and Options.Decode reads them again. The package does not read those bytes itself,
// except to check their hash.
//
// These are the operations. Each first checks the permissions of the caller (Forbidden).
// In addition to the errors named here, each can return an error of storage.
//
//	Decide, Evaluate
//	    decide and store: Invalid with every fault, no_active_policy, list_missing, quota_exceeded;
//	    the reply has the answer as it was stored
//	Preview, Eligibility
//	    decide and store no decision: Invalid, no_active_policy, list_missing, NotFound of a rule set
//	Underwrite
//	    decides, lets an agent study the decision, and stores both: the errors of Decide,
//	    and those of the study
//	Decision, Decisions, DecisionRows, Summaries, Story
//	    read stored decisions and explain them again: NotFound, invalid_cursor, erased if
//	    the applicant is erased during the call; of a decision that was erased before,
//	    they return what remains
//	Features
//	    reads the features of a stored decision: NotFound, features_not_generated,
//	    invalid_cursor, erased
//	Reviews.Add, Reviews.Referrals, Reviews.ReferralsOf
//	    add a review, and list the decisions that wait for one: NotFound, Invalid,
//	    cap_reached
//	Reviews.Take, Reviews.Release
//	    assign referrals to the person who calls, and give them back: Invalid
//	Usage.Current
//	    reads what a tenant used in the current period
//	Usage.In, Usage.ByMonth
//	    read what a tenant used in a month, and in each of the last months
//	Statistics.In
//	    reads how many decisions there were in a range of time, and how requests for them were answered: Invalid
//
// The operator's work takes no caller:
//
//	Audit.Verify
//	    replays the stored decisions of tenants and compares them with the journal:
//	    NotFound
//	Audit.Backfill, Audit.AddEntries
//	    add the journal entries of decisions from before the journal: Backfill of all
//	    decisions, AddEntries of the given ones
//	Audit.SealOlder
//	    encrypts the documents of decisions from before the master key
//	Forgotten
//	    visits the decisions that the present key trees cannot decrypt, because their
//	    applicants were erased after the backup that was restored
//	Usage.CheckThresholds
//	    records which shares of their quotas tenants have reached
//
// Usage.Bill bills a request of study or agentdesk within a transaction. Usage.Flush stores the
// counts of free requests and Statistics.Flush those of decisions, in the background.
// Statistics.Observed counts an answered request.
//
// The store is called directly, without an interface. Apart from the counts that
// are not stored yet, memory holds only caches of stored data.
package decisioning
