package store

import (
	"fmt"
	"strings"
)

// bulkTable describes a table for bulk inserts and holds the statement for each
// database.
type bulkTable struct {
	into    string // the beginning of both statements
	columns []column
	one     string // inserts one row; parameters in the order of the columns
	many    string // inserts many rows; each column is one array parameter
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

// newBulkTable returns a bulkTable for rows of one scope. In the statements, the tenant and the environment come
// before the given columns.
func newBulkTable(name string, columns ...column) *bulkTable {
	return bulkTableOf(name, []string{"tenant_id", "environment"}, columns)
}

// newUnscopedTable returns a bulkTable for rows of any scope, with all columns.
func newUnscopedTable(name string, columns ...column) *bulkTable {
	return bulkTableOf(name, nil, columns)
}

// bulkTableOf builds the statements. The columns in scope have the same values
// in every row.
func bulkTableOf(name string, scope []string, columns []column) *bulkTable {
	names := append([]string{}, scope...)
	marks := make([]string, len(scope), len(scope)+len(columns)) // "?" is a SQLite parameter, found by its position
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

// unnested returns the SQL that turns array parameters into rows with the alias u. first is the number of the first
// array parameter.
func unnested(columns []column, first int) string {
	arrays, names := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		arrays[i], names[i] = fmt.Sprintf("$%d::%s[]", first+i, c.kind), c.name
	}
	return fmt.Sprintf("unnest(%s) AS u(%s)", strings.Join(arrays, ", "), strings.Join(names, ", "))
}

// withClause returns a copy of t whose statements end with a clause such as ON
// CONFLICT. On PostgreSQL no two rows of one statement may conflict with the same
// existing row.
func (t *bulkTable) withClause(clause string) *bulkTable {
	return &bulkTable{into: t.into, columns: t.columns, one: t.one + " " + clause, many: t.many + " " + clause}
}

// arrays returns one typed array for each column.
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
		values[r], _ = row[i].(T) // the rows and the column types are defined together, so the types match
	}
	return values
}

// insert inserts rows of the transaction's scope.
func (t *bulkTable) insert(tx *Tx, rows [][]any) error {
	if err := tx.transaction.setRLS(tx.rls); err != nil {
		return err
	}
	return tx.transaction.db.dialect.insertMany(tx.transaction, t, []any{tx.rls.tenant, tx.rls.environment}, rows, nil)
}

// insertReturning inserts rows into a table whose clause has RETURNING, and calls
// read for every returned row.
func (t *bulkTable) insertReturning(tx *Tx, rows [][]any, read func(scan func(...any) error) error) error {
	if err := tx.transaction.setRLS(tx.rls); err != nil {
		return err
	}
	return tx.transaction.db.dialect.insertMany(tx.transaction, t, []any{tx.rls.tenant, tx.rls.environment}, rows, read)
}

// notNil replaces a nil document by an empty one, because nil would be stored as NULL.
func notNil(document []byte) []byte {
	if document == nil {
		return []byte{}
	}
	return document
}
