//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func policyEdit(user, ruleSet string, micros int64) store.PolicyEdit {
	return store.PolicyEdit{
		UserID: user, RuleSetID: ruleSet, PolicyKey: "default", BeganMicros: micros, ChangedMicros: micros,
	}
}

func fillPolicyEdit(tx *store.Tx) error {
	_, err := tx.PolicyEdits().Add(policyEdit("usr_9", "pol_9", 7),
		store.PolicyEditStep{Changes: 1, Act: "close:", State: []byte{'x', 0, 0xff}})
	return err
}

// TestPolicyEdits checks the steps of an edit, and that an edit is visible only in its scope and to its person.
func TestPolicyEdits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		add := func(e store.PolicyEdit, s store.PolicyEditStep) (number int64) {
			t.Helper()
			wantKind(t, scope.Write(ctx, func(tx *store.Tx) (err error) {
				number, err = tx.PolicyEdits().Add(e, s)
				return err
			}), 0, "")
			return number
		}
		none, err := scope.PolicyEdits(ctx).Get("usr_1", "pol_1")
		if none != (store.PolicyEdit{}) || err != nil {
			t.Errorf("an edit that nobody made is %v, %v", none, err)
		}
		first := store.PolicyEditStep{Changes: 1, Act: "add:knockouts", State: []byte("one\x00\xff")}
		if n := add(policyEdit("usr_1", "pol_1", 10), first); n != 1 {
			t.Errorf("the first step has the number %d", n)
		}
		second := store.PolicyEditStep{Number: 2, Parent: 1, Left: 7, Act: "open:knockouts/1", State: []byte("two")}
		add(policyEdit("usr_1", "pol_1", 20), second)
		add(policyEdit("usr_2", "pol_2", 15), first)
		add(policyEdit("usr_1", "pol_2", 30), first)

		got, err := scope.PolicyEdits(ctx).Step("usr_1", "pol_1", 2)
		if diff := cmp.Diff(second, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		want := store.PolicyEdit{
			UserID: "usr_1", RuleSetID: "pol_1", PolicyKey: "default",
			Current: 2, Last: 2, BeganMicros: 10, ChangedMicros: 20,
		}
		if e, err := scope.PolicyEdits(ctx).Get("usr_1", "pol_1"); err != nil || e != want {
			t.Errorf("got %v, want %v, %v", e, want, err)
		}
		steps, err := scope.PolicyEdits(ctx).Steps("usr_1", "pol_1")
		if err != nil || len(steps) != 2 || steps[0].Number != 1 || steps[1].State != nil {
			t.Errorf("the steps are %v, %v", steps, err)
		}
		others, err := scope.PolicyEdits(ctx).Others("usr_1", "default", 14, 5)
		if err != nil || len(others) != 1 || others[0].UserID != "usr_2" {
			t.Errorf("others edit %v, %v", others, err)
		}
		if others, err = scope.PolicyEdits(ctx).Others("usr_1", "default", 15, 5); err != nil || len(others) != 0 {
			t.Errorf("after the last change others edit %v, %v", others, err)
		}
		mine, err := scope.PolicyEdits(ctx).Of("usr_1", 5)
		if err != nil || len(mine) != 2 || mine[0].RuleSetID != "pol_2" {
			t.Errorf("the edits of a person are %v, %v", mine, err)
		}

		for _, elsewhere := range []*store.Scope{other, db.Scope("ten_A", "live")} {
			edits := elsewhere.PolicyEdits(ctx)
			e, err1 := edits.Get("usr_1", "pol_1")
			s, err2 := edits.Step("usr_1", "pol_1", 1)
			all, err3 := edits.Steps("usr_1", "pol_1")
			rest, err4 := edits.Others("usr_9", "default", 0, 5)
			own, err5 := edits.Of("usr_1", 5)
			for _, err := range []error{err1, err2, err3, err4, err5} {
				wantKind(t, err, 0, "")
			}
			if e.Last != 0 || s.Number != 0 || len(all)+len(rest)+len(own) != 0 {
				t.Errorf("another scope sees %v, %v, %v, %v, %v", e, s, all, rest, own)
			}
			wantKind(t, elsewhere.Write(ctx, func(tx *store.Tx) error {
				return tx.PolicyEdits().Delete("usr_1", "pol_1")
			}), 0, "")
		}
		if s, err := scope.PolicyEdits(ctx).Step("usr_2", "pol_1", 1); err != nil || s.Number != 0 {
			t.Errorf("another person sees %v, %v", s, err)
		}
		if e, _ := scope.PolicyEdits(ctx).Get("usr_1", "pol_1"); e != want {
			t.Errorf("another scope has changed the edit to %v", e)
		}
	})
}

// TestPolicyEditIsPurged checks that a purge deletes the edits that were last changed before its time, in all scopes,
// and keeps the others.
func TestPolicyEditIsPurged(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		for _, scope := range []*store.Scope{signUp(t, db, "ten_A"), signUp(t, db, "ten_B")} {
			change(t, scope, func(tx *store.Tx) error {
				for i, id := range []string{"pol_1", "pol_2", "pol_3"} {
					_, err := tx.PolicyEdits().Add(policyEdit("usr_1", id, int64(10*i)),
						store.PolicyEditStep{State: []byte("abc")})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		for _, want := range []int64{3, 1, 0} {
			if n, err := db.System().PurgePolicyEdits(t.Context(), 20, 3); n != want || err != nil {
				t.Errorf("%d edits were deleted, want %d, %v", n, want, err)
			}
		}
		for _, tenant := range []string{"ten_A", "ten_B"} {
			left, err := db.Scope(tenant, "sandbox").PolicyEdits(t.Context()).Of("usr_1", 9)
			if err != nil || len(left) != 1 || left[0].RuleSetID != "pol_3" {
				t.Errorf("%s has %v, %v", tenant, left, err)
			}
		}
		wantMeasured(t, databaseURL)
	})
}

// TestPolicyEditRace adds steps to one edit at the same time. Every step gets a number of its own.
func TestPolicyEditRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db, second := storetest.Open(t, databaseURL, store.Options{}), storetest.Open(t, databaseURL, store.Options{})
		signUp(t, db, "ten_A")
		const each = 10
		var all sync.WaitGroup
		for _, node := range []*store.DB{db, second} {
			all.Go(func() {
				for range each {
					if err := node.Scope("ten_A", "sandbox").Write(t.Context(), fillPolicyEdit); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		steps, err := db.Scope("ten_A", "sandbox").PolicyEdits(t.Context()).Steps("usr_9", "pol_9")
		if err != nil || len(steps) != 2*each || steps[2*each-1].Number != 2*each {
			t.Errorf("%d steps, %v", len(steps), err)
		}
		wantMeasured(t, databaseURL)
	})
}
