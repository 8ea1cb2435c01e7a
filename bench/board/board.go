// Package board holds the results of all contests in a common form: tables of
// contestants, and targets that were met or missed. It writes the results as text for a
// terminal and as Markdown for a page.
package board

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Section is the result of one contest.
type Section struct {
	Name    string // one word, which the page's markers contain
	Title   string
	Note    string // one line that says how the contest was measured
	Tables  []Table
	Targets []Target
	Remarks []string // explanations of the tables
}

// Table has a head and rows with the same number of cells. The first column is aligned
// to the left, the others to the right.
type Table struct {
	Head []string
	Rows [][]string
}

// Add adds a row. Cells that are not given are empty.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Head))
	copy(row, cells)
	t.Rows = append(t.Rows, row)
}

// Target is a bound for a measured value, with the result.
type Target struct {
	Work string // what is measured
	Want string
	Got  string
	Met  bool
}

func (t *Target) mark() string {
	if t.Met {
		return "met"
	}
	return "MISSED"
}

// AtLeast adds a target that is met if the median is at least want. The argument "than" is the bound in words,
// and show formats the measured values.
func (s *Section) AtLeast(work, than string, got Spread, want float64, show func(float64) string) {
	s.add(Target{Work: work, Want: "at least " + than, Got: got.Text(show), Met: got.Median >= want})
}

// AtMost adds a target that is met if the median is at most want.
func (s *Section) AtMost(work, than string, got Spread, want float64, show func(float64) string) {
	s.add(Target{Work: work, Want: "at most " + than, Got: got.Text(show), Met: got.Median <= want})
}

// add adds a target. It does nothing if the target was not measured.
func (s *Section) add(t Target) {
	if t.Got != "" {
		s.Targets = append(s.Targets, t)
	}
}

// Text writes a section for a terminal.
func (s *Section) Text(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", strings.ToUpper(s.Title), s.Note)
	for i := range s.Tables {
		b.WriteString("\n")
		s.Tables[i].text(&b)
	}
	for _, remark := range s.Remarks {
		fmt.Fprintf(&b, "\n%s\n", remark)
	}
	b.WriteString("\n")
	targets := Targets([]Section{*s})
	targets.text(&b)
	b.WriteString("\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// Markdown returns the section as Markdown with a heading.
func (s *Section) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n%s\n", s.Title, s.Note)
	for i := range s.Tables {
		b.WriteString("\n")
		s.Tables[i].markdown(&b)
	}
	for _, remark := range s.Remarks {
		fmt.Fprintf(&b, "\n%s\n", remark)
	}
	return b.String()
}

// Targets returns a table of the targets of all sections.
func Targets(sections []Section) Table {
	t := Table{Head: []string{"work", "target", "measured", ""}}
	for i := range sections {
		for k := range sections[i].Targets {
			target := &sections[i].Targets[k]
			t.Add(target.Work, target.Want, target.Got, target.mark())
		}
	}
	return t
}

// Print writes the table for a terminal.
func (t *Table) Print(out io.Writer) error {
	var b strings.Builder
	t.text(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// Page returns the table as Markdown.
func (t *Table) Page() string {
	var b strings.Builder
	t.markdown(&b)
	return b.String()
}

func (t *Table) text(b *strings.Builder) {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		var line strings.Builder
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line.WriteString(cell + gap)
			} else {
				line.WriteString("   " + gap + cell)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

func (t *Table) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "| %s |\n|---%s\n", strings.Join(t.Head, " | "), strings.Repeat("|---:", len(t.Head)-1)+"|")
	for _, row := range t.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cell), "|", `\|`)
		}
		// A row that belongs to the row above begins with spaces, which Markdown ignores. Put a dot before its
		// first cell instead.
		if strings.HasPrefix(row[0], "  ") {
			cells[0] = "· " + cells[0]
		}
		if cells[len(cells)-1] == "MISSED" {
			cells[len(cells)-1] = "**MISSED**"
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}
