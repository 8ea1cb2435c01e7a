package table

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The limits of a table.
const (
	MaxRows    = 100_000
	MaxKeys    = 4
	MaxColumns = 20
	MaxText    = 256       // bytes of one text
	MaxCells   = 1_000_000 // keys and values of all rows
	// MaxGridRows is the maximum number of rows of a table with more than one range. Such rows cannot be ordered so
	// that a lookup compares only a few of them.
	MaxGridRows = 10_000
	// MaxStored is the maximum size of a stored table in bytes.
	MaxStored = 4 << 20
)

// Definition describes a table without its rows.
type Definition struct {
	rule.Table
	Defaults []rule.Value // the values of the columns if no row matches; nil if the table has no default
}

// typeNames are the names of the types of keys and columns, from rule.NumberType on.
var typeNames = []string{"number", "text", "boolean"}

// TypeName returns the name of a type.
func TypeName(t rule.Type) string { return typeNames[t-rule.NumberType] }

// ParseType returns the type with a name, and false if there is none.
func ParseType(name string) (rule.Type, bool) {
	at := slices.Index(typeNames, name)
	return rule.NumberType + rule.Type(max(at, 0)), at >= 0
}

// matches are the names of the two kinds of keys.
var matches = []string{"exact", "range"}

// MatchName returns the name of the kind of a key.
func MatchName(k rule.TableKey) string {
	if k.Range {
		return matches[1]
	}
	return matches[0]
}

// ReadDefinition reads the members "keys", "columns" and "default" of a table with a name. It adds every fault to
// faults. If it adds any, the result must not be used.
func ReadDefinition(f *wire.Form, name string, faults *fault.List) (d Definition) {
	d.Name = name
	if f.Require("keys", "the fields by which a row is found") {
		keys := f.Array("keys", MaxKeys)
		for _, v := range keys.Elements() {
			d.addKey(v, faults)
		}
		if keys.Given() && keys.Len() == 0 {
			f.Fail("keys", fault.CodeRequired, "needs at least one key")
		}
	}
	if f.Require("columns", "the names and types of the values") {
		columns := f.Array("columns", MaxColumns)
		for _, v := range columns.Elements() {
			d.addColumn(v, faults)
		}
		if columns.Given() && columns.Len() == 0 {
			f.Fail("columns", fault.CodeRequired, "needs at least one column")
		}
	}
	if values := f.Array("default", MaxColumns); values.Given() {
		d.Default = true
		d.Defaults = ReadValues(values, faults)
		if d.Columns != nil {
			CheckValues(d.Columns, d.Defaults, values.Pointer(), faults)
		}
	}
	return d
}

func (d *Definition) addKey(v wire.Value, faults *fault.List) {
	form := wire.NewForm(v, faults)
	f := &form
	f.Require("field", "a field of the request")
	name, named := f.Text("field", 128)
	match := f.Choice("match", 0, matches...)
	stated := f.Choice("type", -1, typeNames...)
	f.Done()
	if !named {
		return
	}
	key, code, detail := NewKey(name, match == 1, stated)
	switch {
	case code != "":
		f.Fail("field", code, "%s", detail)
	case slices.ContainsFunc(d.Keys, func(k rule.TableKey) bool { return k.Field.Name == key.Field.Name }):
		f.Fail("field", fault.CodeDuplicate, "is a key already")
	}
	d.Keys = append(d.Keys, key)
}

// NewKey returns a key. stated is the index of the type that the caller states, or -1 if the caller states none. If
// the field cannot be a key, it returns the code of the fault and a detail.
func NewKey(name string, isRange bool, stated int) (key rule.TableKey, code, detail string) {
	key = rule.TableKey{Range: isRange}
	catalogue := field.Catalogue()
	id, known := catalogue.Lookup(name)
	switch {
	case known:
		f := catalogue.Field(id)
		key.Field = rule.Ref{Name: f.Name, ID: id, Type: f.Type}
		if detail := f.Unsuitable(); detail != "" {
			return key, fault.CodeInvalidField, detail
		}
		if stated >= 0 && rule.NumberType+rule.Type(stated) != f.Type {
			return key, fault.CodeWrongType, "has the type " + TypeName(f.Type)
		}
	case !field.Declarable(name):
		return key, fault.CodeUnknownField, "is not a field of the request; \"verdict fields\" lists the fields"
	case stated < 0:
		return key, fault.CodeRequired,
			"is not in the catalogue, so state its \"type\": " + strings.Join(typeNames, ", ")
	default:
		key.Field = rule.Ref{Name: name, ID: rule.Undeclared, Type: rule.NumberType + rule.Type(stated)}
	}
	if isRange && key.Field.Type != rule.NumberType {
		return key, fault.CodeWrongType, "is not a number, so it cannot be matched by ranges; use \"match\": \"exact\""
	}
	return key, "", ""
}

func (d *Definition) addColumn(v wire.Value, faults *fault.List) {
	form := wire.NewForm(v, faults)
	f := &form
	f.Require("name", "the name of the column")
	name, named := f.Text("name", MaxText)
	f.Require("type", strings.Join(typeNames, ", "))
	t := rule.NumberType + rule.Type(f.Choice("type", 0, typeNames...))
	f.Done()
	if !named {
		return
	}
	if code, detail := d.AddColumn(name, t); code != "" {
		f.Fail("name", code, "%s", detail)
	}
}

// AddColumn adds a column. If it cannot be added, AddColumn returns the code of the fault and a detail.
func (d *Definition) AddColumn(name string, t rule.Type) (code, detail string) {
	c := rule.TableColumn{Name: name, Type: t, Fact: rule.TableFact(d.Name, name)}
	_, twice := d.Column(name)
	switch {
	case !rule.IsColumnName(name):
		code, detail = fault.CodeInvalidField, "must be "+rule.ColumnNameRule
	case twice, slices.ContainsFunc(d.Keys, func(k rule.TableKey) bool { return k.Field.Name == name }):
		code, detail = fault.CodeDuplicate, "is the name of another column or of a key"
	}
	d.Columns = append(d.Columns, c)
	return code, detail
}

// Write writes the members that ReadDefinition reads.
func (d *Definition) Write(w *wire.Writer) {
	w.Key("keys").Array()
	for _, k := range d.Keys {
		w.Object().Key("field").String(k.Field.Name).Key("match").String(MatchName(k))
		w.Key("type").String(TypeName(k.Field.Type)).EndObject()
	}
	w.EndArray().Key("columns").Array()
	for _, c := range d.Columns {
		w.Object().Key("name").String(c.Name).Key("type").String(TypeName(c.Type)).EndObject()
	}
	w.EndArray()
	if d.Default {
		w.Key("default").Array()
		for _, v := range d.Defaults {
			v.Write(w)
		}
		w.EndArray()
	}
}

// Serves returns "" if a table with this definition has all that a policy reads of it: the same keys, and the columns
// with their types. Otherwise it returns what is missing.
func (d *Definition) Serves(read *rule.Table) string {
	if !slices.Equal(d.Keys, read.Keys) {
		return "its keys are different"
	}
	for _, c := range read.Columns {
		switch has, ok := d.Column(c.Name); {
		case !ok:
			return "it has no column " + c.Name
		case has.Type != c.Type:
			return "its column " + c.Name + " has another type"
		}
	}
	return ""
}

// Keeps returns "" if a table with the definition d can get the new definition next while policies use the table:
// the keys are the same, every column is still there with its type, and a default stays. Otherwise it returns what
// is missing.
func (d *Definition) Keeps(next *Definition) string {
	if missing := next.Serves(&d.Table); missing != "" {
		return missing
	}
	if d.Default && !next.Default {
		return "it has no default"
	}
	return ""
}

// Missing returns the refusal of a policy that names a table. lacks says what the table lacks.
func Missing(name, lacks string) error {
	return fault.New(fault.Conflict, fault.CodeTableMissing,
		"the policy reads the table %s, but %s; create or replace it with PUT /v1/tables/{name}, "+
			"or save the policy again", name, lacks)
}
