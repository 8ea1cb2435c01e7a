package training

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// quickOptions returns options for a fit that tries few settings.
func quickOptions(tb testing.TB) Options {
	tb.Helper()
	o := loanOptions(tb)
	o.NoRefining, o.MonotoneOnly = true, true
	return o
}

// mustFit fits a scorecard and fails the test on an error.
func mustFit(t *testing.T, csv string, o Options) *Result {
	t.Helper()
	r, err := Fit(from(csv), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// edited returns the file with the cells of one column rewritten.
func edited(csv, column string, write func(row int, cell string) string) string {
	lines := strings.Split(strings.TrimSuffix(csv, "\n"), "\n")
	at := slices.Index(strings.Split(lines[0], ","), column)
	for i := range lines[1:] {
		cells := strings.Split(lines[1+i], ",")
		cells[at] = write(i, cells[at])
		lines[1+i] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// widened returns the file with an additional first column.
func widened(csv, name string, cell func(row int, cells []string) string) string {
	lines := strings.Split(strings.TrimSuffix(csv, "\n"), "\n")
	lines[0] = name + "," + lines[0]
	for i := range lines[1:] {
		lines[1+i] = cell(i, strings.Split(lines[1+i], ",")) + "," + lines[1+i]
	}
	return strings.Join(lines, "\n") + "\n"
}

func (r *Report) dropCode(column string) string {
	for _, d := range r.Dropped {
		if d.Column == column {
			return d.Code
		}
	}
	return ""
}

func (r *Report) note(column, code string) (detail string, count int64) {
	for _, n := range r.Notes {
		if n.Column == column && n.Code == code {
			return n.Detail, n.Count
		}
	}
	return "", 0
}

func (r *Report) warned(column, code string) bool {
	return slices.ContainsFunc(r.Warnings, func(w Warning) bool { return w.Column == column && w.Code == code })
}

// TestSpecialsInTheCard checks that special values have bins of their own in the
// document. They must not split a range, and the factor must not be reported as
// non-monotone because of them.
func TestSpecialsInTheCard(t *testing.T) {
	t.Parallel()
	r := mustFit(t, loans(4000, 28), quickOptions(t))
	for i := range r.Card.Factors {
		f := &r.Card.Factors[i]
		if f.Field.Name != "applicant.util_" {
			continue
		}
		last := f.Bins[len(f.Bins)-1]
		if !slices.Equal(last.Special, []rule.Number{rule.Int(-9)}) {
			t.Errorf("the last bin of utilisation has the special values %v", last.Special)
		}
		for _, b := range f.Bins[:len(f.Bins)-1] {
			if b.HasMin && b.Min <= rule.Int(-8) || b.HasMax && b.Max <= rule.Int(-8) {
				t.Errorf("a range is cut by the special value: %+v", b)
			}
		}
		return
	}
	t.Error("utilisation is not in the card")
}

// TestPossibleSpecials checks that the report notes numbers that look like special codes.
func TestPossibleSpecials(t *testing.T) {
	t.Parallel()
	o := quickOptions(t)
	o.Special = nil
	csv := edited(loans(3000, 29), "months", func(row int, cell string) string {
		if row%30 == 0 {
			return "9999998"
		}
		return cell
	})
	r := mustFit(t, csv, o)
	for column, value := range map[string]string{"UTIL%": "-9 ", "months": "9999998 "} {
		if detail, _ := r.Report.note(column, codePossibleSpecialValue); !strings.HasPrefix(detail, value) {
			t.Errorf("%s: noted %q", column, detail)
		}
	}
}

// TestWindows1252 checks that a file in Windows-1252 gives the same scorecard as the same file in
// UTF-8, with a note. A few invalid bytes must be replaced, and a file with many invalid bytes must
// be rejected.
func TestWindows1252(t *testing.T) {
	t.Parallel()
	plain := strings.ReplaceAll(loans(2500, 30), "pensioner", "retraité")
	windows := strings.ReplaceAll(plain, "é", "\xe9")
	want, got := mustFit(t, plain, quickOptions(t)), mustFit(t, windows, quickOptions(t))
	if diff := cmp.Diff(string(want.Card.Document()), string(got.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if detail, _ := got.Report.note("", fault.CodeEncoding); !strings.Contains(detail, "Windows-1252") ||
		got.Report.RowsMalformed > 0 {
		t.Errorf("noted %q, %d rows malformed", detail, got.Report.RowsMalformed)
	}
	few := edited(plain, "months",
		func(row int, cell string) string { return map[bool]string{true: "\xff", false: cell}[row%500 == 0] })
	patched := mustFit(t, few, quickOptions(t))
	if _, count := patched.Report.note("", codeReplacedBytes); count != 5 || patched.Report.RowsMalformed > 0 {
		t.Errorf("%d lines patched, %d malformed", count, patched.Report.RowsMalformed)
	}
	if detail, _ := patched.Report.note("months", fault.CodeReadAsMissing); !strings.Contains(detail, unreadableCell) {
		t.Errorf("broken numbers are noted as %q", detail)
	}
	many := edited(plain, "months",
		func(row int, cell string) string { return map[bool]string{true: "\xff\x81", false: cell}[row%20 == 0] })
	_, err := Fit(from(many), quickOptions(t), nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != "bad_utf8" {
		t.Errorf("got %v", err)
	}
}

// TestNamelessColumn checks that a column of row numbers without a name, which some programs write,
// is dropped.
func TestNamelessColumn(t *testing.T) {
	t.Parallel()
	r := mustFit(t, widened(loans(1500, 33), "", func(row int, _ []string) string { return fmt.Sprint(row) }),
		quickOptions(t))
	if got := r.Report.dropCode(""); got != "identifier" {
		t.Errorf("dropped as %q", got)
	}
}

// TestIndeterminates checks that rows whose outcome is neither good nor bad are
// left out and counted, for the default spellings and for those in the options.
func TestIndeterminates(t *testing.T) {
	t.Parallel()
	plain := loans(3000, 25)
	lines := strings.SplitAfter(plain, "\n")
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line)
		if i > 0 && i%20 == 0 {
			b.WriteString("0,555,1,0.5,gig,3,7,1," + []string{"Indeterminate", "grey", "NA"}[i/20%3] + "\n")
		}
	}
	o := quickOptions(t)
	o.Indeterminate = []string{"Grey"}
	o.HoldOutShare = 0 // no hold-out, because the selection of the hold-out depends on row numbers
	got, want := mustFit(t, b.String(), o), mustFit(t, plain, o)
	if got.Report.RowsIndeterminate != 100 || got.Report.RowsUnlabelled != 50 {
		t.Errorf("%d indeterminate, %d without an outcome", got.Report.RowsIndeterminate, got.Report.RowsUnlabelled)
	}
	if _, count := got.Report.note("bad", codeIndeterminate); count != 100 {
		t.Errorf("%d indeterminates noted", count)
	}
	if diff := cmp.Diff(got.Report.Train.Rows, want.Report.Train.Rows); diff != "" {
		t.Error(diff)
	}
	o.Bad = []string{"1"}
	if only := mustFit(t, b.String(), o); only.Report.Train.Rows != got.Report.Train.Rows {
		t.Errorf("with bad_values alone %d rows are learnt from, want %d",
			only.Report.Train.Rows, got.Report.Train.Rows)
	}
}

// TestPercentFOIR checks that a FOIR column in percent is not read as missing values. The column
// must be dropped with a warning, or must be read as percentages if the cells or the options say
// so.
func TestPercentFOIR(t *testing.T) {
	t.Parallel()
	rng := uint64(7)
	ratios := widened(loans(2000, 24), "foir", func(row int, _ []string) string {
		rng = mix(rng + uint64(row))
		return fmt.Sprintf("0.%02d", 10+rng%60)
	})
	percents := edited(ratios, "foir", func(_ int, cell string) string { return strings.TrimPrefix(cell, "0.") })
	marked := edited(ratios, "foir", func(_ int, cell string) string { return strings.TrimPrefix(cell, "0.") + " %" })
	o := quickOptions(t)
	o.MinIV, o.Include = 0, []string{"foir"}
	want := mustFit(t, ratios, o)
	card := func(r *Result) string {
		return fmt.Sprint(r.Report.dropCode("foir"), " ", r.Card.MaxScore, len(r.Card.Factors))
	}

	lost := mustFit(t, percents, o)
	if code := lost.Report.dropCode("foir"); code != fault.CodeFOIRLooksLikePercent {
		t.Errorf("dropped as %q", code)
	}
	if !slices.ContainsFunc(lost.Report.Warnings, func(w Warning) bool {
		return w.Column == "foir" && w.Code == fault.CodeFOIRLooksLikePercent && strings.Contains(w.Detail, "foir_unit")
	}) {
		t.Errorf("warnings: %v", lost.Report.Warnings)
	}
	if got := mustFit(t, marked, o); card(got) != card(want) {
		t.Errorf("with percent signs: %s, want %s", card(got), card(want))
	}
	o.PercentFOIR = true
	if got := mustFit(t, percents, o); card(got) != card(want) {
		t.Errorf("in percent: %s, want %s", card(got), card(want))
	}
	if got := mustFit(t, ratios, o); !slices.ContainsFunc(got.Report.Warnings,
		func(w Warning) bool { return w.Code == "foir_looks_like_ratio" }) {
		t.Errorf("ratios as percentages: %v", got.Report.Warnings)
	}
}

// TestUnreadableColumn checks that a column is dropped if its field does not accept most of the
// values. It must not become a factor with one bin.
func TestUnreadableColumn(t *testing.T) {
	t.Parallel()
	csv := widened(loans(2000, 25), "age", func(row int, _ []string) string {
		if row%20 == 0 {
			return "35"
		}
		return fmt.Sprint(3000 + row%700)
	})
	r := mustFit(t, csv, quickOptions(t))
	if code := r.Report.dropCode("age"); code != fault.CodeUnreadableColumn {
		t.Errorf("dropped as %q", code)
	}
	if !slices.ContainsFunc(r.Report.Warnings,
		func(w Warning) bool { return w.Column == "age" && w.Code == fault.CodeUnreadableColumn }) {
		t.Errorf("warnings: %v", r.Report.Warnings)
	}
}
