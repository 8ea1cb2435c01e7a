package report

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// sample is one row of a generated statement.
type sample struct {
	kind, mode, narration string
	day                   civil.Day
	second                int
	paise                 int64
	balance               int64
}

// narrationSamples returns the rows of testdata/narrations.txt.
var narrationSamples = sync.OnceValue(func() []sample {
	data, err := os.ReadFile("testdata/narrations.txt")
	if err != nil {
		panic(err)
	}
	var list []sample
	for line := range strings.Lines(string(data)) {
		parts := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || len(parts) != 3 {
			continue
		}
		head := strings.Fields(parts[0])
		list = append(list, sample{kind: head[0], mode: head[1], narration: strings.TrimSpace(parts[1])})
	}
	return list
})

// writeSamples writes the rows in the given order. If noise is not "", it adds
// members that are not read.
func writeSamples(rows []sample, order []int, noise string) []byte {
	var w wire.Writer
	w.Object()
	if noise != "" {
		w.Key("vendor").String(noise)
	}
	w.Key("transactions").Array()
	for _, i := range order {
		r := rows[i]
		clock := string([]byte{
			'T', byte('0' + r.second/36000), byte('0' + r.second/3600%10), ':', byte('0' + r.second/600%6),
			byte('0' + r.second/60%10), ':', byte('0' + r.second%60/10), byte('0' + r.second%10),
		})
		w.Object()
		if noise != "" {
			w.Key("category").String(noise).Key("txn_id").String(noise).Key("tags").Array().EndArray()
		}
		w.Key("narration").String(r.narration).Key("amount").Decimal(r.paise, 2).Key("type").String(r.kind).
			Key("balance").Decimal(r.balance, 2).Key("mode").String(r.mode).
			Key("date").String(r.day.String() + clock + "+05:30")
		if noise != "" {
			w.Key("reference").String(noise)
		}
		w.EndObject()
	}
	w.EndArray().EndObject()
	return w.Buf
}

// drawSamples generates rows with different times. It uses only a few amounts,
// so that returns match their debits and instalments form series.
func drawSamples(t *rapid.T) []sample {
	n := rapid.IntRange(0, 60).Draw(t, "rows")
	rows := make([]sample, n)
	for i := range rows {
		rows[i] = rapid.SampledFrom(narrationSamples()).Draw(t, "row")
		rows[i].day = bankAsOf - civil.Day(rapid.IntRange(0, 120).Draw(t, "age"))
		rows[i].second = i
		rows[i].paise = rapid.SampledFrom([]int64{500_00, 5000_00, 5050_00, 40000_00}).Draw(t, "paise")
		rows[i].balance = rapid.Int64Range(-100_00, 100_00).Draw(t, "balance")
	}
	return rows
}

// parseBank reads a document as a statement and fails the test if there are
// faults.
func parseBank(t *rapid.T, document []byte) *Statement {
	t.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	var faults, warnings fault.List
	s := ReadStatement(v, bankAsOf, &faults, &warnings)
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStatementOrderOfSending checks that neither the order of the rows in the
// request nor additional members change the statement.
func TestStatementOrderOfSending(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rows := drawSamples(t)
		order := make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		want := parseBank(t, writeSamples(rows, order, ""))
		checkStatement(t, want)
		if diff := cmp.Diff(want, parseBank(t, writeSamples(rows, order, "SALARY EMI NACH RTN"))); diff != "" {
			t.Fatalf("other members changed it:\n%s", diff)
		}
		shuffled := rapid.Permutation(order).Draw(t, "order")
		got := parseBank(t, writeSamples(rows, shuffled, ""))
		for i := range got.Transactions {
			got.Transactions[i].At = int32(shuffled[got.Transactions[i].At])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the order of sending changed it:\n%s", diff)
		}
	})
}

// checkStatement checks the invariants of a statement.
func checkStatement(t interface{ Errorf(string, ...any) }, s *Statement) {
	const ofCredits = Income | Salary | LoanCredit | Refund
	const ofDebits = LoanInstalment | CardBill | BillPayment | Investment | Charge | DepositedReturn
	const notIncome = LoanCredit | SelfTransfer | Refund | IssuedBounce
	for i := range s.Transactions {
		tx := &s.Transactions[i]
		f := tx.Found
		switch {
		case i > 0 && tx.Day < s.Transactions[i-1].Day:
			t.Errorf("row %d is out of order", i)
		case tx.AmountPaise <= 0 || tx.AmountPaise > maxBankPaise:
			t.Errorf("row %d moves %d", i, tx.AmountPaise)
		case tx.Credit && f&ofDebits != 0, !tx.Credit && f&ofCredits != 0:
			t.Errorf("row %d goes the wrong way for %s", i, foundText(f))
		case f&Salary != 0 && f&Income == 0, f&Income != 0 && f&notIncome != 0,
			tx.Credit && f&(Income|notIncome) == 0 && f != 0:
			t.Errorf("row %d is %s", i, foundText(f))
		case f&LoanInstalment != 0 && f&(IssuedBounce|Charge|CardBill) != 0:
			t.Errorf("row %d is %s", i, foundText(f))
		}
	}
	if first, paise := EndOfDay(s); len(paise) > 0 && first+civil.Day(len(paise))-1 != s.Last() {
		t.Errorf("the days end at %s and not at %s", first+civil.Day(len(paise))-1, s.Last())
	}
	if s.Breaks < 0 || s.Breaks > max(0, len(s.Transactions)-1) {
		t.Errorf("%d breaks in %d rows", s.Breaks, len(s.Transactions))
	}
}

// FuzzReadStatement reads arbitrary bytes. Reading must not panic and must give
// few warnings, and the statement must satisfy the invariants of checkStatement.
func FuzzReadStatement(f *testing.F) {
	rows := slices.Clone(narrationSamples())
	order := make([]int, len(rows))
	for i := range rows {
		order[i], rows[i].paise, rows[i].day = i, 5000_00, bankAsOf-civil.Day(i%97)
	}
	for few := range slices.Chunk(order, 6) {
		f.Add(writeSamples(rows, few, ""))
	}
	for _, seed := range []string{
		`{}`, `{"transactions":[]}`, `{"transactions":[null,{}]}`,
		`{"transactions":[{"date":"2026-11-16","type":"debit","amount":"1","narration":"ACH RTN CHG"}]}`,
		`{"declared_emi":1e14,
		"transactions":[{"valueDate":"1990-01-01","type":"INTEREST","amount":1e10,"currentBalance":"-9"},
		  {"transactionTimestamp":"2026-10-01T00:00:00Z","type":"DEBIT","amount":0.005,"mode":"FT",
			"narration":"chq rtn é"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		var faults, warnings fault.List
		s := ReadStatement(v, bankAsOf, &faults, &warnings)
		if warnings.Len() > 5 {
			t.Errorf("%d warnings", warnings.Len())
		}
		if s == nil {
			return
		}
		checkStatement(t, s)
		var again fault.List
		if diff := cmp.Diff(s, ReadStatement(v, bankAsOf, &again, &again)); diff != "" {
			t.Errorf("read twice, it differs:\n%s", diff)
		}
	})
}
