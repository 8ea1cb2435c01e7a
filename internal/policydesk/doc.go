// Package policydesk is the life of a policy: rule sets from draft to retired, with what
// differs from their base and what the static analysis says of them, activation and who
// may do it, scorecards, and the compiled policies that decisions are made with.
//
// The operations. Each checks what the caller may do first (Forbidden); besides the
// errors named here any may fail with one of storage.
//
//	CreateRuleSet
//	    stores an engine.Draft: Invalid with every fault, policy_too_costly, NotFound
//	    of its base, cap_reached
//	ReadDraft
//	    returns the faults, or the findings and changes, of a draft; stores nothing
//	DeleteRuleSet
//	    deletes or archives a draft: NotFound, invalid_transition
//	RuleSet, RuleSets, Policies
//	    show versions: NotFound, invalid_cursor
//	RuleStats
//	    how the rules of a version fared
//	Activate
//	    makes a rule set the one that decides: Invalid, NotFound, invalid_transition,
//	    precondition_failed, second_person_required, findings_unacknowledged
//	CreateScorecard
//	    stores a scorecard: Invalid, cap_reached
//	Score
//	    scores applicants with a scorecard: Invalid, NotFound
//	StoredScorecard, Scorecards
//	    show scorecards: NotFound, invalid_cursor
//
// For the other rooms: Policy finds a rule set, compiled; ActivePolicy the one that
// decides (no_active_policy when there is none); InsertScorecard stores a scorecard
// within a transaction. Flush is the background work of the room.
package policydesk
