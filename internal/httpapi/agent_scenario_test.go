package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

const underwriting = "/v1/agents/underwrite"

// These are applications for the underwriting agent, which decides them under
// the default policy.
const (
	sound = `{
		"applicant":{"id":"A-1","monthly_income":85000,"foir":0.2,"requested_amount":200000},
		"bureau_report":{"score":742,"enquiries_6m":1}
	}`
	tooShort = `{"applicant":{"id":"A-2","monthly_income":40000,"foir":0.48,"requested_amount":200000,
		"tenure_months":12},
		"bureau_report":{"score":742,"enquiries_6m":1,"active_tradelines":4,"max_dpd_12m":0}}`
	doubtful = `{
		"applicant":{"id":"A-3","monthly_income":85000,"foir":0.2,"requested_amount":200000},
		"bureau_report":{"score":742,"enquiries_6m":8}
	}`
)

// TestUnderwriting checks that the recommendation agrees with the engine, and
// that the decision of a run is stored like any other. Every proposed change
// must have the promised effect in a preview.
func TestUnderwriting(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		for i, c := range []struct {
			body string
			want []any
			may  []string // effects that improvements may have
		}{
			{sound, []any{"recommendation", "APPROVE", "decision.status", "APPROVED", "needs_human", false}, nil},
			{
				tooShort,
				[]any{"recommendation", "APPROVE_WITH_CHANGES", "decision.status", "DECLINED", "needs_human", false},
				[]string{"APPROVED", "REFERRED"},
			},
			{
				doubtful,
				[]any{"recommendation", "REFER", "decision.status", "REFERRED", "needs_human", true},
				[]string{"APPROVED"},
			},
		} {
			run := m.post(underwriting, c.body).
				want(http.StatusOK).is(c.want...).is("agent", "underwriting", "decision.environment", "sandbox")
			plain := m.post("/v1/decisions/preview", c.body).want(http.StatusOK)
			if run.at("decision", "decision_hash") != plain.at("decision_hash") {
				s.Errorf("%s is decided otherwise than previewed", c.body)
			}
			if effects := run.list("improvements"); (len(effects) > 0) != (c.may != nil) {
				s.Errorf("%d improvements of %s", len(effects), run.text("decision", "status"))
			}
			run.applied(m, c.body, c.may)
			m.get("/v1/usage").is("used", i+1)
			stored := m.get("/v1/decisions/"+run.text("decision", "decision_id")).
				want(http.StatusOK).is("re_explanation.verified", true)
			if whole, err := json.Marshal(run.at("decision")); err != nil || !sameMembers(s.T, whole, stored.body) {
				s.Errorf("stored %s\nanswered %s (%v)", stored.body, whole, err)
			}
		}
		if n := len(m.get("/v1/decisions").list("data")); n != 3 {
			s.Errorf("%d decisions of three runs", n)
		}
		want := []any{map[string]any{"endpoint": "POST /v1/agents/underwrite", "count": 3.0, "billable": true}}
		if diff := cmp.Diff(want, slices.DeleteFunc(m.get("/v1/usage").list("by_endpoint"), func(line any) bool {
			counted, _ := line.(map[string]any)
			return counted["billable"] == false
		})); diff != "" {
			s.Errorf("billed (-want +got):\n%s", diff)
		}
	})
}

// paths maps the fields that the agent proposes to change to their paths in a
// request.
var paths = map[string]string{
	"foir":                    "applicant.foir",
	"requested_amount":        "applicant.requested_amount",
	"requested_tenure_months": "applicant.tenure_months",
	"enquiries_6m":            "bureau_report.enquiries_6m",
	"foir_effective":          "applicant.foir",
}

// applied previews every improvement of a run and fails unless the preview has
// the promised effect and offer.
func (a answer) applied(m *member, body string, may []string) {
	a.t.Helper()
	for i := range a.list("improvements") {
		overrides := map[string]any{}
		for j := range a.list("improvements", i, "changes") {
			name, _ := a.at("improvements", i, "changes", j, "field").(string)
			if paths[name] == "" {
				a.t.Fatalf("%s is not for an applicant to change", name)
			}
			overrides[paths[name]] = a.at("improvements", i, "changes", j, "to")
		}
		changes, err := json.Marshal(overrides)
		if err != nil {
			a.t.Fatal(err)
		}
		effect, _ := a.at("improvements", i, "effect").(string)
		got := m.post("/v1/decisions/preview", strings.TrimSuffix(body, "}")+`,"overrides":`+string(changes)+"}").
			want(http.StatusOK).is("status", effect)
		if !slices.Contains(may, effect) {
			a.t.Errorf("%s promises %s", changes, effect)
		}
		for _, figure := range []string{"limit", "tenure_months", "interest_rate", "emi"} {
			if promised := a.at("improvements", i, figure); promised != nil && promised != got.at("offer", figure) {
				a.t.Errorf("%s promises a %s of %v; it is %v", changes, figure, promised, got.at("offer", figure))
			}
		}
	}
}

// sameMembers reports whether whole has every member of part with the same
// value.
func sameMembers(t *testing.T, part, whole []byte) bool {
	t.Helper()
	var a, b map[string]any
	if json.Unmarshal(part, &a) != nil || json.Unmarshal(whole, &b) != nil {
		t.Fatalf("no objects: %s, %s", part, whole)
	}
	for name, value := range a {
		if !cmp.Equal(value, b[name]) {
			return false
		}
	}
	return len(a) > 0
}

// TestRunsRepeat checks that GET returns a run exactly as it was answered and
// verifies its replay, whichever policy is activated later.
func TestRunsRepeat(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		posted := m.post(underwriting, tooShort).want(http.StatusOK)
		path := "/v1/agents/runs/" + posted.text("run_id")
		hash := ""
		check := func() {
			got := m.get(path).want(http.StatusOK).is("replay.verified", true)
			if !bytes.HasPrefix(got.body,
				slices.Concat(bytes.TrimSuffix(posted.body, []byte("}")), []byte(`,"replay":{`))) {
				s.Errorf("fetched %s\nposted %s", got.body, posted.body)
			}
			hash = got.text("replay", "run_hash")
		}
		check()
		m.arm(`"knockouts":[{"id":"KO_ALL","stage":1,"action":"decline","reason_code":"BUR_SCORE",
			"condition_ast":{"op":"lt","field":"bureau_score","value":900}}]`)
		m.post(underwriting, tooShort).
			want(http.StatusOK).is("recommendation", "DECLINE", "decision.status", "DECLINED")
		check()
		got := m.get("/v1/agents/runs?agent=underwriting&subject_ref=A-2&outcome=APPROVE_WITH_CHANGES").
			want(http.StatusOK)
		want := []any{map[string]any{
			"run_id":      posted.text("run_id"),
			"agent":       "underwriting",
			"outcome":     "APPROVE_WITH_CHANGES",
			"subject_ref": "A-2",
			"decision_id": posted.text("decision", "decision_id"),
			"run_hash":    hash,
			"created_at":  posted.text("created_at"),
		}}
		if diff := cmp.Diff(want, got.list("data")); diff != "" {
			s.Errorf("the list (-want +got):\n%s", diff)
		}
		if n := len(m.walk("/v1/agents/runs?limit=1", "run_id")); n != 2 {
			s.Errorf("page by page there are %d runs", n)
		}
		m.get("/v1/agents/runs?agent=planning").refused(http.StatusUnprocessableEntity, "invalid_field")
		for _, id := range []string{
			"ZEBRA", "run_0000000000000000000000000A", posted.text("decision", "decision_id"), "run_%00",
		} {
			m.get("/v1/agents/runs/"+id).refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}
		for _, stranger := range []*member{s.signup(), m.with(tenant.Live, tenant.Admin, m.userID)} {
			stranger.get(path).refused(http.StatusNotFound, "not_found")
		}
	})
}

// TestRunsAreBilledOnce checks that a run is counted once, and that refused and
// repeated requests are not counted.
func TestRunsAreBilledOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=2")}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.repeats(underwriting, tooShort, http.StatusOK)
		m.repeats(collecting, brokenPromise, http.StatusOK)
		m.post(underwriting, `{"applicant":{}}`).want(http.StatusUnprocessableEntity)
		m.post(collecting, `{"loan":{}}`).want(http.StatusUnprocessableEntity)
		m.post(underwriting, sound).refused(http.StatusTooManyRequests, "quota_exceeded")
		m.post(collecting, brokenPromise).refused(http.StatusTooManyRequests, "quota_exceeded")
		m.get("/v1/usage").is("used", 2, "remaining", 0)
		want := []string{"POST /v1/agents/collections 1 true", "POST /v1/agents/underwrite 1 true"}
		var got []string
		for i := range m.get("/v1/usage").list("by_endpoint") {
			line := m.get("/v1/usage")
			got = append(got, fmt.Sprint(line.at("by_endpoint", i, "endpoint"), " ", line.at("by_endpoint", i, "count"),
				" ", line.at("by_endpoint", i, "billable")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		for path, n := range map[string]int{"/v1/agents/runs": 2, "/v1/decisions": 1} {
			if got := len(m.get(path).list("data")); got != n {
				s.Errorf("%s has %d, want %d", path, got, n)
			}
		}
	})
}

// TestAgentsAskForScopes checks that the decide scope may start runs, that the
// read scope may read runs and the strategy, and that neither may change the
// strategy.
func TestAgentsAskForScopes(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		decides, reads := m.with(tenant.Sandbox, tenant.Decide, m.userID), m.with(tenant.Sandbox, tenant.Read, m.userID)
		run := decides.post(collecting, brokenPromise).want(http.StatusOK)
		decides.post(underwriting, sound).want(http.StatusOK)
		reads.get("/v1/agents/runs/"+run.text("run_id")).want(http.StatusOK).is("replay.verified", true)
		reads.get(strategy).want(http.StatusOK)
		for _, refusal := range []answer{
			reads.post(collecting, brokenPromise), reads.post(underwriting, sound), reads.put(strategy, `{}`),
			decides.put(strategy, `{}`), decides.get(strategy), decides.get("/v1/agents/runs"),
			decides.get("/v1/agents/runs/" + run.text("run_id")),
		} {
			refusal.refused(http.StatusForbidden, "insufficient_scope")
		}
	})
}

// TestUnderwritingNamesItsFaults checks that one refusal lists the faults of
// the application and of the agent's own members.
func TestUnderwritingNamesItsFaults(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		got := m.post(underwriting, `{"applicant":{"foir":771239},"bureau_report":{"score":"ZEBRA"},"purpose":["ZEBRA"],
			"max_steps":771239,
			"as_of":"ZEBRA","explore":{"tenures":[12,771239],"min_amount":-771239,"zebra":1}}`).
			refused(http.StatusUnprocessableEntity, "invalid_field").silent(s, "ZEBRA", "771239")
		want := []string{
			"/applicant/foir out_of_range", "/as_of wrong_type", "/bureau_report/score wrong_type",
			"/explore/min_amount out_of_range", "/explore/tenures/1 out_of_range", "/explore/zebra unknown_field",
			"/max_steps out_of_range", "/purpose wrong_type",
		}
		if diff := cmp.Diff(want, got.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		m.post(underwriting, `[]`).want(http.StatusUnprocessableEntity)
		m.post(underwriting, strings.Replace(sound, `"applicant"`, `"policy_key":"none","applicant"`, 1)).
			refused(http.StatusConflict, "no_active_policy")
		for path, n := range map[string]int{"/v1/agents/runs": 0, "/v1/decisions": 0} {
			if got := len(m.get(path).list("data")); got != n {
				s.Errorf("%s has %d", path, got)
			}
		}
	})
}
