package store

import (
	"fmt"
	"strings"
)

// bulkTable describes a table that many rows at a time are inserted into, and
// holds the text of both ways to do so. Tenant and environment come first and
// are not among the columns.
type bulkTable struct {
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

func newBulkTable(name string, columns ...column) *bulkTable {
	var names, marks, arrays strings.Builder
	for i, c := range columns {
		names.WriteString(", " + c.name)
		marks.WriteString(", ?") // SQLite's own form: looked up by position
		if i > 0 {
			arrays.WriteString(", ")
		}
		fmt.Fprintf(&arrays, "$%d::%s[]", i+3, c.kind)
	}
	into := fmt.Sprintf("INSERT INTO %s (tenant_id, environment%s) ", name, &names)
	return &bulkTable{
		columns: columns,
		one:     fmt.Sprintf("%sVALUES (?, ?%s)", into, &marks),
		many:    fmt.Sprintf("%sSELECT $1, $2, u.* FROM unnest(%s) AS u", into, &arrays),
	}
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

// present keeps an absent document from becoming NULL.
func present(document []byte) []byte {
	if document == nil {
		return []byte{}
	}
	return document
}
