package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// alone is a policy without a base. It approves every applicant unless an added
// rule decides otherwise.
const alone = `"base":"none","include_defaults":false,` + oneBand + `,"scorecard":{"base_points":700,"factors":[]},`

// enquiryRule declines applicants with a personal loan enquiry within 30 days.
// The constant history contains such an enquiry.
const enquiryRule = alone + `"knockouts":[{"id":"KO_FEATURE","stage":1,"action":"decline","reason_code":"BUR_ENQ",
	"condition_ast":{"op":"gte","field":"enquiry__personal_loan__30d__count","value":1}}]`

// notRequested returns the fields and the detail of the warning that features
// were not requested, or "" if there is no such warning.
func (a answer) notRequested(path ...any) string {
	a.t.Helper()
	for i := range a.list(append(path, "warnings")...) {
		if a.at(append(slices.Clone(path), "warnings", i, "code")...) == "features_not_requested" {
			return fmt.Sprint(a.at(append(slices.Clone(path), "warnings", i, "fields")...), " ",
				a.at(append(slices.Clone(path), "warnings", i, "detail")...))
		}
	}
	return ""
}

// TestFeaturesNotRequested checks that a request without the features flag is
// decided without features, and that the answer has a warning.
func TestFeaturesNotRequested(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		forgot, asked := evaluation(742, history), evaluation(742, history, askFeatures)
		// A policy that names no feature decides the same with and without
		// features.
		plain := m.post("/v1/evaluate", forgot).want(http.StatusOK)
		if plain.notRequested() != "" {
			s.Errorf("a policy without features: %s", plain.body)
		}
		m.post("/v1/evaluate", asked).want(http.StatusOK).is("decision_hash", plain.text("decision_hash"))
		m.arm(enquiryRule)
		s.clock.advance(stale)

		got := m.post("/v1/evaluate", forgot).want(http.StatusOK).is("status", "APPROVED")
		for _, part := range []string{"enquiry__personal_loan__30d__count", `"features": true`, `"auto"`} {
			if !strings.Contains(got.notRequested(), part) {
				s.Errorf("the warning does not say %s: %s", part, got.notRequested())
			}
		}
		m.get("/v1/decisions/"+got.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)
		for name, warned := range map[string]answer{
			"said no":     m.post("/v1/evaluate", evaluation(742, history, block{"features", "false"})),
			"a decision":  m.post("/v1/decisions", sample),
			"a preview":   m.post("/v1/decisions/preview", forgot),
			"eligibility": m.post("/v1/eligibility", forgot),
		} {
			if warned.want(http.StatusOK).notRequested() == "" {
				s.Errorf("%s: no warning in %s", name, warned.body)
			}
		}
		if run := m.post("/v1/agents/underwrite", forgot).want(http.StatusOK); run.notRequested("decision") == "" {
			s.Errorf("the agent's decision has no warning: %s", run.body)
		}
		m.post("/v1/evaluate", asked).want(http.StatusOK).is("status", "DECLINED")
		for name, quiet := range map[string]answer{
			"asked for":             m.post("/v1/evaluate", asked),
			"asked for, no sources": m.post("/v1/evaluate", evaluation(742, "", askFeatures)),
			"eligibility":           m.post("/v1/eligibility", asked),
		} {
			if quiet.want(http.StatusOK).notRequested() != "" {
				s.Errorf("%s: warned in %s", name, quiet.body)
			}
		}
	})
}

// TestFeaturesNotRequestedOfEligibility checks that eligibility, which runs
// only the Stage 1 rules, warns only about the features of these rules.
func TestFeaturesNotRequestedOfEligibility(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(strings.Replace(enquiryRule, `"stage":1`, `"stage":2`, 1))
		s.clock.advance(stale)
		forgot := evaluation(742, history)
		if got := m.post("/v1/eligibility", forgot).want(http.StatusOK); got.notRequested() != "" {
			s.Errorf("warned of what it does not run: %s", got.body)
		}
		if got := m.post("/v1/evaluate", forgot).want(http.StatusOK); got.notRequested() == "" {
			s.Errorf("the decision has no warning: %s", got.body)
		}
	})
}

// TestFeaturesAuto checks that a policy with automatic features computes them
// for every request, and that the answer shows them only on request.
func TestFeaturesAuto(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		id := m.arm(`"features":"auto",` + enquiryRule)
		s.clock.advance(stale)
		m.get("/v1/rule-sets/"+id).want(http.StatusOK).is("features", "auto")
		forgot, asked := evaluation(742, history), evaluation(742, history, askFeatures)

		plain := m.post("/v1/evaluate", forgot).want(http.StatusOK).is("status", "DECLINED", "features", nil)
		if plain.notRequested() != "" {
			s.Errorf("warned: %s", plain.body)
		}
		shown := m.post("/v1/evaluate", asked).
			want(http.StatusOK).is("status", "DECLINED", "decision_hash", plain.text("decision_hash"))
		m.get("/v1/decisions/"+plain.text("decision_id")).want(http.StatusOK).is("re_explanation.verified", true)
		stored := "/v1/decisions/" + plain.text("decision_id") + "/features"
		m.get(stored).want(http.StatusOK).is("vector_hash", shown.text("features", "vector_hash"))
		if got := m.features(stored + "?used_only=true"); len(got) != 1 || string(got[0].Value) != "1" {
			s.Errorf("the policy's features are %v", got)
		}

		m.post("/v1/decisions/preview", forgot).want(http.StatusOK).is("status", "DECLINED", "features", nil)
		m.post("/v1/eligibility", forgot).want(http.StatusOK).is("status", "DECLINED")
		run := m.post("/v1/agents/underwrite", forgot).want(http.StatusOK).is("decision.status", "DECLINED")
		m.get("/v1/decisions/"+run.text("decision", "decision_id")+"/features").
			want(http.StatusOK).is("vector_hash", shown.text("features", "vector_hash"))

		// A report without accounts or a statement causes no warning. A request
		// to /v1/decisions causes a warning, because it cannot contain accounts
		// or a statement.
		if got := m.post("/v1/evaluate", evaluation(742, "")).want(http.StatusOK); got.notRequested() != "" {
			s.Errorf("warned: %s", got.body)
		}
		got := m.post("/v1/decisions", sample).want(http.StatusOK)
		if !strings.Contains(got.notRequested(), "/v1/evaluate") {
			s.Errorf("not warned: %s", got.body)
		}

		// A fork inherits the setting unless the fork itself sets it.
		made := m.post("/v1/rule-sets", `{"name":"on request","features":"on_request"}`).want(http.StatusCreated)
		fork := made.text("id")
		from, to := made.at("changes", 0, "from"), made.at("changes", 0, "to")
		if from != "auto" || to != "on_request" {
			s.Errorf("features changed from %v to %v", from, to)
		}
		m.post("/v1/decisions/preview", strings.Replace(forgot, "{", `{"rule_set_id":"`+fork+`",`, 1)).
			want(http.StatusOK).is("status", "APPROVED")
	})
}

// TestCatalogueOfAPolicy checks that each policy reads the features of its own
// catalogue, and that a stored vector names its catalogue.
func TestCatalogueOfAPolicy(t *testing.T) {
	t.Parallel()
	const bounces = "issued_bounce__nach__90d__count" // its window begins before the two-month statement
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		rule := alone + `"knockouts":[{"id":"KO_BOUNCES","stage":1,"action":"decline","reason_code":"BANK_BOUNCE",
			"condition_ast":{"op":"gte","field":"` + bounces + `","value":2}}]`
		older := m.arm(`"semantics":1,` + rule)
		s.clock.advance(stale)
		body := evaluation(742, history, bank, askFeatures)
		first := m.post("/v1/evaluate", body).want(http.StatusOK).is("status", "DECLINED", "features.catalogue", 1)

		newer := m.arm(`"semantics":2`)
		s.clock.advance(stale)
		second := m.post("/v1/evaluate", body).want(http.StatusOK).is("status", "APPROVED", "features.catalogue", 2)
		if first.text("features", "vector_hash") == second.text("features", "vector_hash") {
			s.Error("both catalogues have one hash")
		}
		for _, c := range []struct {
			decided   answer
			catalogue int
			value     string
			records   int
			covered   string
		}{{first, 1, "2", 2, ""}, {second, 2, "null", 0, "2026-09-01"}} {
			path := "/v1/decisions/" + c.decided.text("decision_id")
			m.get(path).want(http.StatusOK).is("re_explanation.verified", true)
			m.get(path+"/features").want(http.StatusOK).
				is("catalogue", c.catalogue, "vector_hash", c.decided.text("features", "vector_hash"))
			got := m.features(path + "/features?provenance=true&name=" + bounces)[0]
			if p := got.Provenance; string(got.Value) != c.value || p.Total != c.records || p.CoveredFrom != c.covered {
				s.Errorf("catalogue %d: %s of %d records, covered from %s", c.catalogue,
					got.Value, p.Total, p.CoveredFrom)
			}
		}

		// Preview one application under both policies.
		ask := func(id string) answer {
			return m.post("/v1/decisions/preview", strings.Replace(body, "{", `{"rule_set_id":"`+id+`",`, 1)).
				want(http.StatusOK)
		}
		ask(older).is("status", "DECLINED", "features.catalogue", 1, "facts."+bounces, 2)
		ask(newer).is("status", "APPROVED", "features.catalogue", 2, "facts."+bounces, nil)
		both := m.post("/v1/decisions/preview",
			strings.Replace(body, "{", `{"compare":true,"rule_set_id":"`+older+`",`, 1)).want(http.StatusOK)
		both.is("baseline.features.catalogue", 2, "variant.features.catalogue", 1, "baseline.status", "APPROVED",
			"variant.status", "DECLINED")
	})
}

// TestReplayByCatalogue checks that the two policies of a replay each read the
// features of their own catalogue, whichever policy made the decision. This
// includes features that the deciding policy did not name.
func TestReplayByCatalogue(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		rule := func(feature string) string {
			return alone + `"knockouts":[{"id":"KO_FEATURE","stage":1,"action":"decline","reason_code":"BANK_BOUNCE",
				"condition_ast":{"op":"gte","field":"` + feature + `","value":1}}]`
		}
		const uncovered, covered = "issued_bounce__nach__90d__count", "credit__all__60d__count"
		older := m.arm(`"semantics":1,` + rule(uncovered))
		s.clock.advance(stale)
		body := evaluation(742, history, bank, askFeatures)
		m.post("/v1/evaluate", body).want(http.StatusOK).is("status", "DECLINED")
		m.post("/v1/evaluate", evaluation(742, history, bank)).want(http.StatusOK).is("status", "APPROVED")
		newer := m.arm(`"semantics":2`)
		s.clock.advance(stale)
		m.post("/v1/evaluate", body).want(http.StatusOK).is("status", "APPROVED")
		others := m.draft(`{"name":"others",` + rule(covered) + `}`)
		s.clock.advance(stale)

		replay := func(champion, challenger string) answer {
			return m.post("/v1/backtest", fmt.Sprintf(`{
				"decisions":{"from":"2020-01-01T00:00:00Z"},
				"rule_set_id":%q,"challenger_rule_set_id":%q
			}`,
				champion, challenger)).want(http.StatusOK).is("rows_evaluated", 3)
		}
		const first, second = "summary", "challenger.summary"
		replay(older, newer).is(
			first+".declined", 2, first+".approved", 1, second+".declined", 0, second+".approved", 3)
		replay(newer, older).is(
			first+".declined", 0, first+".approved", 3, second+".declined", 2, second+".approved", 1)
		replay(newer, others).is(
			first+".declined", 0, first+".approved", 3, second+".declined", 2, second+".approved", 1)
		replay(older, older).is(first+".declined", 2, second+".declined", 2)
	})
}
