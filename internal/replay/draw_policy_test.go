package replay_test

import (
	"fmt"
	"slices"

	"verdict/internal/rule"
)

var reasonCodes = []string{"BUR_SCORE", "BUR_ENQ", "FOIR_HIGH", "INC_LOW", "MY_OWN", "FR_RING", "BANK_ABB"}

// declared lists the inputs that a policy may declare. The prefix of a name says
// which request contains it.
var declared = []struct {
	name string
	typ  rule.Type
}{
	{"applicant.employer_category", rule.StringType}, {"applicant.years_employed", rule.NumberType},
	{"report.custom.flag", rule.BoolType}, {"report.custom.index", rule.NumberType},
}

// drawPolicy draws a policy. The sections that it leaves out, often the pricing
// bands, are inherited from the default policy. A policy with semantics 1
// inherits nothing.
func drawPolicy(d dice, key string, number int) object {
	w := &author{
		dice:   d,
		inputs: map[string]rule.Type{},
		fields: []string{"bureau_score", "monthly_income", "foir", "enquiries_6m"},
	}
	first := w.percent(30)
	if !first {
		w.fields = append(w.fields, derived...)
	}
	for range w.between(8, 20) {
		w.fields = append(w.fields, pick(d, fields.stage1...))
	}
	w.fields = append(w.fields, pick(d, features...), pick(d, features...))
	inputs := []any{}
	for _, in := range declared {
		if w.percent(40) {
			w.inputs[in.name] = in.typ
			w.fields = append(w.fields, in.name)
			inputs = append(inputs, object{"name": in.name, "type": in.typ.String()})
		}
	}
	if w.percent(35) {
		w.fields = append(w.fields, pick(d, own...), pick(d, own...), pick(d, own...))
	}
	if w.percent(40) {
		for name, typ := range columns {
			w.inputs[name] = typ
			w.fields = append(w.fields, name)
		}
	}
	slices.Sort(w.fields)
	w.fields = slices.Compact(w.fields)
	policy := object{
		"name": "drawn " + key, "policy_key": key, "inputs": inputs, "include_defaults": w.percent(40),
		"knockouts": w.knockouts(),
		"adjustments": append(w.adjustments(),
			w.rooted(number)...), "conditions": w.conditions(), "scorecard": w.scorecard(),
		"required_fields": pick(d, []any{}, []any{}, []any{"bureau_score|bureau_is_ntc"},
			[]any{"monthly_income", "foir|" + pick(d, w.fields...)}),
	}
	if w.percent(40) {
		policy["pricing_bands"] = w.bands()
		policy["allow_gaps"] = true
	}
	if w.percent(50) {
		policy["limit_step"] = pick(d, 1, 100, 500, 5_000)
	}
	if w.percent(30) {
		policy["features"] = "auto"
	}
	if first {
		policy["base"], policy["semantics"], policy["pricing_bands"], policy["allow_gaps"] = "none", 1, w.bands(), true
	} else if w.percent(60) {
		policy["affordability"] = w.affordability()
	}
	return policy
}

// affordability draws sources of income and of obligations.
func (w *author) affordability() object {
	some := func(from []string, takes ...string) object {
		w.Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
		return object{"of": from[:w.between(1, len(from))], "take": pick(w.dice, takes...)}
	}
	return object{
		"income":      some([]string{"monthly_income", "bank_income", "bank_detected_income"}, "first", "lowest"),
		"obligations": some([]string{"declared", "bureau", "bank"}, "highest", "first"),
	}
}

func (w *author) knockouts() []any {
	list := []any{}
	for i := range w.between(2, 8) {
		stage := pick(w.dice, 1, 1, 2)
		k := object{
			"id": fmt.Sprintf("KO_%d", i), "stage": stage, "action": pick(w.dice, "decline", "refer"),
			"reason_code": pick(w.dice, reasonCodes...), "condition_ast": w.rare(stage == 2),
		}
		if w.percent(20) {
			k["on_absent"] = pick(w.dice, "pass", "refer", "fail")
		}
		list = append(list, k)
	}
	return list
}

func (w *author) adjustments() []any {
	list := []any{}
	for i := range w.IntN(5) {
		list = append(list,
			object{"id": fmt.Sprintf("ADJ_%d", i), "delta": w.points(), "condition_ast": w.condition(3, false)})
	}
	return list
}

func (w *author) conditions() []any {
	list := []any{}
	for i := range w.IntN(3) {
		list = append(list,
			object{"code": fmt.Sprintf("C_%d", i), "text": "bring it", "condition_ast": w.condition(2, false)})
	}
	return list
}

// points draws points that are whole numbers or have the maximum number of
// decimals.
func (w *author) points() float64 {
	if w.percent(70) {
		return float64(w.between(-50, 50))
	}
	return float64(w.between(-50_0000, 50_0000)) / 10_000
}

func (w *author) scorecard() object {
	factors := []any{}
	for i := range w.between(1, 7) {
		f := w.lookup(pick(w.dice, w.fields...))
		factor := object{"factor": fmt.Sprintf("f_%d", i), "field": f.Name, "reason_code": pick(w.dice, reasonCodes...)}
		if f.Type == rule.NumberType {
			factor["bins"] = w.ranges(f)
		} else {
			factor["bins"] = w.sets(f)
		}
		if w.percent(25) {
			delete(factor, "reason_code")
			factor["label"] = "A criterion of ours"
		}
		if w.percent(40) {
			factor["missing_points"] = w.points()
		}
		if w.percent(30) {
			factor["weight"] = pick(w.dice, 0.5, 1.3333, 2)
		}
		if w.percent(20) {
			factor["when"] = w.condition(1, false)
		}
		factors = append(factors, factor)
	}
	return object{"base_points": w.between(560, 720), "min_score": 300, "max_score": 900, "factors": factors}
}

func (w *author) ranges(f *rule.Field) []any {
	cuts := w.ordered(f, w.between(1, 5))
	list := []any{}
	for i := range len(cuts) + 1 {
		bin := object{"points": w.points()}
		if i > 0 {
			bin["gte"] = cuts[i-1]
		}
		if i < len(cuts) {
			bin["lt"] = cuts[i]
		}
		list = append(list, bin)
	}
	return list
}

func (w *author) sets(f *rule.Field) []any {
	words := w.words(f)
	w.Shuffle(len(words), func(i, k int) { words[i], words[k] = words[k], words[i] })
	n := w.between(1, len(words))
	return []any{object{"in": words[:n], "points": w.points()}, object{"else": true, "points": w.points()}}
}

// bands draws pricing bands with an occasional gap, and a band for applicants
// without a score.
func (w *author) bands() []any {
	list := []any{}
	for low := 300; low <= 900; {
		high := min(900, low+w.between(40, 200))
		list = append(list, w.band(len(list), object{"min_score": low, "max_score": high}))
		low = high + 1 + pick(w.dice, 0, 0, 0, 15)
	}
	return append(list, w.band(len(list), object{"ntc": true}))
}

func (w *author) band(n int, b object) object {
	b["id"], b["grade"] = fmt.Sprintf("PB_%d", n), fmt.Sprintf("G%d", n)
	b["action"] = pick(w.dice, "approve", "approve", "approve", "refer", "decline")
	least := pick(w.dice, 5_000, 20_000, 50_000)
	most := least + pick(w.dice, 20_000, 400_000, 2_000_000)
	usual := pick(w.dice, 12, 24, 36)
	b["tenure_months"], b["tenures_allowed"] = usual, []any{6, usual, 48, 60}
	b["min_limit"], b["max_limit"], b["default_limit"] = least, most, least+w.IntN(most-least)/100*100
	b["interest_rate"] = float64(w.between(0, 36_00)) / 100
	b["foir_cap"] = pick(w.dice, 0.4, 0.5, 0.65)
	if w.percent(60) {
		b["income_multiple"] = pick(w.dice, 4, 10.5, 20)
	}
	if w.percent(70) {
		b["processing_fee_pct"], b["processing_fee_min"], b["gst_pct"] = float64(
			w.IntN(3_0000))/10_000, w.IntN(999), pick(w.dice, 0, 18)
	}
	return b
}
