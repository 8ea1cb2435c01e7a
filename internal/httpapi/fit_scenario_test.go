package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// messyRows returns rows as lenders export them: "N/A" for gaps, thousands
// separators, -9 for "never", a weight, a loan number, indeterminate outcomes,
// and a column that was filled in after the outcome.
func messyRows(n int) string {
	var b strings.Builder
	b.WriteString("loan_no,visits,income,since,recovered,w,outcome\n")
	for i := range n {
		visits, outcome, recovered, since := i*7%20, "good", "", fmt.Sprint(i%60)
		if (i*i+visits*visits*3)%97 < 4*visits {
			outcome, recovered = "bad", "1"
		}
		income := fmt.Sprintf(`"%d,%03d"`, 20+i%60, i%1000)
		switch i % 25 {
		case 3:
			income = "N/A"
		case 4:
			outcome = "Grey"
		case 5:
			since = "-9"
		}
		fmt.Fprintf(&b, "LN%06d,%d,%s,%s,%s,%d,%s\n", i, visits, income, since, recovered, 1+i%2, outcome)
	}
	return b.String()
}

// TestFitMessyRows checks that the answer says how the rows were read, and
// which columns were dropped and why.
func TestFitMessyRows(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body := func(more string) string {
			return fmt.Sprintf(`{"target":"outcome","csv":%q,"indeterminate_values":["grey"],"weight":"w",
				"special_values":[-9],"min_iv":0%s}`, messyRows(3000), more)
		}
		got := m.post("/v1/scorecards/fit", body("")).want(http.StatusOK)
		if have := fmt.Sprint(got.at("report", "rows_indeterminate")); have != "120" {
			s.Errorf("%s rows are indeterminate", have)
		}
		notes, dropped := fmt.Sprint(got.at("report", "notes")), fmt.Sprint(got.at("report", "dropped"))
		for _, want := range []string{
			"N/A 120 times", "read_as_missing", "number_format", "weighted", "indeterminate",
		} {
			if !strings.Contains(notes, want) {
				s.Errorf("the notes lack %q: %s", want, notes)
			}
		}
		for _, want := range []string{"code:leak column:recovered", "code:identifier column:loan_no"} {
			if !strings.Contains(dropped, want) {
				s.Errorf("what was left out lacks %q: %s", want, dropped)
			}
		}
		card := fmt.Sprint(got.at("scorecard"))
		if !strings.Contains(card, "special:[-9]") || !strings.Contains(card, "reason_code:FACTOR_VISITS") {
			s.Errorf("the card is %s", card)
		}
		named := m.post("/v1/scorecards/fit", body(`,"include":["recovered"]`)).want(http.StatusOK)
		if notes := fmt.Sprint(named.at("report", "notes")); !strings.Contains(notes, "leak_used") {
			s.Errorf("nothing says that a leak is used: %s", notes)
		}
		m.post("/v1/scorecards/fit", body(`,"include":["recoverd"]`)).
			refused(http.StatusUnprocessableEntity, "unknown_field")
		m.post("/v1/scorecards/fit", strings.Replace(body(""), `"weight":"w"`, `"weight":"loan_no"`, 1)).
			refused(http.StatusUnprocessableEntity, "invalid_field")
	})
}
