// Package storetest runs tests on both databases: on SQLite in a temporary
// folder, and on a real PostgreSQL server. The test process starts the server
// itself in a temporary folder, unless VERDICT_TEST_DATABASE_URL names a running
// server. If PostgreSQL is missing, tests fail and say what to install; only
// -short skips them.
//
// The tests of this package are the conformance suite of package store.
package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"verdict/internal/pgcluster"
	"verdict/internal/store"
)

// EnvURL is the name of the environment variable with the URL of a PostgreSQL server for tests. The role in the URL
// must be able to create and drop databases and must not be a superuser, because row-level security does not apply to
// superusers.
const EnvURL = "VERDICT_TEST_DATABASE_URL"

// Main runs the tests of a package that tests on both databases, and then stops
// the server if one was started. Call it from TestMain.
func Main(m *testing.M) {
	ready = true
	code := m.Run()
	shared.stop()
	os.Exit(code)
}

var (
	ready  bool
	shared server
)

// Each runs a test on each kind of database, with a new database that already
// has the schema.
func Each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, Open(t, MigratedSQLite(t), store.Options{}))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Open(t, MigratedPostgres(t), store.Options{}))
	})
}

// EachURL runs a test on each kind of database, with the URL of a new database
// without a schema.
func EachURL(t *testing.T, test func(t *testing.T, databaseURL string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, SQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, Postgres(t))
	})
}

// Open opens a database and closes it at the end of the test.
func Open(tb testing.TB, databaseURL string, options store.Options) *store.DB {
	tb.Helper()
	if options.Timeout == 0 {
		options.Timeout = time.Minute // a busy machine must not look like a hanging database
	}
	db, err := store.Open(tb.Context(), databaseURL, options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

// SQLite returns the URL of a new file in the test's temporary folder.
func SQLite(tb testing.TB) string {
	tb.Helper()
	return "sqlite:" + filepath.Join(tb.TempDir(), "verdict.db")
}

// Postgres returns the URL of a new, empty database, which is dropped at the
// end of the test.
func Postgres(tb testing.TB) string {
	tb.Helper()
	return createPostgres(tb, "")
}

// NeedPostgres skips the test if -short is set.
func NeedPostgres(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("left out with -short: PostgreSQL")
	}
}

// createPostgres creates a database and returns its URL. clause is appended to
// the CREATE DATABASE statement.
func createPostgres(tb testing.TB, clause string) string {
	tb.Helper()
	NeedPostgres(tb)
	if !ready {
		tb.Fatal("package storetest: call storetest.Main from TestMain, so that the server is stopped")
	}
	base, err := shared.url()
	if err != nil {
		tb.Fatalf("no PostgreSQL to test on: %v\n`scripts/deps test` installs it; or set %s", err, EnvURL)
	}
	name := "verdict_" + strings.ToLower(rand.Text()[:16])
	admin := Raw(tb, base)
	execute(tb, admin, "CREATE DATABASE "+name+clause)
	tb.Cleanup(func() { drop(tb, admin, name) })
	mine, err := url.Parse(base)
	if err != nil {
		tb.Fatal(err)
	}
	mine.Path = "/" + name
	return mine.String()
}

// Raw opens a connection that bypasses package store, to inspect or disturb a
// database.
func Raw(tb testing.TB, databaseURL string) *sql.DB {
	tb.Helper()
	db, err := openRaw(databaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	db.SetMaxOpenConns(2)
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Error(err)
		}
	})
	return db
}

func openRaw(databaseURL string) (*sql.DB, error) {
	if path, isSQLite := strings.CutPrefix(databaseURL, "sqlite:"); isSQLite {
		return sql.Open("sqlite", path+"?_busy_timeout=5000")
	}
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", EnvURL, err)
	}
	return stdlib.OpenDB(*config), nil
}

func execute(tb testing.TB, db *sql.DB, statement string) {
	tb.Helper()
	// The test's context is cancelled before the clean-up, so it cannot be
	// used.
	if _, err := db.ExecContext(context.Background(), statement); err != nil {
		tb.Error(err)
	}
}

// drop drops a database and ends the connections to it. It retries while
// autovacuum is working in the database, because only a superuser could stop
// autovacuum.
func drop(tb testing.TB, admin *sql.DB, name string) {
	tb.Helper()
	for attempt := 1; ; attempt++ {
		_, err := admin.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
		if err == nil {
			return
		}
		if attempt == 1200 { // two minutes, enough for a database of a million decisions
			tb.Error(err)
			return
		}
		<-time.After(100 * time.Millisecond)
	}
}

// server is the PostgreSQL server of this test process.
type server struct {
	once     sync.Once
	base     string
	err      error
	cluster  *pgcluster.Cluster
	template postgresTemplate
}

// unflushed turns off flushing to disk. Test data need not survive a crash of the
// machine. Data that a process has written survives even if the process, or the
// server, is killed.
var unflushed = []string{"fsync=off", "full_page_writes=off"}

func (s *server) url() (string, error) {
	s.once.Do(func() {
		if given := os.Getenv(EnvURL); given != "" {
			s.base = given
			return
		}
		if s.cluster, s.err = pgcluster.Start(context.Background(),
			pgcluster.Options{Settings: unflushed}); s.err == nil {
			s.base = s.cluster.URL("postgres")
		}
	})
	return s.base, s.err
}

func (s *server) stop() {
	s.template.drop(s.base)
	if s.cluster != nil {
		_ = s.cluster.Close() // a leftover folder must not fail a test
	}
}
