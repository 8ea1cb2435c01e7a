package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// Open opens the database at a URL, sqlite:PATH or postgres://…, and migrates
// its schema to the current version. Many nodes may call Open at the same time.
// A missing SQLite file is created; a missing folder is not.
//
// No error repeats a PostgreSQL URL, because it may contain a password.
func Open(ctx context.Context, databaseURL string, options Options) (*DB, error) {
	version, err := SchemaVersion()
	if err != nil {
		return nil, err
	}
	return openAt(ctx, databaseURL, options, version)
}

// openAt opens a database like Open, but migrates its schema to the given
// version. Restore uses it for backups of earlier schemas.
func openAt(ctx context.Context, databaseURL string, options Options, version int64) (*DB, error) {
	options = options.withDefaults()
	db, err := connect(databaseURL, options)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, version); err != nil {
		if isNotDatabase(err) {
			err = fmt.Errorf("%w; name the file of the database with -database-url, or move this file away and "+
				"restore a backup (verdict restore)", errNotDatabase(databaseURL))
		}
		return nil, errors.Join(err, db.closePools())
	}
	db.commits = newCommitter(db)
	return db, nil
}

// errNotDatabase returns the error of a file that is not a SQLite database.
func errNotDatabase(databaseURL string) error {
	path, _ := FileOf(databaseURL)
	return fmt.Errorf("the file %s is not a SQLite database", path)
}

func connect(databaseURL string, options Options) (*DB, error) {
	scheme, rest, found := strings.Cut(databaseURL, ":")
	switch {
	case !found:
		return nil, errors.New("the database URL has no scheme: use sqlite:PATH or postgres://user@host/database")
	case scheme == "sqlite":
		return connectSQLite(rest, options)
	case scheme == "postgres", scheme == "postgresql":
		return connectPostgres(databaseURL, options, connectionLife)
	default:
		return nil, errors.New("the database URL has a scheme other than sqlite: and postgres://")
	}
}

// connectSQLite opens one connection that writes and several that read. SQLite
// has one writer at a time, and in WAL mode readers do not wait for it.
func connectSQLite(path string, options Options) (*DB, error) {
	path = strings.TrimPrefix(path, "//") // sqlite:///var/lib/x is accepted too
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("the database URL needs the path of a file, as in sqlite:verdict.db")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the database file: %w", err)
	}
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	writer, err := sql.Open("sqlite", sqliteName(path, sqliteWriterPragmas, options)+"&_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	reader, err := sql.Open("sqlite", sqliteName(path, sqliteReaderPragmas, options))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the database file: %w", err), writer.Close())
	}
	bound(writer, 1)
	bound(reader, options.Connections)
	return &DB{
		dialect: newSQLite(), options: options,
		writer: pool{DB: writer, prepared: newStatements(writer)},
		reader: pool{DB: reader, prepared: newStatements(reader)},
	}, nil
}

// createPrivate creates the file, if it is missing, with permissions for its
// owner only. SQLite gives its journal files the same permissions.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	var where *fs.PathError
	switch {
	case errors.As(err, &where) && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("create the database file: the folder %s does not exist", filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("create the database file: %w", err)
	}
	return file.Close()
}

// sqliteName returns the data source name: the file and the settings of every
// connection to it.
func sqliteName(path string, pragmas []string, options Options) string {
	query := url.Values{"_pragma": pragmas}
	query.Set("_busy_timeout", strconv.FormatInt(options.Timeout.Milliseconds()/2, 10))
	return (&url.URL{Scheme: "file", Path: uriPath(filepath.ToSlash(path)), RawQuery: query.Encode()}).String()
}

// uriPath returns the path of a file URI for an absolute path with slashes. On Windows a path begins with a drive
// letter, which would be taken for the name of a host.
func uriPath(slashed string) string {
	if strings.HasPrefix(slashed, "/") {
		return slashed
	}
	return "/" + slashed
}

// postgresWriters is the number of connections that write: the committer's, and
// a spare for the time in which a lost connection is not closed yet.
const postgresWriters = 2

// postgresSide is the number of connections for scopes that are set aside. postgresStuck is the number of these
// connections that stuck lanes may use. The last attempt of a stuck lane failed on another transaction's lock.
const (
	postgresSide  = 4
	postgresStuck = 2
)

// PostgresWriting is how many connections to PostgreSQL a DB opens besides those of Options.Connections.
const PostgresWriting = postgresWriters + postgresSide

// connectPostgres opens separate pools for reading and writing. A pool serves
// waiting callers in no particular order, so with one pool many readers could
// delay the committer. life is how long a connection is used.
func connectPostgres(databaseURL string, options Options, life time.Duration) (*DB, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		// The driver's error repeats parts of the URL, so it is not wrapped.
		return nil, errors.New(
			"the PostgreSQL URL cannot be read: use postgres://user:password@host:port/database?sslmode=…")
	}
	for name, value := range postgresSettings(options) {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = options.Timeout / 2
	}
	following := newPrimary()
	hosts := watchConfigs(config) // taken before DialFunc is replaced, so that the watch connections are not tracked
	config.DialFunc = following.dial(config.DialFunc)
	if config.ValidateConnect == nil && !choosesServer(databaseURL) {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.ValidateConnect = following.validate(config.ValidateConnect)
	config.OnPgError = discardReadOnly(config.OnPgError)
	if len(hosts) > 1 {
		following.watch(hosts)
	}
	writing := func(connections int, lock time.Duration) pool {
		own, standby := config.Copy(), &acknowledgements{}
		own.RuntimeParams["lock_timeout"] = millis(min(lock, options.Timeout/2))
		own.OnNotice = standby.notice
		p := pool{DB: sql.OpenDB(following.connector(own)), standby: standby}
		bound(p.DB, connections)
		p.SetConnMaxLifetime(life)
		return p
	}
	side := writing(postgresSide, sideLock)
	reader := sql.OpenDB(following.connector(config))
	bound(reader, options.Connections)
	reader.SetConnMaxLifetime(life)
	return &DB{
		dialect: newPostgres(), options: options,
		writer: writing(postgresWriters, sharedLock), side: &side, reader: pool{DB: reader}, primary: following,
	}, nil
}

// connectionLife is how long a connection to PostgreSQL is used. A proxy or a
// DNS name may lead the next connection to another server.
const connectionLife = 5 * time.Minute

// discardReadOnly returns a handler that closes a connection whose server refuses writes (SQLSTATE 25006,
// read_only_sql_transaction), because the server is no longer the primary.
func discardReadOnly(keep pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		return err.Code != "25006" && keep(conn, err)
	}
}

func bound(connections *sql.DB, n int) {
	connections.SetMaxOpenConns(n)
	connections.SetMaxIdleConns(n)
	connections.SetConnMaxIdleTime(5 * time.Minute)
}
