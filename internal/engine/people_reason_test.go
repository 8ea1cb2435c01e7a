package engine_test

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestReasonsSpeakOfWhoseScoreCounted checks the first reason of declined applications of two people. If the
// co-applicant's score made the difference, the code and the applicant-safe text must be about the co-applicant.
// Otherwise they must not be about the co-applicant.
func TestReasonsSpeakOfWhoseScoreCounted(t *testing.T) {
	t.Parallel()
	const (
		ofOther = "A detail of the co-applicant does not fit this loan"
		yours   = "Your own credit score is below our minimum"
		low     = `"condition_ast": {"op": "lt", "field": "bureau_score", "value": 700}`
		couple  = `{"bureau_score": 742, "co_applicant.bureau_score": 640, "has_co_applicant": true, "age": 20}`
		before  = `{"bureau_score": 742, "co_applicant.bureau_score": 640, "age": 20}`
		alone   = `{"bureau_score": 640, "age": 20}`
		own     = `{"bureau_score": 640, "co_applicant.bureau_score": 742, "has_co_applicant": true, "age": 20}`
		either  = `"condition_ast": {"op": "or", "args": [{"op": "lt", "field": "age", "value": 21},
			{"op": "lt", "field": "bureau_score", "value": 700}]}`
		both = `"condition_ast": {"op": "and", "args": [{"op": "lt", "field": "age", "value": 21},
			{"op": "lt", "field": "bureau_score", "value": 700}]}`
		message = `"applicant_message": "` + yours + `", `
		bins    = `"bins": [{"lt": 700, "points": 0}, {"gte": 700, "points": 300}]}`
	)
	for name, c := range map[string]struct{ score, section, facts, code, message string }{
		"new to credit": {"highest", `"knockouts": [{"id": "K", ` + low + `}]`,
			`{"bureau_is_ntc": true, "co_applicant.bureau_score": 640, "has_co_applicant": true}`, "CO_APPLICANT",
			ofOther},
		"default code": {"lowest", `"knockouts": [{"id": "K", ` + low + `}]`, couple, "CO_APPLICANT", ofOther},
		"own text": {"lowest", `"knockouts": [{"id": "K", ` + message + low + `}]`, couple, "CO_APPLICANT",
			ofOther},
		"own code": {"lowest", `"knockouts": [{"id": "K", "reason_code": "MY_SCORE", ` + message + low + `}]`, couple,
			"CO_APPLICANT", ofOther},
		"own code, both": {"lowest", `"knockouts": [{"id": "K", "reason_code": "MY_SCORE", ` + message + both + `}]`,
			couple, "CO_APPLICANT", ofOther},
		"the age": {"lowest", `"knockouts": [{"id": "K", "reason_code": "MY_AGE", ` + message + either + `}]`, couple,
			"MY_AGE", yours},
		"code of the age": {"lowest", `"knockouts": [{"id": "K", ` + message + both + `}]`, couple,
			"CO_APPLICANT", ofOther},
		"the score of the applicant": {"lowest",
			`"knockouts": [{"id": "K", "reason_code": "MY_SCORE", ` + message + low + `}]`, own, "MY_SCORE", yours},
		"nobody else": {"lowest", `"knockouts": [{"id": "K", "reason_code": "MY_SCORE", ` + message + low + `}]`, alone,
			"MY_SCORE", yours},
		"decided before": {"lowest", `"knockouts": [{"id": "K", "reason_code": "MY_SCORE", ` + message + low + `}]`,
			before, "MY_SCORE", yours},
		"adjustment": {"lowest", `"adjustments": [{"id": "A", "delta": -300, "reason_code": "MY_SCORE", ` + low + `}]`,
			couple, "CO_APPLICANT", ofOther},
		"factor": {"lowest", `"scorecard": {"base_points": 400, "factors": [{"factor": "score", "field": "bureau_score",
			"label": "your score", ` + bins + `]}`, couple, "CO_APPLICANT", ofOther},
		"factor with a code": {"lowest", `"scorecard": {"base_points": 400, "factors": [{"factor": "score",
			"field": "bureau_score", "reason_code": "MY_SCORE", ` + bins + `]}`, couple, "CO_APPLICANT", ofOther},
		"factor, decided before": {"lowest", `"scorecard": {"base_points": 400, "factors": [{"factor": "score",
			"field": "bureau_score", "reason_code": "MY_SCORE", ` + bins + `]}`, before, "MY_SCORE",
			"A detail of the application does not fit this loan"},
		"limit cap": {"lowest",
			`"limit_caps": [{"id": "C", "reason_code": "MY_SCORE", "applicant_message": "` + yours + `",
			"of": {"field": "bureau_score"}}]`, couple, "CO_APPLICANT", ofOther},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			card := `"scorecard": {"base_points": 700, "factors": []}, `
			if c.section[1] == 's' {
				card = ""
			}
			policy, err := engine.ParsePolicy([]byte(`{"name": "Couples", "semantics": 2, "include_defaults": false,
				"people": {"score": "`+c.score+`"}, `+card+c.section+`, "pricing_bands": [{"id": "P", "grade": "A",
				"min_score": 600, "max_score": 900, "interest_rate": 12, "tenure_months": 60, "min_limit": 50000,
				"max_limit": 2000000, "default_limit": 50000, "foir_cap": 0.5}]}`),
				engine.Sources{Catalogue: field.Catalogue()})
			if err != nil {
				t.Fatal(err)
			}
			var d engine.Decision
			engine.Compile(policy, field.Catalogue()).Decide(factsOf(t, c.facts), &d)
			if len(d.Reasons) == 0 || d.Reasons[0].Code != c.code || d.Message(d.Reasons[0]) != c.message {
				t.Fatalf("%s: %+v, want %s: %s", d.Status, d.Reasons, c.code, c.message)
			}
			if detail := d.Detail(d.Reasons[0]); detail.Text == "" {
				t.Error("the lender is told nothing about it")
			}
		})
	}
}
