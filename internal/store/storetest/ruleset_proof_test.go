//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func fillProof(tx *store.Tx) error {
	return tx.RuleSets().KeepProof(store.Proof{Key: "k1", Document: []byte{'[', ']', 0, 0xff}, CreatedMicros: 7})
}

// TestProof checks that a proof is stored under its key, is replaced by a later proof, is visible in its own scope
// only, and counts once among the stored bytes.
func TestProof(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, other := t.Context(), signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		before, err := scope.StoredBytes(ctx).Sum()
		wantKind(t, err, 0, "")
		keep := func(p store.Proof) {
			t.Helper()
			wantKind(t, scope.Write(ctx, func(tx *store.Tx) error { return tx.RuleSets().KeepProof(p) }), 0, "")
		}
		none, err := scope.RuleSets(ctx).Proof("k1")
		if diff := cmp.Diff(store.Proof{Key: "k1"}, none); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		keep(store.Proof{Key: "k1", Document: []byte(`[1]`), CreatedMicros: 7})
		last := store.Proof{Key: "k1", Document: []byte(`[2]`), CreatedMicros: 8}
		keep(last)
		got, err := scope.RuleSets(ctx).Proof("k1")
		if diff := cmp.Diff(last, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if after, err := scope.StoredBytes(ctx).Sum(); err != nil || after != before+3 {
			t.Errorf("%d bytes were counted, %v", after-before, err)
		}
		for _, elsewhere := range []*store.Scope{other, db.Scope("ten_A", "live")} {
			if got, err := elsewhere.RuleSets(ctx).Proof("k1"); err != nil || got.Document != nil {
				t.Errorf("another scope sees %s, %v", got.Document, err)
			}
		}
	})
}
