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

// Open opens the database that a URL names, sqlite:PATH or postgres://…, and
// brings its schema up to date; many nodes may do so at once. The file of a
// SQLite database is created when it is missing, its folder is not.
//
// No error repeats the URL: there may be a password in it.
func Open(ctx context.Context, databaseURL string, options Options) (*DB, error) {
	version, err := SchemaVersion()
	if err != nil {
		return nil, err
	}
	return openAt(ctx, databaseURL, options, version)
}

// openAt is Open with the schema brought to an earlier version, for a backup
// of that time to be read into.
func openAt(ctx context.Context, databaseURL string, options Options, version int64) (*DB, error) {
	options = options.withDefaults()
	db, err := connect(databaseURL, options)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, version); err != nil {
		return nil, errors.Join(err, db.closePools())
	}
	db.commits = newCommitter(db)
	return db, nil
}

func connect(databaseURL string, options Options) (*DB, error) {
	scheme, rest, found := strings.Cut(databaseURL, ":")
	switch {
	case !found:
		return nil, errors.New("the database URL has no scheme: use sqlite:PATH or postgres://user@host/database")
	case scheme == "sqlite":
		return connectSQLite(rest, options)
	case scheme == "postgres", scheme == "postgresql":
		return connectPostgres(databaseURL, options)
	default:
		return nil, errors.New("the database URL has a scheme other than sqlite: and postgres://")
	}
}

// connectSQLite opens one connection that writes and several that read: SQLite
// has one writer at a time, and in WAL mode readers do not wait for it.
func connectSQLite(path string, options Options) (*DB, error) {
	path = strings.TrimPrefix(path, "//") // sqlite:///var/lib/x is also written
	if path == "" || strings.HasPrefix(path, ":memory:") {
		return nil, errors.New("sqlite: needs the path of a file, as in sqlite:verdict.db")
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
		dialect: sqlite{}, options: options,
		writer: pool{DB: writer, prepared: newStatements(writer)},
		reader: pool{DB: reader, prepared: newStatements(reader)},
	}, nil
}

// createPrivate makes an empty file that only its owner can read. SQLite gives
// its journal files the same permissions.
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

// sqliteName is a file's name with the settings of every connection to it.
func sqliteName(path string, pragmas []string, options Options) string {
	query := url.Values{"_pragma": pragmas}
	query.Set("_busy_timeout", strconv.FormatInt(options.Timeout.Milliseconds()/2, 10))
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// postgresWriters is how many connections write: the committer's, and one more
// for when that was lost and is not let go of yet.
const postgresWriters = 2

// postgresSide is how many connections serve the scopes that are set aside.
const postgresSide = 2

// connectPostgres has connections that write beside those that read: a pool
// serves those who wait in any order, and however many readers there are, they
// must not keep the committer waiting.
func connectPostgres(databaseURL string, options Options) (*DB, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		// Its text repeats parts of the URL, so it is not passed on.
		return nil, errors.New("the PostgreSQL URL cannot be read: use postgres://user:password@host:port/database?sslmode=…")
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
	hosts := watched(config) // before its connections are tracked
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
		p.SetConnMaxLifetime(connectionLife)
		return p
	}
	side := writing(postgresSide, sideLock)
	reader := sql.OpenDB(following.connector(config))
	bound(reader, options.Connections)
	reader.SetConnMaxLifetime(connectionLife)
	return &DB{
		dialect: postgres{}, options: options,
		writer: writing(postgresWriters, sharedLock), side: &side, reader: pool{DB: reader}, primary: following,
	}, nil
}

// connectionLife is how long a connection to PostgreSQL is used: what stands
// between us and the server may send the next one elsewhere.
const connectionLife = 5 * time.Minute

// discardReadOnly closes a connection whose server takes no writes any more.
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
