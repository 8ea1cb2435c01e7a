//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"context"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// removeDraft deletes or archives a draft.
func removeDraft(
	ctx context.Context, scope *store.Scope, id string, nowMicros int64,
) (removed store.RuleSet, archived bool, err error) {
	err = scope.Write(ctx, func(tx *store.Tx) (err error) {
		removed, archived, err = tx.RuleSets().RemoveDraft(id, nowMicros)
		return err
	})
	return removed, archived, err
}

// safeSignUp creates a tenant whose sandbox has the initial rule set pol_safe, which stops lending.
func safeSignUp(t *testing.T, db *store.DB, tenant string) *store.Scope {
	t.Helper()
	s := seed(tenant)
	safe := draft("pol_safe")
	safe.Status = store.StatusDraft
	s.Environments[0].RuleSets = append(s.Environments[0].RuleSets, safe)
	s.Environments[0].SafeID = safe.ID
	if err := db.Accounts().CreateTenant(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return db.Scope(tenant, sandbox)
}

// TestSafeID checks that the initial rule set that stops lending can be found by its policy_key, in its own scope
// only.
func TestSafeID(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), safeSignUp(t, db, "ten_A")
		wantSafe := func(scope *store.Scope, policyKey, want string) {
			t.Helper()
			if id, err := scope.RuleSets(ctx).SafeID(policyKey); err != nil || id != want {
				t.Errorf("%s: got %q, %v", policyKey, id, err)
			}
		}
		wantSafe(scope, "default", "pol_safe")
		wantSafe(scope, "gold", "")
		if _, err := storetest.InsertRuleSet(ctx, scope, draft("pol_2"), store.AuditEntry{}); err != nil {
			t.Fatal(err)
		}
		wantSafe(scope, "default", "pol_safe") // later versions of the series do not change it
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			wantSafe(other, "default", "")
		}
	})
}

// TestRemoveDraft checks that an unreferenced draft is deleted, that a referenced draft is archived once, and
// that no other rule set can be removed.
func TestRemoveDraft(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), safeSignUp(t, db, "ten_A")
		based := draft("pol_based")
		based.Base = "pol_base"
		for _, set := range []store.RuleSet{
			draft("pol_free"), draft("pol_base"), based, draft("pol_tested"), draft("pol_challenger"),
			draft("pol_decided"),
		} {
			if _, err := storetest.InsertRuleSet(ctx, scope, set, store.AuditEntry{ID: "aud_" + set.ID}); err != nil {
				t.Fatal(err)
			}
		}
		test := run("bt_1")
		test.RuleSetID, test.ChallengerID = "pol_tested", "pol_challenger"
		wantKind(t, storetest.InsertBacktest(ctx, scope, test, store.AuditEntry{ID: "aud_bt"}), 0, "")
		made := decision("dec_1", store.Unmetered)
		made.Decision.PolicyID = "pol_decided"
		wantKind(t, scope.InsertDecision(ctx, made), 0, "")

		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			_, _, err := removeDraft(ctx, other, "pol_free", 700)
			wantNotFound(t, err)
		}
		_, _, err := removeDraft(ctx, scope, "pol_none", 700)
		wantNotFound(t, err)
		for _, id := range []string{"pol_safe", "pol_ten_Asandbox"} { // the second is active
			_, _, err := removeDraft(ctx, scope, id, 700)
			wantKind(t, err, fault.Conflict, fault.CodeInvalidTransition)
		}

		removed, archived, err := removeDraft(ctx, scope, "pol_free", 700)
		if err != nil || archived || removed.ID != "pol_free" || removed.ArchivedMicros != 0 {
			t.Errorf("got %+v, archived %t, %v", removed, archived, err)
		}
		_, err = scope.RuleSets(ctx).Get("pol_free")
		wantNotFound(t, err)
		for _, id := range []string{"pol_base", "pol_tested", "pol_challenger", "pol_decided"} {
			for _, now := range []int64{700, 800} { // the second call changes nothing
				removed, archived, err := removeDraft(ctx, scope, id, now)
				if err != nil || !archived || removed.ArchivedMicros != 700 {
					t.Errorf("%s at %d: got %+v, archived %t, %v", id, now, removed, archived, err)
				}
			}
			if kept, err := scope.RuleSets(ctx).Get(id); err != nil || kept.ArchivedMicros != 700 {
				t.Errorf("%s: got %+v, %v", id, kept, err)
			}
		}
		listed, _, err := scope.RuleSets(ctx).List(store.RuleSetFilter{Status: store.StatusDraft}, store.Page{})
		if err != nil || len(listed) != 2 { // pol_safe and pol_based
			t.Errorf("%d drafts are listed, %v", len(listed), err)
		}
		if n, err := scope.RuleSets(ctx).Drafts(); err != nil || n != 2 {
			t.Errorf("%d drafts count, %v", n, err)
		}
	})
}

// TestRemoveDraftOrActivate removes and activates the same draft at the same moment. Only one of the
// callers may succeed: an active rule set must not disappear.
func TestRemoveDraftOrActivate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for n := range 10 {
			id := numbered("pol", n)
			if _, err := storetest.InsertRuleSet(ctx, scope, draft(id), store.AuditEntry{ID: "aud_" + id}); err != nil {
				t.Fatal(err)
			}
			errs := race(2, func(caller int) error {
				if caller == 0 {
					_, _, err := removeDraft(ctx, scope, id, 700)
					return err
				}
				_, err := storetest.Activate(ctx, scope, store.Activation{
					ID: id, NowMicros: 700, Actor: "key_1", Audit: store.AuditEntry{ID: "aud_active_" + id},
				})
				return err
			})
			set, err := scope.RuleSets(ctx).Get(id)
			switch {
			case errs[0] == nil:
				wantNotFound(t, errs[1])
				wantNotFound(t, err)
			case errs[1] == nil:
				wantKind(t, errs[0], fault.Conflict, fault.CodeInvalidTransition)
				if err != nil || set.Status != store.StatusActive {
					t.Errorf("got %+v, %v", set, err)
				}
			default:
				t.Errorf("both failed: %v", errs)
			}
		}
	})
}
