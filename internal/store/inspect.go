package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Inspection is the state of a database, as Inspect found it.
type Inspection struct {
	Kind   string // "sqlite" or "postgres"
	Schema int64  // version of the schema; 0 for a database without one

	// The keys are known only if the schema is that of this program.
	RestoreUnfinished bool      // a restore was interrupted before the database had its keys
	Keys              KeyEpochs // the master keys
	LogKey            []byte    // the public key of the logs, nil if there is none

	Server Server // zero on SQLite
}

// Server is what a PostgreSQL server says about itself.
type Server struct {
	Version        string
	Ahead          time.Duration // how far its clock is ahead of this machine's
	MaxConnections int64
	Standbys       string // the setting synchronous_standby_names
	SyncCommit     string // the setting synchronous_commit
	Encrypted      bool   // whether the connection uses TLS
	Local          bool   // whether the server is on this machine
}

// Inspect reads the state of a database and changes nothing: it neither creates a missing SQLite file, which is
// fs.ErrNotExist, nor migrates the schema. A schema that this program does not know is an error that says what to do.
func Inspect(ctx context.Context, databaseURL string, options Options) (found Inspection, err error) {
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
	if !db.dialect.embedded() {
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
	// Without a write-ahead log nobody has the file open. To read it, SQLite would create the log, unless it is told
	// that the file does not change.
	if _, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		name += "&immutable=1"
	}
	reader, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	bound(reader, 1)
	only := pool{DB: reader, prepared: newStatements(reader)}
	return &DB{dialect: sqlite{}, options: options, writer: only, reader: only}, nil
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
		found, err := s.firstColumn(db.dialect.hasTable(), "schema_migrations")
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

// readServer asks a PostgreSQL server about itself.
func (db *DB) readServer(ctx context.Context) (server Server, err error) {
	err = db.System().read(ctx, func(s *transaction) error {
		var micros int64
		before := time.Now()
		err := s.one([]any{
			&server.Version, &micros, &server.MaxConnections, &server.Standbys, &server.SyncCommit, &server.Encrypted,
			&server.Local,
		}, `SELECT current_setting('server_version'), (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
			current_setting('max_connections')::bigint, current_setting('synchronous_standby_names'),
			current_setting('synchronous_commit'),
			coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
			inet_server_addr() IS NULL OR inet_server_addr() <<= '127.0.0.0/8' OR inet_server_addr() = '::1'`)
		// The server read its clock between the two readings of ours.
		after := time.Now()
		server.Ahead = time.UnixMicro(micros).Sub(before.Add(after.Sub(before) / 2))
		return err
	})
	return server, err
}
