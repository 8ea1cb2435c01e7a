package storetest

import (
	"database/sql"
	"fmt"
	"testing"

	"verdict/internal/store"
)

// Dump returns the values of all columns of all tables that hold texts or bytes, by table and column. Tests search the
// result for data that must not be stored.
func Dump(tb testing.TB, databaseURL string) map[string][]byte {
	tb.Helper()
	raw := Raw(tb, databaseURL)
	tx, err := raw.BeginTx(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // the transaction only reads
	tables := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
	if _, embedded := store.FileOf(databaseURL); !embedded {
		tables = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
		if _, err := tx.ExecContext(tb.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			tb.Fatal(err)
		}
	}
	var names []string
	query(tb, tx, tables, func(_ string, value []byte) { names = append(names, string(value)) })
	found := map[string][]byte{}
	for _, table := range names {
		query(tb, tx, "SELECT * FROM "+table, func(column string, value []byte) {
			name := table + "." + column
			found[name] = append(append(found[name], value...), '\n')
		})
	}
	if len(found) == 0 {
		tb.Fatal("the database is empty")
	}
	return found
}

// query calls visit with every value of a query's result.
func query(tb testing.TB, tx *sql.Tx, text string, visit func(column string, value []byte)) {
	tb.Helper()
	rows, err := tx.QueryContext(tb.Context(), text)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	values := make([]any, len(columns))
	into := make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			tb.Fatal(err)
		}
		for i, value := range values {
			if bytes, ok := value.([]byte); ok {
				visit(columns[i], bytes)
			} else {
				visit(columns[i], fmt.Append(nil, value))
			}
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
}
