package console

import (
	"testing"

	"verdict/internal/agent"
)

// TestMemoIsReadable checks that amounts, shares and the names of fields in a memo are written as on other pages, and
// that other numbers, conditions and the words of the applicant stay.
func TestMemoIsReadable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ section, line, want string }{
		{
			"Decision", "The offer is 200000 over 48 months. [decision.offer.limit = 200000; decision.offer.emi = 48]",
			"The offer is ₹2,00,000 over 48 months.",
		},
		{"Decision", "The purpose was stated as: foir_effective [request = purpose]",
			"The purpose was stated as: foir_effective"},
		{"Bureau profile", "Owed in all: 1234567. [bureau_own_outstanding = 1234567]", "Owed in all: ₹12,34,567."},
		{"Bureau profile", "Live accounts: 4. [bureau_own_active_tradelines = 4]", "Live accounts: 4."},
		{
			"Income and FOIR",
			"Declared obligations: 0.2 of it, which is 17000 a month. [foir = 0.2; monthly_income = 85000]",
			"Declared obligations: 20 % of it, which is ₹17,000 a month.",
		},
		{
			"Income and FOIR", "With the instalment of 5668 obligations take 0.2667 of income. " +
				"[decision.offer.emi = 5668; decision.offer.post_offer_foir = 0.2667]",
			"With the instalment of ₹5,668 obligations take 26.67 % of income.",
		},
		{
			"Reasons", "Existing obligations are high: PB_C caps obligations at 0.5 of income; " +
				"the limit that leaves is 57000 (foir_effective > 0.5). [reason = FOIR_HIGH; foir_effective = 0.36]",
			"Existing obligations are high: PB_C caps obligations at 50 % of income; the limit that leaves is " +
				"₹57,000 (foir_effective > 50 %).",
		},
		{
			"Counter-offers", "79000 over 36 months at 18.5 percent, instalments of 2876. [then = APPROVED]",
			"₹79,000 over 36 months at 18.5 percent, instalments of ₹2,876.",
		},
		{
			"Missing", "bureau_own_emi was not given, and could lead to anything. [missing = bureau_own_emi]",
			"Bureau own EMI was not given, and could lead to anything.",
		},
	} {
		record := agent.Record{Memo: "# Credit memo\n\n## " + c.section + "\n\n- " + c.line + "\n"}
		if got := readMemo(&record)[0].Items[0].Text; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.line, got, c.want)
		}
	}

	record := agent.Record{
		Memo: "With foir_effective at 0.32 instead of 0.36 (by paying off ₹1828 a month of obligations) it would do.\n",
		Improvements: []agent.RecordedOutcome{{
			Changes: []agent.RecordedChange{{Field: "foir_effective", From: "0.36", To: "0.32"}},
		}},
	}
	const want = "With FOIR at 32 % instead of 36 % (by paying off ₹1,828 a month of obligations) it would do."
	if got := readMemo(&record)[0].Text; got != want {
		t.Errorf("got %s", got)
	}
}
