//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"verdict/internal/journal"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

// forget removes the key of a person and leaves the rows, as a backup that is restored with newer keys does.
func (c *cluster) forget(p store.Person) {
	c.Helper()
	keys := journal.NewKeys(c.db, usecasetest.MasterKey, nil, rand.Reader, time.Now)
	removal, err := keys.Remove(c.Context(), c.Caller.TenantID, string(c.Caller.Environment), p, []int64{1})
	if err == nil {
		err = c.scope().Write(c.Context(), func(tx *store.Tx) error { return tx.KeyTrees().Change(removal.Changes) })
	}
	if err != nil {
		c.Fatal(err)
	}
}

// TestEraseForgotten repeats the erasure of people whose keys are missing. One person has several batches of
// decisions, and the erasure of this person is interrupted. Another person is known only by a decision that names
// nobody. The test checks that a person who came back after an erasure is not erased, and that an altered decision
// is not erased either.
func TestEraseForgotten(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-back")
		c.mustErase(0, "A-back")
		back := c.decide(0, "A-back")
		var gone []string
		for range 7 {
			gone = append(gone, c.decide(0, "A-gone"))
		}
		other, nameless := c.decide(0, "A-other"), c.decide(1, "")
		c.forget(store.Person{ApplicantRef: "A-gone"})
		c.forget(store.Person{DecisionID: nameless})

		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c.nodes[0].Privacy.SetBatch(2, cancel)
		if _, err := c.nodes[0].Privacy.EraseForgotten(ctx); err == nil {
			t.Fatal("the erasure was not interrupted")
		}
		if n, err := c.nodes[1].Privacy.EraseForgotten(t.Context()); err != nil || n == 0 || n > 2 {
			t.Fatalf("erased %d people again, %v", n, err)
		}
		for _, id := range append(gone, nameless) {
			c.wantErased(id, true)
		}
		c.wantErased(other, false)
		c.wantErased(back, false)
		c.verify(9)
		refs := map[string]bool{}
		for _, id := range gone {
			d, _ := c.read(0, id)
			refs[d.Kept.Summary.ApplicantRef] = true
		}
		if len(refs) != 1 {
			t.Errorf("the rows of one person have the references %v", refs)
		}
		if n, err := c.nodes[0].Privacy.EraseForgotten(t.Context()); err != nil || n != 0 {
			t.Errorf("erased %d people again, %v", n, err)
		}
		if n, err := c.nodes[0].Privacy.Resume(t.Context()); err != nil || n != 0 {
			t.Errorf("resumed %d, %v", n, err)
		}
	})
}

// TestAlteredIsNotForgotten alters a document and a reference. EraseForgotten does not erase them, so that Verify
// can report them.
func TestAlteredIsNotForgotten(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-1")
		altered := c.decide(0, "A-2")
		if n, err := c.nodes[0].Privacy.EraseForgotten(t.Context()); err != nil || n != 0 {
			t.Errorf("erased %d people, %v", n, err)
		}
		keys := journal.NewKeys(c.db, usecasetest.MasterKey, nil, rand.Reader, time.Now)
		d := store.StoredDecision{ApplicantRef: "A-3", HeldDecision: store.HeldDecision{ID: altered}}
		if gone, err := keys.Forgotten().Decision(t.Context(), c.scope(), &d, [32]byte{1}); err != nil || gone {
			t.Errorf("a decision with an altered reference is forgotten: %v, %v", gone, err)
		}
		d = store.StoredDecision{HeldDecision: store.HeldDecision{ID: altered, Head: []byte{0xE1, 99}}}
		if gone, err := keys.Forgotten().Decision(t.Context(), c.scope(), &d, [32]byte{1}); err != nil || gone {
			t.Errorf("a decision of a tree that does not exist is forgotten: %v, %v", gone, err)
		}
		page := c.mustErase(0, "A-1")
		if page.Actor == "operator" || page.State != privacydesk.Completed || c.Caller.Environment != tenant.Sandbox {
			t.Errorf("the receipt is %+v", page)
		}
	})
}
