package service

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The bare tables do not use PostgreSQL's compression, because it costs more than it
// saves for these answers.
const postgresTable = `
CREATE TABLE kept (id text NOT NULL PRIMARY KEY, micros bigint NOT NULL, response bytea NOT NULL, facts bytea NOT NULL);
ALTER TABLE kept ALTER response SET STORAGE EXTERNAL, ALTER facts SET STORAGE EXTERNAL`

// insertKeeper inserts each row with a separate statement on a pooled connection, as
// most services do.
type insertKeeper struct{ pool *pgxpool.Pool }

// insertConnections is close to the best number of connections for 64 clients.
const insertConnections = 32

func openInsert(ctx context.Context, databaseURL string) (*insertKeeper, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database's URL: %w", err)
	}
	config.MaxConns = insertConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if _, err := pool.Exec(ctx, postgresTable); err != nil {
		pool.Close()
		return nil, fmt.Errorf("create the table: %w", err)
	}
	return &insertKeeper{pool}, nil
}

func (k *insertKeeper) keep(ctx context.Context, r *row) error {
	_, err := k.pool.Exec(ctx, "INSERT INTO kept VALUES ($1, $2, $3, $4)", r.id, r.micros, r.response, r.facts)
	return err
}

func (k *insertKeeper) close() error {
	k.pool.Close()
	return nil
}

// openCopy returns a group that writes all waiting rows with one COPY. Its rate is the practical limit for durable
// rows on PostgreSQL.
func openCopy(ctx context.Context, databaseURL string) (*group, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if _, err := conn.Exec(ctx, postgresTable); err != nil {
		return nil, errors.Join(fmt.Errorf("create the table: %w", err), conn.Close(ctx))
	}
	columns := []string{"id", "micros", "response", "facts"}
	values := make([]any, len(columns))
	commit := func(ctx context.Context, rows []*row) error {
		source := pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			r := rows[i]
			values[0], values[1], values[2], values[3] = r.id, r.micros, r.response, r.facts
			return values, nil
		})
		_, err := conn.CopyFrom(ctx, pgx.Identifier{"kept"}, columns, source)
		return err
	}
	return newGroup(ctx, commit, func() error { return conn.Close(context.Background()) }), nil
}

func countPostgres(ctx context.Context, databaseURL string) (n int, err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	err = conn.QueryRow(ctx, "SELECT count(*) FROM kept").Scan(&n)
	return n, errors.Join(err, conn.Close(ctx))
}
