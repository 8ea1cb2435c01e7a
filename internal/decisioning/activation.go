package decisioning

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// CodeSecondPersonRequired refuses an author who would arm their own work.
const CodeSecondPersonRequired = "second_person_required"

// Activate makes a rule set the one that decides. The one before is retired;
// activating that one again is a rollback. On this node the next decision uses
// it, on others one within a second.
func (s *Service) Activate(ctx context.Context, p tenant.Principal, id string, body wire.Value, o *Once) (Answer, error) {
	if err := p.Require(tenant.PolicyActivate); err != nil {
		return Answer{}, err
	}
	if !tenant.Valid(tenant.KindPolicy, id) {
		return Answer{}, missing("rule set")
	}
	ask, err := readActivation(body)
	if err != nil {
		return Answer{}, err
	}
	scope := s.scope(p)
	policy, err := s.activatable(ctx, scope, id)
	if err != nil {
		return Answer{}, err
	}
	now := s.moment()
	ask.ID, ask.NowMicros, ask.Actor = id, now.UnixMicro(), actor(p)
	note := ask.Audit.Note
	ask.Audit = s.audit(p, now, actionRuleSetActivated, id, note)
	var activated store.RuleSet
	answer, err := s.write(ctx, scope, o, func(tx *store.Tx) (Answer, error) {
		if err := s.mayActivate(tx, p, id); err != nil {
			return Answer{}, err
		}
		done, err := tx.Activate(ask)
		if err != nil {
			return Answer{}, err
		}
		activated = done.RuleSet
		shown := RuleSet{RuleSet: done.RuleSet, FeatureNames: policy.featureNames()}
		return Answer{Status: statusOK, Body: shown.body()}, nil
	})
	if activated.ID != "" {
		s.active.Forget(series{p.TenantID, string(p.Environment), activated.PolicyKey})
	}
	return answer, err
}

func readActivation(body wire.Value) (store.Activation, error) {
	var ask store.Activation
	if !body.Given() {
		return ask, nil
	}
	var faults fault.List
	f := wire.NewForm(body, &faults)
	ask.Audit.Note = note(&f)
	if text, ok := f.Text("expected_active_id", maxNote); ok {
		ask.ExpectedActiveID = strings.Clone(text)
	}
	if text, ok := f.Text("expected_checksum", maxNote); ok {
		ask.ExpectedChecksum = strings.Clone(text)
	}
	f.Done()
	return ask, faults.Err()
}

// activatable finds the rule set to activate, and refuses one whose document
// this version of the service would not take any more.
func (s *Service) activatable(ctx context.Context, scope *store.Scope, id string) (*policy, error) {
	policy, err := s.policy(ctx, scope, id)
	var unreadable notARefusal
	if errors.As(err, &unreadable) {
		s.options.Logger.ErrorContext(ctx, "a stored rule set does not validate", "rule_set", id, "error", err)
		return nil, fault.New(fault.Conflict, store.CodeInvalidTransition,
			"this rule set was stored by another version of the service and does not validate any more; create it anew")
	}
	return policy, err
}

// mayActivate refuses, in live, a person who would arm their own work.
func (s *Service) mayActivate(tx *store.Tx, p tenant.Principal, id string) error {
	set, err := tx.RuleSet(id)
	if err != nil {
		return err
	}
	if p.Environment != tenant.Live || set.Status == store.StatusActive {
		return nil
	}
	alone, err := nobodyElse(tx)
	if err != nil || alone {
		return err
	}
	author, err := tx.KeyOwner(set.CreatedBy)
	if err != nil {
		return fmt.Errorf("the author of rule set %s: %w", id, err)
	}
	if set.CreatedBy == actor(p) || set.CreatedBy == p.UserID || author != "" && author == p.UserID {
		return fault.New(fault.Conflict, CodeSecondPersonRequired,
			"in live a rule set is activated by another person than its author, once the tenant has two users who may activate")
	}
	return nil
}

// nobodyElse tells whether there is no second person to ask: one who can only
// look, or was shut out, could not arm it either.
func nobodyElse(tx *store.Tx) (bool, error) {
	roles, err := tx.Roles()
	if err != nil {
		return false, err
	}
	may := 0
	for _, role := range roles {
		if tenant.Role(role).Scopes().Has(tenant.PolicyActivate) {
			may++
		}
	}
	return may < 2, nil
}
