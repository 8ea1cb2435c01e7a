package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBacktestWithErased replays stored decisions after some applicants were erased, once synchronously and once as
// a job. The erased decisions count as rows that could not be evaluated. The figures of the other decisions do not
// change.
func TestBacktestWithErased(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for i, score := range []string{"742", "781", "600", "-1", "812", "655", "699", "701", "720", "745", "767"} {
			body := strings.Replace(sample, "742", score, 1)
			if i%4 == 1 {
				// An open offer would defer the erasure.
				body = strings.Replace(strings.Replace(sample, "742", "442", 1), `"A-1"`, `"A-gone"`, 1)
			}
			m.post("/v1/decisions", body).want(http.StatusOK)
		}
		m.post("/v1/erasures", `{"applicant_ref":"A-gone","reason":"applicant_request"}`).want(http.StatusCreated)
		ask := `{"challenger_rule_set_id":"` + m.stricter() + `","decisions":{"from":"2020-01-01T00:00:00Z"}}`
		got := m.post("/v1/backtest", ask).want(http.StatusOK).
			is("rows_evaluated", 8, "rows_failed", 3, "actual.agreement_rate", 1, "source", "decisions")
		want := []any{map[string]any{"code": "erased", "count": 3.0}}
		if diff := cmp.Diff(want, got.list("row_errors_by_code")); diff != "" {
			s.Errorf("the rows that failed (-want +got):\n%s", diff)
		}
		spread := &waiting{}
		limits := tiny
		limits.ReplayRows = 4
		job := m.on(s.node(stackOptions{backtests: limits, spread: spread}))
		done := job.finish(spread, job.post("/v1/backtest", ask))
		if diff := cmp.Diff(figures(s.T, got.object()), figures(s.T, done.at("report"))); diff != "" {
			s.Errorf("a job (-at once +job):\n%s", diff)
		}
		rows := m.get("/v1/backtest/" + done.text("backtest_id") + "/rows").want(http.StatusOK)
		if n := strings.Count(string(rows.body), "FAILED,,,,,erased,FAILED"); n != 3 {
			s.Errorf("%d rows are erased:\n%s", n, rows.body)
		}
	})
}
