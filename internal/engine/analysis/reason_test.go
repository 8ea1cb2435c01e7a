package analysis_test

import (
	"slices"
	"testing"

	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// TestUntrueReasonCodeIsFound checks that a standard reason code that
// contradicts its rule is reported. A code that agrees with the rule, or that
// belongs to a field that the rule does not read, is not reported.
func TestUntrueReasonCodeIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code, condition string
		found           bool
	}{
		{"INC_LOW", `{"op":"gt","field":"monthly_income","value":25000}`, true},
		{"INC_LOW", `{"op":"absent","field":"monthly_income"}`, true},
		{"INC_LOW", `{"op":"lt","field":"monthly_income","value":25000}`, false},
		{"AMT_MIN", `{"op":"gt","field":"requested_amount","value":200000}`, true},
		{"FOIR_HIGH", `{"op":"gt","field":"requested_amount","value":200000}`, false},
		{"INC_MISSING", `{"op":"absent","field":"monthly_income"}`, false},
		{"BUR_SCORE",
			`{
				"op":"and",
				"args":[{"op":"gt","field":"foir","value":0.5},{"op":"lt","field":"bureau_score","value":700}]
			}`,
			false},
	} {
		p := completed(t, []byte(`{"semantics":2,"knockouts":[{"id":"KO","reason_code":"`+c.code+
			`","condition_ast":`+c.condition+`}]}`))
		found := slices.ContainsFunc(analysis.Run(p, field.Catalogue()), func(f analysis.Finding) bool {
			return f.Code == fault.CodeReasonCodeUntrue && f.Pointer == "/knockouts/0" &&
				f.Severity == analysis.SeverityWarning
		})
		if found != c.found {
			t.Errorf("%s for %s: found %t, want %t", c.code, c.condition, found, c.found)
		}
	}
}
