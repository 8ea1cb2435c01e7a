//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"bytes"
	"fmt"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// sealedBytes returns a document that looks sealed to the database.
func sealedBytes(text string) []byte { return append([]byte{0xE1}, text...) }

// TestSealDocuments checks that unencrypted documents of decisions and runs are found and
// replaced once, only in their own scope, and never replaced by readable ones.
func TestSealDocuments(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		for i := range 3 {
			w := &store.DecisionWrite{
				Decision: store.Decision{ID: fmt.Sprintf("dec_%d", i), Response: []byte("{}"), Facts: []byte("{}")},
				Meter: store.Meter{Period: "2026-11", Day: "2026-11-17", Endpoint: "e", Units: 1,
					Quota: store.Unmetered},
			}
			if i == 1 {
				w.Features = &store.Features{Vector: []byte{1}, Source: []byte{2}}
			}
			if err := scope.InsertDecision(ctx, w); err != nil {
				t.Fatal(err)
			}
		}
		run := store.Run{ID: "run_1", Request: []byte("{}"), Response: []byte("{}")}
		if err := scope.Write(ctx, func(tx *store.Tx) error { return tx.Runs().Insert(run, 0) }); err != nil {
			t.Fatal(err)
		}

		found, next, err := scope.Decisions(ctx).WithUnencrypted("", 2)
		if err != nil || len(found) != 2 || next != "dec_1" || found[1].ID != "dec_1" {
			t.Fatalf("found %+v, %q, %v", found, next, err)
		}
		if none, next, err := other.Decisions(ctx).WithUnencrypted("", 2); err != nil || len(none) != 0 || next != "" {
			t.Errorf("the other environment has %+v, %q, %v", none, next, err)
		}
		seal := func(in *store.Scope, text string) error {
			return in.Write(ctx, func(tx *store.Tx) error {
				return tx.Decisions().SealDocuments([]*store.DecisionWrite{{
					Decision: store.Decision{ID: "dec_1", Response: sealedBytes(text), Facts: sealedBytes(text)},
					Features: &store.Features{Vector: sealedBytes(text), Source: sealedBytes(text)},
				}})
			})
		}
		for _, in := range []*store.Scope{other, scope, scope} { // the second time in the scope changes nothing
			if err := seal(in, in.Environment()); err != nil {
				t.Fatal(err)
			}
		}
		if err := seal(scope, "again"); err != nil {
			t.Fatal(err)
		}
		d, err := scope.Decisions(ctx).Get("dec_1")
		if err != nil || !bytes.Equal(d.Response, sealedBytes("live")) || !bytes.Equal(d.Facts, sealedBytes("live")) {
			t.Errorf("the decision is %q and %q, %v", d.Response, d.Facts, err)
		}
		f, err := scope.Decisions(ctx).Features("dec_1")
		if err != nil || !bytes.Equal(f.Vector, sealedBytes("live")) || !bytes.Equal(f.Source, sealedBytes("live")) {
			t.Errorf("the features are %q and %q, %v", f.Vector, f.Source, err)
		}
		found, _, err = scope.Decisions(ctx).WithUnencrypted("", 10)
		if err != nil || len(found) != 2 || found[0].ID != "dec_0" || found[1].ID != "dec_2" {
			t.Errorf("still unencrypted are %+v, %v", found, err)
		}
		err = scope.Write(ctx, func(tx *store.Tx) error {
			return tx.Decisions().SealDocuments([]*store.DecisionWrite{{
				Decision: store.Decision{ID: "dec_0", Response: []byte("{1}"), Facts: []byte("{1}")},
			}})
		})
		if err == nil {
			t.Error("a readable document was replaced by another readable one")
		}

		runs, next, err := scope.Runs(ctx).WithUnencrypted("", 10)
		if err != nil || len(runs) != 1 || next != "" {
			t.Fatalf("found %+v, %q, %v", runs, next, err)
		}
		run.Request, run.Response = sealedBytes("live"), sealedBytes("live")
		for _, in := range []*store.Scope{other, scope, scope} {
			err := in.Write(ctx, func(tx *store.Tx) error { return tx.Runs().SealDocuments([]store.Run{run}, 0) })
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := scope.Runs(ctx).Get("run_1")
		if err != nil || !bytes.Equal(got.Request, run.Request) || !bytes.Equal(got.Response, run.Response) {
			t.Errorf("the run is %+v, %v", got, err)
		}
		if runs, _, err := scope.Runs(ctx).WithUnencrypted("", 10); err != nil || len(runs) != 0 {
			t.Errorf("still unencrypted are %+v, %v", runs, err)
		}
	})
}

// TestKeyTrees checks that trees are listed by tenant, and that ReplaceKeyTrees passes each tree as it is stored at
// that moment.
func TestKeyTrees(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, secrets := t.Context(), db.Secrets()
		for i := range 3 {
			if _, err := secrets.TenantKeys(ctx, fmt.Sprintf("ten_%d", i), []byte{byte(i)}); err != nil {
				t.Fatal(err)
			}
		}
		sizes, err := secrets.KeyTreesToWrap(ctx, nil, store.TreeSize{}, 2)
		if err != nil || len(sizes) != 2 || sizes[1] != (store.TreeSize{Tenant: "ten_1", Number: 1, Bytes: 1}) {
			t.Fatalf("the first trees are %+v, %v", sizes, err)
		}
		rest, err := secrets.KeyTreesToWrap(ctx, nil, sizes[1], 2)
		if err != nil || len(rest) != 1 || rest[0].Tenant != "ten_2" {
			t.Errorf("the other trees are %+v, %v", rest, err)
		}
		first := []store.StoredTree{{Tenant: "ten_0", Number: 1}, {Tenant: "ten_1", Number: 1}}
		replace := func() int64 {
			t.Helper()
			n, err := secrets.ReplaceKeyTrees(ctx, first, func(s store.StoredTree) ([]byte, error) {
				if len(s.Tree) > 1 {
					return nil, nil
				}
				return append(s.Tree, 9), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		if one, two := replace(), replace(); one != 2 || two != 0 {
			t.Errorf("%d and %d trees were replaced", one, two)
		}
		keys, err := secrets.TenantKeys(ctx, "ten_1", nil)
		if err != nil || !bytes.Equal(keys.Newest.Tree, []byte{1, 9}) {
			t.Errorf("the keys are %v, %v", keys, err)
		}
		err = db.Scope("ten_1", "live").Write(ctx,
			func(tx *store.Tx) error { // another tree, and a part of the first one
				return tx.KeyTrees().Change([]store.TreeChange{{Number: 2, Tree: []byte("two")},
					{Number: -9, Tree: []byte("part")}})
			})
		if err != nil {
			t.Fatal(err)
		}
		if keys, err := secrets.TenantKeys(ctx, "ten_1", nil); err != nil || keys.Newest.Number != 2 {
			t.Errorf("the newest tree is %+v, %v", keys.Newest, err)
		}
		for number, want := range map[int64]string{1: "\x01\x09", 2: "two", -9: "part", 3: ""} {
			tree, found, err := secrets.KeyTree(ctx, "ten_1", number)
			if err != nil || found != (want != "") || string(tree.Tree) != want {
				t.Errorf("tree %d is %q, %v, %v", number, tree.Tree, found, err)
			}
		}
		if done, err := db.System().Scrub(ctx); err != nil || !done {
			t.Errorf("scrubbed %v, %v", done, err)
		}
	})
}

// TestMasterKey checks that the first stored fingerprint is never replaced.
func TestMasterKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, secrets := t.Context(), db.Secrets()
		if none, err := secrets.MasterKey(ctx); err != nil || none != nil {
			t.Errorf("a new database has the master key %x, %v", none, err)
		}
		for _, fingerprint := range []string{"first", "second"} {
			stored, err := secrets.SetMasterKey(ctx, []byte(fingerprint), 7)
			if err != nil || string(stored) != "first" {
				t.Errorf("stored %q, %v", stored, err)
			}
		}
		if known, err := secrets.MasterKey(ctx); err != nil || string(known) != "first" {
			t.Errorf("the master key is %q, %v", known, err)
		}
	})
}
