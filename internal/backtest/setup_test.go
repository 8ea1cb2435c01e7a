package backtest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
	"verdict/internal/wire"
)

func parse(tb testing.TB, document string) wire.Value {
	tb.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

const request = `{"csv": "not read here", "map": {"CIBIL": "bureau_score", "Inc": "monthly_income"},
	"outcome_column": "dpd90", "bad_values": ["Y", 1, true], "good_values": ["N"], "weight_column": "w",
	"status_column": "was", "protected_column": "sex", "month_column": "mob", "id_column": "ref",
	"foir_unit": "percent", "lgd": 0.5, "funding_rate": 0.0825}`

func wantedSetup() Setup {
	return Setup{
		Map:     map[string]string{"CIBIL": "bureau_score", "Inc": "monthly_income"},
		Outcome: "dpd90", Bad: []string{"Y", "1", "true"}, Good: []string{"N"}, Weight: "w", Status: "was",
		Protected: "sex", Month: "mob", ID: "ref", PercentFOIR: true, LGD: rule.One / 2, FundingRate: 82_500,
	}
}

// TestReadSetup checks that the setup of a request is read, and that writing
// and reading a setup does not change it.
func TestReadSetup(t *testing.T) {
	t.Parallel()
	var faults fault.List
	s := ReadSetup(parse(t, request), &faults)
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantedSetup(), s); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, s := range []Setup{{}, s, {Header: []string{"a", `b"`}, Reference: []int64{10, -300, 7}}} {
		var w wire.Writer
		s.Write(&w)
		again, err := ReadStoredSetup(parse(t, string(w.Buf)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Errorf("-stored +read:\n%s", diff)
		}
	}
}

// TestSetupFaults checks that all faults are reported together, each with its
// pointer.
func TestSetupFaults(t *testing.T) {
	t.Parallel()
	var faults fault.List
	ReadSetup(
		parse(t,
			`{"map": {"a": 1}, "bad_values": ["", {}], "foir_unit": "pct", "lgd": 0, "funding_rate": 1.5,
				"outcome_column": 7}`),
		&faults)
	var at []string
	for _, item := range faults.Items() {
		at = append(at, item.Pointer)
	}
	want := []string{"/outcome_column", "/bad_values/0", "/bad_values/1", "/foir_unit", "/lgd", "/funding_rate",
		"/map/a"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestNewFaults checks that an invalid run is rejected with all its faults.
func TestNewFaults(t *testing.T) {
	t.Parallel()
	_, err := New(Setup{
		Header: []string{"income", "outcom", "mob"}, Outcome: "outcome", Weight: "nowhere", Month: "mob",
		Bad: []string{"y"}, Good: []string{"Y "},
	}, defaultPlan(), nil)
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, item := range refused.Items {
		got = append(got, item.Pointer+" "+item.Code)
		if item.Pointer == "/outcome_column" && !strings.Contains(item.Detail, "column 2") {
			t.Errorf("no hint in %q", item.Detail)
		}
	}
	want := []string{
		"/outcome_column unknown_field", "/weight_column unknown_field", "/month_column required",
		"/good_values duplicate", "/header required",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	a := edited(t, lending, `"name": "lending"`, `"name": "a", "inputs": [{"name": "applicant.kyc", "type": "string"}]`)
	b := edited(t, lending, `"name": "lending"`,
		`"name": "b", "inputs": [{"name": "applicant.kyc", "type": "boolean"}]`)
	if _, err := New(Setup{Header: []string{"score"}}, planOf(t, a), planOf(t, b)); err == nil {
		t.Error("two types of one input were taken")
	}
}

// TestCells checks valid and invalid spellings of an outcome, a weight, a
// status and a month.
func TestCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1": "1", "0.5": "0.5", "10000": "10000", ".25": "0.25", "3.": "3", "": "1", "0.0001": "0.0001",
		"0": fault.CodeBadWeight, "-1": fault.CodeBadWeight, "10000.0001": fault.CodeBadWeight,
		"1e3": fault.CodeBadWeight, "1.00001": fault.CodeBadWeight, ".": fault.CodeBadWeight,
		"1,5": fault.CodeBadWeight, "99999999999999999999": fault.CodeBadWeight, "1.5.0": fault.CodeBadWeight,
	} {
		got, code := readWeight([]byte(text))
		if code == "" {
			code = string(wire.AppendDecimal(nil, got, weightPlaces))
		}
		if code != want {
			t.Errorf("weight %q is %s, want %s", text, code, want)
		}
	}
	for text, want := range map[string]int64{
		"":    0,
		"1":   1,
		"012": 12,
		"600": 600,
		"0":   -1,
		"601": -1,
		"1.5": -1,
		"x":   -1,
	} {
		got, code := readMonth([]byte(text))
		if code != "" {
			got = -1
		}
		if got != want {
			t.Errorf("month %q is %d, want %d", text, got, want)
		}
	}
	usual := newSpellings(&Setup{}, &fault.List{})
	badOnly := newSpellings(&Setup{Bad: []string{"90+"}}, &fault.List{})
	for text, want := range map[string][2]label{
		"": {}, "  ": {}, "BAD": {bad, good}, " good": {good, good}, "Default": {bad, good}, "y": {bad, good},
		"0": {good, good}, "0.0": {good, good}, "1.0": {bad, good}, "NA": {unlabelled, good},
		"Indeterminate": {unlabelled, good},
	} {
		for i, s := range []*spellings{&usual, &badOnly} {
			r := labeller{spellings: s}
			for range 2 {
				if got, code := r.read([]byte(text)); got != want[i] || code != "" {
					t.Errorf("outcome %q is %d %s, want %d", text, got, code, want[i])
				}
			}
		}
	}
	r := labeller{spellings: &usual}
	if _, code := r.read([]byte("perhaps")); code != fault.CodeUnknownOutcome {
		t.Error("an unknown outcome was taken")
	}
	r = labeller{spellings: &badOnly}
	if got, _ := r.read([]byte("90+")); got != bad {
		t.Error("the given spelling is not bad")
	}
}

// TestRows checks the row-level results with a challenger, for all rows and for
// swapped rows only. Text that a spreadsheet would read as a formula must be
// escaped.
func TestRows(t *testing.T) {
	t.Parallel()
	csv := "applicant_id,score,bad\nA1,820,0\n=cmd(),655,1\nA3,oops,0\nA4,600,\n"
	challenger := planOf(t,
		edited(t, columnPolicy(), `"id": "MID", "grade": "B"`, `"id": "MID", "grade": "B", "action": "refer"`))
	r := newRun(t, csv, Setup{}, columnPlan(t), challenger)
	const header = "row,applicant_id,status,grade,score,limit,rate,reasons,challenger_status,challenger_grade," +
		"challenger_score,challenger_limit,challenger_rate,challenger_reasons\n"
	for swapped, want := range map[bool]string{
		false: header + `1,A1,APPROVED,A,820,100000,12,,APPROVED,A,820,100000,12,
2,'=cmd(),APPROVED,B,655,50000,18,,REFERRED,B,655,50000,18,BUR_SCORE
3,A3,FAILED,,,,,wrong_type,FAILED,,,,,wrong_type
4,A4,DECLINED,C,600,,,BUR_SCORE,DECLINED,C,600,,,BUR_SCORE
`,
		true: header + `2,'=cmd(),APPROVED,B,655,50000,18,,REFERRED,B,655,50000,18,BUR_SCORE
`,
	} {
		var buf bytes.Buffer
		out := sheet.NewWriter(&buf)
		r.WriteRowsHeader(out)
		w := r.NewWorker()
		w.WriteRows(out, swapped)
		block, err := sheet.NewReader(strings.NewReader(csv), 0).Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		w.Block(block)
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(buf.String(), "\n")); diff != "" {
			t.Errorf("swapped %t: -want +got:\n%s", swapped, diff)
		}
	}
}

// TestFacts checks that a stored decision can be replayed from its facts,
// without a header.
func TestFacts(t *testing.T) {
	t.Parallel()
	r, err := New(Setup{}, columnPlan(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	w := r.NewWorker()
	facts := rule.NewFacts(field.Catalogue())
	facts.Set(field.BureauScore, rule.Num(rule.Int(800)))
	w.Facts(1, "dec_1", facts, facts, "APPROVED")
	facts.Set(field.BureauScore, rule.Num(rule.Int(600)))
	w.Facts(2, "dec_2", facts, facts, "APPROVED")
	w.Facts(3, "dec_3", facts, facts, "")
	report := r.Report(w.Take())
	want := &Actual{Count: 2, Matrix: Matrix{{1, 0, 1}}, AgreementRate: Figure{rule.One / 2, true}}
	if diff := cmp.Diff(want, report.Actual); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestBlockAllocatesNothing checks that deciding a block allocates nothing. It
// does not run in parallel, because allocations of other tests would be counted
// too.
func TestBlockAllocatesNothing(t *testing.T) { //nolint:paralleltest // see above
	csv := strings.ReplaceAll(wideCSV(500), ",x", ",0.") // no invalid numbers, because reading one may allocate
	r := newRun(t, csv, wideSetup(), defaultPlan(), stricter(t))
	block, err := sheet.NewReader(strings.NewReader(csv), 0).Next(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := r.NewWorker()
	for range 10 { // fills the list of row errors, so that it no longer grows
		w.Block(block)
	}
	if n := testing.AllocsPerRun(5, func() { w.Block(block) }); n > 0 {
		t.Errorf("a block of %d rows allocates %v times", block.Rows, n)
	}
}
