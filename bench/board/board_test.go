package board

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{nil, ""},
		{[]float64{3}, "3.00"},
		{[]float64{3, 1}, "2.00 (1.00 – 3.00)"},
		{[]float64{9, 1, 4}, "4.00 (1.00 – 9.00)"},
	} {
		if got := Of(test.values...).Text(Plain); got != test.want {
			t.Errorf("%v is %q, want %q", test.values, got, test.want)
		}
	}
}

// TestQuotients checks that a ratio is taken within each round, and only for
// rounds in which both sides were measured.
func TestQuotients(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(Spread{2, 1, 3}, Quotients([]float64{4, 9, 5, 100}, []float64{4, 3, 2.5})); diff != "" {
		t.Error(diff)
	}
	if s := Quotients([]float64{1}, nil); !math.IsNaN(s.Median) {
		t.Errorf("against nobody: %v", s)
	}
}

// TestTargets checks that a target is met at its bound, missed beyond it, and
// left out of the table if it was not measured.
func TestTargets(t *testing.T) {
	t.Parallel()
	var s Section
	s.AtLeast("a", "2", Of(2), 2, Plain)
	s.AtLeast("b", "2", Of(1.99), 2, Plain)
	s.AtMost("c", "2", Of(2), 2, Plain)
	s.AtMost("d", "2", Of(2.01), 2, Plain)
	s.AtMost("e", "2", Of(), 2, Plain)
	want := [][]string{
		{"a", "at least 2", "2.00", "met"}, {"b", "at least 2", "1.99", "MISSED"},
		{"c", "at most 2", "2.00", "met"}, {"d", "at most 2", "2.01", "MISSED"},
	}
	if diff := cmp.Diff(want, Targets([]Section{s}).Rows); diff != "" {
		t.Error(diff)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	s := Section{Name: "x", Title: "One thing", Note: "two rounds", Remarks: []string{"A remark."}}
	table := Table{Head: []string{"work", "time"}}
	table.Add("all | of it", "1 µs")
	table.Add("  a part")
	s.Tables = append(s.Tables, table)
	s.AtMost("all of it", "1 µs", Of(2), 1, Plain)
	var text strings.Builder
	if err := s.Text(&text); err != nil {
		t.Fatal(err)
	}
	wantText := "ONE THING\ntwo rounds\n\nwork          time\nall | of it   1 µs\n  a part\n\nA remark.\n\n" +
		"work              target   measured\nall of it   at most 1 µs       2.00   MISSED\n\n"
	if diff := cmp.Diff(wantText, text.String()); diff != "" {
		t.Error(diff)
	}
	wantPage := "### One thing\n\ntwo rounds\n\n" +
		"| work | time |\n|---|---:|\n| all \\| of it | 1 µs |\n| · a part |  |\n\nA remark.\n"
	if diff := cmp.Diff(wantPage, s.Markdown()); diff != "" {
		t.Error(diff)
	}
}
