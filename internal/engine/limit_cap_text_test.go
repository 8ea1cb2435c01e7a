package engine_test

import (
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestTextOfACap checks the text about a limit cap that applicants read. If the cap determines the limit, it is the
// policy's own text. If the cap cannot be computed, the text says what the application lacks.
func TestTextOfACap(t *testing.T) {
	t.Parallel()
	const price = `{"field": "applicant.vehiclePrice"}`
	for name, tc := range map[string]struct {
		of, facts, status, want string
	}{
		"a counter-offer": {
			of: price, facts: `"applicant.vehiclePrice": 50000`, status: "APPROVED",
			want: "At most the price of the vehicle",
		},
		"a decline": {
			of: price, facts: `"applicant.vehiclePrice": 5000`, status: "DECLINED",
			want: "At most the price of the vehicle",
		},
		"a declared input": {of: price, status: "DECLINED", want: engine.MissingDetails + "vehicle price"},
		"several": {
			of: `{"op": "min", "args": [` + price + `, {"field": "age"}, {"field": "bank_avg_balance"},
				{"field": "fraud_score"}]}`,
			status: "DECLINED",
			want: engine.MissingDetails + "vehicle price, the age, details of the bank statement, details of the " +
				"application",
		},
		"of the co-applicant, twice": {
			of:     `{"op": "add", "args": [{"field": "co_applicant.age"}, {"field": "co_applicant.monthly_income"}]}`,
			status: "DECLINED", want: engine.MissingDetails + "details of the co-applicant",
		},
		"nothing lacks": {
			of: `{"op": "div", "args": [{"value": 1}, ` + price + `]}`, facts: `"applicant.vehiclePrice": 0`,
			status: "DECLINED", want: "The amount could not be determined from the details given",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := goldenCompile(t, `{"name": "caps", "semantics": 2, "include_defaults": false,
				"inputs": [{"name": "applicant.vehiclePrice", "type": "number"}],
				"scorecard": {"base_points": 700, "factors": []},
				"pricing_bands": [{"id": "A", "grade": "A", "min_score": 300, "max_score": 900, "interest_rate": 18,
					"tenure_months": 24, "min_limit": 30000, "max_limit": 200000, "default_limit": 50000,
					"foir_cap": 0.5}],
				"limit_caps": [{"id": "CAP", "of": `+tc.of+`,
				"applicant_message": "At most the price of the vehicle"}]}`)
			facts := `{"bureau_score": 742, "monthly_income": 45000, "foir": 0.1, "requested_amount": 100000`
			if tc.facts != "" {
				facts += ", " + tc.facts
			}
			d := lessonDecide(t, plan, facts+"}")
			if d.Status.String() != tc.status || len(d.Reasons) != 1 {
				t.Fatalf("%s with %v", d.Status, d.Reasons)
			}
			if got := d.Message(d.Reasons[0]); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if !strings.Contains(string(plan.Policy().Document()), `"applicant_message":"At most`) {
				t.Error("the stored document lacks the text")
			}
		})
	}
}
