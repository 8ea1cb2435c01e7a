package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

var bankAsOf = civil.DayOf(2026, 11, 15)

func bankListing(items []fault.Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%s %s: %s\n", it.Pointer, it.Code, it.Detail)
	}
	return b.String()
}

// TestStatementRefusals checks the faults of invalid rows and their pointers.
func TestStatementRefusals(t *testing.T) {
	t.Parallel()
	const good = `"date":"2026-10-01","type":"CREDIT","amount":1`
	const amount = "must be a number above 0 and at most 10000000000"
	const date = "must be a date such as 2026-10-01, or an RFC 3339 time"
	const balance = "must be a number between -10000000000 and 10000000000"
	for _, c := range []struct{ row, want string }{
		{`7`, "/transactions/0 wrong_type: must be an object, but is a number"},
		{`null`, "/transactions/0 wrong_type: must be an object, but is null"},
		{`{}`, "/transactions/0/type required: is required: CREDIT or DEBIT\n" +
			"/transactions/0/date required: is required: a date such as 2026-10-01, or an RFC 3339 time\n" +
			"/transactions/0/amount required: is required: " + amount},
		{`{"date":"2026-10-01","type":"CR","amount":1}`, "/transactions/0/type out_of_range: must be CREDIT or DEBIT"},
		{`{"date":"2026-10-01","type":1,"amount":1}`,
			"/transactions/0/type wrong_type: must be a string, but is a number"},
		{`{"date":"2026-10-01","type":"DEBIT","amount":0}`, "/transactions/0/amount out_of_range: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":0.004}`, "/transactions/0/amount out_of_range: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":-5}`, "/transactions/0/amount out_of_range: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":"-5"}`, "/transactions/0/amount out_of_range: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":10000000000.01}`,
			"/transactions/0/amount out_of_range: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":"1,200.00"}`, "/transactions/0/amount wrong_type: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":"1e3"}`, "/transactions/0/amount wrong_type: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":""}`, "/transactions/0/amount wrong_type: " + amount},
		{`{"date":"2026-10-01","type":"DEBIT","amount":[1]}`,
			"/transactions/0/amount wrong_type: " + amount + ", but is an array"},
		{`{"date":"01/10/2026","type":"DEBIT","amount":1}`, "/transactions/0/date out_of_range: " + date},
		{`{"date":"2026-02-29","type":"DEBIT","amount":1}`, "/transactions/0/date out_of_range: " + date},
		{`{"valueDate":"2026-10-01T25:00:00Z","type":"DEBIT","amount":1}`,
			"/transactions/0/valueDate out_of_range: " + date},
		{`{"date":20261001,"type":"DEBIT","amount":1}`,
			"/transactions/0/date wrong_type: must be a string, but is a number"},
		{`{"date":"1989-12-31","type":"DEBIT","amount":1}`,
			"/transactions/0/date out_of_range: must not lie before 1990-01-01"},
		{`{` + good + `,"balance":true}`, "/transactions/0/balance wrong_type: " + balance},
		{`{` + good + `,"currentBalance":"NA"}`, "/transactions/0/currentBalance wrong_type: " + balance},
		{`{` + good + `,"balance":1e11}`, "/transactions/0/balance out_of_range: " + balance},
		{`{` + good + `,"mode":5}`, "/transactions/0/mode wrong_type: must be a string, but is a number"},
		{`{` + good + `,"narration":{}}`, "/transactions/0/narration wrong_type: must be a string, but is an object"},
	} {
		v, err := wire.Parse([]byte(`{"transactions":[` + c.row + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		var faults, warnings fault.List
		ReadStatement(v, bankAsOf, &faults, &warnings)
		if got := strings.TrimSpace(bankListing(faults.Items())); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.row, got, c.want)
		}
	}
}

func TestStatementLists(t *testing.T) {
	t.Parallel()
	row := `{"date":"2026-10-01","type":"CREDIT","amount":1},`
	for _, c := range []struct{ name, summary, want string }{
		{"no list", `{}`, ""},
		{"null", `{"transactions":null}`, ""},
		{"no array", `{"transactions":{}}`, "/transactions wrong_type: must be an array, but is an object"},
		{
			"too many", `{"transactions":[` + strings.TrimSuffix(strings.Repeat(row, MaxTransactions+1), ",") + `]}`,
			"/transactions too_many: has more than 20000 entries",
		},
	} {
		v, err := wire.Parse([]byte(c.summary))
		if err != nil {
			t.Fatal(err)
		}
		var faults, warnings fault.List
		if s := ReadStatement(v, bankAsOf, &faults, &warnings); s != nil {
			t.Errorf("%s: got a statement of %d", c.name, len(s.Transactions))
		}
		if got := strings.TrimSpace(bankListing(faults.Items())); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	s, _ := readBank(t, `{"transactions":[],"declared_emi":-1,"declared_monthly_income":"x"}`, bankAsOf)
	want := &Statement{
		Transactions:            []Transaction{},
		DeclaredIncomePaise:     NoAmount,
		DeclaredInstalmentPaise: NoAmount,
		DueInstalmentPaise:      NoAmount,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("an empty list: -want +got:\n%s", diff)
	}
}

// TestStatementIsForgiving checks that irregular but unambiguous input is read,
// with one warning for each kind.
func TestStatementIsForgiving(t *testing.T) {
	t.Parallel()
	s, warnings := readBank(t, `{"declared_monthly_income":70000.005,"declared_emi":0,"transactions":[
		{"txnId":"A","transactionTimestamp":"2026-09-30T18:45:00Z","valueDate":"2026-09-01","type":"credit","mode":"ft",
			"amount":"62000.50","currentBalance":"71250.40"},
		{"valueDate":"2026-10-02","type":"Debit","mode":"WALLET","amount":"0500","balance":"",
			"currentBalance":"70750.4"},
		{"date":"2026-10-03T10:00:00","type":"INTEREST","amount":12.345,"balance":null},
		{"date":"2026-10-04","type":"OPENING"},
		{"date":"2026-10-04","type":"OTHERS","amount":"x"},
		{"date":"2026-10-05 23:59:59.123+0530","type":"TDS","mode":"ZAP","amount":1,"balance":-5.5},
		{"date":"2026-11-16","type":"INSTALLMENT","amount":3},
		{"date":"2026-11-17","type":"DEBIT","amount":3},
		{"date":"2027-01-01","type":"DEBIT","amount":3}
	]}`, bankAsOf)
	october := func(day int) civil.Day { return civil.DayOf(2026, 10, day) }
	want := &Statement{
		DeclaredIncomePaise: 70000_01, DeclaredInstalmentPaise: 0,
		Transactions: []Transaction{
			{
				Day:          october(1),
				Credit:       true,
				Channel:      Transfer,
				Found:        Income,
				AmountPaise:  62000_50,
				BalancePaise: 71250_40,
			},
			{Day: october(2), AmountPaise: 500_00, BalancePaise: NoAmount, At: 1},
			{Day: october(3), Credit: true, Found: Income, AmountPaise: 12_35, BalancePaise: NoAmount, At: 2},
			{Day: october(5), AmountPaise: 1_00, BalancePaise: -5_50, At: 5},
			{Day: civil.DayOf(2026, 11, 16), AmountPaise: 3_00, BalancePaise: NoAmount, At: 6},
		},
		Breaks: 1,
	}
	// An empty text counts as no balance, and "balance" has priority over "currentBalance".
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	const told = `/transactions later_event: 2 entries dated after the day of the decision were ignored
/transactions no_direction: 2 entries of type OPENING, CLOSING or OTHERS were left out: ` +
		`they do not say which way money went
/transactions unknown_mode: 2 entries have an unknown mode, which was read as OTHERS
/transactions amount_as_text: 2 amounts were sent as text and were read as numbers
/transactions no_time_zone: 1 entries have a time without a time zone, which was read as Indian time
`
	if diff := cmp.Diff(told, bankListing(warnings)); diff != "" {
		t.Errorf("warnings: -want +got:\n%s", diff)
	}
}

// TestStatementOrder checks that rows are sorted by day, and within a day by time if every row has a time.
func TestStatementOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		dates []string
		want  []int32
	}{
		{"as sent", []string{"2026-10-01", "2026-10-01", "2026-10-02"}, []int32{0, 1, 2}},
		{"newest first", []string{"2026-10-02", "2026-10-01", "2026-10-01"}, []int32{2, 1, 0}},
		{"mixed", []string{"2026-10-02", "2026-10-01", "2026-10-03", "2026-10-01"}, []int32{1, 3, 0, 2}},
		{"one day", []string{"2026-10-02", "2026-10-02"}, []int32{0, 1}},
		{"by time", []string{"2026-10-02T11:00:00+05:30", "2026-10-02T05:00:00Z", "2026-10-02T12:00:00+05:30"},
			[]int32{1, 0, 2}},
		{"one has no time", []string{"2026-10-02T11:00:00+05:30", "2026-10-02T05:00:00Z", "2026-10-02"},
			[]int32{0, 1, 2}},
	} {
		var w wire.Writer
		w.Object().Key("transactions").Array()
		for _, date := range c.dates {
			w.Object().Key("date").String(date).Key("type").String("DEBIT").Key("amount").Int(1).EndObject()
		}
		w.EndArray().EndObject()
		s, _ := readBank(t, string(w.Buf), bankAsOf)
		var got []int32
		for _, tx := range s.Transactions {
			got = append(got, tx.At)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", c.name, diff)
		}
	}
}
