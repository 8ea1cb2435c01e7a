package feature

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCatalogueSize(t *testing.T) {
	t.Parallel()
	pairs := map[string]bool{}
	names := map[string]bool{}
	for n := range All() {
		pairs[n.Metric+" "+n.Product] = true
		if names[n.String()] {
			t.Errorf("%s is there twice", n)
		}
		names[n.String()] = true
	}
	if len(pairs) != 97 {
		t.Errorf("%d pairs of metric and product, want 97", len(pairs))
	}
	if len(names) != 3492 || Count != 3492 {
		t.Errorf("%d names and Count = %d, want 3492", len(names), Count)
	}
}

// TestCatalogueIsTheContracts compares the metrics and their products with a
// second list, so that an edit of the table cannot change a product unnoticed.
func TestCatalogueIsTheContracts(t *testing.T) {
	t.Parallel()
	const (
		p11 = "all unsecured secured personal_loan small_ticket_loan credit_card consumer_loan vehicle_loan " +
			"home_loan gold_loan business_loan"
		p4  = "all unsecured secured credit_card"
		ch5 = "all upi transfer cash other"
	)
	want := map[string]string{
		"enquiry": p11, "account_opened": p11, "outstanding": p11, "dpd_1plus": p11,
		"dpd_30plus": p4, "dpd_90plus": p4, "account_closed": p4, "overdue": p4, "adverse": p4,
		"emi": "all unsecured secured personal_loan", "credit": ch5, "debit": ch5, "income": "all upi cash",
		"salary": "all", "emi_debit": "all", "card_bill": "all", "bill_payment": "all", "investment": "all",
		"issued_bounce": "all nach cheque", "deposited_return": "all", "loan_credit": "all", "self_transfer": "all",
		"charge": "all", "eod_balance": "all", "low_balance_day": "all", "income_gap": "all", "emi_gap": "all",
	}
	for m := range Metrics() {
		if got := strings.Join(m.Products, " "); got != want[m.Name] {
			t.Errorf("%s has products %q, want %q", m.Name, got, want[m.Name])
		}
		if monthly := strings.HasPrefix(m.Name, "dpd_") || strings.HasSuffix(m.Name, "_gap"); m.Monthly != monthly {
			t.Errorf("%s: Monthly is %t", m.Name, m.Monthly)
		}
		delete(want, m.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing metrics: %v", want)
	}
}

func TestMetricsAreComplete(t *testing.T) {
	t.Parallel()
	for m := range Metrics() {
		if m.Source != Bureau && m.Source != Bank || m.Unit != Rupees && m.Unit != Days {
			t.Errorf("%s: source %q, unit %q", m.Name, m.Source, m.Unit)
		}
		if m.Event == "" || m.Dated == "" || m.Value == "" || m.Ratio == "" {
			t.Errorf("%s lacks a text: %+v", m.Name, m)
		}
		for _, p := range m.Products {
			if ProductText(p) == "" {
				t.Errorf("%s: the product %s has no words", m.Name, p)
			}
		}
	}
}

func TestNamesRoundTrip(t *testing.T) {
	t.Parallel()
	grammar := regexp.MustCompile(`^[a-z0-9_]+__[a-z_]+__(7|30|60|90|180|365)d__(count|sum|max|avg|trend|ratio)$`)
	for n := range All() {
		if !grammar.MatchString(n.String()) {
			t.Errorf("%s is outside the grammar", n)
		}
		if back, ok := Parse(n.String()); !ok || back != n {
			t.Errorf("Parse(%s) = %+v, %t", n, back, ok)
		}
	}
}

func TestParseRefusesOtherNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "__", "______", "enquiry", "enquiry__personal_loan", "enquiry__personal_loan__90d",
		"enquiry__personal_loan__90__count", "enquiry__personal_loan__090d__count",
		"enquiry__personal_loan__+90d__count", "enquiry__personal_loan__91d__count", "enquiry__personal_loan__d__count",
		"enquiry__personal_loan__90d__median", "enquiry__personal_loan__90d__count__",
		"enquiry__personal_loan__90d__count__count", "_enquiry__all__90d__count", "enquiry___all__90d__count",
		"Enquiry__all__90d__count", "enquiry__upi__90d__count", "salary__personal_loan__90d__sum",
		"enquiry__all__90d__count ", "bureau_score",
	} {
		if n, ok := Parse(name); ok {
			t.Errorf("Parse(%q) = %+v", name, n)
		}
	}
}

func TestMeaning(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"enquiry__personal_loan__90d__count": "Hard enquiries (personal loans) made in the last 90 days: how many.",
		"enquiry__all__7d__sum":              "Hard enquiries made in the last 7 days: the total amount asked, in ₹.",
		"dpd_30plus__credit_card__7d__max": "Account-months at least 30 days past due (credit cards) reported in " +
			"the newest month on record, if it ended within 7 days: the largest number of days past due.",
		"income_gap__all__365d__trend": "Whole months in which less income was detected than declared counted in " +
			"the newest 12 months on record: the trend of the total shortfall, these months against as many before " +
			"them, from -1 (falling) to 1 (rising).",
		"debit__cash__60d__trend": "Debits from the account (cash and ATM) made in the last 60 days: the trend of " +
			"the total amount, the newer half of the window against the older half, from -1 (falling) to 1 (rising).",
		"emi__secured__180d__ratio": "Live accounts with an instalment (secured credit) opened in the last 180 " +
			"days: instalments ÷ instalments of all live accounts.",
	} {
		n, ok := Parse(name)
		if got := n.Meaning(); !ok || got != want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, want)
		}
	}
	if got := (Name{Metric: "unheard_of"}).Meaning(); got != "" {
		t.Errorf("an unknown metric means %q", got)
	}
	seen := map[string]Name{}
	for n := range All() {
		text := n.Meaning()
		if other, dup := seen[text]; dup {
			t.Errorf("%s and %s read alike: %s", n, other, text)
		}
		seen[text] = n
	}
}

func TestListsAreCopies(t *testing.T) {
	t.Parallel()
	WindowsDays()[0], Aggregations()[0] = 0, ""
	if WindowsDays()[0] != 7 || Aggregations()[0] != CountOf {
		t.Error("a caller changed the catalogue")
	}
	if !slices.IsSorted(WindowsDays()) {
		t.Error("windows are not shortest first")
	}
}

func TestUnit(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"enquiry__all__7d__count": "count", "enquiry__all__7d__sum": "₹", "dpd_1plus__all__7d__avg": "days",
		"enquiry__all__7d__trend": "index", "dpd_1plus__all__7d__ratio": "ratio",
	} {
		n, _ := Parse(name)
		if got := n.Unit(); got != want {
			t.Errorf("%s is in %q, want %q", name, got, want)
		}
	}
}
