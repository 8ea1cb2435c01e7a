package store

import (
	"fmt"
	"strings"
)

// bulkTable describes a table that many rows at a time are inserted into, and
// holds the text of both ways to do so.
type bulkTable struct {
	into    string // the beginning of both
	columns []column
	one     string // a row by itself, parameters in order
	many    string // every column as one array
}

type column struct {
	name string
	kind columnKind
}

type columnKind string

const (
	text   columnKind = "text"
	bigint columnKind = "bigint"
	bytea  columnKind = "bytea"
)

// newBulkTable is for the rows of one scope: tenant and environment come first
// and are not among the columns.
func newBulkTable(name string, columns ...column) *bulkTable {
	return bulkTableOf(name, []string{"tenant_id", "environment"}, columns)
}

// newWholeTable is for rows of any scope, with all of their columns.
func newWholeTable(name string, columns ...column) *bulkTable {
	return bulkTableOf(name, nil, columns)
}

// bulkTableOf has the scope as parameters that are the same for every row.
func bulkTableOf(name string, scope []string, columns []column) *bulkTable {
	names := append([]string{}, scope...)
	marks := make([]string, len(scope), len(scope)+len(columns)) // SQLite's own form: looked up by position
	values := make([]string, len(scope), len(scope)+1)
	for i := range scope {
		marks[i], values[i] = "?", fmt.Sprintf("$%d", i+1)
	}
	for _, c := range columns {
		names = append(names, c.name)
		marks = append(marks, "?")
	}
	values = append(values, "u.*")
	into := fmt.Sprintf("INSERT INTO %s (%s) ", name, strings.Join(names, ", "))
	return &bulkTable{
		into:    into,
		columns: columns,
		one:     fmt.Sprintf("%sVALUES (%s)", into, strings.Join(marks, ", ")),
		many:    fmt.Sprintf("%sSELECT %s FROM %s", into, strings.Join(values, ", "), unnested(columns, len(scope)+1)),
	}
}

// unnested are rows u out of arrays, the first of which is parameter first.
func unnested(columns []column, first int) string {
	arrays := make([]string, len(columns))
	for i, c := range columns {
		arrays[i] = fmt.Sprintf("$%d::%s[]", first+i, c.kind)
	}
	return fmt.Sprintf("unnest(%s) AS u", strings.Join(arrays, ", "))
}

// ending adds what is to happen to rows that are there already. On PostgreSQL
// no two rows of one statement may meet the same one.
func (t *bulkTable) ending(clause string) *bulkTable {
	return &bulkTable{into: t.into, columns: t.columns, one: t.one + " " + clause, many: t.many + " " + clause}
}

// arrays turns rows into one typed array for each column.
func (t *bulkTable) arrays(rows [][]any) []any {
	arrays := make([]any, len(t.columns))
	for i, c := range t.columns {
		switch c.kind {
		case text:
			arrays[i] = columnOf[string](rows, i)
		case bigint:
			arrays[i] = columnOf[int64](rows, i)
		case bytea:
			arrays[i] = columnOf[[]byte](rows, i)
		}
	}
	return arrays
}

func columnOf[T any](rows [][]any, i int) []T {
	values := make([]T, len(rows))
	for r, row := range rows {
		values[r], _ = row[i].(T) // the rows are built beside the columns
	}
	return values
}

// insertMany inserts rows of the scope.
func (tx *Tx) insertMany(t *bulkTable, rows [][]any) error {
	if err := tx.session.as(tx.voice); err != nil {
		return err
	}
	return tx.session.db.dialect.insertMany(tx.session, t, []any{tx.voice.tenant, tx.voice.environment}, rows, nil)
}

// insertReturning is insertMany for a table whose ending has a RETURNING; read
// hears of every row that comes back.
func (tx *Tx) insertReturning(t *bulkTable, rows [][]any, read func(scan func(...any) error) error) error {
	if err := tx.session.as(tx.voice); err != nil {
		return err
	}
	return tx.session.db.dialect.insertMany(tx.session, t, []any{tx.voice.tenant, tx.voice.environment}, rows, read)
}

// present keeps an absent document from becoming NULL.
func present(document []byte) []byte {
	if document == nil {
		return []byte{}
	}
	return document
}
