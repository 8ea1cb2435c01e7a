package policydesk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/account"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Activate makes a rule set the one that decides. The one before is retired;
// activating that one again is a rollback, which passes no gate. On this node
// the next decision uses it, on others one within a second.
func (s *Service) Activate(ctx context.Context, p tenant.Principal, id string, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if err := p.Require(tenant.PolicyActivate); err != nil {
		return operation.Answer{}, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return operation.Answer{}, operation.Missing("rule set")
	}
	ask, err := readActivation(body)
	if err != nil {
		return operation.Answer{}, err
	}
	scope := s.core.Scope(p)
	policy, err := s.activatable(ctx, scope, id)
	if err != nil {
		return operation.Answer{}, err
	}
	var findings []engine.Finding
	if p.Environment == tenant.Live {
		if findings, err = policy.findings(ctx); err != nil { // which is no work for the one writer
			return operation.Answer{}, err
		}
	}
	now := s.core.Moment()
	ask.ID, ask.NowMicros, ask.Actor = id, now.UnixMicro(), operation.Actor(p)
	ask.Audit = s.core.Audit(p, now, operation.ActionRuleSetActivated, id, ask.note)
	acknowledged := s.core.Audit(p, now, operation.ActionAcknowledged, id, strings.Join(ask.acknowledge, ", "))
	var activated store.RuleSet
	answer, err := s.core.Write(ctx, scope, o, func(tx *store.Tx) (operation.Answer, error) {
		gated := false
		ask.Allow = func(active, target store.RuleSet, safe bool, entry *store.AuditEntry) error {
			if safe || wasBefore(active, target) {
				entry.Note = rollbackNote(ask.note)
				return nil
			}
			gated = p.Environment == tenant.Live
			return s.gate(tx, p, target, findings, ask.acknowledge)
		}
		done, err := tx.RuleSets().Activate(ask.Activation)
		if err != nil {
			return operation.Answer{}, err
		}
		if gated && len(ask.acknowledge) > 0 {
			if err := tx.Audit().Add(acknowledged); err != nil {
				return operation.Answer{}, err
			}
		}
		activated = done.RuleSet
		shown := RuleSet{RuleSet: done.RuleSet, FeatureNames: policy.featureNames()}
		return operation.Answer{Status: operation.StatusOK, Body: shown.body()}, nil
	})
	if activated.ID != "" {
		s.active.Forget(series{p.TenantID, string(p.Environment), activated.PolicyKey})
	}
	return answer, err
}

// activation is what a caller asks for.
type activation struct {
	store.Activation
	note        string
	acknowledge []string // keys of findings that were seen and are accepted
}

// The bounds of what one activation acknowledges.
const (
	maxAcknowledged = 1_000
	maxFindingKey   = 300
)

func readActivation(body wire.Value) (activation, error) {
	var ask activation
	if !body.Given() {
		return ask, nil
	}
	var faults fault.List
	f := wire.NewForm(body, &faults)
	ask.note = operation.Note(&f)
	if text, ok := f.Text("expected_active_id", operation.MaxNote); ok {
		ask.ExpectedActiveID = strings.Clone(text)
	}
	if text, ok := f.Text("expected_checksum", operation.MaxNote); ok {
		ask.ExpectedChecksum = strings.Clone(text)
	}
	for _, v := range f.Array("acknowledge", maxAcknowledged).Elements() {
		if v.Kind() != wire.String || len(v.Text()) > maxFindingKey {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be the key of a finding, such as \"code@/knockouts/ID\"")
			continue
		}
		ask.acknowledge = append(ask.acknowledge, strings.Clone(v.Text()))
	}
	f.Done()
	return ask, faults.Err()
}

// wasBefore reports whether an activation undoes the last one. Neither that nor
// the seeded rule set that stops lending may ever be held up.
func wasBefore(active, target store.RuleSet) bool {
	return target.Status == store.StatusRetired && active.ID != "" && target.RetiredMicros == active.ActivatedMicros
}

// rollbackNote marks the audit entry of an activation that passed no gate.
func rollbackNote(note string) string {
	if note == "" {
		return "rollback"
	}
	return "rollback: " + note
}

// gate refuses, in live, an activation that a second person must make, or that
// leaves errors of the analysis without a word.
func (s *Service) gate(
	tx *store.Tx, p tenant.Principal, target store.RuleSet, findings []engine.Finding, acknowledged []string,
) error {
	if p.Environment != tenant.Live {
		return nil
	}
	if err := account.MayActivate(tx, p, account.Work{RuleSetID: target.ID, Author: target.CreatedBy}, s.core.Now()); err != nil {
		return err
	}
	return acknowledgedAll(findings, acknowledged)
}

// acknowledgedAll refuses findings of severity error that are not acknowledged,
// and acknowledgements of what is no finding: a typing mistake there would pass
// for consent.
func acknowledgedAll(found []engine.Finding, acknowledged []string) error {
	var faults fault.List
	for i, key := range acknowledged {
		if !slices.ContainsFunc(found, func(f engine.Finding) bool { return f.Key == key }) {
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
		case f.Severity != engine.SeverityError || slices.Contains(acknowledged, f.Key):
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
		"the analysis found %d errors in this rule set; mend them, or send the key of each in acknowledge to activate it all the same", len(open)+more)
	if len(open) == 1 {
		refusal.Detail = "the analysis found an error in this rule set; mend it, or send its key in acknowledge to activate it all the same"
	}
	refusal.Items = open
	return refusal
}

// activatable finds the rule set to activate, and refuses one whose document
// this version of the service would not take any more.
func (s *Service) activatable(ctx context.Context, scope *store.Scope, id string) (*Policy, error) {
	policy, err := s.Policy(ctx, scope, id)
	var unreadable operation.Defect
	if errors.As(err, &unreadable) {
		s.core.Logger.ErrorContext(ctx, "a stored rule set does not validate", "rule_set", id, "error", err)
		return nil, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"this rule set was stored by another version of the service and does not validate any more; create it anew")
	}
	return policy, err
}
