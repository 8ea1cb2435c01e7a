package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	_ "modernc.org/sqlite" // the driver that our service also uses
)

// sqliteKeeper inserts each row in a separate transaction, on a single connection. SQLite
// allows one writer at a time, and waiting for the connection is cheaper than retrying
// while the file is locked.
type sqliteKeeper struct {
	db     *sql.DB
	insert *sql.Stmt
}

const sqliteTable = `CREATE TABLE kept (
	id TEXT NOT NULL PRIMARY KEY, micros BIGINT NOT NULL, response BLOB NOT NULL, facts BLOB NOT NULL)`

func openSQLite(ctx context.Context, path string) (*sqliteKeeper, error) {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, fmt.Errorf("open SQLite: %w", err)
	}
	db.SetMaxOpenConns(1)
	k := &sqliteKeeper{db: db}
	if _, err := db.ExecContext(ctx, sqliteTable); err != nil {
		return nil, errors.Join(fmt.Errorf("create the table: %w", err), db.Close())
	}
	if k.insert, err = db.PrepareContext(ctx, "INSERT INTO kept VALUES (?, ?, ?, ?)"); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the insert: %w", err), db.Close())
	}
	return k, nil
}

func (k *sqliteKeeper) keep(ctx context.Context, r *row) error {
	_, err := k.insert.ExecContext(ctx, r.id, r.micros, r.response, r.facts)
	return err
}

func (k *sqliteKeeper) close() error { return errors.Join(k.insert.Close(), k.db.Close()) }

// openSQLiteGroup returns a group that inserts all waiting rows in one transaction.
func openSQLiteGroup(ctx context.Context, path string) (*group, error) {
	k, err := openSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	commit := func(ctx context.Context, rows []*row) error {
		tx, err := k.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		insert := tx.StmtContext(ctx, k.insert)
		defer func() { _ = insert.Close() }() // the end of the transaction closes the statement too
		for _, r := range rows {
			if _, err := insert.ExecContext(ctx, r.id, r.micros, r.response, r.facts); err != nil {
				return errors.Join(err, tx.Rollback())
			}
		}
		return tx.Commit()
	}
	return newGroup(ctx, commit, k.close), nil
}

func countSQLite(ctx context.Context, path string) (n int, err error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return 0, err
	}
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM kept").Scan(&n)
	return n, errors.Join(err, db.Close())
}
