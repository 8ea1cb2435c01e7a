package signal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestStatements checks every testdata/statements/*.txtar file. The comment of a file says what the file shows. Its
// sections are the day of the decision, the scalars of the summary, and the statement as a table of date, type, mode,
// amount, balance and narration, followed by the wanted class of each row and the wanted facts.
func TestStatements(t *testing.T) {
	t.Parallel()
	archives(t, "statements", func(name string) bool { return name != "found" && name != "facts" }, statementAnswer)
}

func statementAnswer(t *testing.T, archive *txtar.Archive) []txtar.File {
	t.Helper()
	member := map[string]string{}
	for _, f := range archive.Files {
		member[f.Name] = string(f.Data)
	}
	date, err := time.Parse(time.DateOnly, strings.TrimSpace(member["as_of"]))
	if err != nil {
		t.Fatal(err)
	}
	asOf := civil.DayOf(date.Date())
	summary, narrations := summaryOf(t, member["summary.json"], member["statement"])
	var faults, warnings fault.List
	s := report.ReadStatement(summary, asOf, &faults, &warnings)
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	if items := warnings.Items(); len(items) > 0 {
		t.Errorf("warnings: %v", items)
	}
	var found, facts bytes.Buffer
	for _, tx := range s.Transactions {
		sign := "-"
		if tx.Credit {
			sign = "+"
		}
		fmt.Fprintf(&found, "%s %11s  %-28s %s\n", tx.Day, sign+string(wire.AppendDecimal(nil, tx.AmountPaise, 2)),
			bankFinding(tx), narrations[tx.At])
	}
	for _, nv := range bankFacts(t, summary, s, asOf) {
		fmt.Fprintf(&facts, "%-26s %s\n", nv.Name, nv.Value)
	}
	return []txtar.File{{Name: "found", Data: found.Bytes()}, {Name: "facts", Data: facts.Bytes()}}
}

// summaryOf adds the rows of the table to the summary as transactions. It
// returns the summary and the narrations.
func summaryOf(t *testing.T, scalars, table string) (wire.Value, []string) {
	t.Helper()
	var w wire.Writer
	var narrations []string
	w.Object().Members([]byte(strings.TrimSpace(scalars))).Key("transactions").Array()
	for line := range strings.Lines(table) {
		cells := strings.Fields(line)
		narration := strings.Join(cells[5:], " ")
		narrations = append(narrations, narration)
		w.Object().Key("date").String(cells[0]).Key("type").String(cells[1]).Key("mode").String(cells[2]).
			Key("amount").Raw([]byte(cells[3]))
		if cells[4] != "-" {
			w.Key("balance").Raw([]byte(cells[4]))
		}
		w.Key("narration").String(narration).EndObject()
	}
	w.EndArray().EndObject()
	v, err := wire.Parse(w.Buf)
	if err != nil {
		t.Fatal(err)
	}
	return v, narrations
}

var bankFindings = []struct {
	found report.Found
	name  string
}{
	{report.Income, "income"}, {report.Salary, "salary"}, {report.LoanInstalment, "instalment"},
	{report.CardBill, "card bill"}, {report.BillPayment, "bill"}, {report.Investment, "investment"},
	{report.Charge, "charge"}, {report.LoanCredit, "loan"}, {report.SelfTransfer, "own transfer"},
	{report.Mandate, "mandate"}, {report.Cheque, "cheque"}, {report.IssuedBounce, "issued bounce"},
	{report.DepositedReturn, "deposited return"}, {report.Refund, "refund"},
}

func bankFinding(tx report.Transaction) string {
	var names []string
	for _, f := range bankFindings {
		if tx.Is(f.found) {
			names = append(names, f.name)
		}
	}
	if names == nil {
		return "-"
	}
	return strings.Join(names, ", ")
}

// bankFacts derives the facts and checks each of them against the catalogue.
func bankFacts(tb testing.TB, summary wire.Value, s *report.Statement, asOf civil.Day) []rule.NamedValue {
	tb.Helper()
	catalogue := field.Catalogue()
	facts := rule.NewFacts(catalogue)
	Bank(summary, s, asOf, func(name string, v rule.Value) {
		if facts.Get(name).Type() != rule.Absent {
			tb.Errorf("%s was added twice", name)
		}
		facts.Set(name, v)
		id, ok := catalogue.Lookup(name)
		if !ok {
			tb.Fatalf("%s is not in the catalogue", name)
		}
		f, n := catalogue.Field(id), v.Number()
		if v.Type() != f.Type || f.BoundedBelow && n < f.Min || f.BoundedAbove && n > f.Max ||
			f.Integer && !n.HasPlaces(0) ||
			n > rule.MaxNumber || n < -rule.MaxNumber {
			tb.Errorf("%s is %s, which lies outside its domain", name, v)
		}
	})
	return facts.Sorted()
}
