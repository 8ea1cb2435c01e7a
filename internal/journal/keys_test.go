//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package journal_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// TestNextTree removes people until a tree is full. A new tree begins, everything that was sealed
// earlier stays readable, and somebody with documents from two trees is removed from both.
func TestNextTree(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		keys := journal.NewKeys(db, sealing.NewEpoch(sealing.Secret{'m'}), nil, rand.Reader, time.Now)
		keys.SetMaxTree(20_000) // removing the second person fills the tree
		scope := db.Scope("ten_A", "live")
		where := journal.Scope{Tenant: "ten_A", Environment: "live"}
		seal := func(id, applicant string) *store.DecisionWrite {
			t.Helper()
			tree, err := keys.Tree(ctx, "ten_A")
			if err != nil {
				t.Fatal(err)
			}
			w := &store.DecisionWrite{Decision: store.Decision{
				ID: id, ApplicantRef: applicant, Response: []byte(`{"id":"` + id + `"}`), Facts: []byte("{}"),
			}}
			journal.Complete(tree, where, w, &journal.Outcome{})
			return w
		}
		readable := func(w *store.DecisionWrite) bool {
			t.Helper()
			d := w.Decision // OpenDecision replaces its documents
			_, err := keys.OpenDecision(ctx, scope, &d, nil)
			if err != nil && !errors.As(err, new(journal.Unreadable)) {
				t.Fatal(err)
			}
			return err == nil
		}
		remove := func(applicant string, numbers ...int64) (changes []store.TreeChange) {
			t.Helper()
			for len(numbers) > 0 {
				removal, err := keys.Remove(ctx, "ten_A", "live", store.Person{ApplicantRef: applicant}, numbers)
				if err == nil {
					err = scope.Write(ctx, func(tx *store.Tx) error { return tx.KeyTrees().Change(removal.Changes) })
				}
				if err == nil {
					_, err = keys.Reload(ctx, "ten_A")
				}
				if err != nil || len(removal.Trees) == 0 {
					t.Fatalf("removed from %v, %v", removal.Trees, err)
				}
				changes, numbers = append(changes, removal.Changes...), numbers[len(removal.Trees):]
			}
			return changes
		}
		stays, both := seal("dec_stays", "A-stays"), seal("dec_both1", "A-both")
		for i := range 2 {
			gone := seal(fmt.Sprintf("dec_%d", i), fmt.Sprintf("A-%d", i))
			changes := remove(fmt.Sprintf("A-%d", i), 1)
			// The second removal splits the tree into 16 parts and adds another tree. The secret of the tree is random:
			// as long as both people are in the same part, that part is split, too.
			want := 1 + 17*i
			if more := len(changes) - want; more < 0 || more%16 != 0 || i == 0 && more > 0 {
				t.Errorf("removing person %d makes %d changes, want %d", i, len(changes), want)
			}
			if readable(gone) {
				t.Errorf("person %d can still be read", i)
			}
		}
		later := seal("dec_both2", "A-both")
		if tree, ok := sealing.TreeOf(later.Decision.Response); !ok || tree != 2 {
			t.Errorf("a decision after the change is sealed with tree %d", tree)
		}
		if !readable(stays) || !readable(both) || !readable(later) {
			t.Error("a decision of another person cannot be read")
		}
		if changes := remove("A-both", 1, 2); len(changes) < 2 { // more if a part was split
			t.Errorf("removing somebody from two trees makes %d changes", len(changes))
		}
		if readable(both) || readable(later) || !readable(stays) {
			t.Error("the wrong decisions can be read")
		}
		stale, err := keys.Remove(ctx, "ten_A", "live", store.Person{ApplicantRef: "A-stays"}, []int64{1})
		if err != nil {
			t.Fatal(err)
		}
		remove("A-stays", 1)
		err = scope.Write(ctx, func(tx *store.Tx) error { return tx.KeyTrees().Change(stale.Changes) })
		if !errors.Is(err, store.ErrKeysChanged) || readable(stays) {
			t.Errorf("a change from before another one is stored: %v", err)
		}
	})
}
