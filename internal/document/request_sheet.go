package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

// RequestSheet is a CSV file whose rows are decision requests.
type RequestSheet struct {
	// Ignored has the names of the columns that are not members of a request.
	Ignored []string

	header  []string
	rows    *sheet.Reader
	columns []requestColumn
	width   int
}

// sniffBytes is the number of bytes at the beginning of a file from which its encoding is recognised.
const sniffBytes = 256 << 10

// NewRequestSheet reads the header of a file. The argument texts lists columns whose cells are texts, in addition
// to the text fields of the catalogue. NewRequestSheet returns Invalid if the file lacks one of these columns. It
// also returns Invalid if two columns are the same member, or if one is a part of the other, because the service
// would refuse every row.
func NewRequestSheet(file io.Reader, texts ...string) (*RequestSheet, error) {
	plain, _, err := sheet.Sniff(file, sniffBytes) // in UTF-8, whatever the encoding of the file
	if err != nil {
		return nil, err
	}
	s := &RequestSheet{rows: sheet.NewReader(plain, 0)}
	header, err := s.rows.Header()
	if err != nil {
		return nil, err
	}
	s.columns, s.Ignored, err = requestColumns(header, texts)
	s.header, s.width = header, len(header)
	return s, err
}

// LeaveOut leaves out the columns with the given names. It returns Invalid if the file lacks one of them.
func (s *RequestSheet) LeaveOut(names ...string) error {
	for _, name := range names {
		if !slices.Contains(s.header, name) {
			return fault.New(fault.Invalid, fault.CodeInvalidField, "the file has no column %q", name)
		}
	}
	leftOut := func(name string) bool { return slices.Contains(names, name) }
	s.columns = slices.DeleteFunc(s.columns, func(c requestColumn) bool { return leftOut(s.header[c.cell]) })
	s.Ignored = slices.DeleteFunc(s.Ignored, leftOut)
	return nil
}

// MisspeltColumn is a column whose name is probably a misspelling.
type MisspeltColumn struct {
	Name    string
	Nearest string // the name that was probably meant
}

// MisspeltText describes columns in a sentence, such as "montly_income (did you mean monthly_income?)".
func MisspeltText(columns []MisspeltColumn) string {
	var texts []string
	for _, c := range columns {
		texts = append(texts, c.Name+" (did you mean "+c.Nearest+"?)")
	}
	return sheet.Names(texts)
}

// maxMisspelt limits the search for names that were probably meant.
const maxMisspelt = 100

// Misspelt returns the columns that are not members of a request and whose name is similar to that of a member that no
// other column gives. The name of a field that a request cannot give is no misspelling.
func (s *RequestSheet) Misspelt() (list []MisspeltColumn) {
	paths := shortNames()
	names := slices.Sorted(maps.Keys(paths))
	for _, column := range s.Ignored[:min(len(s.Ignored), maxMisspelt)] {
		if _, known := field.Catalogue().Lookup(column); known || slices.Contains(backtestColumns, column) {
			continue
		}
		near, _ := fault.Suggest(column, names, false)
		if near != "" && !s.has(paths[near]) {
			list = append(list, MisspeltColumn{column, near})
		}
	}
	return list
}

// backtestColumns are the names of columns that only a backtest reads.
var backtestColumns = []string{"outcome", "bad", "weight", "actual_status"}

// shortNames returns the paths of the members of a request that a column can name without the whole path.
func shortNames() map[string]string {
	paths := map[string]string{"policy_key": "policy_key", field.ApplicantRef: field.ApplicantRef}
	maps.Copy(paths, membersOfFields)
	catalogue := field.Catalogue()
	for id := range rule.FieldID(catalogue.Len()) {
		path := catalogue.Field(id).Name
		for _, root := range []string{"bureau_report.", "applicant."} {
			if name, below := strings.CutPrefix(path, root); below && !strings.Contains(name, ".") {
				paths[name] = path
			}
		}
	}
	return paths
}

func (s *RequestSheet) has(path string) bool {
	return slices.ContainsFunc(s.columns, func(c requestColumn) bool { return strings.Join(c.path, ".") == path })
}

// HasScore reports whether rows may give a score: a column has it, or a column is of a part of the request that may
// contain it, or the policy is chosen by a column.
func (s *RequestSheet) HasScore() bool {
	return s.has("bureau_report.score") || slices.ContainsFunc(s.columns, func(c requestColumn) bool {
		return c.path[0] != "applicant" && c.path[0] != "bureau_report" && c.path[0] != field.ApplicantRef
	})
}

// HasFOIR reports whether a column has the share of the income that goes to fixed obligations.
func (s *RequestSheet) HasFOIR() bool { return s.has("applicant.foir") }

// Strict returns Invalid if the file has columns that are not members of a request. Rows without these columns could
// be decided without a rule that reads them.
func (s *RequestSheet) Strict() error {
	if len(s.Ignored) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeUnknownField, "these columns are not members of a decision request: %s; "+
		"remove them, or name a field that the policy declares by its whole path, such as applicant.employer",
		s.LeftOut())
}

// shownRows limits the malformed rows that an error names.
const shownRows = 20

// LeftOut names the columns that are not members of a request, separated by commas, or returns "" if there are none.
// It names a limited number of them and counts the others.
func (s *RequestSheet) LeftOut() string { return sheet.Names(s.Ignored) }

// searchedBytes limits how much of a file is searched for more malformed rows. Nobody reads the lines of these rows, so
// the limits of the reader do not apply, and a compressed file may be a thousand times as large as its upload.
const searchedBytes = 64 << 20

// WriteLines writes each row as a line of JSON. If rows are malformed, it writes no row after the first of them, and
// returns Invalid with the lines of the file where malformed rows begin. It searches about searchedBytes for them.
func (s *RequestSheet) WriteLines(to io.Writer) error {
	cursor := sheet.NewCursor(s.width)
	var memory []byte
	var malformed malformedRows
	for searched := 0; ; {
		block, err := s.rows.Next(memory)
		if errors.Is(err, io.EOF) {
			return malformed.err()
		}
		if err != nil {
			return errors.Join(malformed.err(), err)
		}
		cursor.ResetBlock(&block)
		for cursor.Next() {
			if code := cursor.Fault(); code != "" {
				malformed.add(code, cursor.Line())
			}
			if malformed.count > 0 {
				continue
			}
			var w wire.Writer
			writeRequest(&w, s.columns, cursor.Cells())
			if _, err := to.Write(append(w.Buf, '\n')); err != nil {
				return err
			}
		}
		if malformed.count > 0 {
			searched += len(block.Data)
		}
		if searched >= searchedBytes {
			malformed.cut = true
			return malformed.err()
		}
		memory = block.Data[:0]
	}
}

// malformedRows collects the rows of a file that cannot be read.
type malformedRows struct {
	code  string // of the first row
	lines []string
	count int
	cut   bool // the file was not searched to its end
}

func (m *malformedRows) add(code string, line int64) {
	if m.code == "" {
		m.code = code
	}
	if m.count++; m.count <= shownRows {
		m.lines = append(m.lines, strconv.FormatInt(line, 10))
	}
}

// err returns nil if there are no such rows.
func (m *malformedRows) err() error {
	if m.count == 0 {
		return nil
	}
	text, more := "line "+m.lines[0], ""
	if m.count > 1 {
		text = "lines " + strings.Join(m.lines, ", ")
	}
	if rest := m.count - len(m.lines); rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
		if m.cut {
			more = fmt.Sprintf(" and at least %d more", rest)
		}
	}
	return fault.New(fault.Invalid, m.code, "the file cannot be read: look at %s%s. %s", text, more,
		fault.Remedy(m.code))
}

// requestColumn is a column of a file whose cells are members of a decision request.
type requestColumn struct {
	cell int      // the index of the cell in a row
	path []string // the path of the member, such as "applicant", "monthly_income"
	text bool     // a cell is a text even if it looks like a number
}

// membersOfFields has the paths of the members of a request that are named differently from the fields that they fill.
// A backtest reads columns with the names of these fields, so a batch of the same file must not leave them out.
var membersOfFields = map[string]string{
	field.RequestedTenureMonths: "applicant.tenure_months",
	field.BureauScore:           "bureau_report.score",
}

// requestColumns finds the members of a decision request that the columns of a file contain, ordered by their path. A
// column is named by the path of the member, by its name alone if that is a field of the applicant or of the bureau
// report, or by a name in membersOfFields. It returns the names of the other columns in ignored.
func requestColumns(header, texts []string) (columns []requestColumn, ignored []string, err error) {
	catalogue := field.Catalogue()
	for _, name := range texts {
		if !slices.Contains(header, name) {
			return nil, nil, fault.New(fault.Invalid, fault.CodeInvalidField, "the file has no column %q", name)
		}
	}
	for i, name := range header {
		path := name
		topLevel := name == "policy_key" || name == field.ApplicantRef
		if !strings.Contains(name, ".") && !topLevel {
			path = membersOfFields[name]
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
			return nil, nil, fault.New(fault.Invalid, fault.CodeInvalidField, "the columns %q and %q are the same "+
				"member of a request, or one is a part of the other; remove one of them", header[a.cell],
				header[b.cell])
		}
	}
	return columns, ignored, nil
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

// writeCell writes a cell as a number or a boolean. If the cell is neither, or if text is set, it writes a text.
// Spreadsheet programs write booleans in capital letters.
func writeCell(w *wire.Writer, cell []byte, text bool) {
	if !text {
		if v, err := wire.Parse(bytes.ToLower(cell)); err == nil && (v.Kind() == wire.Number || v.Kind() == wire.Bool) {
			w.Value(v)
			return
		}
	}
	w.String(strings.ToValidUTF8(string(cell), "\uFFFD"))
}
