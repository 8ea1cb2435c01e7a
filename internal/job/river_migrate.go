package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrateTimeout bounds the wait for another node that migrates.
const migrateTimeout = time.Minute

// migrateLock is the advisory lock of whoever migrates River's tables.
const migrateLock = 8462133094617353

// migrate brings River's tables up to date, in a schema of their own so that
// they are no part of a backup, and returns its name. Of many nodes that start
// at once one does the work; the others wait for it and find it done.
func migrate(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) (schema string, err error) {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	// The lock ends with its transaction, in which nothing else is done: one of
	// River's migrations cannot be used in the transaction that made it.
	lock, err := pool.Begin(ctx)
	if err != nil {
		return "", wordsOf(err)
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := lock.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrateLock)); err != nil {
		return "", wordsOf(err)
	}
	if schema, err = createSchema(ctx, pool); err != nil {
		return "", err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: schema, Logger: logger})
	if err != nil {
		return "", err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return "", refusedIn(schema, err)
	}
	return schema, nil
}

// createSchema makes the schema unless it is there: an operator whose roles
// may not make one has made it before.
func createSchema(ctx context.Context, pool *pgxpool.Pool) (string, error) {
	var ours string
	var there bool
	if err := pool.QueryRow(ctx, "SELECT coalesce(current_schema(), '')").Scan(&ours); err != nil {
		return "", wordsOf(err)
	}
	schema := schemaBeside(ours)
	if err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)", schema).Scan(&there); err != nil {
		return "", wordsOf(err)
	}
	if there {
		return schema, nil
	}
	_, err := pool.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{schema}.Sanitize())
	return schema, refusedIn(schema, err)
}

// schemaBeside is the queue's schema for an installation in a schema of its
// own: two of them in one database must not do each other's work.
func schemaBeside(ours string) string {
	if ours == "public" {
		return "river"
	}
	sum := sha256.Sum256([]byte(ours))
	return "river_" + hex.EncodeToString(sum[:6])
}

// refusedIn says what to do when the role has no right to make what is missing.
func refusedIn(schema string, err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("the database role may not create the schema %s or the tables in it: "+
			"GRANT CREATE ON DATABASE to the role, or CREATE SCHEMA %s AUTHORIZATION of the role", schema, schema)
	}
	return wordsOf(err)
}

// wordsOf keeps what a connection error says of the URL out of the message.
func wordsOf(err error) error {
	var refused *pgconn.ConnectError
	var e *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return fmt.Errorf("SQLSTATE %s: %s", e.Code, e.Message)
	case errors.As(err, &refused):
		return errors.New("the database cannot be reached")
	default:
		return err
	}
}
