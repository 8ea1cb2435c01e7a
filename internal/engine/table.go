package engine

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The limits of the tables that a policy names.
const (
	maxTables       = 100
	maxTableKeys    = 16
	maxTableColumns = 500
)

// The values of a key's "match".
const (
	matchExact = "exact"
	matchRange = "range"
)

// tables finds out which tables the policy can name. A draft can name the stored tables. A stored document describes
// its tables itself, so that the policy can be read and a decision repeated without the stored tables.
func (r *policyReader) tables(f *wire.Form) {
	find := r.src.Table
	if find != nil {
		f.Known(memberTables) // ignored here: the service writes this member itself
	} else {
		described := f.Array(memberTables, maxTables)
		if !described.Given() {
			return
		}
		tables := ReadTables(described, r.src.Catalogue, &r.faults)
		find = func(name string) (*rule.Table, bool) {
			at := slices.IndexFunc(tables, func(t rule.Table) bool { return t.Name == name })
			if at < 0 {
				return nil, false
			}
			return &tables[at], true
		}
	}
	r.scope.Table = func(name string) (*rule.Table, bool) {
		r.tabled = true
		return find(name)
	}
}

// memberTables is the member of a document that describes the tables that the policy names.
const memberTables = "tables"

// usedTables returns the tables whose columns the policy names, in name order. Each table has only those columns.
func (p *Policy) usedTables(find func(name string) (*rule.Table, bool)) (used []rule.Table) {
	for _, name := range p.ReferencedFields() {
		table, column, ok := rule.ParseTableFact(name)
		if !ok {
			continue
		}
		found, ok := find(table)
		if !ok {
			continue
		}
		if n := len(used); n == 0 || used[n-1].Name != table {
			used = append(used, rule.Table{Name: table, Keys: found.Keys, Default: found.Default})
		}
		if c, ok := found.Column(column); ok {
			last := &used[len(used)-1]
			last.Columns = append(last.Columns, c)
		}
	}
	return used
}

// ReadTables reads the description of tables in a stored document.
func ReadTables(array wire.Value, catalogue *rule.Catalogue, faults *fault.List) (tables []rule.Table) {
	for _, v := range array.Elements() {
		form := wire.NewForm(v, faults)
		f := &form
		t := rule.Table{Default: f.Bool("default", false)}
		f.Require("name", "the name of the table")
		t.Name, _ = f.Text("name", 64)
		if !rule.IsTableName(t.Name) {
			f.Fail("name", fault.CodeInvalidField, "must be the name of a table: %s", rule.ListNameRule)
		}
		f.Require("keys", "the keys of the table")
		for _, k := range f.Array("keys", maxTableKeys).Elements() {
			t.Keys = append(t.Keys, readTableKey(k, catalogue, faults))
		}
		f.Require("columns", "the columns of the table")
		for _, c := range f.Array("columns", maxTableColumns).Elements() {
			t.Columns = append(t.Columns, readTableColumn(c, t.Name, faults))
		}
		f.Done()
		tables = append(tables, t)
	}
	return tables
}

func readTableKey(v wire.Value, catalogue *rule.Catalogue, faults *fault.List) (key rule.TableKey) {
	form := wire.NewForm(v, faults)
	f := &form
	f.Require("field", "a field of the request")
	name, ok := f.Text("field", 128)
	key.Range = f.Choice("match", 0, matchExact, matchRange) == 1
	typ := readType(f)
	if id, known := catalogue.Lookup(name); known {
		key.Field = rule.Ref{Name: catalogue.Field(id).Name, ID: id, Type: catalogue.Field(id).Type}
	} else {
		if ok && !field.Declarable(name) {
			f.Fail("field", fault.CodeUnknownField, "must be a field of the request")
		}
		key.Field = rule.Ref{Name: name, ID: rule.Undeclared, Type: typ}
	}
	f.Done()
	return key
}

func readTableColumn(v wire.Value, table string, faults *fault.List) (c rule.TableColumn) {
	form := wire.NewForm(v, faults)
	f := &form
	f.Require("name", "the name of the column")
	c.Name, _ = f.Text("name", 64)
	if !rule.IsColumnName(c.Name) {
		f.Fail("name", fault.CodeInvalidField, "must be the name of a column: %s", rule.ColumnNameRule)
	}
	c.Type, c.Fact = readType(f), rule.TableFact(table, c.Name)
	f.Done()
	return c
}

// readType reads the member "type".
func readType(f *wire.Form) rule.Type {
	f.Require("type", "number, string or boolean")
	choice := f.Choice("type", 0, rule.NumberType.String(), rule.StringType.String(), rule.BoolType.String())
	return rule.NumberType + rule.Type(choice)
}

func writeTable(t *rule.Table, w *wire.Writer) {
	w.Object().Key("columns").Array()
	for _, c := range t.Columns {
		w.Object().Key("name").String(c.Name).Key("type").String(c.Type.String()).EndObject()
	}
	w.EndArray()
	if t.Default {
		w.Key("default").Bool(true)
	}
	w.Key("keys").Array()
	for _, k := range t.Keys {
		match := matchExact
		if k.Range {
			match = matchRange
		}
		w.Object().Key("field").String(k.Field.Name).Key("match").String(match)
		w.Key("type").String(k.Field.Type.String()).EndObject()
	}
	w.EndArray().Key("name").String(t.Name).EndObject()
}
