package store

import (
	"context"
	"strconv"
)

// LimitPages bounds the size of a SQLite file, to stand for a full disk.
func (db *DB) LimitPages(ctx context.Context, pages int) error {
	_, err := db.writer.ExecContext(ctx, "PRAGMA max_page_count = "+strconv.Itoa(pages))
	return err
}

// WriterSetting reads a setting of the connection that writes.
func (db *DB) WriterSetting(ctx context.Context, name string) (value string, err error) {
	err = db.writer.QueryRowContext(ctx, "PRAGMA "+name).Scan(&value)
	return value, err
}
