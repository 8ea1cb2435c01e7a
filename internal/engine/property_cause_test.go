package engine_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestEveryReasonIsACause checks that the reasons of semantics 2 are true. A cause is a rule, a requirement, the
// limit or the score that would give the status on its own. If all causes are removed, the status improves. If
// everything except the causes is removed, it stays the same.
func TestEveryReasonIsACause(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	for seed := range uint64(rounds(250, 5_000)) {
		seed += 3_000_000
		g := generateNewest(seed)
		document := unmarshal(t, g.document)
		d := newDice(^seed)
		for range 8 {
			facts := g.facts(d)
			checkCauses(t, document, facts, outcomes)
			if t.Failed() {
				t.Fatalf("seed %d\npolicy %s\nfacts %s", seed, g.document, encode(t, facts))
			}
		}
	}
	for _, what := range []string{"declined by a rule alone",
		"declined by the score", "referred", "a rule that is no cause"} {
		if outcomes[what] < 10 {
			t.Errorf("only %d applications were %s", outcomes[what], what)
		}
	}
}

func checkCauses(t *testing.T, document object, facts object, seen map[string]int) {
	t.Helper()
	plan := compileObject(t, document)
	d := decide(t, plan, facts)
	if d.Status == engine.Approved {
		return
	}
	// priced is the status that the score and the limit give if there are no
	// rules and no required fields.
	bare := maps.Clone(document)
	bare["knockouts"], bare["required_fields"], bare["include_defaults"] = []any{}, []any{}, false
	priced := decide(t, compileObject(t, bare), facts).Status
	byPrice := priced == d.Status

	causes, others := splitRules(plan, d)
	if len(others) > 0 {
		seen["a rule that is no cause"]++
		kept := decide(t, compileObject(t, without(document, others)), facts)
		if kept.Status != d.Status || !slices.Equal(codesOf(kept), codesOf(d)) {
			t.Errorf("without the rules %v, which are no causes, %s %v becomes %s %v",
				others, d.Status, codesOf(d), kept.Status, codesOf(kept))
		}
	}
	removed := without(document, causes)
	removed["required_fields"] = []any{}
	if byPrice {
		removed = withoutPrice(removed)
	}
	plan = compileObject(t, removed)
	left := decide(t, plan, facts)
	if failed, _ := splitRules(plan, left); byPrice && left.Status == engine.Declined && len(failed) == 0 {
		return // nothing can be lent to this applicant at any price
	}
	if left.Status >= d.Status {
		t.Errorf("%s for %v, and without all causes still %s", d.Status, codesOf(d), left.Status)
	}
	if !byPrice {
		for _, code := range codesOf(d) {
			if strings.HasPrefix(code, "POINTS_") || strings.HasPrefix(code, "FACTOR_") {
				t.Errorf("%s is a reason, and the score alone gives %s", code, priced)
			}
		}
	}
	switch {
	case d.Status == engine.Referred:
		seen["referred"]++
	case byPrice:
		seen["declined by the score"]++
	default:
		seen["declined by a rule alone"]++
	}
}

// splitRules returns the rules that hit in two groups: rules that would give
// the status on their own, and all others.
func splitRules(plan *engine.Plan, d *engine.Decision) (causes, others []string) {
	status := map[engine.Result]engine.Status{engine.ResultRefer: engine.Referred, engine.ResultFail: engine.Declined}
	for _, h := range plan.NewTracer().Read(d).Hits {
		if id := plan.Policy().Knockouts[h.Knockout].ID; status[h.Result] == d.Status {
			causes = append(causes, id)
		} else {
			others = append(others, id)
		}
	}
	return causes, others
}

func codesOf(d *engine.Decision) (codes []string) {
	for _, r := range d.Reasons {
		codes = append(codes, r.Code)
	}
	return codes
}

// without returns a policy without the knockouts with these ids. System rules
// become ordinary rules, so that they can be removed too.
func without(document object, ids []string) object {
	out := maps.Clone(document)
	out["include_defaults"] = false
	kept := []any{}
	for _, k := range slices.Concat(as[[]any](document["knockouts"]), systemRulesOf(document)) {
		if id, _ := as[object](k)["id"].(string); !slices.Contains(ids, id) {
			kept = append(kept, k)
		}
	}
	out["knockouts"] = kept
	return out
}

// systemRulesOf returns the rules that "include_defaults" would merge.
func systemRulesOf(document object) []any {
	if document["include_defaults"] == false {
		return nil
	}
	var out []any
	for _, system := range []object{
		systemKnockout("KO_DEVICE_EMULATOR", "FR_EMULATOR", "device_is_emulator"),
		systemKnockout("KO_FRAUD_MULE_ACCOUNT", "FR_MULE", "fraud_beneficiary_reuse"),
		systemKnockout("KO_FRAUD_BLOCKLISTED", "FR_RING", "fraud_blocklisted"),
	} {
		given := func(k any) bool { return as[object](k)["id"] == system["id"] }
		if !slices.ContainsFunc(as[[]any](document["knockouts"]), given) {
			out = append(out, system)
		}
	}
	return out
}

// withoutPrice returns a policy in which neither score nor limit can decline: a
// single band accepts every score and lends any amount. It also removes the
// Stage 2 rules, which can read the offer.
func withoutPrice(document object) object {
	out := maps.Clone(document)
	out["knockouts"] = slices.DeleteFunc(slices.Clone(as[[]any](document["knockouts"])), func(k any) bool {
		return as[object](k)["stage"] != nil && number(as[object](k)["stage"]) == 2
	})
	band := func(id string, ntc bool) object {
		return object{
			"id": id, "grade": "ANY", "ntc": ntc, "min_score": -1_000_000, "max_score": 1_000_000, "interest_rate": 10,
			"tenure_months": 12, "min_limit": 12, "max_limit": 10_000_000, "default_limit": 100_000, "foir_cap": 5,
		}
	}
	out["pricing_bands"], out["limit_caps"] = []any{band("PB_ANY", false), band("PB_ANY_NTC", true)}, []any{}
	return out
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

func compileObject(tb testing.TB, document object) *engine.Plan {
	tb.Helper()
	return compile(tb, encode(tb, document))
}

// unmarshal reads a policy and renames the reason codes of lost points, so that
// they differ from the codes of all rules.
func unmarshal(tb testing.TB, document []byte) object {
	tb.Helper()
	policy := object{}
	if err := json.Unmarshal(document, &policy); err != nil {
		tb.Fatal(err)
	}
	rename := func(o object) {
		if code, ok := o["reason_code"].(string); ok && code != "MISSING_REQUIRED_INPUT" {
			o["reason_code"] = "POINTS_" + code
		}
	}
	for _, f := range as[[]any](as[object](policy["scorecard"])["factors"]) {
		rename(as[object](f))
		for _, b := range as[[]any](as[object](f)["bins"]) {
			rename(as[object](b))
		}
	}
	for _, a := range as[[]any](policy["adjustments"]) {
		rename(as[object](a))
	}
	return policy
}

// TestAgeIsTheOneReason checks that a decline because of age has no other
// reason.
func TestAgeIsTheOneReason(t *testing.T) {
	t.Parallel()
	plan := compile(t, engine.DefaultPolicyJSON())
	facts := object{
		"bureau_is_ntc": false, "bureau_score": json.Number("760"), "foir": json.Number("0.2"),
		"monthly_income": json.Number("80000"), "enquiries_6m": json.Number("0"),
		"bureau_own_active_tradelines": json.Number("3"), "bureau_own_max_dpd_12m": json.Number("0"),
		"age": json.Number("65"),
	}
	old := decide(t, plan, facts)
	if got := codesOf(old); old.Status != engine.Declined || !slices.Equal(got, []string{"AGE_RANGE"}) {
		t.Errorf("aged 65: %s %v", old.Status, got)
	}
	facts["age"] = json.Number("45")
	if young := decide(t, plan, facts); young.Status != engine.Approved || young.Grade != "A" {
		t.Errorf("aged 45: %s %s", young.Status, young.Grade)
	}
}

// TestGenericFactorCodes checks a decline by score under a scorecard without
// reason codes. The reasons name the factors in words and do not say that there
// is no band.
func TestGenericFactorCodes(t *testing.T) {
	t.Parallel()
	plan := lessonPlan(t,
		`"semantics":2,"inputs":[{"name":"applicant.years_employed","type":"number"},
		{"name":"applicant.city","type":"string"}],
		"scorecard":{"base_points":700,"factors":[
		 {"factor":"years.employed","field":"applicant.years_employed","label":"Years with the employer",
		  "bins":[{"lt":2,"points":-300},{"gte":2,"points":0}]},
		 {"factor":"home_city","field":"applicant.city","bins":[{"in":["X"],"points":-99},{"else":true,"points":0}]}]},
		"pricing_bands":[{"id":"P","grade":"A","min_score":600,"max_score":900,"interest_rate":16,"tenure_months":36,
		 "min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.5}]`)
	d := decide(t, plan, object{"applicant.years_employed": json.Number("1"), "applicant.city": "X"})
	if got := codesOf(d); d.Status != engine.Declined || !slices.Equal(got,
		[]string{"FACTOR_YEARS_EMPLOYED", "FACTOR_HOME_CITY"}) {
		t.Fatalf("%s %v", d.Status, got)
	}
	var texts []string
	for _, r := range d.Reasons {
		texts = append(texts, d.Message(r))
	}
	want := []string{
		"One of the lender's scoring criteria: Years with the employer",
		"One of the lender's scoring criteria: home city",
	}
	if !slices.Equal(texts, want) {
		t.Errorf("the applicant reads %q", texts)
	}
}
