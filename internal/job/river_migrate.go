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

// migrateTimeout limits the time of the migration, including the wait for another
// node that migrates.
const migrateTimeout = time.Minute

// migrateLock is the key of the advisory lock for the migration.
const migrateLock = 8462133094617353

// migrate migrates River's tables and returns the name of their schema. The tables
// have a separate schema, so that they are not part of a backup. If several nodes
// start together, one node migrates and the others wait.
func migrate(ctx context.Context, pool *pgxpool.Pool, logger *slog.Logger) (schema string, err error) {
	ctx, cancel := context.WithTimeout(ctx, migrateTimeout)
	defer cancel()
	// The lock is held in a separate transaction, because the result of one of
	// River's migrations cannot be used in the transaction that ran the migration.
	lock, err := pool.Begin(ctx)
	if err != nil {
		return "", withoutURL(err)
	}
	defer func() { _ = lock.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := lock.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrateLock)); err != nil {
		return "", withoutURL(err)
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

// createSchema creates the schema if it does not exist. An operator may create the
// schema beforehand if the role of the service may not create it.
func createSchema(ctx context.Context, pool *pgxpool.Pool) (string, error) {
	var ours string
	var there bool
	if err := pool.QueryRow(ctx, "SELECT coalesce(current_schema(), '')").Scan(&ours); err != nil {
		return "", withoutURL(err)
	}
	schema := schemaBeside(ours)
	row := pool.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)", schema)
	if err := row.Scan(&there); err != nil {
		return "", withoutURL(err)
	}
	if there {
		return schema, nil
	}
	_, err := pool.Exec(ctx, "CREATE SCHEMA "+pgx.Identifier{schema}.Sanitize())
	return schema, refusedIn(schema, err)
}

// schemaBeside returns the name of the queue's schema. ours is the schema of the installation's other tables. The
// name depends on ours, because two installations in one database must not share a queue.
func schemaBeside(ours string) string {
	if ours == "public" {
		return "river"
	}
	sum := sha256.Sum256([]byte(ours))
	return "river_" + hex.EncodeToString(sum[:6])
}

// refusedIn returns an error that says what to do, if the role lacks the
// privilege to create the schema or its tables. It returns any other error
// without the parts of the database URL.
func refusedIn(schema string, err error) error {
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("the database role may not create the schema %s or tables in it: "+
			"as an administrator, grant the role CREATE on the database, or create schema %s for it", schema, schema)
	}
	return withoutURL(err)
}

// withoutURL returns err without the parts of the database URL that a connection
// error contains.
func withoutURL(err error) error {
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
