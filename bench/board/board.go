// Package board holds what the contests found, in one form for all of them:
// tables of contestants, and targets that were met or missed. It writes them
// for a terminal and for a page.
package board

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Section is what one contest found.
type Section struct {
	Name    string // a word, which the page's markers have too
	Title   string
	Note    string // how it was measured, in a line
	Tables  []Table
	Targets []Target
	Remarks []string // what a reader must know of the tables
}

// Table has a head and rows of as many cells. The first column is text, the
// others are figures.
type Table struct {
	Head []string
	Rows [][]string
}

// Add adds a row; what is not given stays empty.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(t.Head))
	copy(row, cells)
	t.Rows = append(t.Rows, row)
}

// Target is something to be reached, and what was.
type Target struct {
	Work string // what is done
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

// AtLeast adds a target that the median must not fall below; AtMost one that
// it must not exceed. than is the bound in words, show writes what was measured.
func (s *Section) AtLeast(work, than string, got Spread, want float64, show func(float64) string) {
	s.add(Target{Work: work, Want: "at least " + than, Got: got.Text(show), Met: got.Median >= want})
}

// AtMost is AtLeast the other way round.
func (s *Section) AtMost(work, than string, got Spread, want float64, show func(float64) string) {
	s.add(Target{Work: work, Want: "at most " + than, Got: got.Text(show), Met: got.Median <= want})
}

// add leaves out what was not measured.
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

// Markdown is a section for a page, under a heading of its own.
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

// Targets is one table of everything that was to be reached.
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

// Print writes a table for a terminal, Page for a page.
func (t *Table) Print(out io.Writer) error {
	var b strings.Builder
	t.text(&b)
	_, err := io.WriteString(out, b.String())
	return err
}

// Page is the table in Markdown.
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
		// What belongs to the row above is set in from it.
		if strings.HasPrefix(row[0], "  ") {
			cells[0] = "· " + cells[0]
		}
		if cells[len(cells)-1] == "MISSED" {
			cells[len(cells)-1] = "**MISSED**"
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}
