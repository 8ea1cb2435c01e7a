package backtest

import (
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/wire"
)

// TestRowsOfSeveralPeople checks that a row with a co-applicant and a guarantor gets the same status, limit and
// reasons as a request with the same people.
func TestRowsOfSeveralPeople(t *testing.T) {
	t.Parallel()
	plan := planOf(t, `{"name":"Couples","semantics":2,"include_defaults":false,"people":{"score":"lowest"},
		"affordability":{"income":{"of":["monthly_income"]},"obligations":{"of":["declared"]},"people":"all"},
		"knockouts":[{"id":"KO_SCORE","condition_ast":{"op":"lt","field":"bureau_score","value":700}},
			{"id":"RF_G","action":"refer","condition_ast":{"op":"lt","field":"guarantor.bureau_score","value":720}}],
		"scorecard":{"base_points":700,"factors":[]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":12,"tenure_months":60,
			"min_limit":50000,"max_limit":2000000,"default_limit":50000,"foir_cap":0.5}]}`)
	const header = "bureau_score,monthly_income,foir,requested_amount,co_applicant.bureau_score," +
		"co_applicant.monthly_income,co_applicant.foir,guarantor.bureau_score\n"
	const primary = `{"role":"primary","monthly_income":40000,"foir":0.1,"requested_amount":1500000,
		"bureau_report":{"score":742}}`
	for row, others := range map[string]string{
		"742,40000,0.1,1500000,,,,": "",
		"742,40000,0.1,1500000,780,30000,0.2,": `,{"role":"co_applicant","monthly_income":30000,"foir":0.2,
			"bureau_report":{"score":780}}`,
		"742,40000,0.1,1500000,655,30000,0.2,": `,{"role":"co_applicant","monthly_income":30000,"foir":0.2,
			"bureau_report":{"score":655}}`,
		"742,40000,0.1,1500000,,,,700": `,{"role":"guarantor","bureau_report":{"score":700}}`,
	} {
		body, err := wire.Parse([]byte(`{"applicants":[` + primary + others + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		app, err := application.ReadDecision(body, application.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var d engine.Decision
		plan.Decide(app.Facts, &d)
		report := reportOf(t, header+row+"\n", Setup{}, plan, nil)
		var codes []string
		for _, r := range d.Reasons {
			codes = append(codes, r.Code)
		}
		told := jsonOf(t, report)
		for _, code := range codes {
			if !strings.Contains(told, `"code": "`+code+`"`) {
				t.Errorf("%s: the request gives %v, the row %s", row, codes, told)
			}
		}
		if len(codes) == 0 {
			t.Errorf("%s: no reasons", row)
		}
		counts := map[engine.Status]string{
			engine.Approved: `"approved": 1`, engine.Referred: `"referred": 1`, engine.Declined: `"declined": 1`,
		}
		if !strings.Contains(told, counts[d.Status]) {
			t.Errorf("%s: the request is %s, the row %s", row, d.Status, told)
		}
	}
}
