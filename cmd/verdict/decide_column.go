package main

import (
	"bytes"
	"fmt"
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
// report. It returns the names of the other columns in ignored. texts has the names of columns whose cells are texts,
// besides those of which the catalogue says so.
//
// It returns an error if a name of texts is not a column. It also does if two columns are the same member, or one is a
// part of the other, because a service would refuse every row.
func requestColumns(header, texts []string) (columns []requestColumn, ignored []string, err error) {
	catalogue := field.Catalogue()
	for _, name := range texts {
		if !slices.Contains(header, name) {
			return nil, nil, fmt.Errorf("-text names %q, which is not a column of the file", name)
		}
	}
	for i, name := range header {
		path := name
		topLevel := name == "policy_key" || name == field.ApplicantRef
		if !strings.Contains(name, ".") && !topLevel {
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
		c := requestColumn{cell: i, path: strings.Split(path, "."), text: topLevel || slices.Contains(texts, name)}
		if id, known := catalogue.Lookup(path); known {
			c.text = catalogue.Field(id).Type == rule.StringType
		}
		columns = append(columns, c)
	}
	slices.SortStableFunc(columns, func(a, b requestColumn) int { return slices.Compare(a.path, b.path) })
	for i := 1; i < len(columns); i++ {
		a, b := columns[i-1], columns[i]
		if len(a.path) <= len(b.path) && slices.Equal(a.path, b.path[:len(a.path)]) {
			return nil, nil, fmt.Errorf("the columns %q and %q are the same member of a request, or one is a part of the "+
				"other; remove one of them", header[a.cell], header[b.cell])
		}
	}
	return columns, ignored, nil
}

// splitNames returns the names of a list with commas, without spaces around them.
func splitNames(list string) (names []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// writeRequest writes the cells of a row as a decision request. It leaves out blank cells, and spellings of a missing
// number such as "NA" in columns that are not texts.
func writeRequest(w *wire.Writer, columns []requestColumn, cells [][]byte) {
	w.Object()
	var open []string // the objects that are open
	for _, c := range columns {
		cell := bytes.TrimSpace(cells[c.cell])
		if len(cell) == 0 || !c.text && sheet.IsMissing(cell) {
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

// writeCell writes a cell as a number, a boolean or, if it is neither or text is set, as a text. Spreadsheet programs
// write booleans in capital letters.
func writeCell(w *wire.Writer, cell []byte, text bool) {
	if !text {
		if v, err := wire.Parse(bytes.ToLower(cell)); err == nil && (v.Kind() == wire.Number || v.Kind() == wire.Bool) {
			w.Value(v)
			return
		}
	}
	w.String(strings.ToValidUTF8(string(cell), "\uFFFD"))
}
