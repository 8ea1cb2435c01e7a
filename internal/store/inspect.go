package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Inspection is the state of a database, as Inspect found it.
type Inspection struct {
	Kind   string // "sqlite" or "postgres"
	Schema int64  // version of the schema; 0 for a database without one

	// RestoreUnfinished, Keys and LogKey are set only if the schema has the version of this program.
	RestoreUnfinished bool      // a restore was interrupted before the database had its keys
	Keys              KeyEpochs // the master keys
	LogKey            []byte    // the public key of the logs, nil if there is none

	Server Server // zero on SQLite
}

// Inspect reads the state of a database and changes nothing: it does not migrate the schema. If an SQLite file is
// missing, Inspect returns fs.ErrNotExist and does not create the file. If this program does not know the schema, the
// error says what to do. If a PostgreSQL server accepts no writes, Inspect returns what can be read, and Server says
// why.
func Inspect(ctx context.Context, databaseURL string, options Options) (Inspection, error) {
	found, err := inspect(ctx, databaseURL, options)
	if _, embedded := FileOf(databaseURL); err == nil || embedded || choosesServer(databaseURL) {
		return found, err
	}
	// Like the service, the first attempt connects only to servers that accept writes. It failed, so try any
	// server.
	readable, failed := inspect(ctx, acceptAnyServer(databaseURL), options)
	if failed == nil && (readable.Server.Standby || readable.Server.ReadOnly) {
		return readable, nil
	}
	return found, err
}

func inspect(ctx context.Context, databaseURL string, options Options) (found Inspection, err error) {
	db, err := connectToRead(databaseURL, options.withDefaults())
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.closePools()) }()
	found.Kind = db.Kind()
	newest, err := SchemaVersion()
	if err != nil {
		return found, err
	}
	if found.Schema, err = db.readSchema(ctx); err != nil {
		if isNotDatabase(err) {
			err = errNotDatabase(databaseURL)
		}
		return found, err
	}
	if found.Schema == newest {
		if found.RestoreUnfinished, err = db.System().RestoreUnfinished(ctx); err != nil {
			return found, err
		}
		if found.Keys, err = db.Secrets().KeyEpochs(ctx); err != nil {
			return found, err
		}
		if found.LogKey, err = db.Secrets().LogKey(ctx); err != nil {
			return found, err
		}
	}
	if !db.dialect.embedded {
		found.Server, err = db.readServer(ctx)
	}
	return found, err
}

// connectToRead connects without creating anything.
func connectToRead(databaseURL string, options Options) (*DB, error) {
	path, embedded := FileOf(databaseURL)
	if !embedded {
		return connect(databaseURL, options)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database file: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	name := sqliteName(path, sqliteReaderPragmas, options) + "&mode=ro"
	// If there is no write-ahead log, no process has the file open. SQLite would then create the log in order to read
	// the file, unless immutable=1 states that the file does not change.
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		name += "&immutable=1"
	}
	reader, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	bound(reader, 1)
	only := pool{DB: reader, prepared: newStatements(reader)}
	return &DB{dialect: newSQLite(), options: options, writer: only, reader: only}, nil
}

// readSchema returns the version of the schema, 0 if there is none.
func (db *DB) readSchema(ctx context.Context) (int64, error) {
	steps, err := readMigrations(migrationFiles)
	if err != nil {
		return 0, err
	}
	var applied []migration
	var wrong error
	err = db.System().read(ctx, func(s *transaction) error {
		applied, wrong = nil, nil // the read may be repeated
		found, err := s.firstColumn(db.dialect.hasTable, "schema_migrations")
		if err != nil || len(found) == 0 {
			return err
		}
		err = s.each(func(scan func(...any) error) error {
			var m migration
			err := scan(&m.version, &m.name, &m.checksum)
			applied = append(applied, m)
			return err
		}, "SELECT version, name, checksum FROM schema_migrations ORDER BY version")
		if err == nil {
			wrong = checkMigrations(steps, applied)
		}
		return err
	})
	return int64(len(applied)), errors.Join(err, wrong)
}
