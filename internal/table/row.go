package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Cell is the key of a row: a value, or a range of numbers from Low, included, to High, excluded.
type Cell struct {
	Value     rule.Value
	Range     bool
	Low, High rule.Number
}

// The bounds of a range that is open on one side.
const (
	Lowest  rule.Number = math.MinInt64
	Highest rule.Number = math.MaxInt64
)

// Row is a row of a table.
type Row struct {
	Keys   []Cell
	Values []rule.Value
	Line   int64 // the line of the file on which the row begins; 0 if the row is not from a file
}

// ReadRows reads an array of rows. Types are checked when the rows are added to a table.
func ReadRows(array wire.Value, faults *fault.List) []Row {
	rows := make([]Row, 0, array.Len())
	for _, v := range array.Elements() {
		form := wire.NewForm(v, faults)
		f := &form
		var row Row
		if f.Require("keys", "a value or a range for each key") {
			for _, k := range f.Array("keys", MaxKeys).Elements() {
				row.Keys = append(row.Keys, readCell(k, faults))
			}
		}
		if f.Require("values", "a value for each column") {
			row.Values = ReadValues(f.Array("values", MaxColumns), faults)
		}
		f.Done()
		rows = append(rows, row)
	}
	return rows
}

// ReadValues reads the values of columns. Types are checked by CheckValues.
func ReadValues(array wire.Value, faults *fault.List) []rule.Value {
	values := make([]rule.Value, 0, array.Len())
	for _, v := range array.Elements() {
		values = append(values, readValue(v, faults))
	}
	return values
}

func readCell(v wire.Value, faults *fault.List) Cell {
	if v.Kind() != wire.Object {
		return Cell{Value: readValue(v, faults)}
	}
	form := wire.NewForm(v, faults)
	f := &form
	c := Cell{Range: true, Low: Lowest, High: Highest}
	const most = int64(rule.MaxNumber)
	if n, ok := f.Decimal("gte", rule.Places, -most, most); ok {
		c.Low = rule.Number(n)
	}
	if n, ok := f.Decimal("lt", rule.Places, -most, most); ok {
		c.High = rule.Number(n)
	}
	f.Done()
	return c
}

// readValue reads a number, a text or a boolean. If it reports a fault, it returns the zero value.
func readValue(v wire.Value, faults *fault.List) rule.Value {
	switch v.Kind() {
	case wire.Number:
		n, code, detail := list.ParseNumber(v.Text())
		if code != "" {
			faults.Add(v.Pointer(), code, "%s", detail)
			return rule.Value{}
		}
		return rule.Num(n)
	case wire.String:
		return rule.Str(strings.Clone(v.Text()))
	case wire.Bool:
		return rule.Bool(v.IsTrue())
	case wire.Null, wire.Missing:
		faults.Add(v.Pointer(), fault.CodeRequired, "must have a value; every row gives every column one")
	default:
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be a number, a text or a boolean")
	}
	return rule.Value{}
}

// CheckValues checks that there is a value of the right type for each column.
func CheckValues(columns []rule.TableColumn, values []rule.Value, pointer string, faults *fault.List) {
	if len(values) != len(columns) {
		faults.Add(pointer, fault.CodeInvalidField, "has %d values, but the table has %d columns", len(values),
			len(columns))
		return
	}
	for i, v := range values {
		if code, detail := checkValue(v, columns[i].Type); code != "" {
			faults.Add(pointer+"/"+strconv.Itoa(i), code, "%s", detail)
		}
	}
}

// checkValue returns the code and the detail of the fault of a value. Both are "" if the value has no fault, or
// if its fault was reported already.
func checkValue(v rule.Value, t rule.Type) (code, detail string) {
	switch {
	case v.Type() == rule.Absent:
		return "", ""
	case v.Type() != t:
		return fault.CodeWrongType, "must have the type " + TypeName(t)
	case t != rule.StringType:
		return "", ""
	case !utf8.ValidString(v.Text()) || strings.ContainsRune(v.Text(), 0):
		return fault.CodeInvalidCharacter, "must be UTF-8 text without NUL"
	case len(v.Text()) > MaxText:
		return fault.CodeOutOfRange, fmt.Sprintf("must have at most %d bytes", MaxText)
	case len(list.Normal(nil, v.Text())) == 0:
		return fault.CodeRequired, "must not be blank"
	}
	return "", ""
}

// checkKey returns the code and the detail of the fault of a key. Both are "" if the key has no fault, or if its
// fault was reported already.
func checkKey(c Cell, k rule.TableKey) (code, detail string) {
	switch {
	case k.Range && !c.Range:
		return fault.CodeWrongType, `must be a range: an object with "gte", "lt" or both`
	case !k.Range && c.Range:
		return fault.CodeWrongType, "must be a value, because the key is exact"
	case k.Range && c.Low >= c.High:
		return fault.CodeOutOfRange, `must have a "gte" that is below "lt", otherwise it contains no number`
	case k.Range:
		return "", ""
	}
	return checkValue(c.Value, k.Field.Type)
}

// ParseValue reads the cell of a file as a value of a type. Spaces around it do not count.
func ParseValue(text string, t rule.Type) (v rule.Value, code, detail string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return v, fault.CodeRequired, "must not be blank"
	}
	switch t {
	case rule.NumberType:
		n, code, detail := list.ParseNumber(text)
		return rule.Num(n), code, detail
	case rule.BoolType:
		switch strings.ToLower(text) {
		case "true":
			return rule.Bool(true), "", ""
		case "false":
			return rule.Bool(false), "", ""
		}
		return v, fault.CodeWrongType, "must be true or false"
	default:
		return rule.Str(text), "", ""
	}
}
