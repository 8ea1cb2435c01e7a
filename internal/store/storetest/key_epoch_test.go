//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"bytes"
	"testing"
	"time"

	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// epochs returns two master keys and their fingerprints.
func epochs() (first, second *sealing.Epoch, one, two []byte) {
	first, second = sealing.NewEpoch(sealing.Secret{1}), sealing.NewEpoch(sealing.Secret{2})
	a, b := first.Fingerprint(), second.Fingerprint()
	return first, second, a[:], b[:]
}

// TestKeyEpochs replaces a master key step by step.
func TestKeyEpochs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, secrets := t.Context(), db.Secrets()
		first, second, one, two := epochs()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		state := func() store.KeyEpochs {
			t.Helper()
			found, err := secrets.KeyEpochs(ctx)
			must(err)
			return found
		}
		if none := state(); none.Current != nil || len(none.List) != 0 {
			t.Errorf("a new database has %+v", none)
		}
		_, err := secrets.SetMasterKey(ctx, one, 7)
		must(err)
		if e, ok := state().Present(); !ok || e.Number != 1 || e.BegunMicros != 7 {
			t.Errorf("the first key is %+v, %v", e, ok)
		}
		_, err = secrets.TenantKeys(ctx, "ten_1", first.Wrap("one", []byte("tree")))
		must(err)

		for range 2 { // the second call changes nothing
			announced, err := secrets.AnnounceKey(ctx, two, 8)
			must(err)
			if !bytes.Equal(announced, two) {
				t.Errorf("announced %x", announced)
			}
		}
		if announced, err := secrets.AnnounceKey(ctx, one, 9); err != nil || !bytes.Equal(announced, two) {
			t.Errorf("a second key was announced: %x, %v", announced, err)
		}
		e, ok := state().Announced()
		if !ok || e.Number != 2 || e.BegunMicros != 8 || !bytes.Equal(state().Current, one) {
			t.Errorf("announced is %+v, %v", e, ok)
		}
		must(secrets.UseKey(ctx, two))
		must(secrets.UseKey(ctx, one)) // changes nothing, because it was not announced
		if found := state(); !bytes.Equal(found.Current, two) || len(found.Retiring()) != 1 {
			t.Errorf("in use is %+v", found)
		}

		if done, err := secrets.ReplacedKeys(ctx, 10); err != nil || done {
			t.Errorf("replaced although a tree is encrypted with the old key: %v, %v", done, err)
		}
		count, err := secrets.CountKeyTreesToWrap(ctx, two)
		must(err)
		trees, err := secrets.KeyTreesToWrap(ctx, two, store.TreeSize{}, 10)
		if err != nil || count != 1 || len(trees) != 1 || trees[0].Tenant != "ten_1" || trees[0].Bytes == 0 {
			t.Fatalf("to encrypt again are %+v, %d, %v", trees, count, err)
		}
		wrap := func(epoch *sealing.Epoch) error {
			trees := []store.StoredTree{{Tenant: "ten_1", Number: 1}, {Tenant: "gone", Number: 1}}
			_, err := secrets.ReplaceKeyTrees(ctx, trees,
				func(store.StoredTree) ([]byte, error) { return epoch.Wrap("one", []byte("tree 2")), nil })
			return err
		}
		must(wrap(first)) // the old key is not replaced yet
		must(wrap(second))
		if done, err := secrets.ReplacedKeys(ctx, 11); err != nil || !done {
			t.Fatalf("replaced %v, %v", done, err)
		}
		refused(t, secrets, first)
		if err := wrap(first); err == nil {
			t.Error("a tree was encrypted with a replaced key")
		}

		must(secrets.DestroyedKeys(ctx, 12))
		if n, err := secrets.ConfirmKeys(ctx, 13); err != nil || n != 1 {
			t.Errorf("confirmed %d, %v", n, err)
		}
		if n, err := secrets.ConfirmKeys(ctx, 14); err != nil || n != 0 {
			t.Errorf("confirmed %d again, %v", n, err)
		}
		want := store.KeyEpoch{
			Number: 1, Fingerprint: one, BegunMicros: 7, ReplacedMicros: 11, DestroyedMicros: 12, ConfirmedMicros: 13,
		}
		if e, _ := state().Find(one); !bytes.Equal(e.Fingerprint, one) || e.ReplacedMicros != want.ReplacedMicros ||
			e.DestroyedMicros != want.DestroyedMicros || e.ConfirmedMicros != want.ConfirmedMicros {
			t.Errorf("the old key is %+v", e)
		}
	})
}

// refused checks that new secrets that are encrypted with a replaced key are refused.
func refused(t *testing.T, secrets *store.Secrets, replaced *sealing.Epoch) {
	t.Helper()
	if _, err := secrets.TenantKeys(t.Context(), "ten_2", replaced.Wrap("two", []byte("tree"))); err == nil {
		t.Error("a new tree is encrypted with a replaced key")
	}
	if _, err := secrets.Secret(t.Context(), replaced.Wrap("secret", []byte("secret"))); err == nil {
		t.Error("a new secret is encrypted with a replaced key")
	}
}

// TestReplacedWaits stores a tree with the old key in a transaction that is still open when ReplacedKeys is called.
// ReplacedKeys must wait for that transaction and then record nothing. SQLite has one writer, so there are never two
// transactions.
func TestReplacedWaits(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.MigratedPostgres(t)
	db, raw := storetest.Open(t, databaseURL, store.Options{}), storetest.Raw(t, databaseURL)
	ctx, secrets := t.Context(), db.Secrets()
	first, _, one, two := epochs()
	_, err := secrets.SetMasterKey(ctx, one, 1)
	if err == nil {
		_, err = secrets.AnnounceKey(ctx, two, 2)
	}
	if err == nil {
		err = secrets.UseKey(ctx, two)
	}
	if err != nil {
		t.Fatal(err)
	}
	other, err := raw.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(ctx, "SELECT set_config('verdict.role', 'system', true)"); err != nil {
		t.Fatal(err)
	}
	if _, err := other.ExecContext(ctx, "INSERT INTO key_trees (tenant_id, number, tree) VALUES ('t', 1, $1)",
		first.Wrap("one", []byte("tree"))); err != nil {
		t.Fatal(err)
	}
	type answer struct {
		done bool
		err  error
	}
	answered := make(chan answer, 1)
	go func() {
		done, err := secrets.ReplacedKeys(ctx, 3)
		answered <- answer{done, err}
	}()
	for waiting := 0; waiting == 0; {
		select {
		case a := <-answered:
			t.Fatalf("the record did not wait: %+v", a)
		case <-time.After(time.Millisecond):
		}
		if err := raw.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE wait_event_type = 'Lock' AND datname = current_database()`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Commit(); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.err != nil || a.done {
		t.Errorf("the key counts as replaced, but a tree is encrypted with it: %+v", a)
	}
}

// TestRotationLease checks that one process at a time has the lease.
func TestRotationLease(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		lease := func(owner string, now, until int64, want bool) {
			t.Helper()
			if done, err := db.Secrets().LeaseRotation(t.Context(), owner, now, until); err != nil || done != want {
				t.Errorf("%s at %d: %v, %v", owner, now, done, err)
			}
		}
		lease("a", 100, 200, true)
		lease("b", 199, 300, false)
		lease("a", 150, 250, true)
		lease("b", 200, 300, false)
		lease("b", 250, 300, true) // the lease of "a" has ended
		lease("a", 260, 300, false)
		lease("b", 260, 0, true) // "b" gives the lease back
		lease("a", 261, 300, true)
	})
}

// TestKeyHolders checks that nodes are listed as long as they are seen.
func TestKeyHolders(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, secrets := t.Context(), db.Secrets()
		_, _, one, two := epochs()
		hold := func(node string, now, forget int64, keys ...[]byte) {
			t.Helper()
			if err := secrets.HoldKeys(ctx, store.KeyHolder{Node: node, Fingerprints: keys}, now, forget); err != nil {
				t.Fatal(err)
			}
		}
		hold("a", 10, 0, one)
		hold("b", 20, 0, one, two)
		hold("a", 30, 0, two)
		found, err := secrets.KeyHolders(ctx, 20)
		if err != nil || len(found) != 2 || found[0].Has(one) || !found[0].Has(two) || !found[1].Has(one) {
			t.Errorf("the holders are %+v, %v", found, err)
		}
		if found, err := secrets.KeyHolders(ctx, 21); err != nil || len(found) != 1 || found[0].Node != "a" {
			t.Errorf("the holders since 21 are %+v, %v", found, err)
		}
		hold("c", 40, 25)
		if err := secrets.LeaveKeys(ctx, "a"); err != nil {
			t.Fatal(err)
		}
		if found, err := secrets.KeyHolders(ctx, 0); err != nil || len(found) != 1 || found[0].Node != "c" {
			t.Errorf("the holders that are left are %+v, %v", found, err)
		}
	})
}

// TestRewrite checks that Rewrite gives a table new files on PostgreSQL, and refuses every table that is not in
// PersonalTables.
func TestRewrite(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db, raw := storetest.Open(t, databaseURL, store.Options{}), storetest.Raw(t, databaseURL)
		scope := signUp(t, db, "ten_A")
		if err := scope.InsertDecision(t.Context(), decision("dec_1", store.Unmetered)); err != nil {
			t.Fatal(err)
		}
		file := func(table string) (node int64) {
			t.Helper()
			if db.Kind() == "postgres" {
				query := "SELECT pg_relation_filenode($1::regclass)"
				if err := raw.QueryRowContext(t.Context(), query, table).Scan(&node); err != nil {
					t.Fatal(err)
				}
			}
			return node
		}
		for _, table := range store.PersonalTables() {
			before := file(table)
			if err := db.System().Rewrite(t.Context(), table); err != nil {
				t.Fatal(err)
			}
			if after := file(table); db.Kind() == "postgres" && after == before {
				t.Errorf("%s has the same file as before", table)
			}
		}
		if err := db.System().Rewrite(t.Context(), "tenants; DROP TABLE users"); err == nil && db.Kind() == "postgres" {
			t.Error("another table was rewritten")
		}
		if d, err := scope.Decisions(t.Context()).Get("dec_1"); err != nil || d.ID != "dec_1" {
			t.Errorf("the decision is %+v, %v", d, err)
		}
		if erased, err := db.System().ErasedSince(t.Context(), 0); err != nil || erased {
			t.Errorf("erased %v, %v", erased, err)
		}
	})
}

// TestBeyondRecovery checks the time from which erased data counts as beyond recovery. It is the time at which the
// operator has confirmed that all master keys that were announced before the erasure are destroyed, with their
// copies.
func TestBeyondRecovery(t *testing.T) {
	t.Parallel()
	epochs := store.KeyEpochs{List: []store.KeyEpoch{
		{Number: 1, BegunMicros: 0, ConfirmedMicros: 500},
		{Number: 2, BegunMicros: 100, ConfirmedMicros: 600},
		{Number: 3, BegunMicros: 200},
	}}
	for erased, want := range map[int64]int64{50: 500, 99: 500, 100: 600, 150: 600, 200: 0, 300: 0} {
		if got := epochs.BeyondRecovery(erased); got != want {
			t.Errorf("erased at %d: %d, want %d", erased, got, want)
		}
	}
}
