//nolint:thelper // the function passed to EachURL is the test itself: report failures at their own lines
package storetest_test

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// tablesOf returns the tables of a database, bypassing package store. It omits schema_migrations, journal_heads and
// key_holders, which every database fills itself.
func tablesOf(t *testing.T, raw *sql.DB, kind string) []string {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if kind == "postgres" {
		query = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
	}
	tables := slices.DeleteFunc(texts(t, raw, query), func(name string) bool {
		return name == "schema_migrations" || name == locks || name == "key_holders" // not in a backup
	})
	slices.Sort(tables)
	return tables
}

// dump returns every row of every table, bypassing package store, in an order
// that is the same on both databases.
func dump(t *testing.T, databaseURL, kind string) map[string][]string {
	t.Helper()
	raw := storetest.Raw(t, databaseURL)
	rows := map[string][]string{}
	for _, table := range tablesOf(t, raw, kind) {
		tx, err := raw.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if kind == "postgres" {
			if _, err := tx.ExecContext(t.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
				t.Fatal(err)
			}
		}
		rows[table] = rowsOf(t, tx, table)
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
	}
	return rows
}

func rowsOf(t *testing.T, tx *sql.Tx, table string) []string {
	t.Helper()
	found, err := tx.QueryContext(t.Context(), "SELECT * FROM "+table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = found.Close() }()
	names, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for found.Next() {
		values, dest := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := found.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		var row strings.Builder
		for i, value := range values {
			fmt.Fprintf(&row, "%s=%T:%v ", names[i], value, value)
		}
		all = append(all, row.String())
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// fillMore signs up two tenants with a row of every kind, and gives the first tenant so many decisions that a backup
// needs several frames for them.
func fillMore(t *testing.T, db *store.DB) *store.Scope {
	t.Helper()
	scope := signUp(t, db, "ten_A")
	fill(t, db, scope)
	fill(t, db, signUp(t, db, "ten_B"))
	errs := race(300, func(i int) error {
		w := decision(numbered("dec_more", i), store.Unmetered)
		w.Decision.Response = bytes.Repeat([]byte{byte(i), 0, 0xff, '\''}, 500)
		w.Decision.ApplicantRef = "अनिल 'quoted' \"" + strings.Repeat("\n", i%3)
		w.Decision.CreatedMicros = int64(i) - 7 // some are before 1970
		if i%10 == 0 {
			w.Decision.Facts = nil
		}
		return scope.InsertDecision(t.Context(), w)
	})
	if got := succeeded(t, errs, 0, ""); got != len(errs) {
		t.Fatalf("%d of %d inserted", got, len(errs))
	}
	return scope
}

// TestBackup takes two backups of each kind of database, the second during writes, and restores them into each
// kind. The first backup must restore exactly the same rows. The second backup must restore the rows of one
// snapshot.
func TestBackup(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		scope := fillMore(t, db)
		quiet := dump(t, databaseURL, db.Kind())
		for table, rows := range quiet {
			if len(rows) == 0 {
				t.Errorf("the test puts nothing into %s", table)
			}
		}
		progress := map[string]int64{}
		var still bytes.Buffer
		stats, err := db.Backup(t.Context(), &still, func(table string, rows int64) { progress[table] = rows })
		if err != nil {
			t.Fatal(err)
		}
		for table, rows := range quiet {
			if n, covered := stats.Rows[table]; !covered || n != int64(len(rows)) || progress[table] != n {
				t.Errorf("%s: %d rows, %t, of %d, progress %d", table, n, covered, len(rows), progress[table])
			}
		}
		busy := backupWhileWriting(t, db, scope)
		for _, into := range []struct {
			kind string
			url  func(testing.TB) string
		}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
			t.Run("into "+into.kind, func(t *testing.T) {
				t.Parallel()
				target := into.url(t)
				restored, err := store.Restore(t.Context(), target, bytes.NewReader(still.Bytes()), store.Options{},
					nil)
				if diff := cmp.Diff(stats, restored); err != nil || diff != "" {
					t.Fatalf("%v (-want +got):\n%s", err, diff)
				}
				if diff := cmp.Diff(quiet, dump(t, target, into.kind)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				wantAnalyzed(t, target, into.kind)
				wantSnapshot(t, into.url(t), busy)
				// The restored database works like the original.
				wantKind(t, storetest.Open(t, target, store.Options{}).Scope("ten_A", sandbox).InsertDecision(
					t.Context(), decision("dec_after", store.Unmetered)), 0, "")
			})
		}
	})
}

// backupWhileWriting takes a backup that begins and ends during writes.
func backupWhileWriting(t *testing.T, db *store.DB, scope *store.Scope) []byte {
	t.Helper()
	done := make(chan struct{})
	var writers sync.WaitGroup
	var begun sync.WaitGroup
	for k := range 4 {
		begun.Add(1)
		writers.Go(func() {
			for i := 0; ; i++ {
				if err := scope.InsertDecision(t.Context(),
					decision(fmt.Sprintf("dec_busy_%d_%d", k, i), store.Unmetered)); err != nil {
					t.Error(err)
				}
				if i == 0 {
					begun.Done()
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	begun.Wait()
	var backup bytes.Buffer
	_, err := db.Backup(t.Context(), &backup, nil)
	close(done)
	writers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return backup.Bytes()
}

// wantSnapshot restores a backup and checks that it is a snapshot of one moment: the
// number of decisions must equal the billed units.
func wantSnapshot(t *testing.T, databaseURL string, backup []byte) {
	t.Helper()
	stats, err := store.Restore(t.Context(), databaseURL, bytes.NewReader(backup), store.Options{}, nil)
	if err != nil {
		t.Error(err)
		return
	}
	if stats.Rows["audit_log"] != 4 { // the two signups and their webhooks
		t.Errorf("%d audit entries", stats.Rows["audit_log"])
	}
	scope := storetest.Open(t, databaseURL, store.Options{}).Scope("ten_A", sandbox)
	decisions, err := scope.Decisions(t.Context()).Count()
	if err != nil {
		t.Error(err)
	}
	usage, err := scope.Usage(t.Context()).Get(period)
	if err != nil || usage.Used != decisions || decisions < 305 {
		t.Errorf("%d decisions and usage %d, %v", decisions, usage.Used, err)
	}
}

// TestRestoreRefuses checks that altered backups are refused, that the database then
// stays empty, and that it still accepts the unaltered backup.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	source := storetest.Open(t, storetest.SQLite(t), store.Options{})
	fillMore(t, source)
	var whole bytes.Buffer
	if _, err := source.Backup(t.Context(), &whole, nil); err != nil {
		t.Fatal(err)
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		refused := func(what string, backup []byte) {
			t.Helper()
			_, err := store.Restore(t.Context(), databaseURL, bytes.NewReader(backup), store.Options{Connections: 2},
				nil)
			if !errors.Is(err, store.ErrBackup) {
				t.Errorf("%s: %v", what, err)
			}
			if tenants, err := db.Accounts().ListTenants(t.Context(), ""); err != nil || len(tenants) != 0 {
				t.Errorf("%s left %d tenants behind, %v", what, len(tenants), err)
			}
		}
		size := whole.Len()
		positions := []int{0, 3, 4, 8, 9, 10, 11, size - 9, size - 8, size - 5, size - 4, size - 1}
		for at := 12; at < size; at += size/30 + 1 {
			positions = append(positions, at)
		}
		for _, at := range positions {
			refused(fmt.Sprintf("byte %d of %d altered", at, size), alteredAt(t, whole.Bytes(), at))
			refused(fmt.Sprintf("cut at %d of %d", at, size), whole.Bytes()[:at])
		}
		refused("a byte added", append(bytes.Clone(whole.Bytes()), 0))
		refused("itself added", append(bytes.Clone(whole.Bytes()), whole.Bytes()...))
		for table, rows := range dump(t, databaseURL, db.Kind()) {
			if len(rows) != 0 {
				t.Errorf("%s has %d rows", table, len(rows))
			}
		}
		restore := func() error {
			_, err := store.Restore(t.Context(), databaseURL, bytes.NewReader(whole.Bytes()), store.Options{}, nil)
			return err
		}
		wantKind(t, restore(), 0, "")
		wantKind(t, restore(), fault.Conflict, fault.CodeDatabaseNotEmpty)
	})
}

// alteredAt returns the backup with one changed byte. The parameter at is the position of that byte. Different
// compressed bytes can have the same uncompressed content, so alteredAt tries values until the content changes.
// In the gzip header any change will do, because a restore compares the whole header.
func alteredAt(t *testing.T, backup []byte, at int) []byte {
	t.Helper()
	want, _ := unpacked(backup)
	for mask := byte(0xff); mask > 0; mask-- {
		altered := bytes.Clone(backup)
		altered[at] ^= mask
		if got, err := unpacked(altered); at < 10 || err != nil || !bytes.Equal(got, want) {
			return altered
		}
	}
	t.Fatalf("whatever stands at %d, the backup is the same", at)
	return nil
}

func unpacked(backup []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// wantAnalyzed checks that PostgreSQL's planner has statistics of the decisions.
// Without them it would sort all decisions for the first page of a list.
func wantAnalyzed(t *testing.T, databaseURL, kind string) {
	t.Helper()
	if kind != "postgres" {
		return
	}
	var rows float64
	row := storetest.Raw(t, databaseURL).QueryRowContext(t.Context(),
		"SELECT reltuples FROM pg_class WHERE relname = 'decisions'")
	if err := row.Scan(&rows); err != nil || rows < 1 {
		t.Errorf("the planner knows of %v decisions (%v)", rows, err)
	}
}
