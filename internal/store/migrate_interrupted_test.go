//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package store_test

import (
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestMigrateInterrupted lets a migration over several versions fail in the last version. Nothing of the migration may
// remain, and the next start must do all of it.
func TestMigrateInterrupted(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const earlier = 23
		old, err := store.OpenAt(t.Context(), databaseURL, earlier)
		if err != nil {
			t.Fatal(err)
		}
		if err := old.Close(); err != nil {
			t.Fatal(err)
		}
		raw := storetest.Raw(t, databaseURL)
		do := func(statement string) {
			t.Helper()
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		do("CREATE TABLE stored_bytes (taken TEXT)") // migration 30 creates a table of this name
		if db, err := store.Open(t.Context(), databaseURL, store.Options{}); err == nil {
			t.Fatal("opened", db.Close())
		}
		var last int64
		if err := raw.QueryRowContext(t.Context(), "SELECT max(version) FROM schema_migrations").
			Scan(&last); err != nil ||
			last != earlier {
			t.Errorf("the schema has version %d, %v", last, err)
		}
		if _, err := raw.ExecContext(t.Context(), "SELECT count(*) FROM legal_holds"); err == nil {
			t.Error("a table of migration 24 has stayed")
		}
		if _, err := raw.ExecContext(t.Context(), "SELECT basis FROM erasures"); err == nil {
			t.Error("a column of migration 24 has stayed")
		}
		do("DROP TABLE stored_bytes")
		db := storetest.Open(t, databaseURL, store.Options{})
		if _, err := db.Scope("ten_1", "sandbox").LegalHolds(t.Context()).Count(1); err != nil {
			t.Error(err)
		}
	})
}
