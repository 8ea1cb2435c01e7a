package document

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// RequestSheet is a CSV file whose rows are decision requests.
type RequestSheet struct {
	// Ignored has the names of the columns that are no members of a request.
	Ignored []string

	rows    *sheet.Reader
	columns []requestColumn
	width   int
}

// sniffBytes is the number of bytes at the beginning of a file from which its encoding is recognised.
const sniffBytes = 256 << 10

// NewRequestSheet reads the header of a file.
func NewRequestSheet(file io.Reader) (*RequestSheet, error) {
	plain, encoding, err := sheet.Sniff(file, sniffBytes)
	if err != nil {
		return nil, err
	}
	s := &RequestSheet{rows: sheet.NewReader(encoding.Decode(plain), 0)}
	header, err := s.rows.Header()
	if err != nil {
		return nil, err
	}
	s.columns, s.Ignored = requestColumns(header)
	s.width = len(header)
	return s, nil
}

// WriteLines writes each row as a line of JSON. It returns Invalid for a row that is malformed.
func (s *RequestSheet) WriteLines(to io.Writer) error {
	cursor := sheet.NewCursor(s.width)
	var memory []byte
	for row := int64(1); ; {
		block, err := s.rows.Next(memory)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		cursor.Reset(block.Data)
		for ; cursor.Next(); row++ {
			if code := cursor.Fault(); code != "" {
				return fault.New(fault.Invalid, code, "row %d of the file cannot be read", row)
			}
			var w wire.Writer
			writeRequest(&w, s.columns, cursor.Cells())
			if _, err := to.Write(append(w.Buf, '\n')); err != nil {
				return err
			}
		}
		memory = block.Data[:0]
	}
}

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
