package main

import (
	"bytes"
	"slices"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// requestColumn is a column of a file whose cells are members of a decision request.
type requestColumn struct {
	cell int      // the index of the cell in a row
	path []string // of the member, such as applicant, monthly_income
	text bool     // a cell is a text even if it looks like a number
}

// requestColumns finds the members of a decision request that the columns of a file contain, ordered by their path. A
// column is named by the path of the member, or by its name alone if that is a field of the applicant or of the bureau
// report. It returns the names of the other columns in ignored.
func requestColumns(header []string) (columns []requestColumn, ignored []string) {
	catalogue := field.Catalogue()
	for i, name := range header {
		path := name
		if !strings.Contains(name, ".") && name != "policy_key" {
			path = ""
			for _, candidate := range []string{
				"applicant." + name, "bureau_report." + name, "applicant." + strings.TrimPrefix(name, "applicant_"),
			} {
				if _, known := catalogue.Lookup(candidate); known && path == "" {
					path = candidate
				}
			}
		}
		if path == "" {
			ignored = append(ignored, name)
			continue
		}
		c := requestColumn{cell: i, path: strings.Split(path, "."), text: path == "policy_key"}
		if id, known := catalogue.Lookup(path); known {
			c.text = catalogue.Field(id).Type == rule.StringType
		}
		columns = append(columns, c)
	}
	slices.SortStableFunc(columns, func(a, b requestColumn) int { return slices.Compare(a.path, b.path) })
	return columns, ignored
}

// writeRequest writes the cells of a row as a decision request. A blank cell is left out.
func writeRequest(w *wire.Writer, columns []requestColumn, cells [][]byte) {
	w.Object()
	var open []string // the objects that are open
	for _, c := range columns {
		cell := bytes.TrimSpace(cells[c.cell])
		if len(cell) == 0 || sheet.IsMissing(cell) {
			continue
		}
		parents := c.path[:len(c.path)-1]
		same := 0
		for same < len(open) && same < len(parents) && open[same] == parents[same] {
			same++
		}
		for range len(open) - same {
			w.EndObject()
		}
		for _, name := range parents[same:] {
			w.Name(name).Object()
		}
		open = parents
		w.Name(c.path[len(c.path)-1])
		writeCell(w, cell, c.text)
	}
	for range open {
		w.EndObject()
	}
	w.EndObject()
}

// writeCell writes a cell as a number, a boolean or, if it is neither or text is set, as a text.
func writeCell(w *wire.Writer, cell []byte, text bool) {
	if !text {
		if v, err := wire.Parse(cell); err == nil && (v.Kind() == wire.Number || v.Kind() == wire.Bool) {
			w.Value(v)
			return
		}
	}
	w.String(strings.ToValidUTF8(string(cell), "\uFFFD"))
}
