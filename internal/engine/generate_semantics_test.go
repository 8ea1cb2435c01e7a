package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// affordabilityFacts lists the sources of income and obligations other than the declared figures.
var affordabilityFacts = []string{"bank_income", "bank_detected_income", "bureau_own_emi", "bank_due_emi"}

// generateEither returns a policy of semantics 1 or 2, with or without charges, depending on the seed.
func generateEither(seed uint64) *generated {
	g := generatePolicy(seed)
	if seed/2%2 == 1 { // the lowest bit may be the same for all seeds of a test's worker
		g = generateNewest(seed)
	}
	if seed/4%3 == 1 {
		addCharges(g, newDice(^seed<<3))
	}
	return g
}

// addCharges adds charges to a policy. Some of them exceed the smallest loans. The policies of the committed corpus
// have no charges.
func addCharges(g *generated, d *dice) {
	policy := map[string]any{}
	if err := json.Unmarshal(g.document, &policy); err != nil {
		panic(err)
	}
	charges := []any{}
	for i := range d.below(4) {
		c := object{"id": fmt.Sprintf("C%d", i), "to": pick(d, "lender", "third_party"), "kind": "fixed",
			"amount": pick(d, rational(d.between(1, 900_00), 2), rational(d.between(1, 30_000_00), 2))}
		if d.percent(60) {
			c["kind"], c["amount"] = "percent",
				pick(d, rational(d.between(1, 3_0000), 4), rational(d.between(1, 50_0000), 4))
			least := d.between(1, 5_000_00)
			if d.percent(50) {
				c["min"] = rational(least, 2)
			}
			if d.percent(50) {
				c["max"] = rational(least+d.between(0, 50_000_00), 2)
			}
		}
		if d.percent(60) {
			c["gst"] = pick(d, json.Number("0"), json.Number("18"), rational(d.between(0, 50_0000), 4))
		}
		charges = append(charges, c)
	}
	policy["charges"] = charges
	document, err := json.Marshal(policy)
	if err != nil {
		panic(err)
	}
	g.document = document
}

// generateNewest returns a policy of semantics 2. It modifies the result of
// generatePolicy for the same seed, so that generatePolicy and its committed
// corpus need not change.
func generateNewest(seed uint64) *generated {
	g := generatePolicy(seed)
	d := newDice(^seed << 1)
	policy := map[string]any{}
	if err := json.Unmarshal(g.document, &policy); err != nil {
		panic(err)
	}
	policy["semantics"] = 2
	if d.percent(70) {
		policy["affordability"] = d.affordability()
	}
	for _, section := range []string{"knockouts", "adjustments", "conditions", "scorecard"} {
		d.useDerived(policy[section])
	}
	if card, ok := policy["scorecard"].(map[string]any); ok {
		for _, f := range as[[]any](card["factors"]) {
			if factor := as[object](f); d.percent(40) {
				delete(factor, "reason_code")
				factor["label"] = "what people call it"
			}
		}
	}
	if seed < 1<<40 { // the seeds of the committed corpus are larger; its policies have neither segments nor caps
		w := &writer{dice: newDice(seed*0x9e3779b97f4a7c15 + 7), generated: *g, ids: 10_000}
		w.segments(policy)
		w.limitCaps(policy)
		w.people(policy)
		g.fields = w.fields
	}
	document, err := json.Marshal(policy)
	if err != nil {
		panic(err)
	}
	g.document = document
	g.fields = append(g.fields, affordabilityFacts...)
	slices.Sort(g.fields)
	g.fields = slices.Compact(g.fields)
	return g
}

func (d *dice) affordability() object {
	some := func(from []string, takes ...string) object {
		list := slices.Clone(from)
		for i := range list {
			k := i + d.below(len(list)-i)
			list[i], list[k] = list[k], list[i]
		}
		s := object{"of": list[:1+d.below(len(list))]}
		if d.percent(80) {
			s["take"] = pick(d, takes...)
		}
		return s
	}
	out := object{}
	if d.percent(80) {
		out["income"] = some([]string{"monthly_income", "bank_income", "bank_detected_income"}, "first", "lowest")
	}
	if d.percent(90) {
		out["obligations"] = some([]string{"declared", "bureau", "bank"}, "highest", "first")
	}
	return out
}

// useDerived replaces some declared fields with the derived fields.
func (d *dice) useDerived(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			d.useDerived(e)
		}
	case map[string]any:
		derived := map[any]string{"foir": "foir_effective", "monthly_income": "income_effective"}
		if name, ok := derived[v["field"]]; ok && d.percent(60) {
			v["field"] = name
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.useDerived(v[key])
		}
	}
}

// segments gives some bands a condition and adds bands that overlap others.
func (w *writer) segments(policy map[string]any) {
	if w.percent(50) {
		return
	}
	bands := as[[]any](policy["pricing_bands"])
	for _, b := range bands {
		if w.percent(30) {
			as[object](b)["when"] = w.condition(w.below(3), false)
		}
	}
	for range 1 + w.below(3) {
		b := w.band(w.percent(30))
		if b["ntc"] != true || w.percent(50) {
			low := w.between(300, 880)
			b["min_score"], b["max_score"] = low, low+w.between(0, 600)
		}
		b["when"] = w.condition(w.below(3), false)
		bands = slices.Insert(bands, w.below(len(bands)+1), any(b))
	}
	policy["pricing_bands"], policy["allow_gaps"] = bands, true
}

// limitCaps adds limit caps that are computed from the application.
func (w *writer) limitCaps(policy map[string]any) {
	caps := []any{}
	for w.percent(40) && len(caps) < 4 {
		of := w.operand(2, false)
		if of["value"] != nil {
			of = object{"value": w.between(10_000, 600_000)}
		}
		if w.percent(60) {
			of = object{"op": "mul", "args": []any{
				object{"field": pick(w.dice, "requested_amount", "monthly_income", "bank_income")},
				object{"value": pick(w.dice, json.Number("0.8"), json.Number("3.5"), json.Number("0.333333"))},
			}}
		}
		c := object{"id": w.id("CAP"), "of": of}
		if w.percent(60) {
			c["when"] = w.condition(w.below(3), false)
		}
		if w.percent(60) {
			c["reason_code"] = pick(w.dice, reasonCodes...)
		}
		caps = append(caps, c)
	}
	if len(caps) > 0 {
		policy["limit_caps"] = caps
	}
}

// coApplicantFacts lists the facts about a co-applicant that the engine itself can read.
var coApplicantFacts = []string{
	"co_applicant.bureau_score", "co_applicant.monthly_income", "co_applicant.foir", "co_applicant.bank_income",
	"co_applicant.bank_detected_income", "co_applicant.bureau_own_emi", "co_applicant.bank_due_emi",
}

// people makes some policies count the figures and the score of a co-applicant.
func (w *writer) people(policy map[string]any) {
	if w.percent(50) {
		return
	}
	w.fields = slices.Concat(w.fields, coApplicantFacts)
	if w.percent(60) {
		policy["people"] = object{"score": pick(w.dice, "primary", "lowest", "lowest", "highest")}
	}
	if w.percent(70) {
		section, ok := policy["affordability"].(object)
		if !ok {
			section = object{}
			policy["affordability"] = section
		}
		section["people"] = "all"
	}
}
