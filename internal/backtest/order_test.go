package backtest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/sheet"
)

// TestRowsAreWrittenInOrder checks that rows are written in the order of the file although some of them fail. The
// failed rows are at different positions in their batches.
func TestRowsAreWrittenInOrder(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	header := []string{"score", "monthly_income"}
	run, err := backtest.New(backtest.Setup{Header: header}, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 3*engine.BatchRows + 7
	var data strings.Builder
	for i := range rows {
		if i%5 == 3 {
			data.WriteString("none,1\n")
			continue
		}
		fmt.Fprintf(&data, "%d,50000\n", 600+i)
	}
	var out bytes.Buffer
	writer, worker := sheet.NewWriter(&out), run.NewWorker()
	worker.WriteRows(writer, false)
	worker.Block(sheet.Block{Data: []byte(data.String()), First: 1, Rows: rows})
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != rows {
		t.Fatalf("%d rows, want %d", len(lines), rows)
	}
	for i, line := range lines {
		failed := strings.Contains(line, "FAILED")
		if !strings.HasPrefix(line, fmt.Sprintf("%d,", i+1)) || failed != (i%5 == 3) {
			t.Fatalf("row %d is %q", i+1, line)
		}
	}
}

// TestErasedAmongDecisions checks that a stored decision with erased facts is written between the two other
// decisions.
func TestErasedAmongDecisions(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	run, err := backtest.New(backtest.Setup{}, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	writer, worker := sheet.NewWriter(&out), run.NewWorker()
	worker.WriteRows(writer, false)
	facts := rule.NewFacts(field.Catalogue())
	worker.Facts(1, "dec_1", facts, facts, "")
	worker.Erased(2, "dec_2")
	worker.Facts(3, "dec_3", facts, facts, "")
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "2,dec_2,FAILED") || !strings.HasPrefix(lines[2], "3,dec_3,") {
		t.Fatalf("rows %q", lines)
	}
}

// TestQuotedCellsAreKept checks that ids and groups of rows that are decided together keep their texts although their
// doubled quotes must be removed.
func TestQuotedCellsAreKept(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	header := []string{"applicant_id", "score", "region"}
	run, err := backtest.New(backtest.Setup{Header: header, Protected: "region"}, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	const rows = engine.BatchRows + 5
	var data strings.Builder
	for i := range rows {
		fmt.Fprintf(&data, "\"a\"\"%d\",700,\"r\"\"%d\"\n", i+1, i%2)
	}
	var out bytes.Buffer
	writer, worker := sheet.NewWriter(&out), run.NewWorker()
	worker.WriteRows(writer, false)
	worker.Block(sheet.Block{Data: []byte(data.String()), First: 1, Rows: rows})
	if err := writer.Flush(); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if want := fmt.Sprintf("%d,\"a\"\"%d\",", i+1, i+1); !strings.HasPrefix(line, want) {
			t.Fatalf("row %d is %q, want %q", i+1, line, want)
		}
	}
	groups := run.Report(worker.Take()).Fairness.Groups
	if len(groups) != 2 || groups[0].Name != `r"0` || groups[0].Count != (rows+1)/2 || groups[1].Name != `r"1` {
		t.Errorf("groups %+v", groups)
	}
}
