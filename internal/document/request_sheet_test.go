package document_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"verdict/internal/document"
	"verdict/internal/fault"
)

// TestRequestSheet checks which requests the rows of a file become.
func TestRequestSheet(t *testing.T) {
	t.Parallel()
	file := "score,applicant.id,policy_key,applicant.own.level,monthly_income,loan_officer,applicant.flag\n" +
		"742,17,2024,3,85000,x,true\n742,,,,,,\n,,,,,x,\n"
	rows, err := document.NewRequestSheet(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows.Ignored, []string{"loan_officer"}) {
		t.Errorf("ignored %q", rows.Ignored)
	}
	var lines bytes.Buffer
	if err := rows.WriteLines(&lines); err != nil {
		t.Fatal(err)
	}
	want := `{"applicant":{"flag":true,"id":"17","monthly_income":85000,"own":{"level":3}},` +
		`"bureau_report":{"score":742},"policy_key":"2024"}` + "\n" + `{"bureau_report":{"score":742}}` + "\n{}\n"
	if lines.String() != want {
		t.Errorf("the lines are\n%s, want\n%s", &lines, want)
	}

	rows, err = document.NewRequestSheet(strings.NewReader("score,foir\n742,0.3\n742\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.WriteLines(&lines); fault.CodeOf(err) != fault.CodeWrongNumberOfCells ||
		!strings.Contains(err.Error(), "row 2 of the file") {
		t.Errorf("a row that lacks a cell: %v", err)
	}
}
