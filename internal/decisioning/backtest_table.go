package decisioning

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// table gathers the rows of a request: every name that occurs is a column.
type table struct {
	names  []string
	places map[string]int
	rows   [][]string // of each row its cells; shorter where it lacks the last columns
}

// rowsAsCSV writes the rows of a request as the CSV file they might have been,
// so that there is one way to read a row. Members of nested objects are columns
// with dotted names, and what a row leaves out is blank.
func rowsAsCSV(rows wire.Value, faults *fault.List) []byte {
	if rows.Kind() != wire.Array {
		faults.Add(rows.Pointer(), fault.CodeWrongType, "must be a list of objects")
		return nil
	}
	t := table{places: map[string]int{}}
	for _, row := range rows.Elements() {
		if row.Kind() != wire.Object {
			faults.Add(row.Pointer(), fault.CodeWrongType, "must be an object of fields and values")
			continue
		}
		var cells []string
		var given []bool
		t.add("", row, &cells, &given, faults)
		t.rows = append(t.rows, cells)
	}
	return t.csv()
}

// add puts the members of an object into a row.
func (t *table) add(prefix string, object wire.Value, cells *[]string, given *[]bool, faults *fault.List) {
	for name, v := range object.Members() {
		if !v.Given() {
			continue
		}
		name = prefix + name
		if v.Kind() == wire.Object {
			t.add(name+".", v, cells, given, faults)
			continue
		}
		if v.Kind() == wire.Array {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be a single value: a row has no lists")
			continue
		}
		at := t.column(name)
		for len(*cells) <= at {
			*cells, *given = append(*cells, ""), append(*given, false)
		}
		if (*given)[at] {
			faults.Add(v.Pointer(), fault.CodeDuplicate, "is given twice, once inside an object and once with a dotted name")
		}
		(*cells)[at], (*given)[at] = cellText(v), true
	}
}

func (t *table) column(name string) int {
	at, known := t.places[name]
	if !known {
		at = len(t.names)
		t.names, t.places[name] = append(t.names, name), at
	}
	return at
}

func cellText(v wire.Value) string {
	if v.Kind() != wire.Bool {
		return v.Text()
	}
	if v.IsTrue() {
		return "true"
	}
	return "false"
}

func (t *table) csv() []byte {
	if len(t.names) == 0 {
		return nil
	}
	out := t.appendRow(nil, t.names)
	for _, cells := range t.rows {
		out = t.appendRow(out, cells)
	}
	return out
}

// appendRow writes a line. An empty cell that stands alone is quoted, or the
// row would be a blank line, which is none.
func (t *table) appendRow(out []byte, cells []string) []byte {
	for i := range t.names {
		if i > 0 {
			out = append(out, ',')
		}
		text := ""
		if i < len(cells) {
			text = cells[i]
		}
		if strings.ContainsAny(text, "\",\r\n") || text == "" && len(t.names) == 1 {
			out = append(out, '"')
			out = append(out, strings.ReplaceAll(text, `"`, `""`)...)
			out = append(out, '"')
		} else {
			out = append(out, text...)
		}
	}
	return append(out, '\n')
}
