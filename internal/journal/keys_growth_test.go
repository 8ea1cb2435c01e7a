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

// removing is a test that removes people of a tenant and records the size of the largest write.
type removing struct {
	*testing.T
	keys  *journal.Keys
	scope *store.Scope
	most  int            // bytes that the largest removal has written
	trees map[int64]bool // the numbers of all trees and parts that were written
}

func newRemoving(t *testing.T, db *store.DB, maxTree int) *removing {
	keys := journal.NewKeys(db, sealing.NewEpoch(sealing.Secret{'m'}), nil, rand.Reader, time.Now)
	keys.SetMaxTree(maxTree)
	return &removing{T: t, keys: keys, scope: db.Scope("ten_A", "live"), trees: map[int64]bool{}}
}

// seal returns a decision that is sealed with the newest tree.
func (r *removing) seal(applicant string) *store.DecisionWrite {
	r.Helper()
	tree, err := r.keys.Tree(r.Context(), "ten_A")
	if err != nil {
		r.Fatal(err)
	}
	w := &store.DecisionWrite{Decision: store.Decision{
		ID: "dec_" + applicant, ApplicantRef: applicant, Response: []byte("{}"), Facts: []byte("{}"),
	}}
	journal.Complete(tree, journal.Scope{Tenant: "ten_A", Environment: "live"}, w, &journal.Outcome{})
	return w
}

func (r *removing) readable(w *store.DecisionWrite) bool {
	r.Helper()
	d := w.Decision
	_, err := r.keys.OpenDecision(r.Context(), r.scope, &d, nil)
	var unreadable journal.Unreadable
	if err != nil && !errors.As(err, &unreadable) {
		r.Fatal(err)
	}
	return err == nil
}

// remove removes the key of a decision's applicant from the tree that the decision names.
func (r *removing) remove(w *store.DecisionWrite) {
	r.Helper()
	number, _ := sealing.TreeOf(w.Decision.Response)
	removal, err := r.keys.Remove(r.Context(), "ten_A", "live", store.Person{ApplicantRef: w.Decision.ApplicantRef},
		[]int64{number})
	if err != nil {
		r.Fatal(err)
	}
	bytes := 0
	for _, c := range removal.Changes {
		bytes += len(c.Tree)
		r.trees[c.Number] = true
	}
	r.most = max(r.most, bytes)
	err = r.scope.Write(r.Context(), func(tx *store.Tx) error { return tx.KeyTrees().Change(removal.Changes) })
	if err == nil {
		_, err = r.keys.Reload(r.Context(), "ten_A")
	}
	if err != nil {
		r.Fatal(err)
	}
}

// TestManyRemoved removes very many people of a tenant, whose documents were all sealed with the first tree. The bytes
// that a removal writes and the memory of Keys stay bounded. The documents of the removed people cannot be read, and
// those of everybody else can.
func TestManyRemoved(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const maxTree = 20_000
		people := 2_000
		if db.Kind() == "postgres" {
			people = 200 // on PostgreSQL each removal takes longer
		}
		r := newRemoving(t, db, maxTree)
		var gone, stay []*store.DecisionWrite
		for i := range people {
			gone = append(gone, r.seal(fmt.Sprintf("A-%d", i)))
		}
		stay = append(stay, r.seal("A-stays"))
		for i, w := range gone {
			r.remove(w)
			if i%50 == 0 {
				stay = append(stay, r.seal(fmt.Sprintf("A-later%d", i)))
			}
		}
		// A removal rewrites a part of less than maxTree bytes, and the part grows by at most 13 kB. A split adds
		// the encryption of 16 parts and a new tree.
		if limit := maxTree + 13_500 + 18*150; r.most > limit {
			t.Errorf("a removal has written %d bytes, and may write %d", r.most, limit)
		}
		if len(r.trees) < people/10 {
			t.Errorf("%d trees and parts were written, so hardly anything was split", len(r.trees))
		}
		for i := 0; i < len(gone); i += 20 {
			if r.readable(gone[i]) {
				t.Errorf("person %d can still be read", i)
			}
		}
		for _, w := range stay {
			if !r.readable(w) {
				t.Errorf("%s cannot be read", w.Decision.ApplicantRef)
			}
		}
		if number, _ := sealing.TreeOf(r.seal("A-new").Decision.Response); number < 2 {
			t.Errorf("a new decision is sealed with tree %d", number)
		}
		r.remove(stay[0])
		if r.readable(stay[0]) || !r.readable(stay[1]) {
			t.Error("the wrong decisions can be read")
		}
	})
}

// TestMemoryOfKeys reads documents that name many earlier trees. The trees in memory stay within their limit,
// and a decision of another tenant reads none of them.
func TestMemoryOfKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRemoving(t, db, 20_000)
		r.keys.SetMemory(100_000)
		var stay []*store.DecisionWrite
		for i := range 60 {
			stay = append(stay, r.seal(fmt.Sprintf("A-stays%d", i)))
			r.remove(r.seal(fmt.Sprintf("A-%d", i)))
		}
		if number, _ := sealing.TreeOf(stay[len(stay)-1].Decision.Response); number < 10 {
			t.Fatalf("there are %d trees", number)
		}
		for range 2 {
			for _, w := range stay {
				if !r.readable(w) {
					t.Fatalf("%s cannot be read", w.Decision.ApplicantRef)
				}
				if bytes, limit := r.keys.Memory(); bytes > limit {
					t.Fatalf("%d bytes are in memory, and %d are permitted", bytes, limit)
				}
			}
		}
		before, _ := r.keys.Memory()
		tree, err := r.keys.Tree(t.Context(), "ten_B")
		if err != nil {
			t.Fatal(err)
		}
		w := &store.DecisionWrite{Decision: store.Decision{ID: "dec_B", ApplicantRef: "B-1"}}
		journal.Complete(tree, journal.Scope{Tenant: "ten_B", Environment: "live"}, w, &journal.Outcome{})
		if after, _ := r.keys.Memory(); after > before+2_000 {
			t.Errorf("a decision of another tenant has read %d bytes", after-before)
		}
	})
}

// TestLargeTree reads and changes a tree that grew large before trees were split.
func TestLargeTree(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		r := newRemoving(t, db, 1<<30)
		stays, back := r.seal("A-stays"), r.seal("A-back")
		for i := range 30 {
			r.remove(r.seal(fmt.Sprintf("A-%d", i)))
		}
		if len(r.trees) != 1 {
			t.Fatalf("%d trees", len(r.trees))
		}
		r.keys.SetMaxTree(50_000)
		if !r.readable(stays) {
			t.Error("a decision of a large tree cannot be read")
		}
		r.remove(back)
		if !r.readable(stays) || r.readable(back) || len(r.trees) < 18 {
			t.Errorf("after the split into %d parts the wrong decisions can be read", len(r.trees))
		}
		again := r.seal("A-back")
		if number, _ := sealing.TreeOf(again.Decision.Response); number != 2 || !r.readable(again) {
			t.Errorf("a new decision is sealed with tree %d", number)
		}
	})
}
