package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema, from the file migrations/NNNN_name.sql.
type migration struct {
	version  int64
	name     string
	text     string
	checksum string // checksum of the whole file, with the sections for both databases
}

// readMigrations returns the steps in order. It refuses numbers that do not
// start at 1 or have a gap.
func readMigrations(files fs.FS) ([]migration, error) {
	paths, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	steps := make([]migration, len(paths))
	for i, path := range paths {
		number, name, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil || version != int64(i+1) {
			return nil, fmt.Errorf("migration %s is not number %d", path, i+1)
		}
		content, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		steps[i] = migration{version, name, string(content), hex.EncodeToString(sum[:])}
	}
	return steps, nil
}

// statementsFor returns the text without the sections for the other database. A section begins with the line
// "-- +postgres" or "-- +sqlite" and ends with the line "-- +end".
func (m migration) statementsFor(database string) string {
	var kept strings.Builder
	skipping := false
	for line := range strings.Lines(m.text) {
		switch mark, isMark := strings.CutPrefix(strings.TrimSpace(line), "-- +"); {
		case isMark && mark == "end":
			skipping = false
		case isMark:
			skipping = mark != database
		case !skipping:
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// migrate brings the schema to a version in one transaction. If many nodes
// start at the same time, one migrates; the others wait and then find nothing
// to do.
func (db *DB) migrate(ctx context.Context, version int64) error {
	steps, err := readMigrations(migrationFiles)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err = db.migrateOnce(ctx, steps, version)
		// SQLite switches a new file to WAL without waiting for its lock, so
		// several processes that open the file at the same time may conflict.
		if db.dialect.class(err) != classConflict || attempt == 50 {
			db.version = version
			return db.failure("migrate the database", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (db *DB) migrateOnce(ctx context.Context, steps []migration, version int64) error {
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after the commit
	for _, lock := range db.dialect.lockMigrations {
		if _, err := tx.ExecContext(ctx, lock); err != nil {
			return err
		}
	}
	applied, err := db.appliedMigrations(ctx, tx)
	if err != nil {
		return err
	}
	if err := checkMigrations(steps, applied); err != nil {
		return err
	}
	if there := int64(len(applied)); there > version {
		return fmt.Errorf("the database already has schema version %d: restore a backup of schema version %d into a "+
			"new database", there, version)
	}
	for _, m := range steps[len(applied):version] {
		if _, err := tx.ExecContext(ctx, m.statementsFor(db.dialect.name)); err != nil {
			return fmt.Errorf("migration %04d_%s: %w", m.version, m.name, err)
		}
		if _, err := tx.ExecContext(ctx,
			"INSERT INTO schema_migrations (version, name, checksum, applied_micros) VALUES ($1, $2, $3, $4)",
			m.version, m.name, m.checksum, time.Now().UnixMicro()); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// appliedMigrations returns the migrations that the database has, in order. It
// creates the table schema_migrations if it is missing.
func (db *DB) appliedMigrations(ctx context.Context, tx *sql.Tx) (applied []migration, err error) {
	var one int
	err = tx.QueryRowContext(ctx, db.dialect.hasTable, "schema_migrations").Scan(&one)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.ExecContext(ctx, `CREATE TABLE schema_migrations (
			version BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, `+
			`checksum TEXT NOT NULL, applied_micros BIGINT NOT NULL)`)
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT version, name, checksum FROM schema_migrations ORDER BY version")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.version, &m.name, &m.checksum); err != nil {
			return nil, err
		}
		applied = append(applied, m)
	}
	return applied, rows.Err()
}

// checkMigrations refuses a database whose migrations do not match those of
// this binary.
func checkMigrations(steps, applied []migration) error {
	for i, was := range applied {
		switch {
		case i >= len(steps):
			return fmt.Errorf("the database has migration %04d_%s, which this version of verdict does not know: "+
				"start a newer version", was.version, was.name)
		case steps[i].version != was.version || steps[i].name != was.name:
			return fmt.Errorf("the database has migration %04d_%s where this version of verdict has %04d_%s",
				was.version, was.name, steps[i].version, steps[i].name)
		case steps[i].checksum != was.checksum:
			return fmt.Errorf("migration %04d_%s was edited after the database applied it: "+
				"restore the file, and add a new migration instead",
				was.version, was.name)
		}
	}
	return nil
}
