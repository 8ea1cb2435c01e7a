package console

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"500000":      "₹5,00,000",
		"1234.5":      "₹1,234.50",
		"0":           "₹0",
		"999":         "₹999",
		"12345678.05": "₹1,23,45,678.05",
		"-2500":       "−₹2,500",
		"":            "–",
		"0.4":         "₹0.40",
	} {
		if got, err := rupees(text); got != want || err != nil {
			t.Errorf("rupees(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 100000: "1,00,000", 1234567: "12,34,567", -4321: "−4,321",
	} {
		if got, err := count(n); got != want || err != nil {
			t.Errorf("count(%d) = %q, %v; want %q", n, got, err, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 14, 20, 0, 5, 0, time.UTC)
	want := stamp{"15 Nov 2026", "01:30:05", "2026-11-15T01:30:05+05:30"}
	for _, form := range []any{at, at.UnixMicro(), "2026-11-14T20:00:05Z"} {
		got, err := moment(form)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("moment(%v): %v\n%s", form, err, diff)
		}
	}
	for _, never := range []any{time.Time{}, int64(0), "", "yesterday"} {
		if got, _ := instant(never); got != "never" {
			t.Errorf("instant(%v) = %q", never, got)
		}
	}
}

func TestShortIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"dec_01M7F7SC30R6M779K6RJMEFV1Z": "dec_…MEFV1Z",
		"operator":                       "operator",
		"system":                         "system",
		"key_abc":                        "key_abc",
		"":                               "",
	} {
		if got := short(id); got != want {
			t.Errorf("short(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestLocalPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/console/live/keys":               "/console/live/keys",
		"/console/live/audit?actor=x&to=y": "/console/live/audit?actor=x&to=y",
		"/console":                         "",
		"/consolex/":                       "",
		"http://x/console/":                "",
		"//x/console/":                     "",
		"/console/..//x":                   "",
		"/console/%0d%0ax":                 "/console/%0d%0ax",
		"/console/\\x":                     "", "/console/a/../../x": "",
	} {
		if got := localPath(text); got != want {
			t.Errorf("localPath(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestLenderTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"PB_B maximum 500000":                          "PB_B maximum ₹5,00,000",
		"the limit would be 125000.5; at least 200000": "the limit would be 1,25,000.5; at least 2,00,000",
		"monthly_income < 15000":                       "monthly_income < ₹15,000",
		"a set of 10000, 20000, 1234":                  "a set of 10,000, 20,000, 1234",
		"KO_100000, rule 7_123456, 2026-10-100000":     "KO_100000, rule 7_123456, 2026-10-100000",
		"1,50,000 and 0.123456":                        "1,50,000 and 0.123456",
		"score 742, 9999":                              "score 742, 9999",
		"":                                             "",
	} {
		if got := lenderText(text); got != want {
			t.Errorf("lenderText(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestFieldLabelsAndTexts(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"monthly_income": "Monthly income", "foir_effective": "FOIR", "bank_foir": "Bank FOIR",
		"enquiries_6m":       "Enquiries in 6 months",
		"report.cibil.score": "Report cibil score", "": "",
	} {
		if got := fieldLabel(name); got != want {
			t.Errorf("fieldLabel(%q) = %q, want %q", name, got, want)
		}
	}
	for _, c := range []struct {
		field decisioning.FieldValue
		want  string
	}{
		{decisioning.FieldValue{Name: "foir", Unit: "ratio", Value: "0.3256", Given: true}, "32.56 %"},
		{decisioning.FieldValue{Name: "post_offer_foir", Unit: "ratio", Value: "1.2", Given: true}, "120 %"},
		{decisioning.FieldValue{Name: "bank_abb_to_emi", Unit: "ratio", Value: "2.5", Given: true}, "2.5"},
		{decisioning.FieldValue{Name: "foir", Unit: "ratio", Value: "••", Given: true}, "••"},
		{decisioning.FieldValue{Name: "foir", Unit: "ratio"}, "not given"},
	} {
		if got := fieldText(c.field); got != c.want {
			t.Errorf("fieldText(%+v) = %q, want %q", c.field, got, c.want)
		}
	}
}

func TestChangesInWords(t *testing.T) {
	t.Parallel()
	change := func(name, unit, from, to string) decisioning.ImprovementChange {
		value := decisioning.FieldValue{Name: name, Unit: unit, Value: from, Given: from != ""}
		return decisioning.ImprovementChange{FieldValue: value, To: to}
	}
	payOff := change("foir_effective", "ratio", "0.62", "0.45")
	payOff.PayOff = "12000"
	waiting := change("enquiries_6m", "enquiries", "8", "3")
	waiting.Waiting = true
	amount, tenure := "requested_amount", "requested_tenure_months"
	for want, c := range map[string]decisioning.ImprovementChange{
		"Pay off obligations of ₹12,000 a month, so that FOIR falls from 62 % to 45 %": payOff,

		"Wait until enquiries in 6 months falls from 8 to 3": waiting,
		"Ask for ₹3,00,000 instead of ₹5,00,000":             change(amount, "₹", "500000", "300000"),
		"Ask for 36 months instead of 24 months":             change(tenure, "months", "24", "36"),
		"Ask for 36 months":                                  change(tenure, "months", "", "36"),
		"Give bank bounces: 0":                               change("bank_bounces", "bounces", "", "0"),
		"Age: 21 instead of 20":                              change("age", "", "20", "21"),
		"FOIR: 40 % instead of 50 %":                         change("foir", "ratio", "0.5", "0.4"),
	} {
		if got := changeText(c); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestGauges(t *testing.T) {
	t.Parallel()
	of := func(text string) decisioning.FieldValue {
		return decisioning.FieldValue{Value: text, Given: text != ""}
	}
	for _, c := range []struct {
		value, limit string
		want         *gauge
	}{
		{"60", "120", &gauge{41, 83}}, {"120", "60", &gauge{83, 41}}, {"0", "10", &gauge{0, 83}}, {"0", "0", nil},
		{"-1", "10", nil}, {"SALARIED", "10", nil}, {"", "10", nil}, {"90000000000000000", "1", nil},
	} {
		if diff := cmp.Diff(c.want, gaugeOf(of(c.value), of(c.limit))); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", c.value, c.limit, diff)
		}
	}
}

func TestGradeTones(t *testing.T) {
	t.Parallel()
	for grade, want := range map[string]string{
		"A": "rank-a", "A+": "rank-a", "E": "rank-e", "F": "rank-e", "": "", "1": "", "é": "",
	} {
		if got := gradeTone(grade); got != want {
			t.Errorf("gradeTone(%q) = %q, want %q", grade, got, want)
		}
	}
}
