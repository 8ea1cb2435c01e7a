//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package store_test

import (
	"bytes"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// olderBackup returns a backup of schema version 8, in which referrals have no table of their own and the block list
// has no entries in the journal. The backup has two decisions that wait for a review, and two entities, one of which
// is blocked.
func olderBackup(t *testing.T, databaseURL string) []byte {
	t.Helper()
	const beforeReferrals = 8
	old, err := store.OpenAt(t.Context(), databaseURL, beforeReferrals)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := old.Close(); err != nil {
			t.Error(err)
		}
	}()
	raw := storetest.Raw(t, databaseURL)
	tx, err := raw.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{
		`INSERT INTO decisions (tenant_id, environment, id, created_micros, applicant_ref, status, grade,
			policy_key, policy_id, policy_version,
			endpoint, engine_version, hash, actor, response, facts)
		SELECT 'ten_A', 'live', id, 1, '', 'REFERRED', '', '', '', 1, '', '', '', '', '', ''
			FROM (SELECT 'dec_1' AS id UNION ALL SELECT 'dec_2') AS ids`,
		`INSERT INTO fraud_entities (tenant_id, environment, kind, entity_key, display, first_micros, last_micros,
			blocked_micros, blocked_by, blocked_alert, muted_micros)
		VALUES ('ten_A', 'live', 'device', 'free', '', 1, 1, 0, '', '', 0),
			('ten_A', 'live', 'device', 'blocked', '', 1, 1, 1, 'usr_1', '', 0)`,
	}
	if old.Kind() == "postgres" {
		statements = append([]string{"SELECT set_config('verdict.role', 'system', true)"}, statements...)
	}
	for _, s := range statements {
		if _, err := tx.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	var backup bytes.Buffer
	stats, err := old.Backup(t.Context(), &backup, nil)
	if err != nil || stats.SchemaVersion != beforeReferrals || stats.Rows["decisions"] != 2 {
		t.Fatalf("%+v, %v", stats, err)
	}
	return backup.Bytes()
}

// TestRestoreOlder restores a backup of an earlier schema and checks that the
// later migrations are applied to its rows.
func TestRestoreOlder(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		backup := olderBackup(t, databaseURL)
		for kind, target := range map[string]string{"sqlite": storetest.SQLite(t), "postgres": storetest.Postgres(t)} {
			if _, err := store.Restore(t.Context(), target, bytes.NewReader(backup), store.Options{}, nil); err != nil {
				t.Fatalf("into %s: %v", kind, err)
			}
			scope := storetest.Open(t, target, store.Options{}).Scope("ten_A", "live")
			if n, err := scope.Decisions(t.Context()).Count(); err != nil || n != 2 {
				t.Errorf("into %s: %d decisions, %v", kind, n, err)
			}
			err := scope.Read(t.Context(), func(tx *store.Tx) error {
				waiting, _, err := tx.Decisions().Referrals(store.Page{})
				if len(waiting) != 2 {
					t.Errorf("into %s: %d wait", kind, len(waiting))
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			wantBlockBackfilled(t, scope, kind)
		}
		// A database with a later schema refuses the backup.
		further := storetest.SQLite(t)
		storetest.Open(t, further, store.Options{})
		if _, err := store.Restore(t.Context(), further, bytes.NewReader(backup), store.Options{}, nil); err == nil ||
			!strings.Contains(err.Error(), "into a new database") {
			t.Errorf("into one of today's: %v", err)
		}
	})
}

// wantBlockBackfilled checks that a blocked entity that is older than the journal gets its journal entry, once, and
// that another entity gets none.
func wantBlockBackfilled(t *testing.T, scope *store.Scope, kind string) {
	t.Helper()
	for _, want := range []int{1, 0} {
		err := scope.Write(t.Context(), func(tx *store.Tx) error {
			added, err := tx.Journal().Backfill(store.Backfill{
				Part:         store.BackfilledLists,
				BeforeMicros: 2,
				NowMicros:    3,
				Limit:        10,
			})
			if added != want {
				t.Errorf("into %s: %d entries are added, want %d", kind, added, want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	err := scope.Blocklist(t.Context()).WalkLogged(func(b *store.LoggedBlock) error {
		if b.Entity.Key != "blocked" || b.ID == "" || b.Leaf != 0 {
			t.Errorf("into %s: the block list has %+v", kind, b)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
