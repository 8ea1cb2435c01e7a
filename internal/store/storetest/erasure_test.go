//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package storetest_test

import (
	"context"
	"errors"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func fillErasure(tx *store.Tx) error {
	return tx.Erasures().Put(&store.Erasure{
		ID: "era_1", State: store.ErasureCompleted, Reason: "other", Actor: "key_1", CreatedMicros: 1, ErasedMicros: 2,
		Refs: []string{"00"}, Trees: "1", StartedLeaf: -1, Leaf: -1,
	})
}

// fillHold places a legal hold.
func fillHold(tx *store.Tx) error {
	return tx.LegalHolds().Place(store.LegalHold{
		ID: "lhd_1", Person: store.Person{ApplicantRef: "app-1"}, Reason: "audit", Actor: "key_1", CreatedMicros: 1,
	})
}

// fillRetention stores retention periods and how far they were applied.
func fillRetention(tx *store.Tx) error {
	if _, err := tx.Retention().Put(
		store.ConfigVersion{Document: []byte("{}"), UpdatedMicros: 1, UpdatedBy: "key_1"}, 0); err != nil {
		return err
	}
	return tx.Retention().PutProgress(&store.RetentionProgress{Zone: "combined", Leaf: -1, AfterID: "dec_0"}, 0, 0, 0)
}

// rekey removes a key from the first key tree of a tenant.
func rekey(ctx context.Context, scope *store.Scope, was, next string) error {
	return scope.Write(ctx, func(tx *store.Tx) error {
		return tx.KeyTrees().Change([]store.TreeChange{{Number: 1, Was: []byte(was), Tree: []byte(next)}})
	})
}

// TestKeysChanged seals a document and then changes the keys of its scope. It checks that the document is not
// stored, and that other scopes are not affected.
func TestKeysChanged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		states := func() (live, sandbox int64) {
			t.Helper()
			keys, err := db.Secrets().TenantKeys(ctx, "ten_A", []byte("one"))
			if err != nil || keys.Newest.Number != 1 {
				t.Fatalf("the keys are %+v, %v", keys, err)
			}
			return keys.States["live"].Changes, keys.States["sandbox"].Changes
		}
		insert := func(in *store.Scope, id string, changes int64, apart bool) error {
			w := decision(id, store.Unmetered)
			w.KeyChanges = changes
			if apart {
				return in.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
			}
			return in.InsertDecision(ctx, w)
		}
		before, beside := states()
		for i, in := range []*store.Scope{scope, other} {
			if err := insert(in, numbered("dec_a", i), before, false); err != nil {
				t.Fatal(err)
			}
		}
		if err := rekey(ctx, scope, "one", "two"); err != nil {
			t.Fatal(err)
		}
		after, still := states()
		if after == before || still != beside {
			t.Errorf("the numbers were %d and %d, and are %d and %d", before, beside, after, still)
		}
		for i, apart := range []bool{false, true} {
			id := numbered("dec_b", i)
			if err := insert(scope, id, before, apart); !errors.Is(err, store.ErrKeysChanged) {
				t.Errorf("stored with the keys from before: %v", err)
			}
			if _, err := scope.Decisions(ctx).Get(id); fault.KindOf(err) != fault.NotFound {
				t.Errorf("the decision is stored: %v", err)
			}
			if err := insert(scope, id, after, apart); err != nil {
				t.Errorf("stored with the present keys: %v", err)
			}
			if err := insert(other, id, beside, apart); err != nil {
				t.Errorf("stored in the other environment: %v", err)
			}
		}
		errs := race(20, func(i int) error {
			return insert(scope, numbered("dec_c", i), []int64{before, after}[i%2], false)
		})
		for i, err := range errs {
			if stale := i%2 == 0; stale != errors.Is(err, store.ErrKeysChanged) || !stale && err != nil {
				t.Errorf("decision %d of a mixed batch: %v", i, err)
			}
		}
		for name, write := range map[string]func(tx *store.Tx) error{
			"a run":       func(tx *store.Tx) error { return tx.Runs().Insert(agentRun("run_9"), before) },
			"sealed runs": func(tx *store.Tx) error { return tx.Runs().SealDocuments(nil, before) },
			"sealed documents": func(tx *store.Tx) error {
				return tx.Decisions().SealDocuments([]*store.DecisionWrite{{KeyChanges: before}})
			},
			"entries": func(tx *store.Tx) error {
				return tx.Decisions().AddLeaves([]*store.DecisionWrite{{KeyChanges: before}}, 1)
			},
			"a tree from before": func(tx *store.Tx) error {
				return tx.KeyTrees().Change([]store.TreeChange{{Number: 1, Was: []byte("one"), Tree: []byte("three")}})
			},
			"a tree that exists": func(tx *store.Tx) error {
				return tx.KeyTrees().Change([]store.TreeChange{{Number: 1, Tree: []byte("three")}})
			},
			"a tree that does not exist": func(tx *store.Tx) error {
				return tx.KeyTrees().Change([]store.TreeChange{{Number: 2, Was: []byte("two"), Tree: []byte("three")}})
			},
		} {
			if err := scope.Write(ctx, write); !errors.Is(err, store.ErrKeysChanged) {
				t.Errorf("%s: %v", name, err)
			}
		}
		size, err := scope.Journal(ctx).Size()
		if err != nil || size != 1+2+10 {
			t.Errorf("the journal has %d entries, %v: a refused decision must leave no gap", size, err)
		}
	})
}

// held stores a decision with features, a run and an answer about the decision, and returns the person whom these
// rows are about.
func held(t *testing.T, scope *store.Scope, id string) store.Person {
	t.Helper()
	w := decision(id, store.Unmetered)
	w.Decision.ApplicantRef, w.Features = "A-"+id, features()
	w.Answer = &store.IdempotencyAnswer{
		Key: store.IdempotencyKey{Route: "POST /v1/decisions", Name: id}, RequestHash: store.RequestHash{Keyed: "h"},
		Status: 200, Body: sealedBytes("answer"), Subject: id, NowMicros: 1, ExpiresMicros: 1 << 60,
	}
	if err := scope.InsertDecision(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	run := agentRun("run_" + id)
	run.SubjectRef = "A-" + id
	if err := scope.Write(t.Context(), func(tx *store.Tx) error { return tx.Runs().Insert(run, 0) }); err != nil {
		t.Fatal(err)
	}
	return store.Person{ApplicantRef: "A-" + id}
}

// TestEmpty erases the data that is held about a person. It checks that only the statements of an erasure may change
// these rows, and that emptied documents stay empty.
func TestEmpty(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		ctx, db := t.Context(), storetest.Open(t, databaseURL, store.Options{})
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_B", "live")
		person := held(t, scope, "dec_1")
		held(t, scope, "dec_2")
		held(t, other, "dec_1")
		found, err := scope.Erasures(ctx).Held(person, 10)
		if err != nil || len(found.Decisions) != 1 || len(found.Runs) != 1 || found.Linked {
			t.Fatalf("held is %+v, %v", found, err)
		}
		var counts store.ErasedCounts
		err = scope.Write(ctx, func(tx *store.Tx) error {
			counts = store.ErasedCounts{}
			if err := tx.Erasures().EmptyDecision("dec_1", "00", &counts); err != nil {
				return err
			}
			return tx.Erasures().EmptyRun("run_dec_1", "00", &counts)
		})
		if want := (store.ErasedCounts{Decisions: 1, Features: 1, Runs: 1, Answers: 1}); err != nil || counts != want {
			t.Fatalf("erased %+v, %v; want %+v", counts, err, want)
		}
		if found, err := scope.Erasures(ctx).Held(person, 10); err != nil || !found.Empty() {
			t.Errorf("still held is %+v, %v", found, err)
		}
		if found, err := other.Erasures(ctx).Held(person, 10); err != nil || found.Empty() {
			t.Errorf("another tenant holds %+v, %v", found, err)
		}
		d, err := scope.Decisions(ctx).Get("dec_1")
		if err != nil || len(d.Response) != 0 || len(d.Facts) != 0 || d.ApplicantRef != "erased:00" {
			t.Errorf("the decision is %+v, %v", d, err)
		}
		rows, _, err := scope.Decisions(ctx).WithUnencrypted("", 10)
		if err != nil || len(rows) != 1 || rows[0].ID != "dec_2" {
			t.Errorf("not encrypted are %+v, %v: what was emptied is not encrypted later", rows, err)
		}
		raw := storetest.Raw(t, databaseURL)
		if db.Kind() == "postgres" {
			raw.SetMaxOpenConns(1) // the setting belongs to a connection
			if _, err := raw.ExecContext(ctx, "SELECT set_config('verdict.role', 'system', false)"); err != nil {
				t.Fatal(err)
			}
		}
		for _, forbidden := range []string{
			"UPDATE decisions SET response = 'x' WHERE id = 'dec_1'",
			"UPDATE decisions SET facts = 'x' WHERE id = 'dec_2'",
			"UPDATE decisions SET applicant_ref = 'erased:11' WHERE id = 'dec_2'",
			"UPDATE decisions SET applicant_ref = 'A-9', response = '', facts = '' WHERE id = 'dec_2'",
			"UPDATE decisions SET applicant_ref = 'erased:11', response = '' WHERE id = 'dec_2'",
			"UPDATE decisions SET status = 'DECLINED', response = '', facts = '' WHERE id = 'dec_2'",
			"UPDATE decision_features SET vector = 'x' WHERE decision_id = 'dec_1'",
			"UPDATE decision_features SET hash = 'x', vector = '', source = '' WHERE decision_id = 'dec_2'",
			"UPDATE agent_runs SET response = 'x' WHERE id = 'run_dec_1'",
			"UPDATE agent_runs SET subject_ref = 'erased:11' WHERE id = 'run_dec_2'",
			"UPDATE agent_runs SET outcome = 'x', request = '', response = '' WHERE id = 'run_dec_2'",
		} {
			if _, err := raw.ExecContext(ctx, forbidden); err == nil {
				t.Errorf("the database permits %s", forbidden)
			}
		}
	})
}

// TestErasures stores, reads and lists erasures. It checks that a completed erasure is never changed.
func TestErasures(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		scope, other := db.Scope("ten_A", "live"), db.Scope("ten_A", "sandbox")
		put := func(in *store.Scope, e *store.Erasure) error {
			return in.Write(ctx, func(tx *store.Tx) error { return tx.Erasures().Put(e) })
		}
		e := &store.Erasure{
			ID: "era_1", State: store.ErasureRunning, Person: store.Person{ApplicantRef: "A-1"}, Reason: "other",
			Actor: "key_1", CreatedMicros: 5, Refs: []string{"00", "11"}, Trees: "1 2", StartedLeaf: -1, Leaf: -1,
		}
		if err := put(scope, e); err != nil || e.StartedLeaf != 0 {
			t.Fatalf("stored %+v, %v", e, err)
		}
		open, found, err := scope.Erasures(ctx).Open(e.Person)
		if err != nil || !found || open.ID != e.ID || len(open.Refs) != 2 {
			t.Errorf("open is %+v, %v, %v", open, found, err)
		}
		if _, found, err := other.Erasures(ctx).Open(e.Person); err != nil || found {
			t.Errorf("open in the other environment: %v, %v", found, err)
		}
		all, err := db.System().OpenErasures(ctx, &store.ScopedErasure{}, 10)
		if err != nil || len(all) != 1 || all[0].Environment != "live" {
			t.Errorf("open are %+v, %v", all, err)
		}
		e.State, e.ErasedMicros, e.Counts = store.ErasureCompleted, 9, store.ErasedCounts{Decisions: 3}
		if err := put(scope, e); err != nil || e.Leaf != 1 {
			t.Fatalf("completed %+v, %v", e, err)
		}
		got, err := scope.Erasures(ctx).Get("era_1")
		if err != nil || got.Person.ApplicantRef != "" || got.Counts.Decisions != 3 ||
			got.State != store.ErasureCompleted {
			t.Errorf("read %+v, %v", got, err)
		}
		e.Counts.Decisions = 4
		if err := put(scope, e); err == nil {
			t.Error("a completed erasure was changed")
		}
		_, err = other.Erasures(ctx).Get("era_1")
		wantNotFound(t, err)
		if rows, more, err := other.Erasures(ctx).List(store.Page{}); err != nil || len(rows) != 0 || more {
			t.Errorf("the other environment lists %+v, %v", rows, err)
		}
		if all, err := db.System().OpenErasures(ctx, &store.ScopedErasure{}, 10); err != nil || len(all) != 0 {
			t.Errorf("open are %+v, %v", all, err)
		}
	})
}
