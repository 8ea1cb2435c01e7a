package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// TestFractionsForPercent checks that a fraction given for a price or threshold
// in percent is an error, and that a plausible small number is not.
func TestFractionsForPercent(t *testing.T) {
	t.Parallel()
	band := func(price string) string {
		return `"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"tenure_months":36,
			"min_limit":20000,
			"max_limit":500000,"default_limit":50000,"foir_cap":0.5,` + price + `}]`
	}
	const fine = `"interest_rate":16`
	rule := func(name, op, value string) string {
		return band(fine) + `,"knockouts":[{"id":"KO","reason_code":"X","stage":2,"condition_ast":{"op":"` + op +
			`","field":"` + name + `","value":` + value + `}}]`
	}
	charge := func(kind, amount, gst string) string {
		return band(fine) + `,"charges":[{"id":"c","to":"lender","kind":"` + kind + `","amount":` + amount +
			`,"gst":` + gst + `}]`
	}
	for _, c := range []struct {
		sections string
		want     []string
	}{
		{band(`"interest_rate":0.16`), []string{"interest_rate"}},
		{band(`"interest_rate":0`), nil},
		{band(`"interest_rate":1`), nil},
		{band(fine + `,"processing_fee_pct":0.5,"gst_pct":18`), nil},
		{band(fine + `,"processing_fee_pct":0.02,"gst_pct":0.18`), []string{"gst_pct", "processing_fee_pct"}},
		{band(fine + `,"processing_fee_pct":2,"gst_pct":0.18`), []string{"gst_pct"}},
		{charge("percent", "1.25", "0.18"), []string{"gst"}},
		{charge("percent", "0.0125", "0.18"), []string{"gst", "amount"}},
		{charge("percent", "0.5", "18"), nil},
		{charge("fixed", "0.5", "0.18"), []string{"gst"}},
		{charge("fixed", "500", "0"), nil},
		{rule("offer_apr", "gt", "0.36"), []string{"offer_apr"}},
		{rule("offer_apr", "gt", "3600"), []string{"offer_apr"}},
		{rule("offer_apr", "gt", "36"), nil},
		{rule("bank_income_mismatch_pct", "gt", "0.3"), []string{"bank_income_mismatch_pct"}},
		{rule("bank_income_mismatch_pct", "gt", "0"), nil},
		{rule("bank_income_mismatch_pct", "gt", "30"), nil},
		{rule("bank_emi_mismatch_pct", "lt", "-0.5"), []string{"bank_emi_mismatch_pct"}},
	} {
		var got []string
		for _, f := range analysis.Run(completed(t, []byte(`{`+c.sections+`}`)), field.Catalogue()) {
			if f.Code == fault.CodeUnitMismatch && f.Severity == analysis.SeverityError {
				got = append(got, f.Fields...)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", strings.Join(strings.Fields(c.sections), " "), got, c.want)
		}
	}
}
