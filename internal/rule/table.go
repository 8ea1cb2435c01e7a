package rule

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
)

// Table describes one of the lender's tables: the fields by which a row is found, and the columns whose values become
// facts. These facts are looked up before the decision, when all facts are gathered. So a decision reads no table, and
// it can be explained and repeated in the same way after the table has changed.
type Table struct {
	Name    string
	Keys    []TableKey
	Columns []TableColumn
	Default bool // if no row matches, the columns have default values
}

// TableKey is a field of the request by which a row is found.
type TableKey struct {
	Field Ref
	Range bool // each row has a range of numbers for this key, not a single value
}

// TableColumn is a column of a table.
type TableColumn struct {
	Name string
	Type Type
	Fact string // the name of its fact
}

const (
	tablePrefix        = "table."
	tableVersionPrefix = "table_version."
	maxColumnName      = 48
)

// TableFact returns the name of the fact that has the value of a column. The fact is absent if a key field is absent,
// or if no row matches and the table has no default.
func TableFact(table, column string) string { return tablePrefix + table + "." + column }

// TableVersionFact returns the name of the fact that has the version of a table in which a row was looked up.
func TableVersionFact(table string) string { return tableVersionPrefix + table }

// ParseTableFact returns the table and the column of a fact that TableFact names. It returns false for any other name.
func ParseTableFact(fact string) (table, column string, ok bool) {
	rest, ok := strings.CutPrefix(fact, tablePrefix)
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

// IsTableName reports whether a text can be the name of a table. Tables and lists have the same rule for names:
// ListNameRule.
func IsTableName(name string) bool { return IsListName(name) }

// IsColumnName reports whether a text can be the name of a column.
func IsColumnName(name string) bool { return len(name) <= maxColumnName && IsListName(name) }

// ColumnNameRule describes the names for which IsColumnName returns true.
const ColumnNameRule = "a lowercase letter, then at most 47 lowercase letters, digits and underscores"

// Column returns a column of the table by its name.
func (t *Table) Column(name string) (TableColumn, bool) {
	at := slices.IndexFunc(t.Columns, func(c TableColumn) bool { return c.Name == name })
	if at < 0 {
		return TableColumn{}, false
	}
	return t.Columns[at], true
}

// Ref returns a reference to the fact of the column.
func (c *TableColumn) Ref() Ref { return Ref{Name: c.Fact, ID: Undeclared, Type: c.Type} }

// FindTable returns the table and the column of a fact that TableFact names. ok is false if none of the tables has
// that column.
func FindTable(tables []Table, fact string) (t *Table, c TableColumn, ok bool) {
	name, column, ok := ParseTableFact(fact)
	if !ok {
		return nil, TableColumn{}, false
	}
	at := slices.IndexFunc(tables, func(t Table) bool { return t.Name == name })
	if at < 0 {
		return nil, TableColumn{}, false
	}
	c, ok = tables[at].Column(column)
	return &tables[at], c, ok
}

// UnknownCode returns the fault code for a name that Resolve does not accept.
func UnknownCode(name string) string {
	if _, _, ok := ParseTableFact(name); ok {
		return fault.CodeUnknownTable
	}
	return fault.CodeUnknownField
}

// resolveColumn finds the fact of a column. If the column cannot be used, detail says why; otherwise detail is "".
func (s *Scope) resolveColumn(table, column string) (ref Ref, detail string) {
	if s.Table == nil {
		return Ref{}, "is the column of a table; a condition that names it can be read only as part of a stored policy"
	}
	found, ok := s.Table(table)
	if !ok {
		return Ref{}, "is the column of a table that does not exist; PUT /v1/tables/{name} creates one, " +
			"GET /v1/tables shows those that exist"
	}
	c, ok := found.Column(column)
	if !ok {
		return Ref{}, "is not a column of the table; GET /v1/tables/{name} shows its columns"
	}
	for i := range found.Keys {
		if detail := s.unreadableKey(found.Keys[i].Field); detail != "" {
			return Ref{}, detail
		}
	}
	return c.Ref(), ""
}

// unreadableKey returns the reason why a policy cannot use a key field of a table, or "" if it can.
func (s *Scope) unreadableKey(key Ref) string {
	if key.ID >= 0 {
		if _, detail := s.Resolve(key.Name, true); detail != "" {
			return fmt.Sprintf("is the column of a table with the key %s, which %s", key.Name, detail)
		}
		return ""
	}
	if t, ok := s.Inputs[key.Name]; !ok || t != key.Type {
		return fmt.Sprintf("is the column of a table with the key %s; declare that path in the policy's inputs "+
			"with the type %s", key.Name, key.Type)
	}
	return ""
}

// Unsuitable returns the reason why a field of the catalogue cannot be the key of a table, or "" if it can be.
func (f *Field) Unsuitable() string {
	if f.Supply == FromEngine || f.Late {
		return "is computed after tables were read; use a field of the request"
	}
	return ""
}
