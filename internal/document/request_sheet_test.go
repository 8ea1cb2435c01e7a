package document_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"verdict/internal/document"
	"verdict/internal/fault"
)

// TestRequestSheet checks which requests the rows of a file become.
func TestRequestSheet(t *testing.T) {
	t.Parallel()
	file := "score,applicant.id,policy_key,applicant.own.level,monthly_income,loan_officer,applicant.flag," +
		"applicant_ref,applicant.pin\n742,17,2024,3,85000,x,TRUE,0017,400001\n742,,,,,,,,\n,,,,,x,,,\n" +
		"742,Null,,NA,n/a,,,Nil,\n742,Ren\uFFFD,,,,,, A-1 ,\n"
	rows, err := document.NewRequestSheet(strings.NewReader(file), "applicant.pin")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows.Ignored, []string{"loan_officer"}) {
		t.Errorf("ignored %q", rows.Ignored)
	}
	err = rows.Strict()
	if fault.CodeOf(err) != fault.CodeUnknownField || !strings.Contains(err.Error(), "loan_officer") {
		t.Errorf("a strict reader says %v", err)
	}
	var lines bytes.Buffer
	if err := rows.WriteLines(&lines); err != nil {
		t.Fatal(err)
	}
	want := `{"applicant":{"flag":true,"id":"17","monthly_income":85000,"own":{"level":3},"pin":"400001"},` +
		`"applicant_ref":"0017","bureau_report":{"score":742},"policy_key":"2024"}` + "\n" +
		`{"bureau_report":{"score":742}}` + "\n{}\n" +
		`{"applicant":{"id":"Null"},"applicant_ref":"Nil","bureau_report":{"score":742}}` + "\n" +
		`{"applicant":{"id":"Ren` + "\uFFFD" + `"},"applicant_ref":"A-1","bureau_report":{"score":742}}` + "\n"
	if lines.String() != want {
		t.Errorf("the lines are\n%s, want\n%s", &lines, want)
	}

	rows, err = document.NewRequestSheet(strings.NewReader("bureau_score,requested_tenure_months\n742,24\n"))
	if err != nil {
		t.Fatal(err)
	}
	lines.Reset()
	if err := rows.WriteLines(&lines); err != nil || len(rows.Ignored) > 0 ||
		lines.String() != `{"applicant":{"tenure_months":24},"bureau_report":{"score":742}}`+"\n" {
		t.Errorf("columns with the names of fields: %v, ignored %q, lines\n%s", err, rows.Ignored, &lines)
	}

	rows, err = document.NewRequestSheet(strings.NewReader("score,foir\n742,0.3\n742\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.Strict(); err != nil {
		t.Errorf("only members of a request: %v", err)
	}
	if err := rows.WriteLines(&lines); fault.CodeOf(err) != fault.CodeWrongNumberOfCells ||
		!strings.Contains(err.Error(), "line 3. Give the row") {
		t.Errorf("a row that lacks a cell: %v", err)
	}
}

// TestMisspelt checks which columns are taken for a misspelling: those with a name similar to a member that no other
// column gives.
func TestMisspelt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, want string }{
		{"montly_income,fior,Score", "montly_income (did you mean monthly_income?), fior (did you mean foir?), " +
			"Score (did you mean score?)"},
		{"montly_income,applicant.monthly_income,score", ""},
		{"score,vintage,outcome,bad,weight,bad_month,default_flag,loan_officer,branch,cibil,shoe_size,city", ""},
	} {
		rows, err := document.NewRequestSheet(strings.NewReader(c.header + "\n742\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := document.MisspeltText(rows.Misspelt()); got != c.want {
			t.Errorf("%s: %q, want %q", c.header, got, c.want)
		}
	}
}

// TestMalformedRows checks that all malformed rows of a file are named by their lines, and that no row after the first
// of them is written.
func TestMalformedRows(t *testing.T) {
	t.Parallel()
	file := "score,foir\n742,0.3\n\n742\n\"742\n743\",0.4\n1,2,3\n742,0.5\n"
	rows, err := document.NewRequestSheet(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	if err := rows.WriteLines(&lines); err == nil ||
		!strings.Contains(err.Error(), "look at lines 4, 7. Give the row") {
		t.Errorf("malformed rows: %v", err)
	}
	if n := strings.Count(lines.String(), "\n"); n != 1 {
		t.Errorf("%d rows were written", n)
	}
	rows, err = document.NewRequestSheet(strings.NewReader("score,foir\n" + strings.Repeat("742\n", 30)))
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.WriteLines(io.Discard); err == nil || !strings.Contains(err.Error(), ", 21 and 10 more. ") {
		t.Errorf("many malformed rows: %v", err)
	}
}

// TestRequestSheetColumns checks that two columns that cannot both be in one request are refused.
func TestRequestSheetColumns(t *testing.T) {
	t.Parallel()
	for _, header := range []string{
		"score,monthly_income,applicant.monthly_income\n", "applicant.own,score,applicant.own.level\n",
	} {
		_, err := document.NewRequestSheet(strings.NewReader(header))
		if fault.CodeOf(err) != fault.CodeInvalidField || !strings.Contains(err.Error(), "remove one of them") {
			t.Errorf("%q: %v", header, err)
		}
	}
	_, err := document.NewRequestSheet(strings.NewReader("score\n"), "pin")
	if fault.CodeOf(err) != fault.CodeInvalidField {
		t.Errorf("a text that is no column: %v", err)
	}
}

// TestLeftOut checks that the names of columns that were left out are complete if they are few, and bounded if they are
// many or long.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, want string }{
		{"score,foir", ""},
		{"score,shoe_size,,branch", "shoe_size, (a column without a name), branch"},
		{"score" + strings.Repeat(",", 30), strings.Repeat("(a column without a name), ", 19) +
			"(a column without a name) and 10 more"},
		{"score," + strings.Repeat("x", 256) + "," + strings.Repeat("y", 256) + "," + strings.Repeat("z", 256) + "," +
			strings.Repeat("a", 256), strings.Repeat("x", 256) + ", " + strings.Repeat("y", 256) + ", " +
			strings.Repeat("z", 256) + " and 1 more"},
	} {
		rows, err := document.NewRequestSheet(strings.NewReader(c.header + "\n742\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := rows.LeftOut(); got != c.want {
			t.Errorf("%.40q: left out %q, want %q", c.header, got, c.want)
		}
	}
}

// endless is a file of malformed rows that never ends.
type endless struct{}

func (endless) Read(b []byte) (int, error) { return copy(b, strings.Repeat("742\n", len(b)/4+1)), nil }

// TestEndlessMalformedRows checks that the search for malformed rows is limited.
func TestEndlessMalformedRows(t *testing.T) {
	t.Parallel()
	rows, err := document.NewRequestSheet(io.MultiReader(strings.NewReader("score,foir\n"), endless{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.WriteLines(io.Discard); err == nil || !strings.Contains(err.Error(), ", 21 and at least ") {
		t.Errorf("endless malformed rows: %v", err)
	}
}

func TestHasFOIR(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"foir":                 true,
		"applicant.foir,score": true,
		"score":                false,
		"fir":                  false,
	} {
		rows, err := document.NewRequestSheet(strings.NewReader(header + "\n"))
		if err != nil || rows.HasFOIR() != want {
			t.Errorf("%q: %t, %v", header, rows != nil && rows.HasFOIR(), err)
		}
	}
}
