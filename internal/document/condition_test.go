package document_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/document"
	"verdict/internal/wire"
)

// TestConditionTexts checks that a condition that cannot be read is left out,
// and that the other conditions still get their texts.
func TestConditionTexts(t *testing.T) {
	t.Parallel()
	got := document.ConditionTexts(parsed(t, `{
		"inputs":[{"name":"applicant.vip","type":"boolean"},7],
		"knockouts":[
			{"condition_ast":{"op":"lt","field":"foir","value":0.5}},
			{"condition_ast":{"op":"lt","field":"nonsense","value":0.5}},
			{"stage":2,"condition_ast":{"op":"lt","field":"final_score","value":690}},
			{"condition_ast":"text"}, 3],
		"adjustments":[{"condition_ast":{"op":"eq","field":"applicant.vip","value":true}}],
		"conditions":[{"condition_ast":{"op":"absent","field":"age"}}],
		"scorecard":{"factors":[{"factor":"f","field":"report.x","type":"string",
			"when":{"op":"eq","field":"report.x","value":"y"}}]}}`))
	want := map[string]string{
		"/knockouts/0/condition_ast":   "foir < 0.5",
		"/knockouts/2/condition_ast":   "final_score < 690",
		"/adjustments/0/condition_ast": "applicant.vip = true",
		"/conditions/0/condition_ast":  "age is absent",
		"/scorecard/factors/0/when":    `report.x = "y"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func parsed(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}
