package store

import (
	"context"

	"verdict/internal/fault"
)

// Activation asks for a rule set to become the active one of its policy_key.
// Each expectation that is not empty must hold, or the answer is Precondition.
type Activation struct {
	ID        string
	NowMicros int64
	Actor     string

	ExpectedActiveID       string // the rule set it takes over from
	ExpectedActiveChecksum string // the document it takes over from
	ExpectedChecksum       string // the document it activates

	// Allow, unless nil, may refuse the change, and edits its audit entry. It
	// runs while nobody else can activate in this series, not for a no-op, and
	// again when the transaction is repeated. active has no id if there is none;
	// safe tells that target is the rule set that stops lending from the beginning.
	Allow func(active, target RuleSet, safe bool, audit *AuditEntry) error

	Audit AuditEntry // its checksums are filled in; none is written for a no-op
}

// Activated is what an activation left behind.
type Activated struct {
	RuleSet    RuleSet
	PreviousID string // "" when there was none, or nothing changed
	Changed    bool   // false when it was active already
}

// Activate retires the active rule set of the same policy_key and activates
// this one, which may be a retired one: that is a rollback. To activate the
// active one changes nothing, whatever was expected to be active before: a
// caller that repeats itself after a lost answer is told the truth.
func (rs RuleSets) Activate(a Activation) (Activated, error) {
	var policyKey string
	if err := rs.tx.one([]any{&policyKey},
		"SELECT policy_key FROM rule_sets WHERE tenant_id = $1 AND environment = $2 AND id = $3",
		a.ID); err != nil {
		return Activated{}, oneOf("rule set", err)
	}
	// From here on others who activate in this series wait for our commit, and
	// what is read next is what they left.
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

// SafeID returns the id of the rule set of a policy_key that was there from
// the beginning to stop lending, "" if there is none.
func (rs RuleSetReader) SafeID(policyKey string) (string, error) {
	return read(rs.access, func(tx *Tx) (id string, err error) {
		err = tx.one([]any{&id}, `SELECT safe_id FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, policyKey)
		return id, ignoreAbsent(err)
	})
}

// swap makes target active instead of active, which has no id if there is none.
// Each activation of a series is later than the one before, whatever the clocks
// say: the moment at which the active one became active is the moment at which
// the one before it was retired, and no other was.
func (rs RuleSets) swap(a Activation, active, target RuleSet) (Activated, error) {
	if active.ID != "" {
		a.NowMicros = max(a.NowMicros, active.ActivatedMicros+1)
		if _, err := rs.tx.exec(`UPDATE rule_sets SET status = 'retired', retired_micros = $4
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, active.ID, a.NowMicros); err != nil {
			return Activated{}, err
		}
	}
	if _, err := rs.tx.exec(
		`UPDATE rule_sets SET status = 'active', activated_micros = $4, activated_by = $5, retired_micros = 0
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, target.ID, a.NowMicros, a.Actor); err != nil {
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
	target.Status, target.ActivatedMicros, target.ActivatedBy, target.RetiredMicros = StatusActive, a.NowMicros, a.Actor, 0
	return Activated{RuleSet: target, PreviousID: active.ID, Changed: true}, nil
}

func unexpected(detail string) *fault.Error {
	return fault.New(fault.Precondition, fault.CodePreconditionFailed, "%s", detail)
}

// PolicyChange says which rule set became active where.
type PolicyChange struct {
	TenantID, Environment, PolicyKey, ActiveID string
	Changes                                    int64 // grows with every activation
	ChangedMicros                              int64
}

// PolicyChanges are the series activated at or after a time, for nodes to drop
// what they hold compiled; at most MaxPage, oldest first. Nodes' clocks and
// commits overlap, so a caller asks again from a few seconds before the latest
// it has seen, and tells by Changes what it knows already.
func (sys *System) PolicyChanges(ctx context.Context, sinceMicros int64) ([]PolicyChange, error) {
	var changes []PolicyChange
	err := sys.read(ctx, func(s *session) error {
		changes = nil
		return s.each(func(scan func(...any) error) error {
			var c PolicyChange
			err := scan(&c.TenantID, &c.Environment, &c.PolicyKey, &c.ActiveID, &c.Changes, &c.ChangedMicros)
			changes = append(changes, c)
			return err
		}, `SELECT tenant_id, environment, name, active_id, changes, changed_micros FROM series
			WHERE changed_micros >= $1 AND kind = 'policy' ORDER BY changed_micros LIMIT $2`, sinceMicros, int64(MaxPage))
	})
	return changes, err
}
