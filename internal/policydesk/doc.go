// Package policydesk manages policies: rule sets from draft to retired, their differences
// from their base and the findings of the static analysis, activation, scorecards, and the
// compiled policies that decisions use.
//
// Each operation first checks the caller's permissions (Forbidden). Besides the errors
// listed here, any operation may fail with a storage error.
//
//	CreateRuleSet
//	    stores an engine.Draft and the proofs of its guarantees: Invalid with every
//	    fault, policy_too_costly, NotFound for its base, cap_reached, Unavailable while
//	    another draft of the tenant is being proved
//	ReadDraft
//	    returns the faults, or the findings and changes, of a draft and stores nothing:
//	    NotFound for its base
//	DraftPolicies
//	    compiles a draft and its base and stores nothing: Invalid with every fault, NotFound for its base
//	DeleteRuleSet
//	    deletes or archives a draft: NotFound, invalid_transition
//	RuleSet, RuleSets, Policies
//	    return versions: NotFound, invalid_cursor
//	Diff
//	    compares two versions for all applicants: NotFound, no_active_policy, Unavailable
//	RuleStats, Outcomes
//	    return how often the rules of a version were evaluated and hit, and its decisions by status and grade
//	QuietRules
//	    returns the rules of active versions that have stopped hitting
//	Activate
//	    activates a rule set: Invalid, NotFound, invalid_transition,
//	    precondition_failed, second_person_required, findings_unacknowledged,
//	    guarantee_violated, list_missing, table_missing
//	CreateScorecard
//	    stores a scorecard: Invalid, cap_reached
//	Score
//	    scores applicants with a scorecard: Invalid, NotFound
//	StoredScorecard, Scorecards
//	    return scorecards: NotFound, invalid_cursor
//
// Edits is a service of its own for the working copies of people who edit policies. Its comment lists its operations.
//
// Three operations are for other use-case packages and check no permissions. Policy returns a compiled rule set.
// ActivePolicy returns the active policy of a policy_key (no_active_policy if there is
// none). NewScorecard prepares a scorecard, which a transaction then stores. Flush is the
// background work of this package.
package policydesk
