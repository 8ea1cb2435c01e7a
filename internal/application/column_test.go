package application

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// readRow reads one row under a header. Vertical bars separate the cells of the row and of the header.
func readRow(tb testing.TB, header, row string, o ColumnOptions) (facts map[string]string, name, code string) {
	tb.Helper()
	c, err := NewColumns(strings.Split(header, "|"), o)
	if err != nil {
		tb.Fatal(err)
	}
	set := rule.NewFacts(field.Catalogue())
	name, code = c.Reader().Read(cellsOf(strings.Split(row, "|")), set)
	facts = map[string]string{}
	for _, nv := range set.Sorted() {
		facts[nv.Name] = nv.Value.String()
	}
	return facts, name, code
}

func cellsOf(texts []string) [][]byte {
	out := make([][]byte, len(texts))
	for i, text := range texts {
		out[i] = []byte(text)
	}
	return out
}

func TestColumns(t *testing.T) {
	t.Parallel()
	inputs := map[string]rule.Type{
		"applicant.city":          rule.StringType,
		"applicant.employer.size": rule.NumberType,
		"applicant.vip":           rule.BoolType,
	}
	for name, c := range map[string]struct {
		header, row string
		o           ColumnOptions
		want        string
	}{
		"canonical names": {
			header: "applicant_id|monthly_income|foir|score|employment_type",
			row:    "A-1|52300.555|0.35|742|self employed",
			want: "applicant.id=A-1 applicant.monthly_income=52300.555 monthly_income=52300.56 applicant.foir=0.35 " +
				"foir=0.35 " +
				"bureau_report.score=742 bureau_score=742 bureau_is_ntc=false applicant.employment_type=self " +
				"employed employment_type=SELF_EMPLOYED",
		},
		"paths": {
			header: "bureau_report.score|applicant.age",
			row:    "-1|30",
			want:   "bureau_report.score=-1 bureau_is_ntc=true applicant.age=30 age=30",
		},
		"thin-file index": {
			header: "bureau_score",
			row:    "4",
			want:   "bureau_report.score=4 bureau_is_ntc=true bureau_ntc_index=4",
		},
		"short names": {
			header: "score|tenure_months|written_off_36m", row: "0|12|1",
			want: "bureau_report.score=0 bureau_is_ntc=true applicant.tenure_months=12 requested_tenure_months=12 " +
				"bureau_report.written_off_36m=1 bureau_written_off_36m=1 " +
				"bureau_own_written_off_36m=1",
		},
		"capitals": {
			header: "Score|FOIR",
			row:    "700|0.2",
			want:   "bureau_report.score=700 bureau_score=700 bureau_is_ntc=false applicant.foir=0.2 foir=0.2",
		},
		"percentage": {
			header: "score|foir",
			row:    "0|35.12345",
			o:      ColumnOptions{PercentFOIR: true},
			want:   "bureau_report.score=0 bureau_is_ntc=true applicant.foir=0.351235 foir=0.351235",
		},
		"blank cells": {
			header: "score|foir|age|employment_type", row: " 0 ||  |   ",
			want: "bureau_report.score=0 bureau_is_ntc=true",
		},
		"other spellings": {
			header: "score|monthly_income|foir|requested_amount", row: "+0742|.5|1.|1e5",
			want: "bureau_report.score=742 bureau_score=742 bureau_is_ntc=false applicant.monthly_income=0.5 " +
				"monthly_income=0.5 " +
				"applicant.foir=1 foir=1 applicant.requested_amount=100000 requested_amount=100000",
		},
		"derived facts and features": {
			header: "score|device_is_rooted|fraud_score|bank_bounces|enquiry__all__30d__count", row: "0|YES|12|3|2",
			want: "bureau_report.score=0 bureau_is_ntc=true device_is_rooted=true fraud_score=12 bank_bounces=3 " +
				"enquiry__all__30d__count=2",
		},
		"declared inputs": {
			header: "score|applicant.city|applicant.employer.size|applicant.vip", row: "0|Pune|1200.5|no",
			o: ColumnOptions{Inputs: inputs}, want: "bureau_report.score=0 bureau_is_ntc=true applicant.city=Pune " +
				"applicant.employer.size=1200.5 applicant.vip=false",
		},
		"mapped": {
			header: "cibil|salary|score", row: "0|5000|x",
			o:    ColumnOptions{Map: map[string]string{"cibil": "score", "salary": "monthly_income", "score": ""}},
			want: "bureau_report.score=0 bureau_is_ntc=true applicant.monthly_income=5000 monthly_income=5000",
		},
		"only what is read": {
			header: "score|monthly_income|age", row: "742|5000|30", want: "bureau_score=742 monthly_income=5000",
			o: ColumnOptions{Reads: func(name string) bool {
				return name == "bureau_score" || name == "monthly_income"
			}},
		},
		"own accounts take the figure of all": {
			header: "score|max_dpd_12m|total_emi|suit_or_wilful", row: "0|31|69000|yes",
			want: "bureau_own_max_dpd_12m=31 bureau_own_emi=69000 bureau_own_suit_or_wilful=true",
			o:    ColumnOptions{Reads: func(name string) bool { return strings.HasPrefix(name, "bureau_own_") }},
		},
		"own accounts with a column of their own": {
			header: "score|bureau_own_emi|total_emi|own_max_dpd_12m|max_dpd_12m", row: "0|5000|69000||31",
			want: "bureau_own_emi=5000 bureau_total_emi=69000 bureau_own_max_dpd_12m=31 max_dpd_12m=31",
			o: ColumnOptions{Reads: func(name string) bool {
				return !strings.HasPrefix(name, "bureau_report.") && name != "bureau_is_ntc"
			}},
		},
		"aliases": {
			header: "score|bank_summary.bounce_count", row: "0|2",
			want: "bureau_report.score=0 bureau_is_ntc=true bank_summary.bounces=2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, where, code := readRow(t, c.header, c.row, c.o)
			if code != "" {
				t.Fatalf("%s %s", where, code)
			}
			want := map[string]string{}
			rest := c.want
			for rest != "" { // values may contain spaces, names may not
				name, tail, _ := strings.Cut(rest, "=")
				value, after := tail, ""
				if i := strings.IndexByte(tail, '='); i >= 0 {
					cut := strings.LastIndexByte(tail[:i], ' ')
					value, after = tail[:cut], tail[cut+1:]
				}
				want[name], rest = value, after
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestColumnFaults(t *testing.T) {
	t.Parallel()
	const header = "score|monthly_income|foir|age|employment_type|device_is_rooted"
	for row, want := range map[string]string{
		"||||" + "|":         "score required",
		"|1||||":             "score required",
		"abc|||||":           "score wrong_type",
		"150|||||":           "score out_of_range",
		"742.5|||||":         "score out_of_range",
		"901|||||":           "score out_of_range",
		"-2|||||":            "score out_of_range",
		"1e30|||||":          "score out_of_range",
		"742|-1||||":         "monthly_income out_of_range",
		"742|+-5||||":        "monthly_income wrong_type",
		"742|1e||||":         "monthly_income wrong_type",
		"742|0x10||||":       "monthly_income wrong_type",
		"742|1e300||||":      "monthly_income out_of_range",
		"742|1,5||||":        "monthly_income wrong_type",
		"742|12 months||||":  "monthly_income wrong_type",
		"NA|||||":            "score required",
		"742||35|||":         "foir out_of_range",
		"742||600%|||":       "foir out_of_range",
		"742|||130||":        "age out_of_range",
		"742||||" + "|maybe": "device_is_rooted wrong_type",
		"742||||" + "|\x11":  "device_is_rooted wrong_type",
		"742||||" + strings.Repeat("x", 257) + "|": "employment_type out_of_range",
	} {
		_, name, code := readRow(t, header, row, ColumnOptions{})
		if got := name + " " + code; got != want {
			t.Errorf("%q: %s, want %s", row, got, want)
		}
	}
}

// TestCellsForPeople checks that formatted cells such as "60,000" or "35%" are read, that words such as "NA" mean a
// missing value, and that the reader counts these cells.
func TestCellsForPeople(t *testing.T) {
	t.Parallel()
	columns, err := NewColumns([]string{"score", "monthly_income", "foir", "age"}, ColumnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	reader, facts := columns.Reader(), rule.NewFacts(field.Catalogue())
	for row, want := range map[string]string{
		"742|60,000|35%|NA":     "60000 0.35 absent",
		"742|₹ 12,34,567|0.4|-": "1234567 0.4 absent",
		"742|n/a|32.5 %|35":     "absent 0.325 35",
	} {
		var cells [][]byte
		for cell := range strings.SplitSeq(row, "|") {
			cells = append(cells, []byte(cell))
		}
		if name, code := reader.Read(cells, facts); code != "" {
			t.Errorf("%q: %s %s", row, name, code)
		}
		got := facts.Get("monthly_income").String() + " " + facts.Get("foir").String() + " " + facts.Get("age").String()
		if got != want {
			t.Errorf("%q: %s, want %s", row, got, want)
		}
	}
	want := map[CellNote]int64{
		{"monthly_income", readFormatted}: 2, {"foir", readFormatted}: 2, {"monthly_income", readMissing}: 1,
		{"age", readMissing}: 2,
	}
	if diff := cmp.Diff(want, reader.Notes()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if again := reader.Notes(); len(again) > 0 {
		t.Errorf("told twice: %v", again)
	}
}

func TestColumnsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header string
		o      ColumnOptions
		want   []string
	}{
		"no score":           {header: "foir|age", want: []string{"/header required"}},
		"two for one field":  {header: "score|bureau_score", want: []string{"/header/1 duplicate"}},
		"two ways to a fact": {header: "score|age|report.demographics.age", want: []string{"/header/2 duplicate"}},
		"unknown in the map": {
			header: "score|salary", o: ColumnOptions{Map: map[string]string{"salary": "monthly_incom"}},
			want: []string{"/map/salary unknown_field"},
		},
		"not a column": {
			header: "score", o: ColumnOptions{Map: map[string]string{"a/b": "foir", "scor": "age"}},
			want: []string{"/map/a~1b unknown_field", "/map/scor unknown_field"},
		},
		"worked out by the engine": {
			header: "score|x", o: ColumnOptions{Map: map[string]string{"x": "final_score"}},
			want: []string{"/map/x unknown_field"},
		},
		"everything at once": {
			header: "foir|applicant.foir|x", o: ColumnOptions{Map: map[string]string{"x": "bureau_is_ntc"}},
			want: []string{"/header/1 duplicate", "/map/x unknown_field", "/header required"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewColumns(strings.Split(c.header, "|"), c.o)
			refusal, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			var got []string
			for _, item := range refusal.Items {
				got = append(got, item.Pointer+" "+item.Code)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
	_, err := NewColumns([]string{"score", "salary"}, ColumnOptions{Map: map[string]string{"salary": "monthly_incom"}})
	if err == nil || !strings.Contains(err.Error(), "did you mean monthly_income?") {
		t.Errorf("no hint in %v", err)
	}
}

func TestColumnsIgnored(t *testing.T) {
	t.Parallel()
	c, err := NewColumns(strings.Split("|score|branch|bad|grade|bureau_is_ntc|employment_type|note", "|"),
		ColumnOptions{
			Others: []string{"bad", "employment_type"}, Map: map[string]string{"note": ""},
		})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"branch", "grade", "bureau_is_ntc"}, c.Ignored()); diff != "" {
		t.Error(diff)
	}
}

// TestEveryFieldCanBeAColumn checks that every field can be a column under its
// own name, except the facts about the offer and the two new-to-credit facts.
func TestEveryFieldCanBeAColumn(t *testing.T) {
	t.Parallel()
	catalogue := field.Catalogue()
	for id := range rule.FieldID(catalogue.Len()) {
		f := catalogue.Field(id)
		known := columnNames()[f.Name] != nil
		want := f.Supply != rule.FromEngine && f.Name != field.BureauIsNTC && f.Name != bureauNTCIndex
		if known != want {
			t.Errorf("%s: %v", f.Name, known)
		}
	}
}

//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestRowsTakeNoMemory(t *testing.T) {
	header := strings.Split(
		"applicant_id|score|monthly_income|foir|age|employment_type|applicant.city|device_is_rooted", "|")
	c, err := NewColumns(header, ColumnOptions{Inputs: map[string]rule.Type{"applicant.city": rule.StringType}})
	if err != nil {
		t.Fatal(err)
	}
	rows := [][][]byte{
		cellsOf(strings.Split("A-1|742|52300.50|0.351|34|Self Employed|Pune|0", "|")),
		cellsOf(strings.Split("A-2|-1|17000||29|salaried||yes", "|")),
	}
	r, facts := c.Reader(), rule.NewFacts(field.Catalogue())
	if n := testing.AllocsPerRun(100, func() {
		for _, cells := range rows {
			if name, code := r.Read(cells, facts); code != "" {
				t.Errorf("%s %s", name, code)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestManyTexts checks that the text cache of a column is bounded, and that
// texts that are not cached are read the same way.
func TestManyTexts(t *testing.T) {
	t.Parallel()
	c, err := NewColumns([]string{"score", "applicant_id"}, ColumnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, facts := c.Reader(), rule.NewFacts(field.Catalogue())
	for i := range 3 * maxTexts {
		id := strings.Repeat("x", i%200+1) + string(rune('a'+i%7))
		if i > maxTexts {
			id += strings.Repeat("y", i%30)
		}
		if _, code := r.Read(cellsOf([]string{"0", id}), facts); code != "" || facts.Get("applicant.id").Text() != id {
			t.Fatalf("%q became %q, %s", id, facts.Get("applicant.id").Text(), code)
		}
	}
	if n := len(r.texts[1].all); n > maxTexts {
		t.Errorf("%d texts are remembered", n)
	}
}

// TestColumnsWithoutAScore checks that a file needs no score if no policy reads
// a score, and that a score in the file is still checked.
func TestColumnsWithoutAScore(t *testing.T) {
	t.Parallel()
	if _, err := NewColumns([]string{"foir"}, ColumnOptions{}); err == nil {
		t.Error("a header without a score was taken")
	}
	columns, err := NewColumns([]string{"score", "foir"}, ColumnOptions{NoScore: true})
	if err != nil {
		t.Fatal(err)
	}
	facts := rule.NewFacts(field.Catalogue())
	for _, c := range []struct{ score, name, code string }{
		{"", "", ""},
		{"742", "", ""},
		{"950", "score", fault.CodeOutOfRange},
	} {
		if name, code := columns.Reader().Read([][]byte{[]byte(c.score), []byte("0.2")}, facts); name != c.name ||
			code != c.code {
			t.Errorf("a score of %q: %s %s", c.score, name, code)
		}
	}
	if _, err := NewColumns([]string{"foir"}, ColumnOptions{NoScore: true}); err != nil {
		t.Error(err)
	}
}

// TestColumnsOfOthers checks that a file can have columns about a co-applicant, and that blank cells are absent.
func TestColumnsOfOthers(t *testing.T) {
	t.Parallel()
	columns, err := NewColumns(
		[]string{"score", "co_applicant.bureau_score", "co_applicant.monthly_income", "guarantor.age"},
		ColumnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ignored := columns.Ignored(); len(ignored) > 0 {
		t.Errorf("ignored are %v", ignored)
	}
	for _, name := range []string{"co_applicant.bureau_score", "co_applicant.monthly_income", "guarantor.age"} {
		if !columns.Has(name) {
			t.Errorf("no column holds %s", name)
		}
	}
	for row, want := range map[string]string{
		"742,655,30000,": "true", "742,,30000,": "true", "742,,,40": "", "742, , ,": "", "742,NA,-,": "",
	} {
		facts := rule.NewFacts(field.Catalogue())
		if name, code := columns.Reader().Read(cellsOf(strings.Split(row, ",")), facts); code != "" {
			t.Fatalf("%s: %s of %s", row, code, name)
		}
		got := ""
		if v := facts.Get(field.HasCoApplicant); v.Type() != rule.Absent {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s: has_co_applicant is %q, want %q", row, got, want)
		}
	}
}
