package prover

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/proof"
)

// judged is a piece of a run in which solvers judge the prover.
type judged struct {
	what     string // such as "guarantees"
	from, to int    // the numbers of the first and of the last pair
	yes, no  int    // pairs that differ or guarantees that are refuted, and the others
	open     int    // the prover claims nothing, or the question is not one for solvers
	took     time.Duration
}

// judgedHeading is the first row of the table of pieces. The columns from "judged" to "disagreements" are numbers.
var judgedHeading = []string{
	"what", "numbers", "judged", "different or refuted", "equal or proved", "not claimed", "questions", "late",
	"disagreements", "took", "date", "commit",
}

// The columns of the table that rowsOf and totals use.
const (
	whatColumn    = 0
	numbersColumn = 1
	firstCount    = 2
	countsEnd     = 9
)

// write replaces the row of the piece in the document of proof, and the totals of all pieces.
func (p judged) write(tb testing.TB, list []*judge) {
	tb.Helper()
	document := os.Getenv(proof.Variable)
	if document == "" {
		return
	}
	asked, late, against := 0, 0, 0
	for _, j := range list {
		asked, late, against = asked+j.asked, late+j.late, against+j.against
	}
	// The parts of the origin are the date, the commit, the machine and the command.
	origin := strings.Split(proof.Origin(tb.Context(), time.Now(), "make judge"), " · ")
	row := []string{
		p.what, fmt.Sprintf("%d to %d", p.from, p.to), strconv.Itoa(p.yes + p.no), strconv.Itoa(p.yes),
		strconv.Itoa(p.no), strconv.Itoa(p.open), strconv.Itoa(asked), strconv.Itoa(late), strconv.Itoa(against),
		p.took.Round(time.Second).String(), origin[0], strings.TrimPrefix(origin[1], "commit "),
	}
	err := proof.Update(document, "judges", func(before string) string {
		rows := append(rowsOf(before), row)
		return strings.Join(origin[2:], " · ") + "\n" + totals(rows) + "\n" + proof.Table(merged(rows))
	})
	if err != nil {
		tb.Error(err)
	}
}

// rowsOf returns the rows of the table in a section, without its heading.
func rowsOf(section string) (rows [][]string) {
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != len(judgedHeading) || strings.HasPrefix(cells[0], "-") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] != judgedHeading[0] {
			rows = append(rows, cells)
		}
	}
	return rows
}

// merged returns the table, in order. It leaves out a row if a later row has the same numbers, or if another row has
// its numbers and more.
func merged(rows [][]string) [][]string {
	numbers := func(row []string) (from, to int) {
		_, _ = fmt.Sscanf(row[numbersColumn], "%d to %d", &from, &to) // both are 0 in a row that somebody has edited
		return from, to
	}
	within := func(a, b []string) (inside, same bool) {
		from, to := numbers(a)
		first, last := numbers(b)
		return a[whatColumn] == b[whatColumn] && first <= from && to <= last, from == first && to == last
	}
	var out [][]string
	for i, row := range rows {
		replaced := false
		for k, other := range rows {
			inside, same := within(row, other)
			replaced = replaced || inside && (!same || k > i)
		}
		if !replaced {
			out = append(out, row)
		}
	}
	slices.SortStableFunc(out, func(a, b []string) int {
		if order := strings.Compare(b[whatColumn], a[whatColumn]); order != 0 {
			return order
		}
		first, _ := numbers(a)
		second, _ := numbers(b)
		return first - second
	})
	return append([][]string{judgedHeading}, out...)
}

// totals returns a line for each kind of question, with the sums of its rows.
func totals(rows [][]string) string {
	sums := map[string][]int{}
	var order []string
	for _, row := range merged(rows)[1:] {
		if sums[row[whatColumn]] == nil {
			sums[row[whatColumn]] = make([]int, countsEnd-firstCount)
			order = append(order, row[whatColumn])
		}
		for i := range sums[row[whatColumn]] {
			n, _ := strconv.Atoi(row[firstCount+i]) // 0 for a cell that somebody has edited
			sums[row[whatColumn]][i] += n
		}
	}
	var out strings.Builder
	for _, what := range order {
		n := sums[what]
		fmt.Fprintf(&out, "- %d %s: %d %s, %d %s, %d %s; %d %s of z3 and cvc5, %d %s, %d %s\n", n[0], what,
			n[1], judgedHeading[3], n[2], judgedHeading[4], n[3], judgedHeading[5], n[4], judgedHeading[6],
			n[5], judgedHeading[7], n[6], judgedHeading[8])
	}
	return out.String()
}

// TestJudgedPieces checks that the pieces of a run in several commands add up, and that a piece that is repeated
// replaces its row.
func TestJudgedPieces(t *testing.T) {
	t.Parallel()
	row := func(what, numbers, judged, against string) []string {
		return []string{what, numbers, judged, "1", "2", "0", "4", "0", against, "1s", "today", "abc"}
	}
	section := proof.Table(merged([][]string{row("pairs", "100 to 199", "100", "1"), row("pairs", "0 to 99", "90", "0"),
		row("pairs", "110 to 119", "10", "0")}))
	rows := append(rowsOf("- a line\n"+section), row("guarantees", "0 to 99", "5", "0"),
		row("pairs", "100 to 199", "80", "0"))
	want := "- 170 pairs: 2 different or refuted, 4 equal or proved, 0 not claimed; 8 questions of z3 and cvc5, " +
		"0 late, 0 disagreements\n- 5 guarantees: 1 different or refuted, 2 equal or proved, 0 not claimed; " +
		"4 questions of z3 and cvc5, 0 late, 0 disagreements\n"
	if got := totals(rows); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if table := merged(rows); len(table) != 4 || table[1][numbersColumn] != "0 to 99" || table[2][firstCount] != "80" {
		t.Errorf("%v", table)
	}
}
