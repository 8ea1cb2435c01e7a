package training

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// mustFit fits a card that must come out.
func mustFit(t *testing.T, csv string, o Options) *Result {
	t.Helper()
	r, err := Fit(from(csv), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// edited is a file with one of its columns written anew.
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

// widened is a file with a column more, in front.
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

// TestSpelledMissing: a file in which missing numbers are spelt out and amounts
// are written for people gives the card of the same file in plain numbers, and
// the report says what was read. Read as categories, its AUC falls.
func TestSpelledMissing(t *testing.T) {
	t.Parallel()
	plain := loans(4000, 21)
	spellings := []string{"NA", "NaN", "N/A", "n/a", "null", "-", "."}
	gaps := 0
	messy := edited(plain, "monthly_income", func(row int, cell string) string {
		if cell == "" {
			gaps++
			return spellings[row%len(spellings)]
		}
		return `"` + indian(cell) + `"`
	})
	o := loanOptions(t)
	want, got := mustFit(t, plain, o), mustFit(t, messy, o)
	if diff := cmp.Diff(string(want.Card.Document()), string(got.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if want.Report.HoldOut.AUC != got.Report.HoldOut.AUC {
		t.Errorf("hold-out AUC %v, of plain numbers %v", got.Report.HoldOut.AUC, want.Report.HoldOut.AUC)
	}
	detail, count := got.Report.note("monthly_income", NoteReadAsMissing)
	if count != int64(gaps) || !strings.Contains(detail, "NaN ") || !strings.Contains(detail, " times") {
		t.Errorf("%d cells read as missing, %d are: %s", count, gaps, detail)
	}
	if _, count := got.Report.note("monthly_income", NoteNumberFormat); count == 0 {
		t.Error("no note of thousands separators")
	}
	if len(want.Report.Notes) > 0 {
		t.Errorf("plain numbers have notes: %+v", want.Report.Notes)
	}
}

// indian writes a whole number with its thousands apart as in India.
func indian(digits string) string {
	if len(digits) <= 3 {
		return digits
	}
	head, tail := digits[:len(digits)-3], digits[len(digits)-3:]
	for len(head) > 2 {
		head, tail = head[:len(head)-2], head[len(head)-2:]+","+tail
	}
	return head + "," + tail
}

func TestReadNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1,234": "1234", "12,34,567": "1234567", "1,234,567.5": "1234567.5", "123,456": "123456", "-1,234": "-1234", "(1,234)": "-1234",
		"₹ 1,23,456": "123456", "Rs. 500": "500", "Rs500": "500", "INR 20,000": "20000", "$5": "5", "-$5": "-5", "5 €": "5", "12.5%": "12.5",
		".5": "0.5", "5.": "5", "+7": "7", "1e3": "1000", "42": "42",
	} {
		if n, how := readNumber([]byte(text)); how != plainNumber && how != formattedNumber || n.String() != want {
			t.Errorf("%q is read as %s (%d), want %s", text, n, how, want)
		}
	}
	for _, text := range []string{"NA", "nan", "N/A", "n/a", "NULL", "-", "--", ".", "?", "None", "#N/A", "Not available", "12\uFFFD"} {
		if _, how := readNumber([]byte(text)); how != spelledMissing {
			t.Errorf("%q is not read as missing", text)
		}
	}
	for _, text := range []string{"1,5", "1,23", "1,2345", ",123", "1,,234", "1,23,45", "123,45,678", "1.234,56", "007", "2024-01-05", "abc", "12 months", "Rs", "%", "()", "1,234,56"} {
		if n, how := readNumber([]byte(text)); how != noNumber {
			t.Errorf("%q is read as %s (%d)", text, n, how)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "n")
		text := indian(fmt.Sprint(max(n, -n)))
		if n < 0 {
			text = "-" + text
		}
		if got, how := readNumber([]byte(text)); how == noNumber || got != rule.Int(n) {
			t.Fatalf("%q is read as %s", text, got)
		}
	})
}

// TestMostlyNumbers: a column of numbers with a stray text stays a category, and
// the report says so.
func TestMostlyNumbers(t *testing.T) {
	t.Parallel()
	csv := edited(loans(2000, 22), "months", func(row int, cell string) string {
		if row == 1 || row == 2 || row == 3 || row == 4 || row == 5 {
			return "unknown"
		}
		return cell
	})
	r := mustFit(t, csv, loanOptions(t))
	if _, count := r.Report.note("months", NoteMostlyNumbers); count == 0 || count > 5 {
		t.Errorf("%d stray texts noted: %+v", count, r.Report.Notes)
	}
}

// TestLeak: a column that knows the outcome is left out by name, unless the
// caller names it; so is one that knows nearly all of it.
func TestLeak(t *testing.T) {
	t.Parallel()
	csv := loans(3000, 23)
	csv = widened(csv, "recovered", func(_ int, cells []string) string {
		if cells[len(cells)-1] == "1" {
			return "1200"
		}
		return ""
	})
	csv = widened(csv, "closing_code", func(row int, cells []string) string {
		if row%50 == 0 {
			return "X"
		}
		return map[string]string{"1": "W", "0": "S"}[cells[len(cells)-1]]
	})
	r := mustFit(t, csv, loanOptions(t))
	for _, column := range []string{"recovered", "closing_code"} {
		if got := r.Report.dropCode(column); got != "leak" {
			t.Errorf("%s is dropped as %q", column, got)
		}
	}
	if without := mustFit(t, loans(3000, 23), loanOptions(t)); string(without.Card.Document()) != string(r.Card.Document()) {
		t.Error("a leak that is left out changes the card")
	}
	o := loanOptions(t)
	o.Include = []string{"recovered"}
	named := mustFit(t, csv, o)
	if named.Report.dropCode("recovered") != "" || named.Report.HoldOut.AUC < 0.999 {
		t.Errorf("dropped as %q, AUC %v", named.Report.dropCode("recovered"), named.Report.HoldOut.AUC)
	}
	if detail, _ := named.Report.note("recovered", NoteLeakUsed); detail == "" {
		t.Error("nothing says that a leak is used")
	}
}

// TestOnlyLeaks: where nothing but leaks would be left, the refusal names them.
func TestOnlyLeaks(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("recovered,bad\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d\n", i%3/2*7, i%3/2)
	}
	o := Defaults()
	o.Target = "bad"
	_, err := Fit(from(b.String()), o, nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != "no_predictive_columns" || !strings.Contains(refusal.Detail, "recovered") {
		t.Errorf("got %v", err)
	}
}

// TestNoiseIsNoLeak: many cells of few rows do not look like a leak.
func TestNoiseIsNoLeak(t *testing.T) {
	t.Parallel()
	d := &draws{31 << 32}
	tab := &table{}
	c := &column{field: rule.Ref{Type: rule.NumberType}, cuts: make([]rule.Number, 48)}
	for i := range int32(220) {
		c.codes, tab.bad, tab.train = append(c.codes, uint8(1+d.next()%49)), append(tab.bad, uint8(d.next()%2)), append(tab.train, i)
	}
	if auc := tab.alone(c, 42); auc > 0.65 {
		t.Errorf("noise has an AUC of %v", auc)
	}
}

// TestIdentifiers: what only tells rows apart stays out, by its name or by what
// it holds, and columns that look alike without being one stay in.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	d := &draws{41 << 32}
	csv := loans(3000, 24)
	for name, cell := range map[string]func(row int) string{
		"LOAN_NO":      func(row int) string { return fmt.Sprintf("L-%07d", row) },
		"customerRef":  func(int) string { return fmt.Sprint(d.next() % 5000) },
		"contact":      func(int) string { return fmt.Sprint(9_000_000_000 + d.next()%999_999_999) },
		"running":      func(row int) string { return fmt.Sprint(5000 + row) },
		"applied_by":   func(row int) string { return fmt.Sprintf("user%d@example.in", row) },
		"account_hash": func(int) string { return fmt.Sprintf("%016x", d.next()) },
		"branch_id":    func(int) string { return fmt.Sprintf("B%d", d.next()%7) },
		"turnover":     func(int) string { return fmt.Sprint(d.next() % 10_000_000) },
	} {
		csv = widened(csv, name, func(row int, _ []string) string { return cell(row) })
	}
	r := mustFit(t, csv, loanOptions(t))
	for column, want := range map[string]string{
		"LOAN_NO": "identifier", "customerRef": "identifier", "contact": "identifier", "running": "identifier",
		"applied_by": "identifier", "account_hash": "identifier", "id": "identifier",
	} {
		if got := r.Report.dropCode(column); got != want {
			t.Errorf("%s is dropped as %q, want %q", column, got, want)
		}
	}
	for _, column := range []string{"branch_id", "turnover"} {
		if got := r.Report.dropCode(column); got != "" && got != "low_information" && got != "wrong_sign" {
			t.Errorf("%s is dropped as %q", column, got)
		}
	}
	o := loanOptions(t)
	o.Include = []string{"contact", "id"}
	named := mustFit(t, csv, o)
	if got := named.Report.dropCode("contact") + " " + named.Report.dropCode("id"); strings.Contains(got, "identifier") {
		t.Errorf("named columns are dropped as %s", got)
	}
}

// TestIndeterminates: rows whose outcome is neither good nor bad are left out
// and counted, by the usual spellings and by those given.
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
	o := loanOptions(t)
	o.Indeterminate = []string{"Grey"}
	o.HoldOutShare = 0 // which rows are held out depends on their numbers
	got, want := mustFit(t, b.String(), o), mustFit(t, plain, o)
	if got.Report.RowsIndeterminate != 100 || got.Report.RowsUnlabelled != 50 {
		t.Errorf("%d indeterminate, %d without an outcome", got.Report.RowsIndeterminate, got.Report.RowsUnlabelled)
	}
	if _, count := got.Report.note("bad", NoteIndeterminate); count != 100 {
		t.Errorf("%d indeterminates noted", count)
	}
	if diff := cmp.Diff(got.Report.Train.Rows, want.Report.Train.Rows); diff != "" {
		t.Error(diff)
	}
	o.Bad = []string{"1"}
	if only := mustFit(t, b.String(), o); only.Report.Train.Rows != got.Report.Train.Rows {
		t.Errorf("with bad_values alone %d rows are learnt from, want %d", only.Report.Train.Rows, got.Report.Train.Rows)
	}
}

// TestWeights: a row of weight 3 counts as three rows, in bins, regression and
// measures; what all weights have in common does not matter.
func TestWeights(t *testing.T) {
	t.Parallel()
	plain := loans(3000, 26)
	lines := strings.SplitAfter(plain, "\n")
	var weighted, repeated strings.Builder
	weighted.WriteString("w," + lines[0])
	repeated.WriteString(lines[0])
	for i, line := range lines[1:] {
		if line == "" {
			continue
		}
		weight := 1 + 2*(i%2)
		fmt.Fprintf(&weighted, "%d,%s", 2*weight, line)
		repeated.WriteString(strings.Repeat(line, weight))
	}
	o := loanOptions(t)
	o.HoldOutShare, o.NoRefining = 0, true
	want := mustFit(t, repeated.String(), o)
	o.Weight = "w"
	got := mustFit(t, weighted.String(), o)
	if got.Report.Train.Rows != 3000 || want.Report.Train.Rows != 6000 {
		t.Errorf("%d weighted rows, %d repeated", got.Report.Train.Rows, want.Report.Train.Rows)
	}
	if a, b := got.Report.Train, want.Report.Train; math.Abs(a.BadRate-b.BadRate) > 1e-9 || math.Abs(a.AUC-b.AUC) > 0.004 || math.Abs(a.KS-b.KS) > 0.01 {
		t.Errorf("weighted: bad rate %v, AUC %v, KS %v; repeated: %v, %v, %v", a.BadRate, a.AUC, a.KS, b.BadRate, b.AUC, b.KS)
	}
	if detail, _ := got.Report.note("w", NoteWeighted); detail == "" || got.Report.dropCode("w") != "" {
		t.Error("the column of weights is not told apart")
	}
	for i := range got.Card.Factors {
		if got.Card.Factors[i].Field.Name == "applicant.w" {
			t.Error("the weight is a factor")
		}
	}
	zero := edited(weighted.String(), "w", func(row int, cell string) string { return map[bool]string{true: "0", false: cell}[row%10 == 0] })
	if r := mustFit(t, zero, o); r.Report.Train.Rows != 2700 {
		t.Errorf("%d rows with a weight", r.Report.Train.Rows)
	}
	for name, cell := range map[string]string{"text": "heavy", "nothing": "", "negative": "-1"} {
		_, err := Fit(from(edited(weighted.String(), "w", func(row int, was string) string {
			return map[bool]string{true: cell, false: was}[row == 700]
		})), o, nil)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) == 0 || refusal.Items[0].Pointer != "/weight" || !strings.Contains(refusal.Items[0].Detail, "row 701 ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEqualWeights: weights that are all alike change nothing.
func TestEqualWeights(t *testing.T) {
	t.Parallel()
	plain := loans(2500, 27)
	want := mustFit(t, plain, loanOptions(t))
	o := loanOptions(t)
	o.Weight = "w"
	got := mustFit(t, widened(plain, "w", func(int, []string) string { return "2.5" }), o)
	if diff := cmp.Diff(string(want.Card.Document()), string(got.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if want.Report.Train != got.Report.Train || want.Report.HoldOut != got.Report.HoldOut || want.Report.ScorePSI != got.Report.ScorePSI {
		t.Errorf("measures differ: %+v, %+v", want.Report.HoldOut, got.Report.HoldOut)
	}
}

// TestSpecialsInTheCard: special values are bins of their own in the document,
// so that no range is cut by them and nothing calls the factor non-monotone.
func TestSpecialsInTheCard(t *testing.T) {
	t.Parallel()
	r := mustFit(t, loans(4000, 28), loanOptions(t))
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

// TestPossibleSpecials: numbers that look like codes are pointed out.
func TestPossibleSpecials(t *testing.T) {
	t.Parallel()
	o := loanOptions(t)
	o.Special = nil
	csv := edited(loans(3000, 29), "months", func(row int, cell string) string {
		if row%30 == 0 {
			return "9999998"
		}
		return cell
	})
	r := mustFit(t, csv, o)
	for column, value := range map[string]string{"UTIL%": "-9 ", "months": "9999998 "} {
		if detail, _ := r.Report.note(column, NotePossibleSpecial); !strings.HasPrefix(detail, value) {
			t.Errorf("%s: noted %q", column, detail)
		}
	}
}

// TestWindows1252: a file as a spreadsheet program saves it gives the card of
// the same file in UTF-8, but for a note; a few broken bytes are replaced, and a
// file full of them is refused.
func TestWindows1252(t *testing.T) {
	t.Parallel()
	plain := strings.ReplaceAll(loans(2500, 30), "pensioner", "retraité")
	windows := strings.ReplaceAll(plain, "é", "\xe9")
	want, got := mustFit(t, plain, loanOptions(t)), mustFit(t, windows, loanOptions(t))
	if diff := cmp.Diff(string(want.Card.Document()), string(got.Card.Document())); diff != "" {
		t.Error(diff)
	}
	if detail, _ := got.Report.note("", NoteEncoding); !strings.Contains(detail, "Windows-1252") || got.Report.RowsMalformed > 0 {
		t.Errorf("noted %q, %d rows malformed", detail, got.Report.RowsMalformed)
	}
	few := edited(plain, "months", func(row int, cell string) string { return map[bool]string{true: "\xff", false: cell}[row%500 == 0] })
	patched := mustFit(t, few, loanOptions(t))
	if _, count := patched.Report.note("", NoteReplacedBytes); count != 5 || patched.Report.RowsMalformed > 0 {
		t.Errorf("%d lines patched, %d malformed", count, patched.Report.RowsMalformed)
	}
	if detail, _ := patched.Report.note("months", NoteReadAsMissing); !strings.Contains(detail, unreadableCell) {
		t.Errorf("broken numbers are noted as %q", detail)
	}
	many := edited(plain, "months", func(row int, cell string) string { return map[bool]string{true: "\xff\x81", false: cell}[row%20 == 0] })
	_, err := Fit(from(many), loanOptions(t), nil)
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code != "bad_utf8" {
		t.Errorf("got %v", err)
	}
}

// TestSignReversal: where a column is missing is bad by itself, and good beside
// the column that explains it; the report says that the points run against the
// evidence.
func TestSignReversal(t *testing.T) {
	t.Parallel()
	d := &draws{51 << 32}
	var b strings.Builder
	b.WriteString("arrears,statement,bad\n")
	for range 12_000 {
		arrears := int(d.next() % 10)
		balance := d.next() % 50
		statement := fmt.Sprint(balance)
		risk := -2.5 + 0.5*float64(arrears)
		if d.unit() < float64(arrears)/11 { // mostly those in arrears send no statement
			statement, risk = "", risk-0.7
		} else {
			risk -= 0.06 * (float64(balance) - 25)
		}
		bad := 0
		if d.unit() < 1/(1+exp(-risk)) {
			bad = 1
		}
		fmt.Fprintf(&b, "%d,%s,%d\n", arrears, statement, bad)
	}
	o := Defaults()
	o.Target = "bad"
	r := mustFit(t, b.String(), o)
	reversed := slices.ContainsFunc(r.Report.Warnings, func(w Warning) bool {
		return w.Column == "statement" && w.Code == "sign_reversal" && strings.Contains(w.Detail, `"missing"`)
	})
	if !reversed || r.Report.warned("arrears", "sign_reversal") {
		t.Errorf("warnings %+v", r.Report.Warnings)
	}
	for _, f := range r.Report.Features {
		if f.Reversed != (f.Column == "statement") {
			t.Errorf("%s: reversed %t", f.Column, f.Reversed)
		}
	}
}

// TestReasonsOfTheCard: every factor says why it costs points, and what people
// call it.
func TestReasonsOfTheCard(t *testing.T) {
	t.Parallel()
	r := mustFit(t, loans(4000, 32), loanOptions(t))
	got := map[string]string{}
	for i := range r.Card.Factors {
		f := &r.Card.Factors[i]
		got[f.Field.Name] = f.ReasonCode + " " + f.Label
	}
	want := map[string]string{
		"bureau_score": "BUR_SCORE Score", "monthly_income": "INC_LOW Monthly income", "applicant.util_": "FACTOR_UTIL_ Util",
		"applicant.employment_type": "EMP_TYPE Employment type", "applicant.months": "FACTOR_MONTHS Months",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for column, want := range map[string]string{"PAY_0": "Pay 0", "loanAmount": "Loan amount", "%": "%", "élan": "Élan", strings.Repeat("ab_", 80): "Ab" + strings.Repeat(" ab", 39) + " "} {
		if got := labelOf(column); strings.TrimSpace(got) != strings.TrimSpace(want) || len(got) > maxLabel {
			t.Errorf("%q is called %q", column, got)
		}
	}
	for _, name := range []string{"pay_0", "util_", strings.Repeat("x", 64), "a.b-c"} {
		if code := reasonCode(rule.Ref{ID: rule.Undeclared}, name); len(code) > maxReasonCode || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			t.Errorf("%q has the code %q", name, code)
		}
	}
}

// TestNamelessColumn: the column of row numbers that some programs write without
// a name is left out.
func TestNamelessColumn(t *testing.T) {
	t.Parallel()
	r := mustFit(t, widened(loans(1500, 33), "", func(row int, _ []string) string { return fmt.Sprint(row) }), loanOptions(t))
	if got := r.Report.dropCode(""); got != "identifier" {
		t.Errorf("dropped as %q", got)
	}
}
