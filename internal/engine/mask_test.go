package engine_test

import (
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestDetailsAreMasked checks that a rule on an identifying field reveals
// neither the field's value nor the rule's threshold in the reasons or the
// explanation.
func TestDetailsAreMasked(t *testing.T) {
	t.Parallel()
	const account, pan = "50100044554321", "AAAPZ1234C"
	for _, c := range []struct{ rule, value, text string }{
		{
			`"condition_ast":{"op":"eq","field":"fraud.beneficiary_account","value":"50100044554321"}`, "••••4321",
			"fraud.beneficiary_account is ••••4321 (KO_A)",
		},
		{
			`"message":"account {fraud.beneficiary_account} is {threshold}",
				"condition_ast":{"op":"eq","field":"fraud.beneficiary_account","value":"50100044554321"}`,
			"••••4321", "account ••••4321 is ••••4321",
		},
		{
			`"message":"one of {threshold}","condition_ast":{"op":"in","field":"fraud.beneficiary_account",
				"values":["50100044554321","1"]}`,
			"••••4321", "one of a masked value",
		},
		{
			`"condition_ast":{"op":"eq","field":"applicant.pan","value":"AAAPZ1234C"}`, "••••234C",
			"applicant.pan is ••••234C (KO_A)",
		},
		{
			`"condition_ast":{"op":"gt","field":"location.lat","value":8}`, "absent",
			"location.lat is •••• (KO_A)",
		},
		{`"condition_ast":{"op":"lt","field":"bureau_score","value":650}`,
			"600", "bureau_score is 600 (KO_A: bureau_score < 650)"},
	} {
		policy, err := engine.ParsePolicy([]byte(`{"name":"masked","semantics":2,"include_defaults":false,
			"inputs":[{"name":"applicant.pan","type":"string"}],"scorecard":{"base_points":600,"factors":[]},
			"knockouts":[{"id":"KO_A","stage":1,"action":"decline","reason_code":"X",`+c.rule+`}],
			"pricing_bands":[{"id":"PB","grade":"A","min_score":300,"max_score":900,"interest_rate":14,
				"tenure_months":24,
				"min_limit":10000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]}`),
			engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		var d engine.Decision
		engine.Compile(policy, field.Catalogue()).Decide(
			factsOf(t, `{"fraud.beneficiary_account":"`+account+`","applicant.pan":"`+pan+`",
			"location.lat":19.076,"bureau_score":600,"bureau_is_ntc":false}`), &d)
		detail := d.Detail(d.Reasons[0])
		if detail.Value.String() != c.value || detail.Text != c.text {
			t.Errorf("%s: value %s, text %q", c.rule, detail.Value, detail.Text)
		}
		told := detail.Value.String() + detail.Threshold.String() + detail.Text + strings.Join(d.Text(), "\n")
		for _, secret := range []string{account, pan, "19.07"} {
			if strings.Contains(told, secret) {
				t.Errorf("%s: %s is told: %s", c.rule, secret, told)
			}
		}
		if clear := d.DetailInClear(d.Reasons[0]); clear.Value.Type() == 0 || strings.Contains(clear.Text, "••••") {
			t.Errorf("%s: in clear %s, %q", c.rule, clear.Value, clear.Text)
		}
	}
}
