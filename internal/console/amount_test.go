package console

import (
	"testing"

	"verdict/internal/decisioning"
)

// TestAmountsHaveTheirUnits checks that texts for people have amounts with ₹ and the digit grouping of India, and
// shares in percent, and that numbers without such a unit stay.
func TestAmountsHaveTheirUnits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"monthly_income < 25000":                       "monthly_income < ₹25,000",
		"foir_effective is 0.45 (KO_F: foir > 0.4)":    "foir_effective is 45 % (KO_F: foir > 40 %)",
		"monthly_income between 25000 and 100000":      "monthly_income between ₹25,000 and ₹1,00,000",
		"requested_amount not in (500, 100000)":        "requested_amount not in (₹500, ₹1,00,000)",
		"age < 21 and bureau_score >= 650":             "age < 21 and bureau_score >= 650",
		"requested_amount < 3 * monthly_income":        "requested_amount < 3 * monthly_income",
		"monthly_income / requested_amount > 0.5":      "monthly_income / requested_amount > 0.5",
		"monthly_income is 1,50,000 or more":           "monthly_income is 1,50,000 or more",
		"PB_B minimum 50000, a minimum of 3 years":     "PB_B minimum ₹50,000, a minimum of 3 years",
		"PB_C caps obligations at 0.5 of income":       "PB_C caps obligations at 50 % of income",
		"CAP allows at most 9000 (asset_price * 0.8)":  "CAP allows at most ₹9,000 (asset_price * 0.8)",
		"at most 500000 in all":                        "at most ₹5,00,000 in all",
		"Limit of 30000, capped by PB_C FOIR cap 0.55": "Limit of ₹30,000, capped by PB_C FOIR cap 55 %",
		"foir is 0.6, which scores -15 points":         "foir is 60 %, which scores -15 points",
		"without monthly_income PB_D lends its default limit of 20000": "without monthly_income PB_D lends its " +
			"default limit of ₹20,000",
		"the policy lends at most 500000 to one person in all; 450000 is outstanding and 20000 is offered": "the " +
			"policy lends at most ₹5,00,000 to one person in all; ₹4,50,000 is outstanding and ₹20,000 is offered",
	} {
		if got := lenderText(text); got != want {
			t.Errorf("lenderText(%q)\n got %s\nwant %s", text, got, want)
		}
	}
	for _, c := range []struct{ section, text, want string }{
		{"limit_step", "1000", "₹1,000"},
		{"factors", "monthly_income; < 20000: -15; [20000, 50000): 2", "monthly_income; < ₹20,000: -15; [₹20,000, " +
			"₹50,000): 2"},
		{"factors", "bureau_score; < 650: -60", "bureau_score; < 650: -60"},
		{"pricing_bands", "B 700 to 724, 16 % over 48 months, 20000 to 500000, default 50000, FOIR cap 0.55",
			"B 700 to 724, 16 % over 48 months, ₹20,000 to ₹5,00,000, default ₹50,000, FOIR cap 55 %"},
		{"knockouts", "", ""},
	} {
		if got := changeWords(c.section, c.text); got != c.want {
			t.Errorf("a change of %s: got %s, want %s", c.section, got, c.want)
		}
	}
}

// TestReasonsHaveTheirUnitsOnce checks that the share with which a reason compares is written in percent only once.
func TestReasonsHaveTheirUnitsOnce(t *testing.T) {
	t.Parallel()
	foir := decisioning.DescribedField("foir_effective")
	foir.Value, foir.Given = "0.61", true
	limit := foir
	limit.Value = "0.6"
	c := decisioning.Cause{Field: foir, Limit: limit, RuleID: "KO_FOIR"}
	for text, want := range map[string]string{
		"foir_effective is 0.61 (KO_FOIR: foir_effective >= 0.6)": "The rule holds when foir_effective >= 60 %.",
		"foir_effective between 0.61 and 0.7":                     "Foir_effective between 61 % and 70 %.",
		"A FOIR of 0.61 is above 0.6; 20000 is owed":              "A FOIR of 61 % is above 60 %; 20,000 is owed.",
	} {
		if c.Text = text; beside(c) != want {
			t.Errorf("beside(%q)\n got %s\nwant %s", text, beside(c), want)
		}
	}
}

// TestReasonsOfAuthorsHaveUnits checks that the value and the limit in the message of a policy's author have units, and
// that a short number, which may count something else, stays.
func TestReasonsOfAuthorsHaveUnits(t *testing.T) {
	t.Parallel()
	income := decisioning.DescribedField("monthly_income")
	income.Value, income.Given = "20000", true
	limit := income
	limit.Value = "25000"
	c := decisioning.Cause{Field: income, Limit: limit}
	if got := ofCause(c, "An income of 20000 is below 25000."); got != "An income of ₹20,000 is below ₹25,000." {
		t.Errorf("got %s", got)
	}
	c.Field.Value = "6"
	if got := ofCause(c, "6 of the last 12 months."); got != "6 of the last 12 months." {
		t.Errorf("got %s", got)
	}
}
