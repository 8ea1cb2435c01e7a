package engine_test

import (
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/wire"
)

// TestDeclaredFiguresThatDoNotCount checks a policy that counts only bank
// figures, for applications without them. The message for the applicant does
// not say that the declared income is missing. The detail and a warning for the
// lender name the missing figure.
func TestDeclaredFiguresThatDoNotCount(t *testing.T) {
	t.Parallel()
	const bank = `"semantics":2,"affordability":{"income":{"of":["bank_detected_income"]},
		"obligations":{"of":["bank"]}}`
	const declared = `"monthly_income":80000,"foir":0.1,"requested_amount":400000`
	for _, c := range []struct{ facts, code, message, field, warning string }{
		{`{` + declared + `}`, "INC_MISSING", "The income could not be verified from the bank statement",
			"bank_detected_income", "bank_detected_income"},
		{`{"requested_amount":400000}`, "INC_MISSING", "The income was not given", "bank_detected_income", ""},
		{`{` + declared + `,"bank_detected_income":70000}`, "MISSING_REQUIRED_INPUT",
			"The existing obligations could not be verified from the bank statement", "bank_due_emi", "bank_due_emi"},
		{`{` + declared + `,"bank_detected_income":9000,"bank_due_emi":0}`,
			"FOIR_HIGH", "The instalment would be high compared with income", "foir_effective", ""},
	} {
		d := lessonDecide(t, lessonPlan(t, bank), c.facts)
		if len(d.Reasons) == 0 {
			t.Fatalf("%s: %s without a reason", c.facts, d.Status)
		}
		r := d.Reasons[0]
		detail := d.Detail(r)
		if r.Code != c.code || d.Message(r) != c.message || detail.Field != c.field {
			t.Errorf("%s: %s %q about %s (%s)", c.facts, r.Code, d.Message(r), detail.Field, detail.Text)
		}
		if text := strings.Join(d.Text(), " "); c.code != "FOIR_HIGH" && !strings.Contains(text, c.field) {
			t.Errorf("%s: %s", c.facts, text)
		}
		var w wire.Writer
		d.Write(&w, &engine.Envelope{})
		if got := strings.Contains(string(w.Buf), `"figures_not_counted"`); got != (c.warning != "") {
			t.Errorf("%s: warned %t: %s", c.facts, got, w.Buf)
		}
	}
}
