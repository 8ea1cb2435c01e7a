package policytest

import (
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestCasesStateStoredFacts runs cases with facts that only the service finds, in both forms of a case.
func TestCasesStateStoredFacts(t *testing.T) {
	t.Parallel()
	const application = `{"applicant": {"age": 30}, "bureau_report": {"score": 780}}`
	const declined = `{"status": "DECLINED", "hits": {"KO_FRAUD_BLOCKLISTED": "fail"}}`
	subject := NewSubject(engine.DefaultPolicy())
	for name, text := range map[string]string{
		"txtar": "Somebody on the block list.\n-- application.json --\n" + application +
			"\n-- facts.json --\n{\"fraud_blocklisted\": true}\n-- expect.json --\n" + declined + "\n",
		"JSON": `{"application": ` + application + `, "facts": {"fraud_blocklisted": true}, "expect": ` + declined +
			`}`,
		"without": `{"application": ` + application + `, "expect": {"status": "APPROVED"}}`,
		"harmless": `{"application": ` + application + `, "facts": {"fraud_blocklisted": false,
			"location_pincode_risk": "HIGH", "own_outstanding": 5000.5}, "expect": {"status": "APPROVED"}}`,
	} {
		cases, err := Read([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := subject.Run(name, &cases[0]); !r.Passed() {
			t.Errorf("%s: %v %v", name, r.Refused, r.Differences)
		}
	}
}

// TestStoredFactsAreChecked checks that a case may not state facts of the application,
// wrong types or impossible values.
func TestStoredFactsAreChecked(t *testing.T) {
	t.Parallel()
	for facts, want := range map[string]string{
		`{"age": 30}`:                          "/facts/age: unknown_field",
		`{"own_reference": true}`:              "/facts/own_reference: unknown_field",
		`{"income_effective": 1}`:              "/facts/income_effective: unknown_field",
		`{"no_such_fact": 1}`:                  "/facts/no_such_fact: unknown_field",
		`{"fraud_blocklisted": 1}`:             "/facts/fraud_blocklisted: wrong_type",
		`{"fraud_score": 101}`:                 "/facts/fraud_score: out_of_range",
		`{"own_declines_30d": 1.5}`:            "/facts/own_declines_30d: out_of_range",
		`{"location_pincode_risk": "UNHEARD"}`: "/facts/location_pincode_risk: out_of_range",
		`[]`:                                   "/facts: wrong_type",
	} {
		_, err := Read([]byte(`{"application": {}, "facts": ` + facts + `, "expect": {"status": "APPROVED"}}`))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", facts, err, want)
		}
	}
}
