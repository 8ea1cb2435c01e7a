//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestActivate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		first := "pol_ten_Asandbox"
		if _, err := storetest.InsertRuleSet(ctx, scope, draft("pol_2"), store.AuditEntry{}); err != nil {
			t.Fatal(err)
		}
		refused := fault.Precondition
		for _, c := range []struct {
			name       string
			activation store.Activation
			kind       fault.Kind
			previous   string
			changed    bool
		}{
			{"another active id", store.Activation{ID: "pol_2", ExpectedActiveID: "pol_2"}, refused, "", false},
			{"another active checksum", store.Activation{ID: "pol_2", ExpectedActiveChecksum: "sha256:x"}, refused, "",
				false},
			{"another checksum", store.Activation{ID: "pol_2", ExpectedChecksum: "sha256:seed"}, refused, "", false},
			{"all as expected", store.Activation{
				ID: "pol_2", ExpectedActiveID: first, ExpectedActiveChecksum: "sha256:seed",
				ExpectedChecksum: "sha256:pol_2", Audit: store.AuditEntry{
					ID:            "aud_1",
					CreatedMicros: 500,
					Action:        "rule_set.activated",
					Object:        "pol_2",
				},
			}, 0, first, true},
			{"active already", store.Activation{
				ID: "pol_2", ExpectedActiveID: first,
				Audit: store.AuditEntry{ID: "aud_2", CreatedMicros: 500, Action: "rule_set.activated", Object: "pol_2"},
			}, 0, "", false},
			{"active already, another checksum",
				store.Activation{ID: "pol_2", ExpectedChecksum: "sha256:x"}, refused, "", false},
			{"rollback", store.Activation{ID: first, ExpectedActiveID: "pol_2"}, 0, "pol_2", true},
		} {
			t.Log(c.name)
			c.activation.NowMicros, c.activation.Actor = 500, "key_2"
			got, err := storetest.Activate(ctx, scope, c.activation)
			wantKind(t, err, c.kind, fault.CodePreconditionFailed)
			if err == nil && (got.Changed != c.changed || got.PreviousID != c.previous ||
				got.RuleSet.ID != c.activation.ID || got.RuleSet.Status != store.StatusActive) {
				t.Errorf("got %+v", got)
			}
		}
		retired, err := scope.RuleSets(ctx).Get("pol_2")
		if err != nil || retired.Status != store.StatusRetired || retired.RetiredMicros != 501 ||
			retired.ActivatedBy != "key_2" {
			t.Errorf("got %+v, %v", retired, err)
		}
		active, err := scope.RuleSets(ctx).Active("default")
		if err != nil || active.ID != first || active.RetiredMicros != 0 || active.ActivatedMicros != 501 {
			t.Errorf("got %+v, %v", active, err)
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Object: "pol_2"}, store.Page{})
		if err != nil || len(entries) != 1 || entries[0].BeforeChecksum != "sha256:seed" ||
			entries[0].AfterChecksum != "sha256:pol_2" {
			t.Errorf("got %+v, %v", entries, err)
		}
	})
}

func TestActivateNotMine(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		others := neighbours(t, db, "ten_A")
		if _, err := storetest.InsertRuleSet(ctx, scope, draft("pol_2"), store.AuditEntry{}); err != nil {
			t.Fatal(err)
		}
		_, err := storetest.Activate(ctx, scope, store.Activation{ID: "pol_none"})
		wantNotFound(t, err)
		for who, other := range others {
			t.Log(who)
			_, err := storetest.Activate(ctx, other, store.Activation{ID: "pol_2"})
			wantNotFound(t, err)
		}
		// The first activation in live works too.
		armed := db.Scope("ten_A", live)
		_, err = storetest.Activate(ctx, armed, store.Activation{ID: "pol_ten_Alive", ExpectedActiveID: "pol_2"})
		wantKind(t, err, fault.Precondition, fault.CodePreconditionFailed)
		got, err := storetest.Activate(ctx, armed, store.Activation{ID: "pol_ten_Alive", NowMicros: 700})
		if err != nil || !got.Changed || got.PreviousID != "" {
			t.Errorf("got %+v, %v", got, err)
		}
		if active, err := scope.RuleSets(ctx).Active("default"); err != nil || active.ID != "pol_ten_Asandbox" {
			t.Errorf("the sandbox has %+v, %v", active, err)
		}
		for _, c := range []struct {
			scope     *store.Scope
			key, want string
		}{
			{scope, "default", "pol_ten_Asandbox"}, {armed, "default", "pol_ten_Alive"}, {scope, "gold", ""},
			{others["another tenant"], "default", "pol_ten_OTHERsandbox"},
			// ten_OTHER has only a draft in live
			{others["a tenant that is not there"], "default", ""}, {db.Scope("ten_OTHER", live), "default", ""},
		} {
			if id, err := c.scope.RuleSets(ctx).ActiveID(c.key); err != nil || id != c.want {
				t.Errorf("%s has %q active in %s, %v", c.scope.Tenant(), id, c.scope.Environment(), err)
			}
		}
	})
}

// TestActivationRace runs sixteen activations concurrently from two nodes, and checks
// that one rule set is active in the end and that the audit log has one entry for each
// activation.
func TestActivationRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const n = 16
		db := storetest.Open(t, databaseURL, store.Options{})
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		scopes := []*store.Scope{scope, secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
		for i := range n {
			if _, err := storetest.InsertRuleSet(ctx, scope, draft(numbered("pol", i)),
				store.AuditEntry{}); err != nil {
				t.Fatal(err)
			}
		}
		errs := race(n, func(i int) error {
			id := numbered("pol", i)
			_, err := storetest.Activate(ctx, scopes[i%len(scopes)], store.Activation{
				ID:        id,
				NowMicros: 500,
				Audit:     store.AuditEntry{ID: "aud_" + id, Action: "rule_set.activated"},
			})
			return err
		})
		if got := succeeded(t, errs, 0, ""); got != n {
			t.Errorf("%d of %d activated", got, n)
		}
		active, _, err := scope.RuleSets(ctx).List(store.RuleSetFilter{Status: store.StatusActive}, store.Page{})
		if err != nil || len(active) != 1 {
			t.Errorf("%d are active, %v", len(active), err)
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Action: "rule_set.activated"}, store.Page{})
		if err != nil || len(entries) != n {
			t.Errorf("%d audit entries, %v", len(entries), err)
		}
		// If all activations expect the same active rule set, only one can succeed.
		errs = race(n, func(i int) error {
			id := numbered("pol", i)
			if id == active[0].ID {
				return fault.New(fault.Precondition, fault.CodePreconditionFailed, "is the active one")
			}
			_, err := storetest.Activate(ctx, scopes[i%len(scopes)],
				store.Activation{ID: id, NowMicros: 600, ExpectedActiveID: active[0].ID})
			return err
		})
		if got := succeeded(t, errs, fault.Precondition, fault.CodePreconditionFailed); got != 1 {
			t.Errorf("%d replaced the same rule set", got)
		}
	})
}

// TestActivationIsAllowed checks that Allow gets both rule sets, can refuse an activation and can edit its audit
// entry. It also activates two rule sets one after the other with the same NowMicros. The retirement time of the
// first must equal the activation time of the second. The initial rule set must have another retirement time.
func TestActivationIsAllowed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for _, id := range []string{"pol_2", "pol_3"} {
			if _, err := storetest.InsertRuleSet(ctx, scope, draft(id), store.AuditEntry{}); err != nil {
				t.Fatal(err)
			}
		}
		var seen []string
		_, err := storetest.Activate(ctx, scope, store.Activation{
			ID: "pol_2", NowMicros: 900,
			Allow: func(active, target store.RuleSet, _ bool, _ *store.AuditEntry) error {
				seen = append(seen, active.ID, target.ID)
				return fault.New(fault.Conflict, "no", "not this one")
			},
		})
		wantKind(t, err, fault.Conflict, "no")
		if len(seen) != 2 || seen[0] != "pol_ten_Asandbox" || seen[1] != "pol_2" {
			t.Errorf("asked about %v", seen)
		}
		for _, id := range []string{"pol_2", "pol_3"} {
			_, err := storetest.Activate(ctx, scope, store.Activation{
				ID: id, NowMicros: 900, Audit: store.AuditEntry{ID: "aud_" + id, Object: id},
				Allow: func(_, _ store.RuleSet, _ bool, audit *store.AuditEntry) error {
					audit.Note = "edited"
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		active, err := scope.RuleSets(ctx).Get("pol_3")
		if err != nil {
			t.Fatal(err)
		}
		for id, before := range map[string]bool{"pol_2": true, "pol_ten_Asandbox": false} {
			if set, err := scope.RuleSets(ctx).Get(id); err != nil ||
				(set.RetiredMicros == active.ActivatedMicros) != before {
				t.Errorf("%s was retired at %d, and the active one is active from %d on; %v",
					id, set.RetiredMicros, active.ActivatedMicros, err)
			}
		}
		entries, _, err := scope.Audit(ctx).List(store.AuditFilter{Object: "pol_3"}, store.Page{})
		if err != nil || len(entries) != 1 || entries[0].Note != "edited" {
			t.Errorf("the trail says %+v, %v", entries, err)
		}
	})
}
