package decisioning

import (
	"context"
	"fmt"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Codes with which an activation is refused.
const (
	CodeInvalidTransition    = "invalid_transition"
	CodeSecondPersonRequired = "second_person_required"
)

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
	now := s.moment()
	ask.ID, ask.NowMicros, ask.Actor = id, now.UnixMicro(), actor(p)
	note := ask.Audit.Note
	ask.Audit = s.audit(p, now, actionRuleSetActivated, id, note)
	var activated store.RuleSet
	answer, err := s.write(ctx, s.scope(p), o, func(tx *store.Tx) (Answer, error) {
		if err := s.mayActivate(tx, p, id); err != nil {
			return Answer{}, err
		}
		done, err := tx.Activate(ask)
		if err != nil {
			return Answer{}, err
		}
		activated = done.RuleSet
		shown, _, err := show(done.RuleSet)
		if err != nil {
			return Answer{}, err
		}
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

// mayActivate refuses a document that this version of the service would not
// take any more, and in live a person who would arm their own work.
func (s *Service) mayActivate(tx *store.Tx, p tenant.Principal, id string) error {
	set, err := tx.RuleSet(id)
	if err != nil {
		return err
	}
	if _, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue()}); err != nil {
		s.options.Logger.Error("a stored rule set does not validate", "rule_set", id, "error", err)
		return fault.New(fault.Conflict, CodeInvalidTransition,
			"this rule set was stored by another version of the service and does not validate any more; create it anew")
	}
	if p.Environment != tenant.Live || set.Status == store.StatusActive {
		return nil
	}
	people, err := tx.Users()
	if err != nil {
		return err
	}
	if people < 2 {
		return nil
	}
	author, err := tx.KeyOwner(set.CreatedBy)
	if err != nil {
		return fmt.Errorf("the author of rule set %s: %w", id, err)
	}
	if set.CreatedBy == actor(p) || set.CreatedBy == p.UserID || author != "" && author == p.UserID {
		return fault.New(fault.Conflict, CodeSecondPersonRequired,
			"in live a rule set is activated by another person than its author, once the tenant has two users")
	}
	return nil
}
