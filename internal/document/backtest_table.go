package document

import (
	"strings"

	"verdict/internal/fault"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// rowTable collects the rows of a request. Every member name that occurs in a row becomes a
// column.
type rowTable struct {
	names  []string
	places map[string]int
	given  []int  // for each column, the last row that has a value in it, counted from 1
	cells  []cell // the cells of all rows, in order
	ends   []int  // for each row, the index after its last cell
	faults *fault.List
}

// cell is a cell with a value. Blank cells are not stored, so that a row with one value
// does not cost as much as the widest row.
type cell struct {
	column int
	text   string
}

// maxBlanks is the maximum total number of blank cells. A blank cell takes no space in
// the request but one byte in the table, so this limit keeps the table from growing much
// larger than the request.
const maxBlanks = 8_000_000

// rowsAsCSV converts the rows of a request to CSV, so that all rows are read by the same
// code. Members of nested objects become columns with dotted names, and missing members
// become blank cells. It returns an error if the table would be too wide or too large.
func rowsAsCSV(rows wire.Value, faults *fault.List) (string, error) {
	if rows.Kind() != wire.Array {
		faults.Add(rows.Pointer(), fault.CodeWrongType, "must be a list of objects")
		return "", nil
	}
	t := rowTable{places: map[string]int{}, faults: faults}
	for _, row := range rows.Elements() {
		if row.Kind() != wire.Object {
			faults.Add(row.Pointer(), fault.CodeWrongType, "must be an object of fields and values")
			continue
		}
		if err := t.add("", row); err != nil {
			return "", err
		}
		t.ends = append(t.ends, len(t.cells))
	}
	if len(t.ends)*len(t.names)-len(t.cells) > maxBlanks {
		return "", refusedAt(rows, fault.New(fault.TooLarge, fault.CodeRequestTooLarge,
			"the rows leave out more than %d cells: give only the columns that are read, or send the rows as CSV",
			maxBlanks))
	}
	return t.csv(), nil
}

// refusedAt adds the pointer of the value to a refusal.
func refusedAt(v wire.Value, refusal *fault.Error) error {
	refusal.Items = []fault.Item{{Pointer: v.Pointer(), Code: refusal.Code, Detail: refusal.Detail}}
	return refusal
}

// add adds the members of an object to the current row.
func (t *rowTable) add(prefix string, object wire.Value) error {
	for name, v := range object.Members() {
		switch {
		case !v.Given():
			continue
		case len(prefix)+len(name) > sheet.MaxName: // checked first, so that no long name is built
			t.faults.Add(v.Pointer(), fault.CodeOutOfRange,
				"the name of a column must have at most %d bytes", sheet.MaxName)
			continue
		case v.Kind() == wire.Array:
			t.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a single value: a row has no lists")
			continue
		}
		name = prefix + name
		var err error
		if v.Kind() == wire.Object {
			err = t.add(name+".", v)
		} else {
			err = t.put(name, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put adds a cell to the current row.
func (t *rowTable) put(name string, v wire.Value) error {
	at, known := t.places[name]
	if !known {
		if at = len(t.names); at == sheet.MaxColumns {
			return refusedAt(v, fault.New(fault.Invalid, fault.CodeTooManyColumns,
				"there are more than %d columns", sheet.MaxColumns))
		}
		t.names, t.given, t.places[name] = append(t.names, name), append(t.given, 0), at
	}
	row := len(t.ends) + 1
	if t.given[at] == row {
		t.faults.Add(v.Pointer(), fault.CodeDuplicate,
			"is given twice, once inside an object and once with a dotted name")
		return nil
	}
	t.given[at] = row
	t.cells = append(t.cells, cell{at, cellText(v)})
	return nil
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

func (t *rowTable) csv() string {
	if len(t.names) == 0 {
		return ""
	}
	size := (len(t.ends) + 1) * len(t.names) // for the separators; quotes are rare
	for _, c := range t.cells {
		size += len(c.text)
	}
	var out strings.Builder
	out.Grow(size)
	writeRow(&out, t.names)
	row, from := make([]string, len(t.names)), 0
	for _, end := range t.ends {
		clear(row)
		for _, c := range t.cells[from:end] {
			row[c.column] = c.text
		}
		writeRow(&out, row)
		from = end
	}
	return out.String()
}

// writeRow writes a line. It quotes an empty cell if the cell is the only one of its
// row, because a blank line would not count as a row.
func writeRow(out *strings.Builder, cells []string) {
	for i, text := range cells {
		if i > 0 {
			out.WriteByte(',')
		}
		if strings.ContainsAny(text, "\",\r\n") || text == "" && len(cells) == 1 {
			out.WriteByte('"')
			out.WriteString(strings.ReplaceAll(text, `"`, `""`))
			out.WriteByte('"')
		} else {
			out.WriteString(text)
		}
	}
	out.WriteByte('\n')
}
