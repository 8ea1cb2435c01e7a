package signal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

var bankWords = []string{
	"NEFT SALARY ACME", "ACH D- BAJAJ FINANCE", "ACH RTN BAJAJ FINANCE", "EMI 12", "NACH RETURN CHARGES", "CHQ DEP 1",
	"CHQ RTN 1", "NEFT CR ORCHID HOSPITALS", "UPI/REV/1", "LOAN DISB", "SELF TRF", "UPI/KIRAN", "",
}

// drawSummary generates a bank summary with amounts up to their limits.
func drawSummary(t *rapid.T, asOf civil.Day) []byte {
	money := rapid.SampledFrom([]string{"0", "0.01", "0.005", "9000", "61999.995", "1000000000000", "999999999999.99"})
	var w wire.Writer
	w.Object()
	for _, name := range []string{"income", "emi", "balance", "declared_monthly_income", "declared_emi"} {
		if rapid.Bool().Draw(t, name) {
			w.Key(name).Raw([]byte(money.Draw(t, name)))
		}
	}
	w.Key("transactions").Array()
	for range rapid.IntRange(0, 40).Draw(t, "rows") {
		w.Object().Key("date").String((asOf + 1 - civil.Day(rapid.IntRange(0, 200).Draw(t, "age"))).String())
		w.Key("type").String(rapid.SampledFrom([]string{"CREDIT", "DEBIT"}).Draw(t, "type"))
		w.Key("amount").Raw(
			[]byte(rapid.SampledFrom([]string{"0.01", "500", "5000", "5050", "10000000000"}).Draw(t, "amount")))
		if rapid.Bool().Draw(t, "balanced") {
			w.Key("balance").Raw([]byte(
				rapid.SampledFrom([]string{"-0.01", "0", "7000.33", "-10000000000", "10000000000"}).Draw(t, "balance")))
		}
		w.Key("narration").String(rapid.SampledFrom(bankWords).Draw(t, "narration")).EndObject()
	}
	w.EndArray().EndObject()
	return w.Buf
}

// TestBankFactsHoldTogether checks that related facts agree. bankFacts checks that
// every fact is in its domain.
func TestBankFactsHoldTogether(t *testing.T) {
	t.Parallel()
	asOf := civil.DayOf(2026, 11, 15)
	rapid.Check(t, func(rt *rapid.T) {
		v, err := wire.Parse(drawSummary(rt, asOf))
		if err != nil {
			rt.Fatal(err)
		}
		var faults, warnings fault.List
		s := report.ReadStatement(v, asOf, &faults, &warnings)
		if err := faults.Err(); err != nil {
			rt.Fatal(err)
		}
		list := bankFacts(t, v, s, asOf)
		facts := map[string]rule.Number{}
		for _, nv := range list {
			facts[nv.Name] = nv.Value.Number()
		}
		if t.Failed() {
			rt.Fatal("a fact is wrong")
		}
		_, mismatch := facts["bank_income_mismatch_pct"]
		first, last, whole := report.WholeMonths(s)
		if _, detected := facts["bank_detected_income"]; mismatch && (!detected || !whole || last == first) {
			rt.Fatal("a mismatch that nothing supports")
		}
		if _, aged := facts["bank_last_salary_age_days"]; aged != (facts["bank_salary_months"] > 0) {
			rt.Fatal("a last salary without a month of salary, or the other way round")
		}
		without := bankFacts(t, v, nil, asOf)
		for _, nv := range without {
			switch nv.Name {
			case "bank_income", "bank_emi", "bank_avg_balance", "bank_foir", "bank_abb_to_emi":
			default:
				rt.Fatalf("%s came without transactions", nv.Name)
			}
		}
		if diff := cmp.Diff(list, bankFacts(t, v, s, asOf), cmp.AllowUnexported(rule.Value{})); diff != "" {
			rt.Fatalf("derived twice, it differs:\n%s", diff)
		}
	})
}

func TestBankMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   []int64
		want int64
	}{
		{[]int64{5}, 5}, {[]int64{9, 1}, 5}, {[]int64{1, 2}, 2}, {[]int64{3, 1, 2}, 2}, {[]int64{0, 0, 7, 9}, 4},
	} {
		if got := median(c.in); got != c.want {
			t.Errorf("median of %v: got %d, want %d", c.in, got, c.want)
		}
	}
	if got := mean([]int64{-1, -2}); got != -2 {
		t.Errorf("the mean of -1 and -2 is %d, and is rounded away from zero", got)
	}
}
