package store

import "verdict/internal/fault"

// Activation describes a request to make a rule set the active rule set of its policy_key. If an Expected field is set
// and differs from the stored value, Activate returns Precondition.
type Activation struct {
	ID        string
	NowMicros int64
	Actor     string

	ExpectedActiveID       string // the id of the rule set that the activation replaces
	ExpectedActiveChecksum string // the checksum of the document that the activation replaces
	ExpectedChecksum       string // the checksum of the document to activate

	// Allow, unless nil, may refuse the change and edit its audit entry. Activate calls Allow while it holds the lock
	// on the policy_key's rule sets, and again if the transaction is retried. It does not call Allow if nothing
	// changes. active has no id if no rule set is active. safe reports whether target is the initial rule set that
	// stops lending.
	Allow func(active, target RuleSet, safe bool, audit *AuditEntry) error

	Audit AuditEntry // Activate sets the checksums, and stores no entry if nothing changes
}

// Activated is the result of an activation.
type Activated struct {
	RuleSet    RuleSet
	PreviousID string // "" if no rule set was active or nothing changed
	Changed    bool   // false if the rule set was active already
}

// Activate activates a rule set and retires the active rule set of the same
// policy_key. Activating a retired rule set is a rollback. If the rule set is
// active already, Activate changes nothing and succeeds, without comparing
// ExpectedActiveID and ExpectedActiveChecksum. So a caller can repeat a request
// whose answer was lost.
func (rs RuleSets) Activate(a Activation) (Activated, error) {
	var policyKey string
	if err := rs.tx.one([]any{&policyKey},
		"SELECT policy_key FROM rule_sets WHERE tenant_id = $1 AND environment = $2 AND id = $3",
		a.ID); err != nil {
		return Activated{}, orNotFound("rule set", err)
	}
	// From here on, other activations of this policy_key wait for the end of this transaction, and the following reads
	// see the commits of earlier activations.
	if _, err := rs.tx.exec(`UPDATE series SET changes = changes + 1
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, policyKey); err != nil {
		return Activated{}, err
	}
	target, err := rs.Get(a.ID)
	if err != nil {
		return Activated{}, err
	}
	if a.ExpectedChecksum != "" && a.ExpectedChecksum != target.Checksum {
		return Activated{}, unexpected("the checksum of the rule set is not the expected one")
	}
	if target.Status == StatusActive {
		return Activated{RuleSet: target}, nil
	}
	if target.ArchivedMicros != 0 {
		return Activated{}, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"this draft is archived; create a new draft with it as base")
	}
	active, err := rs.Active(policyKey)
	if err != nil && !isRefusal(err) {
		return Activated{}, err
	}
	switch {
	case a.ExpectedActiveID != "" && a.ExpectedActiveID != active.ID:
		return Activated{}, unexpected("the active rule set is not the expected one")
	case a.ExpectedActiveChecksum != "" && a.ExpectedActiveChecksum != active.Checksum:
		return Activated{}, unexpected("the checksum of the active rule set is not the expected one")
	}
	if a.Allow != nil {
		safe, err := rs.SafeID(policyKey)
		if err != nil {
			return Activated{}, err
		}
		if err := a.Allow(active, target, safe == target.ID, &a.Audit); err != nil {
			return Activated{}, err
		}
	}
	return rs.swap(a, active, target)
}

// SafeID returns the id of the policy_key's initial rule set that stops
// lending, "" if there is none.
func (rs RuleSetReader) SafeID(policyKey string) (string, error) {
	return read(rs.access, func(tx *Tx) (id string, err error) {
		err = tx.one([]any{&id}, `SELECT safe_id FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, policyKey)
		return id, ignoreAbsent(err)
	})
}

// swap activates target and retires active, and adds the entry of the activation to the journal. active has no id if
// no rule set is active. Each activation of a policy_key gets a later time than the activation before it, even if the
// clocks of nodes differ. So the time at which a rule set became active identifies its predecessor: no other rule set
// of the policy_key was retired at that time.
func (rs RuleSets) swap(a Activation, active, target RuleSet) (Activated, error) {
	if active.ID != "" {
		a.NowMicros = max(a.NowMicros, active.ActivatedMicros+1)
		if _, err := rs.tx.exec(`UPDATE rule_sets SET status = 'retired', retired_micros = $4
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, active.ID, a.NowMicros); err != nil {
			return Activated{}, err
		}
	}
	target.Status, target.RetiredMicros = StatusActive, 0
	target.ActivatedMicros, target.ActivatedBy = a.NowMicros, a.Actor
	leaf, err := rs.tx.record(target.activation(active.ID))
	if err != nil {
		return Activated{}, err
	}
	if _, err := rs.tx.exec(
		`UPDATE rule_sets SET status = 'active', activated_micros = $4, activated_by = $5, retired_micros = 0,
			activation_leaf = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, target.ID, a.NowMicros, a.Actor, leaf); err != nil {
		return Activated{}, err
	}
	if _, err := rs.tx.exec(`UPDATE series SET active_id = $4, changed_micros = $5
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`,
		target.PolicyKey, target.ID, a.NowMicros); err != nil {
		return Activated{}, err
	}
	audit := a.Audit
	audit.BeforeChecksum, audit.AfterChecksum = active.Checksum, target.Checksum
	if err := rs.tx.Audit().Add(audit); err != nil {
		return Activated{}, err
	}

	return Activated{RuleSet: target, PreviousID: active.ID, Changed: true}, nil
}

func unexpected(detail string) *fault.Error {
	return fault.New(fault.Precondition, fault.CodePreconditionFailed, "%s", detail)
}
