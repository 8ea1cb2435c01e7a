package httpapi_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

func quota(t *testing.T, text string) tenant.PricePlans {
	t.Helper()
	plans, err := tenant.DefaultPricePlans().WithQuotas(text)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func TestUsage(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=200")}, func(s *stack) {
		m := s.signup()
		m.get("/v1/usage").want(http.StatusOK).
			is("quota", 200, "used", 0, "remaining", 200, "percent_used", 0, "plan", "free", "overage_allowed", false)
		for range 3 {
			m.post("/v1/decisions", sample).want(http.StatusOK)
		}
		m.post("/v1/decisions", `{}`).want(http.StatusUnprocessableEntity)
		got := m.get("/v1/usage").want(http.StatusOK).is("used", 3, "remaining", 197, "percent_used", 1.5)
		now := s.clock.now()
		want := []any{map[string]any{"date": tenant.BusinessDay(now), "count": 3.0}}
		if diff := cmp.Diff(want, got.list("daily")); diff != "" {
			s.Errorf("daily (-want +got):\n%s", diff)
		}
		period := tenant.PeriodOf(now)
		got.is("period.start", period.Start.Format("2006-01-02T15:04:05-07:00"),
			"period.end", period.End.Format("2006-01-02T15:04:05-07:00"))
		if n := len(m.get("/v1/decisions").list("data")); n != 3 {
			s.Errorf("%d decisions are stored", n)
		}

		// The next month starts from zero.
		s.clock.advance(period.End.Sub(now))
		m.get("/v1/usage").is("used", 0, "remaining", 200)

		if err := s.service.Operator.SetPlan(s.Context(), m.tenantID, "enterprise"); err != nil {
			s.Fatal(err)
		}
		s.clock.advance(stale)
		m.post("/v1/decisions", sample).want(http.StatusOK)
		m.get("/v1/usage").want(http.StatusOK).
			is("plan", "enterprise", "quota", nil, "used", 1, "remaining", nil, "overage_allowed", true)
	})
}

func TestQuotaAdmitsExactly(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=5")}, func(s *stack) {
		m := s.signup()
		m.post("/v1/decisions", sample, "Idempotency-Key: first").want(http.StatusOK)
		admitted, refused := raced(s.race(32, func(int) (answer, error) {
			return s.trySend("POST", "/v1/decisions", m.key, sample)
		}), http.StatusOK)
		if len(admitted) != 4 {
			s.Errorf("%d were admitted to the last four", len(admitted))
		}
		left := tenant.PeriodOf(s.clock.now()).SecondsLeft(s.clock.now())
		for _, a := range refused {
			a.refused(http.StatusTooManyRequests, "quota_exceeded")
			after, err := strconv.ParseInt(a.header.Get("Retry-After"), 10, 64)
			if err != nil || after < left || after > left+60 {
				s.Errorf("come back after %q seconds, want about %d", a.header.Get("Retry-After"), left)
			}
		}
		m.get("/v1/usage").want(http.StatusOK).is("used", 5, "remaining", 0, "percent_used", 100)
		if n := len(m.get("/v1/decisions").list("data")); n != 5 {
			s.Errorf("%d decisions for a quota of 5", n)
		}
		m.get("/v1/decisions/"+admitted[0].text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)

		// Free requests, and replays of billed requests, are still answered.
		m.post("/v1/decisions/preview", sample).want(http.StatusOK)
		m.post("/v1/eligibility", sample).want(http.StatusOK)
		m.post("/v1/decisions", sample, "Idempotency-Key: first").want(http.StatusOK)
		m.post("/v1/decisions", sample, "Idempotency-Key: second").refused(http.StatusTooManyRequests, "quota_exceeded")
		m.with(tenant.Sandbox, tenant.Admin, m.userID).
			post("/v1/decisions", sample).refused(http.StatusTooManyRequests, "quota_exceeded")
		s.signup().post("/v1/decisions", sample).want(http.StatusOK)
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		live.activate(live.get("/v1/rule-sets?order=asc").column("id")[0])
		live.post("/v1/decisions", sample).want(http.StatusOK)
		m.get("/v1/usage").is("used", 5)

		s.clock.advance(tenant.PeriodOf(s.clock.now()).End.Sub(s.clock.now()))
		m.post("/v1/decisions", sample, "Idempotency-Key: second").want(http.StatusOK)
	})
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	rates := tenant.DefaultRates()
	rates.Decide = tenant.Rate{Allowance: 2, Window: 60e9, Burst: 2}
	each(t, stackOptions{plans: tenant.DefaultPricePlans().WithRates(rates)}, func(s *stack) {
		m := s.signup()
		m.post("/v1/decisions", sample).want(http.StatusOK)
		got := m.post("/v1/decisions/preview", sample).want(http.StatusOK)
		policy, rate := got.header.Get("RateLimit-Policy"), got.header.Get("RateLimit")
		if policy != `"decide";q=2;w=60` || rate != `"decide";r=0;t=30` {
			s.Errorf("the headers are %s and %s", policy, rate)
		}
		limited := m.post("/v1/decisions", sample).refused(http.StatusTooManyRequests, "rate_limited")
		if after := limited.header.Get("Retry-After"); after != "30" {
			s.Errorf("come back after %q seconds", after)
		}
		m.post("/v1/rule-sets", `{"name":"x"}`).want(http.StatusCreated) // writes have another rate limit
		m.get("/v1/usage").want(http.StatusOK).is("used", 1)
		m.with(tenant.Sandbox, tenant.Decide, m.userID).post("/v1/decisions", sample).want(http.StatusOK) // another key
		s.clock.advance(30e9)
		m.post("/v1/decisions", sample).want(http.StatusOK)
	})
}

// TestRuleStatistics checks how often a rule hit and how often it could not be
// evaluated. These figures show a knockout that no longer fires.
func TestRuleStatistics(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.decideSeven()
		m.post("/v1/decisions/preview", sample).want(http.StatusOK) // previews are not counted
		s.flush()
		s.flush() // a second flush counts nothing twice
		for path, want := range map[string]any{
			// One of the applicants has no score.
			"/v1/policies?stats=1d": map[string]any{"evaluated": 7.0, "hit": 2.0, "not_evaluated": 1.0},
			"/v1/policies":          nil,
		} {
			got := m.get(path).want(http.StatusOK)
			for i, status := range got.column("status") {
				if status != "active" {
					continue
				}
				if id := got.at("data", i, "knockouts", 0, "id"); id != "KO_MIN_BUREAU_SCORE" {
					s.Errorf("the first knockout is %v", id)
				}
				if diff := cmp.Diff(want, got.at("data", i, "knockouts", 0, "stats")); diff != "" {
					s.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		}
	})
}
