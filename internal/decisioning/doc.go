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
//	Decide, Evaluate, DecideFor
//	    decide and store: Invalid with every fault, no_active_policy, list_missing, table_missing, quota_exceeded;
//	    the reply has the answer as it was stored
//	Preview, Eligibility
//	    decide and store no decision: Invalid, no_active_policy, list_missing, table_missing, NotFound of a rule set
//	Underwrite
//	    decides, lets an agent study the decision, and stores both: the errors of Decide,
//	    and those of the study
//	Decision, Decisions, DecisionRows, RankedRows, Summaries, Story
//	    read stored decisions and explain them again: NotFound, invalid_cursor, erased if
//	    the applicant is erased during the call; if the decision was erased before, they
//	    return the parts that remain
//	Roles, OtherRoles
//	    read the decisions in which a person is not the primary applicant
//	OfferState
//	    reads what the borrower is told about the offer of a decision: NotFound
//	Features
//	    reads the features of a stored decision: NotFound, features_not_generated,
//	    invalid_cursor, erased
//	Reviews.Add, Reviews.Referrals, Reviews.ReferralsOf
//	    add a review, and list the decisions that wait for one: NotFound, Invalid,
//	    cap_reached
//	Reviews.Take, Reviews.Release
//	    assign referrals to the person who calls, and give them back: Invalid
//	Filters.Saved, Filters.Save, Filters.Forget
//	    return, store and delete the filters that a person has saved: Invalid, cap_reached
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
//	    add the missing journal entries of data from before the journal: Backfill for all
//	    data, AddEntries for the given decisions
//	Audit.SealOlder
//	    encrypts the documents of decisions from before the master key
//	Usage.CheckThresholds
//	    records which shares of their quotas tenants have reached
//
// Usage.Bill bills a request of study or agentdesk within a transaction. Usage.Flush stores the
// counts of free requests in the background; Statistics.Flush stores the counts of decisions.
// Statistics.Observed counts an answered request. PurgeRequests and Statistics.Purge delete old data
// in the background. AddOfferTerms looks up the terms of offers for package privacydesk.
//
// The store is called directly, without an interface. Apart from the counts that
// are not stored yet, memory holds only caches of stored data.
package decisioning
