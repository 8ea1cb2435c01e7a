package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestDefaultReasonIsTrue checks the reason of a rule that names no reason
// code. If the rule hit in the direction that a field's code describes, the
// reason is that code; otherwise it is a generated code. An absent value never
// counts as a bad value.
func TestDefaultReasonIsTrue(t *testing.T) {
	t.Parallel()
	leaf := func(name, op, value string) string {
		return fmt.Sprintf(`{"op":%q,"field":%q,"value":%s}`, op, name, value)
	}
	absent := func(name string) string { return fmt.Sprintf(`{"op":"absent","field":%q}`, name) }
	or := func(args ...string) string { return `{"op":"or","args":[` + strings.Join(args, ",") + `]}` }
	and := func(args ...string) string { return `{"op":"and","args":[` + strings.Join(args, ",") + `]}` }
	not := func(arg string) string { return `{"op":"not","arg":` + arg + `}` }
	scoreOrEnquiries := or(leaf("bureau_score", "lt", "700"), leaf("enquiries_6m", "gt", "0"))
	overIncome := `{"op":"gt","left":{"op":"div","args":[{"field":"requested_amount"},{"field":"monthly_income"}]},
		"right":{"value":20}}`
	const own, missing = "RULE_KO", "MISSING_REQUIRED_INPUT"
	for _, c := range []struct{ condition, facts, want string }{
		{leaf("requested_amount", "gt", "200000"), `{"requested_amount":300000}`, own},
		{leaf("requested_amount", "lt", "20000"), `{"requested_amount":3000}`, "AMT_MIN"},
		{leaf("monthly_income", "gt", "25000"), `{"monthly_income":30000}`, own},
		{leaf("monthly_income", "lt", "25000"), `{"monthly_income":3000}`, "INC_LOW"},
		{not(leaf("monthly_income", "gte", "25000")), `{"monthly_income":3000}`, "INC_LOW"},
		{scoreOrEnquiries, `{"bureau_score":750,"enquiries_6m":1}`, "BUR_ENQ"},
		{scoreOrEnquiries, `{"bureau_score":650,"enquiries_6m":1}`, "BUR_SCORE"},
		{scoreOrEnquiries, `{"bureau_score":650}`, "BUR_SCORE"},
		{absent("foir"), `{}`, missing},
		{not(`{"op":"exists","field":"foir"}`), `{}`, missing},
		{or(absent("foir"), leaf("foir", "gt", "0.5")), `{}`, missing},
		{or(absent("foir"), leaf("foir", "gt", "0.5")), `{"foir":0.6}`, "FOIR_HIGH"},
		{and(absent("foir"), leaf("bureau_score", "lt", "700")), `{"bureau_score":650}`, "BUR_SCORE"},
		{leaf("bureau_is_ntc", "eq", "false"), `{"bureau_is_ntc":false}`, own},
		{leaf("bureau_is_ntc", "ne", "false"), `{"bureau_is_ntc":true}`, "BUR_NTC"},
		{leaf("enquiries_6m", "lt", "2"), `{"enquiries_6m":1}`, own},
		{leaf("enquiries_6m", "gte", "0"), `{"enquiries_6m":1}`, own},
		{leaf("max_dpd_12m", "eq", "0"), `{"max_dpd_12m":0}`, own},
		{leaf("max_dpd_12m", "ne", "0"), `{"max_dpd_12m":10}`, "BUR_DPD"},
		{leaf("bureau_months_since_30dpd", "lt", "6"), `{"bureau_months_since_30dpd":2}`, "BUR_DPD"},
		{leaf("bureau_months_since_30dpd", "gt", "6"), `{"bureau_months_since_30dpd":8}`, own},
		{leaf("location_ip_allowed", "eq", "false"), `{"location_ip_allowed":false}`, "LOC_MISMATCH"},
		{`{"op":"between","field":"bureau_score","min":300,"max":650}`, `{"bureau_score":600}`, "BUR_SCORE"},
		{`{"op":"between","field":"bureau_score","min":700,"max":900}`, `{"bureau_score":800}`, own},
		{`{"op":"not","arg":{"op":"between","field":"age","min":21,"max":60}}`, `{"age":70}`, "AGE_RANGE"},
		{leaf("employment_type", "eq", `"RETIRED"`), `{"employment_type":"RETIRED"}`, "EMP_TYPE"},
		{and(leaf("bureau_is_ntc", "eq", "false"), leaf("foir", "gt", "0.5")), `{"bureau_is_ntc":false,"foir":0.6}`,
			"FOIR_HIGH"},
		{overIncome, `{"requested_amount":300000,"monthly_income":10000}`, "INC_LOW"},
	} {
		plan := lessonPlan(t, `"semantics":2,"knockouts":[{"id":"KO","condition_ast":`+c.condition+`}]`)
		d := lessonDecide(t, plan, c.facts)
		if got := codesOf(d); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s over %s: %v, want %s", c.condition, c.facts, got, c.want)
		}
		plan = lessonPlan(t,
			`"semantics":2,"knockouts":[{"id":"KO","reason_code":"FOIR_HIGH","condition_ast":`+c.condition+`}]`)
		if got := codesOf(lessonDecide(t, plan, c.facts)); got[0] != "FOIR_HIGH" {
			t.Errorf("%s with a code of its own: %v", c.condition, got)
		}
		again := readPolicy(t, string(lessonPlan(t,
			`"semantics":2,"knockouts":[{"id":"KO","condition_ast":`+c.condition+`}]`).Policy().Document()))
		if got := codesOf(lessonDecide(t, engine.Compile(again, field.Catalogue()), c.facts)); !slices.Equal(got,
			[]string{c.want}) {
			t.Errorf("%s read back from its document: %v, want %s", c.condition, got, c.want)
		}
	}
}
