package training

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// TestLeak checks that a column that reveals the outcome, or nearly all of it, is
// dropped as a leak unless the caller names the column in Include.
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
	r := mustFit(t, csv, quickOptions(t))
	for _, column := range []string{"recovered", "closing_code"} {
		if got := r.Report.dropCode(column); got != "leak" {
			t.Errorf("%s is dropped as %q", column, got)
		}
	}
	if without := mustFit(t, loans(3000, 23),
		quickOptions(t)); string(without.Card.Document()) != string(r.Card.Document()) {
		t.Error("a leak that is left out changes the card")
	}
	o := quickOptions(t)
	o.Include = []string{"recovered"}
	named := mustFit(t, csv, o)
	if named.Report.dropCode("recovered") != "" || named.Report.HoldOut.AUC < 0.999 {
		t.Errorf("dropped as %q, AUC %v", named.Report.dropCode("recovered"), named.Report.HoldOut.AUC)
	}
	if detail, _ := named.Report.note("recovered", codeLeakUsed); detail == "" {
		t.Error("nothing says that a leak is used")
	}
}

// TestOnlyLeaks checks that the rejection names the leaks if no other column is
// left.
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
	if !errors.As(err, &refusal) || refusal.Code != "no_predictive_columns" || !strings.Contains(refusal.Detail,
		"recovered") {
		t.Errorf("got %v", err)
	}
}

// TestNoiseIsNoLeak checks that noise with many cells and few rows does not
// look like a leak.
func TestNoiseIsNoLeak(t *testing.T) {
	t.Parallel()
	d := &draws{31 << 32}
	tab := &table{}
	c := &column{field: rule.Ref{Type: rule.NumberType}, cuts: make([]rule.Number, 48)}
	for i := range int32(220) {
		c.codes, tab.bad, tab.train = append(c.codes, uint8(1+d.next()%49)), append(tab.bad, uint8(d.next()%2)),
			append(tab.train, i)
	}
	if auc := tab.alone(c, tab.halves(42)); auc > 0.65 {
		t.Errorf("noise has an AUC of %v", auc)
	}
}

// TestIdentifiers checks that columns that only identify rows are dropped, by
// name or by content, and that similar columns that are not identifiers are
// kept.
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
	r := mustFit(t, csv, quickOptions(t))
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
	o := quickOptions(t)
	o.Include = []string{"contact", "id"}
	named := mustFit(t, csv, o)
	if got := named.Report.dropCode("contact") + " " + named.Report.dropCode("id"); strings.Contains(got,
		"identifier") {
		t.Errorf("named columns are dropped as %s", got)
	}
}
