//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestMigrateAtOnce checks that many nodes can open one new database concurrently.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const n = 12
		nodes := make([]*store.DB, n)
		errs := race(n, func(i int) (err error) {
			nodes[i], err = store.Open(t.Context(), databaseURL, store.Options{Connections: 2})
			return err
		})
		for i, err := range errs {
			if err != nil {
				t.Errorf("node %d: %v", i, err)
				continue
			}
			if err := nodes[i].Ping(t.Context()); err != nil {
				t.Error(err)
			}
			if err := nodes[i].Close(); err != nil {
				t.Error(err)
			}
		}
		var applied int
		if err := storetest.Raw(t, databaseURL).QueryRowContext(t.Context(),
			"SELECT count(*) FROM schema_migrations WHERE version = 1").Scan(&applied); err != nil || applied != 1 {
			t.Errorf("applied %d times, %v", applied, err)
		}
	})
}

// TestMigrateAgain checks that opening a database a second time runs no migration again
// and keeps its data.
func TestMigrateAgain(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		first := storetest.Open(t, databaseURL, store.Options{})
		signUp(t, first, "ten_A")
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := storetest.Open(t, databaseURL, store.Options{}).Accounts().Tenant(
			t.Context(), "ten_A",
		); err != nil {
			t.Error(err)
		}
	})
}

// TestMigrateRefuses checks that databases with an unknown or changed migration are
// refused.
func TestMigrateRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, change, want string }{
		{"newer", "INSERT INTO schema_migrations (version, name, checksum, applied_micros) VALUES (99, 'future', " +
			"'x', 0)", "does not know"},
		{"edited", "UPDATE schema_migrations SET checksum = 'x' WHERE version = 1", "was edited"},
		{"renamed", "UPDATE schema_migrations SET name = 'other' WHERE version = 1",
			"where this version of verdict has"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.EachURL(t, func(t *testing.T, databaseURL string) {
				if err := storetest.Open(t, databaseURL, store.Options{}).Close(); err != nil {
					t.Fatal(err)
				}
				if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), c.change); err != nil {
					t.Fatal(err)
				}
				db, err := store.Open(t.Context(), databaseURL, store.Options{})
				if err == nil {
					t.Fatal("opened", db.Close())
				}
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
			})
		})
	}
}
