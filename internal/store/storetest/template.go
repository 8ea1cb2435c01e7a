package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"verdict/internal/store"
)

// MigratedSQLite returns the URL of a new file with the schema, in the test's
// temporary folder. It copies a file that was migrated once for all tests.
func MigratedSQLite(tb testing.TB) string {
	tb.Helper()
	file, err := sqliteTemplate()
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "verdict.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		tb.Fatal(err)
	}
	return "sqlite:" + path
}

// sqliteTemplate returns the content of a database file that has only the
// schema.
var sqliteTemplate = sync.OnceValues(func() (file []byte, err error) {
	folder, err := os.MkdirTemp("", "verdict")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "verdict.db")
	if err := migrate("sqlite:" + path); err != nil {
		return nil, err
	}
	if left, err := filepath.Glob(path + "-*"); err != nil || len(left) > 0 {
		return nil, fmt.Errorf("a closed database leaves %v beside its file (%v)", left, err)
	}
	return os.ReadFile(path)
})

// MigratedPostgres returns the URL of a new database with the schema, which is
// dropped at the end of the test. It copies a database that was migrated once for
// all tests.
func MigratedPostgres(tb testing.TB) string {
	tb.Helper()
	NeedPostgres(tb)
	name, err := shared.template.make(&shared)
	if err != nil {
		tb.Fatalf("no PostgreSQL to test on: %v\n`scripts/deps test` installs it; or set %s", err, EnvURL)
	}
	return createPostgres(tb, " TEMPLATE "+name)
}

// postgresTemplate is a database that has only the schema.
type postgresTemplate struct {
	once sync.Once
	name string
	err  error
}

func (p *postgresTemplate) make(s *server) (name string, err error) {
	p.once.Do(func() {
		base, err := s.url()
		if err != nil {
			p.err = err
			return
		}
		name := "verdict_template_" + strings.ToLower(rand.Text()[:16])
		at, err := url.Parse(base)
		if err != nil {
			p.err = err
			return
		}
		at.Path = "/" + name
		if p.err = statement(base, "CREATE DATABASE "+name); p.err == nil {
			p.name, p.err = name, migrate(at.String())
		}
	})
	return p.name, p.err
}

// drop drops the template database if there is one. Otherwise it would remain
// on a server that the tests did not start.
func (p *postgresTemplate) drop(base string) {
	if p.name != "" {
		_ = statement(base, "DROP DATABASE "+p.name+" WITH (FORCE)") // a leftover database must not fail a test
	}
}

// migrate creates the schema of a new database.
func migrate(databaseURL string) error {
	db, err := store.Open(context.Background(), databaseURL, store.Options{})
	if err != nil {
		return err
	}
	return db.Close()
}

func statement(databaseURL, text string) error {
	db, err := openRaw(databaseURL)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(context.Background(), text)
	return errors.Join(err, db.Close())
}
