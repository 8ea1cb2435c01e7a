package training

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// TestSignReversal fits a column whose missing values are bad when the column is
// used alone, but good together with the column that explains them. It checks
// that the report says that the points contradict the evidence.
func TestSignReversal(t *testing.T) {
	t.Parallel()
	d := &draws{51 << 32}
	var b strings.Builder
	b.WriteString("arrears,statement,bad\n")
	for range 12_000 {
		arrears := int(d.next() % 10)
		balance := d.next() % 50
		statement := fmt.Sprint(balance)
		risk := -2.5 + 0.5*float64(arrears)
		if d.unit() < float64(arrears)/11 { // applicants in arrears mostly send no statement
			statement, risk = "", risk-0.7
		} else {
			risk -= 0.06 * (float64(balance) - 25)
		}
		bad := 0
		if d.unit() < 1/(1+exp(-risk)) {
			bad = 1
		}
		fmt.Fprintf(&b, "%d,%s,%d\n", arrears, statement, bad)
	}
	o := Defaults()
	o.Target = "bad"
	r := mustFit(t, b.String(), o)
	reversed := slices.ContainsFunc(r.Report.Warnings, func(w Warning) bool {
		return w.Column == "statement" && w.Code == "sign_reversal" && strings.Contains(w.Detail, `"missing"`)
	})
	if !reversed || r.Report.warned("arrears", "sign_reversal") {
		t.Errorf("warnings %+v", r.Report.Warnings)
	}
	for _, f := range r.Report.Features {
		if f.Reversed != (f.Column == "statement") {
			t.Errorf("%s: reversed %t", f.Column, f.Reversed)
		}
	}
}

// TestReasonsOfTheCard checks that every factor has a reason code and a
// readable label.
func TestReasonsOfTheCard(t *testing.T) {
	t.Parallel()
	r := mustFit(t, loans(4000, 32), quickOptions(t))
	got := map[string]string{}
	for i := range r.Card.Factors {
		f := &r.Card.Factors[i]
		got[f.Field.Name] = f.ReasonCode + " " + f.Label
	}
	want := map[string]string{
		"bureau_score": "BUR_SCORE Score", "monthly_income": "INC_LOW Monthly income",
		"applicant.util_": "FACTOR_UTIL_ Util", "applicant.employment_type": "EMP_TYPE Employment type",
		"applicant.months": "FACTOR_MONTHS Months",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for column, want := range map[string]string{
		"PAY_0":                   "Pay 0",
		"loanAmount":              "Loan amount",
		"%":                       "%",
		"élan":                    "Élan",
		strings.Repeat("ab_", 80): "Ab" + strings.Repeat(" ab", 39) + " ",
	} {
		if got := labelOf(column); strings.TrimSpace(got) != strings.TrimSpace(want) || len(got) > maxLabel {
			t.Errorf("%q is called %q", column, got)
		}
	}
	taken := map[string]bool{}
	for _, name := range []string{"pay_0", "util_", strings.Repeat("x", 64), "a.b-c", "a_b.c"} {
		before := maps.Clone(taken)
		f := engine.Factor{Name: name, Field: rule.Ref{Name: name, ID: rule.Undeclared}}
		setReasonCode(&f, taken)
		if code := f.ReasonCode; before[code] || len(code) > 64 || strings.Trim(code,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			t.Errorf("%q has the code %q", name, code)
		}
	}
}

// TestCodesOfTheCardAreTrue checks that a factor gets its own reason code if it gives more
// points to the values that the catalogue's code calls bad.
func TestCodesOfTheCardAreTrue(t *testing.T) {
	t.Parallel()
	for name, points := range map[string][2]rule.Number{
		"INC_LOW": {0, rule.One}, "FACTOR_MONTHLY_INCOME": {rule.One, 0},
	} {
		id, _ := field.Catalogue().Lookup(field.MonthlyIncome)
		f := engine.Factor{
			Name: "monthly_income", Field: rule.Ref{Name: field.MonthlyIncome, ID: id, Type: rule.NumberType},
			Weight: rule.One, Bins: []engine.Bin{
				{HasMax: true, Max: rule.Int(20000), Points: points[0]},
				{HasMin: true, Min: rule.Int(20000), Points: points[1]},
			},
		}
		if setReasonCode(&f, map[string]bool{}); f.ReasonCode != name {
			t.Errorf("points %v give %s, want %s", points, f.ReasonCode, name)
		}
	}
}
