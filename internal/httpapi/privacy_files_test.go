package httpapi_test

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"verdict/internal/pgcluster"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// searchFiles calls found for every file under the paths that contains one of the texts.
func searchFiles(t *testing.T, paths []string, texts map[string][]byte, found func(file, text string)) {
	t.Helper()
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return nil //nolint:nilerr // the server removes files meanwhile
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return nil //nolint:nilerr // see above
			}
			for name, text := range texts {
				if bytes.Contains(content, text) {
					found(file, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// filesTest plants canaries, erases the applicant and calls scrub. It checks that afterwards no file under the paths
// contains a canary, or the ciphertext of a document of the applicant. flush makes the database write everything into
// its files.
func filesTest(t *testing.T, databaseURL string, paths []string, flush, scrub func(db *store.DB)) {
	t.Helper()
	s := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	s.begin(november)
	m := s.signup()
	plant(m)
	texts := map[string][]byte{}
	for name, text := range canaries {
		texts[name] = []byte(text)
	}
	scope := s.db.Scope(m.tenantID, string(tenant.Sandbox))
	held, err := scope.Erasures(t.Context()).Held(store.Person{ApplicantRef: canaries["the reference"]}, 1)
	if err != nil || len(held.Decisions) == 0 {
		t.Fatalf("held are %+v, %v", held, err)
	}
	d, err := scope.Decisions(t.Context()).Get(held.Decisions[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	const part = 100 // a larger value is stored in several pieces
	texts["the ciphertext of an answer"] = d.Response[:part]
	texts["the ciphertext of facts"] = d.Facts[:part]
	flush(s.db)
	before := map[string]bool{}
	searchFiles(t, paths, texts, func(_, text string) { before[text] = true })
	for _, text := range []string{"the reference", "the ciphertext of an answer", "the ciphertext of facts"} {
		if !before[text] {
			t.Fatalf("no file contains %s before the erasure, so the search would find nothing", text)
		}
	}
	m.post("/v1/erasures", `{"applicant_ref":"`+canaries["the reference"]+`","reason":"applicant_request"}`).
		want(http.StatusCreated)
	scrub(s.db)
	searchFiles(t, paths, texts, func(file, text string) { t.Errorf("%s contains %s", file, text) })
	for name, text := range texts {
		if bytes.Contains([]byte(s.log.String()), text) {
			t.Errorf("the log contains %s", name)
		}
	}
}

// TestCanariesInSQLiteFiles runs filesTest on the database file and its write-ahead log.
func TestCanariesInSQLiteFiles(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.MigratedSQLite(t)
	file, _ := store.FileOf(databaseURL)
	scrub := func(db *store.DB) {
		if done, err := db.System().Scrub(t.Context()); err != nil || !done {
			t.Errorf("scrubbed %v, %v", done, err)
		}
	}
	filesTest(t, databaseURL, []string{file, file + "-wal"}, func(*store.DB) {}, scrub)
}

// TestCanariesInPostgreSQLFiles runs filesTest on all files of its own server, including the write-ahead log. It
// rewrites the tables as "verdict erase -scrub" does, and lets the server remove the old segments of the log. Before
// that it runs ANALYZE, because the statistics that autovacuum computes also contain values.
func TestCanariesInPostgreSQLFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: PostgreSQL")
	}
	server, err := pgcluster.Start(t.Context(), pgcluster.Options{Settings: []string{
		"wal_recycle=off", "min_wal_size=32MB", "autovacuum=off",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	databaseURL, err := server.Create(t.Context(), "canaries")
	if err != nil {
		t.Fatal(err)
	}
	run := func(statements ...string) {
		t.Helper()
		if err := server.Execute(context.WithoutCancel(t.Context()), statements...); err != nil {
			t.Fatal(err)
		}
	}
	flush := func(*store.DB) {
		if _, err := storetest.Raw(t, databaseURL).ExecContext(t.Context(), "ANALYZE"); err != nil {
			t.Fatal(err)
		}
		run("CHECKPOINT")
	}
	scrub := func(db *store.DB) {
		for _, table := range store.PersonalTables() {
			if err := db.System().Rewrite(t.Context(), table); err != nil {
				t.Fatal(err)
			}
		}
		run("CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT", "SELECT pg_switch_wal()", "CHECKPOINT")
	}
	filesTest(t, databaseURL, []string{server.Data()}, flush, scrub)
}
