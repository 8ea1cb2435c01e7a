package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

const summaryPolicy = `{"name":"Summary","inputs":[{"name":"applicant.employer_category","type":"string"}],
	"required_fields":["bureau_score|bureau_is_ntc"],
	"knockouts":[
		{"id":"KO_SCORE","on_absent":"refer","reason_code":"BUR_SCORE","message":"{age} and {threshold}",
			"condition_ast":{"op":"lt","field":"bureau_score","value":650}},
		{"id":"RF_LIMIT","stage":2,"action":"refer","reason_code":"LARGE",
			"condition_ast":{"op":"gt","field":"offer_limit","value":400000.50}}],
	"adjustments":[
		{"id":"ADJ","delta":-5,"condition_ast":{"op":"gt","field":"enquiry__personal_loan__90d__count","value":3}},
		{"id":"ADJ_UP","delta":2.5,"condition_ast":{"op":"eq","field":"applicant.employer_category","value":"A"}}],
	"scorecard":{"base_points":650,
		"factors":[{"factor":"credit","field":"credit__all__30d__sum","weight":2,"missing_points":-10,
		"when":{"op":"exists","field":"foir"},"bins":[{"lt":700,"points":0},{"gte":700,"points":50}]}]},
	"pricing_bands":[{"id":"P_F","grade":"F","min_score":300,"max_score":900,"action":"decline"},
		{"id":"P_N","grade":"NTC","ntc":true,"action":"decline"}],
	"conditions":[{"code":"PROOF","text":"Salary slips","condition_ast":{"op":"absent","field":"monthly_income"}}]}`

func TestWriteSummary(t *testing.T) {
	t.Parallel()
	p, err := parse([]byte(summaryPolicy))
	if err != nil {
		t.Fatal(err)
	}
	var w wire.Writer
	w.Object().Key("id").String("pol_1")
	p.WriteSummary(&w, func(w *wire.Writer, ruleID string) {
		if ruleID == "ADJ" || ruleID == "RF_LIMIT" {
			w.Key("stats").Object().Key("hits").Int(1).EndObject()
		}
	})
	w.Key("status").String("draft").EndObject()
	const want = `{
  "id": "pol_1",
  "knockouts": [
    {
      "id": "KO_SCORE",
      "stage": 1,
      "action": "decline",
      "reason_code": "BUR_SCORE",
      "on_absent": "refer",
      "condition_ast": {"field": "bureau_score", "op": "lt", "value": 650},
      "condition_text": "bureau_score < 650"
    },
    {
      "id": "RF_LIMIT",
      "stage": 2,
      "action": "refer",
      "reason_code": "LARGE",
      "condition_ast": {"field": "offer_limit", "op": "gt", "value": 400000.5},
      "condition_text": "offer_limit > 400000.5",
      "stats": {"hits": 1}
    },
    {
      "id": "KO_DEVICE_EMULATOR",
      "stage": 1,
      "action": "decline",
      "reason_code": "FR_EMULATOR",
      "system": true,
      "condition_ast": {"field": "device_is_emulator", "op": "eq", "value": true},
      "condition_text": "device_is_emulator = true"
    },
    {
      "id": "KO_FRAUD_MULE_ACCOUNT",
      "stage": 1,
      "action": "decline",
      "reason_code": "FR_MULE",
      "system": true,
      "condition_ast": {"field": "fraud_beneficiary_reuse", "op": "eq", "value": true},
      "condition_text": "fraud_beneficiary_reuse = true"
    }
  ],
  "adjustments": [
    {
      "id": "ADJ",
      "delta": -5,
      "reason_code": "BUR_ENQ",
      "condition_ast": {"field": "enquiry__personal_loan__90d__count", "op": "gt", "value": 3},
      "condition_text": "enquiry__personal_loan__90d__count > 3",
      "stats": {"hits": 1}
    },
    {
      "id": "ADJ_UP",
      "delta": 2.5,
      "condition_ast": {"field": "applicant.employer_category", "op": "eq", "value": "A"},
      "condition_text": "applicant.employer_category = \"A\""
    }
  ],
  "pricing_bands": [
    {"action": "decline", "grade": "F", "id": "P_F", "max_score": 900, "min_score": 300, "ntc": false},
    {"action": "decline", "grade": "NTC", "id": "P_N", "ntc": true}
  ],
  "scorecard_factors": [
    {
      "bins": [{"lt": 700, "points": 0}, {"gte": 700, "points": 50}],
      "factor": "credit",
      "field": "credit__all__30d__sum",
      "missing_points": -10,
      "reason_code": "INC_LOW",
      "weight": 2,
      "when": {"field": "foir", "op": "exists"}
    }
  ],
  "referenced_fields": [
    "age",
    "applicant.employer_category",
    "bureau_is_ntc",
    "bureau_score",
    "credit__all__30d__sum",
    "device_is_emulator",
    "enquiry__personal_loan__90d__count",
    "foir",
    "fraud_beneficiary_reuse",
    "monthly_income",
    "offer_limit"
  ],
  "status": "draft"
}
`
	if diff := cmp.Diff(want, string(goldenJSON(t, w.Buf))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"credit__all__30d__sum", "enquiry__personal_loan__90d__count"},
		p.FeatureNames()); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
	if names := engine.DefaultPolicy().FeatureNames(); len(names) > 0 {
		t.Errorf("the default policy reads the features %v", names)
	}
	var without wire.Writer
	without.Object()
	p.WriteSummary(&without, nil)
	if _, err := wire.Parse(without.EndObject().Buf); err != nil {
		t.Error(err)
	}
}

// TestReferencedFieldsAreThePlans compares ReferencedFields with the fields of
// the plan. A plan reads the fields that the policy names and the fields that
// are needed to price an offer.
func TestReferencedFieldsAreThePlans(t *testing.T) {
	t.Parallel()
	priced := []string{field.BureauIsNTC, field.MonthlyIncome, field.FOIR, field.RequestedAmount,
		field.RequestedTenureMonths}
	for seed := range uint64(rounds(60, 2000)) {
		plan := compile(t, generatePolicy(seed<<20).document)
		all := append(slices.Clone(priced), plan.Policy().ReferencedFields()...)
		slices.Sort(all)
		if diff := cmp.Diff(plan.Fields(), slices.Compact(all)); diff != "" {
			t.Fatalf("seed %d (-plan +policy):\n%s", seed, diff)
		}
	}
}
