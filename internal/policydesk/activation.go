package policydesk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/account"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Activation holds the note and the conditions of an activation. Each Expected field that is
// not empty must match.
type Activation struct {
	Note             string
	ExpectedActiveID string   // the id of the rule set that the activation replaces
	ExpectedChecksum string   // the checksum of the document to activate
	Acknowledge      []string // keys of findings that the caller accepts
}

// Limits of the acknowledgements of one activation.
const (
	MaxAcknowledged = 1_000
	maxFindingKey   = 300
)

// NotAFindingKey is the detail of the fault for a malformed acknowledgement.
const NotAFindingKey = "must be the key of a finding, such as \"code@/knockouts/ID\""

// Check adds the faults of the activation.
func (a Activation) Check(faults *fault.List) {
	c := faults.Check("")
	c.Text("note", a.Note, operation.MaxNote)
	c.Text("expected_active_id", a.ExpectedActiveID, operation.MaxNote)
	c.Text("expected_checksum", a.ExpectedChecksum, operation.MaxNote)
	if len(a.Acknowledge) > MaxAcknowledged {
		c.Fail("acknowledge", fault.CodeTooMany, "has more than %d entries", MaxAcknowledged)
		return
	}
	for i, key := range a.Acknowledge {
		if len(key) > maxFindingKey {
			c.Fail("acknowledge/"+strconv.Itoa(i), fault.CodeWrongType, NotAFindingKey)
		}
	}
}

// Activate activates a rule set and retires the active rule set. Activating the previous version
// again is a rollback. A rollback, and the activation of the initial rule set that stops
// lending, need no second person, no acknowledgements and no proofs. The new version applies to the
// next decision on this node, and within a second on other nodes.
func (s *Service) Activate(
	ctx context.Context, p tenant.Principal, id string, a Activation, r *operation.Reply[RuleSet],
) (RuleSet, error) {
	if err := p.Require(tenant.PolicyActivate); err != nil {
		return RuleSet{}, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return RuleSet{}, fault.Missing("rule set")
	}
	var faults fault.List
	a.Check(&faults)
	if err := faults.Err(); err != nil {
		return RuleSet{}, err
	}
	scope := s.core.Scope(p)
	policy, err := s.activatable(ctx, scope, id)
	if err != nil {
		return RuleSet{}, err
	}
	// Analyse before the transaction, because the transaction blocks other writes.
	violated, findings, err := s.judged(ctx, p, policy)
	if err != nil {
		return RuleSet{}, err
	}

	now := s.core.Moment()
	change := store.Activation{
		ID:               id,
		NowMicros:        now.UnixMicro(),
		Actor:            operation.Actor(p),
		ExpectedActiveID: a.ExpectedActiveID,
		ExpectedChecksum: a.ExpectedChecksum,
		Audit:            s.core.Audit(p, now, operation.ActionRuleSetActivated, id, a.Note),
	}
	acknowledged := s.core.Audit(p, now, operation.ActionAcknowledged, id, strings.Join(a.Acknowledge, ", "))
	set, err := operation.Write(ctx, s.core, scope, r, func(tx *store.Tx) (RuleSet, error) {
		gated := false
		change.Allow = func(active, target store.RuleSet, safe bool, entry *store.AuditEntry) error {
			if safe || wasBefore(active, target) {
				entry.Note = rollbackNote(a.Note)
				return nil
			}
			if violated != nil {
				return violated
			}
			if err := lockLists(tx, policy.Lookups); err != nil {
				return err
			}
			if err := lockTables(tx, policy.Plan.Tables()); err != nil {
				return err
			}
			gated = p.Environment == tenant.Live
			return s.gate(tx, p, target, findings, a.Acknowledge)
		}
		done, err := tx.RuleSets().Activate(change)
		if err != nil {
			return RuleSet{}, err
		}
		if gated && len(a.Acknowledge) > 0 {
			if err := tx.Audit().Add(acknowledged); err != nil {
				return RuleSet{}, err
			}
		}
		set := ruleSetOf(done.RuleSet)
		set.FeatureNames = policy.featureNames()
		return set, nil
	})
	if set.ID != "" {
		s.active.Forget(series{p.TenantID, string(p.Environment), set.PolicyKey})
	}
	return set, err
}

// judged returns the refusal of a policy that violates its guarantees, or nil. In the live environment it also
// returns the findings that must be acknowledged.
func (s *Service) judged(
	ctx context.Context, p tenant.Principal, policy *Policy,
) (violated error, findings []analysis.Finding, err error) {
	proofs, err := policy.guarantees(ctx)
	if err != nil {
		return nil, nil, err
	}
	violated = checkGuarantees(proofs)
	if p.Environment != tenant.Live {
		return violated, nil, nil
	}
	if findings, err = policy.findings(ctx); err != nil {
		return nil, nil, err
	}
	removed, err := s.removedGuarantees(ctx, p, policy)
	return violated, append(removed, findings...), err
}

// wasBefore reports whether an activation undoes the last activation: target is the version that
// was retired when active was activated.
func wasBefore(active, target store.RuleSet) bool {
	return target.Status == store.StatusRetired && active.ID != "" && target.RetiredMicros == active.ActivatedMicros
}

// rollbackNote returns the note for the audit entry of an activation that skips the checks of
// gate.
func rollbackNote(note string) string {
	if note == "" {
		return "rollback"
	}
	return "rollback: " + note
}

// gate refuses an activation in the live environment if a second person must do it, or if errors of the analysis
// are not acknowledged.
func (s *Service) gate(
	tx *store.Tx, p tenant.Principal, target store.RuleSet, findings []analysis.Finding, acknowledged []string,
) error {
	if p.Environment != tenant.Live {
		return nil
	}
	work := account.Work{RuleSetID: target.ID, Author: target.CreatedBy}
	if err := account.MayActivate(tx, p, work, s.core.Now()); err != nil {
		return err
	}
	return acknowledgedAll(findings, acknowledged)
}

// acknowledgedAll refuses findings of severity error that are not acknowledged. It also refuses
// acknowledgements that match no finding, so that a mistyped key does not count as consent.
func acknowledgedAll(found []analysis.Finding, acknowledged []string) error {
	var faults fault.List
	for i, key := range acknowledged {
		if !slices.ContainsFunc(found, func(f analysis.Finding) bool { return f.Key == key }) {
			faults.Add(fmt.Sprintf("/acknowledge/%d", i), fault.CodeInvalidField,
				"is not the key of a finding of this rule set; GET /v1/rule-sets/{id} lists them")
		}
	}
	if err := faults.Err(); err != nil {
		return err
	}
	open, more := []fault.Item(nil), 0
	for _, f := range found {
		switch {
		case f.Severity != analysis.SeverityError || slices.Contains(acknowledged, f.Key):
		case len(open) < fault.MaxItems:
			open = append(open, fault.Item{Pointer: f.Pointer, Code: f.Code, Detail: f.Detail, Key: f.Key})
		default:
			more++
		}
	}
	if len(open) == 0 {
		return nil
	}
	refusal := fault.New(fault.Conflict, fault.CodeFindingsUnacknowledged,
		"the analysis found %d errors in this rule set; "+
			"fix them, or send the key of each in \"acknowledge\" to activate it anyway", len(open)+more)
	if len(open) == 1 {
		refusal.Detail = "the analysis found an error in this rule set; " +
			"fix it, or send its key in \"acknowledge\" to activate it anyway"
	}
	refusal.Items = open
	return refusal
}

// activatable returns the rule set to activate, compiled. It refuses a document that this version
// of the service can no longer read as a policy.
func (s *Service) activatable(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	policy, err := s.Policy(ctx, scope, id)
	if s.unreadable(ctx, scope, "activate", id, err) {
		return nil, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"this rule set was stored by another version of the service and is no longer valid; create it again")
	}
	return policy, err
}

// unreadable reports whether an error means that the document of a rule set can no longer be read as a policy, and logs
// such an error. action is the verb of the log line, such as "activate".
func (s *Service) unreadable(ctx context.Context, scope *store.Scope, action, id string, err error) bool {
	var unreadable operation.Defect
	if !errors.As(err, &unreadable) {
		return false
	}
	s.core.Logger.ErrorContext(ctx,
		"could not "+action+" a rule set: the stored document is no longer valid; create the rule set again",
		"tenant_id", scope.Tenant(), "environment", scope.Environment(), "rule_set_id", id, "error", err)
	return true
}
