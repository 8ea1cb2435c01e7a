package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

func (g *generated) typeOf(name string) rule.Type {
	if id, ok := field.Catalogue().Lookup(name); ok {
		return field.Catalogue().Field(id).Type
	}
	return g.types[name]
}

// words returns the values that a string or boolean field may be compared with.
func (g *generated) words(name string) []any {
	if g.typeOf(name) == rule.BoolType {
		return []any{true, false}
	}
	vocabulary := openWords
	if id, ok := field.Catalogue().Lookup(name); ok {
		if closed := field.Catalogue().Field(id).Values; len(closed) > 0 {
			vocabulary = closed
		}
	}
	out := make([]any, len(vocabulary))
	for i, word := range vocabulary {
		out[i] = word
	}
	return out
}

// scales gives the usual range of number fields, in millionths. The range of a
// field that is not listed is -1 to 15.
var scales = map[string][2]int64{
	"bureau_score": {600e6, 850e6}, "bureau_report.score": {-1e6, 900e6}, "monthly_income": {10_000e6, 200_000e6},
	"applicant.monthly_income": {10_000e6, 200_000e6}, "bank_income": {10_000e6, 200_000e6}, "foir": {0, 700_000},
	"bank_foir": {0, 700_000}, "requested_amount": {5_000e6, 900_000e6}, "requested_tenure_months": {6e6, 60e6},
	"age": {18e6, 70e6}, "max_dpd_12m": {0, 90e6}, "bank_avg_balance": {-20_000e6, 90_000e6},
	"bank_summary.balance": {-20_000e6, 90_000e6}, "bank_income_mismatch_pct": {-50e6, 100e6},
	"location.lat": {-90e6, 90e6}, "salary__all__180d__trend": {-1e6, 1e6},
	"outstanding__unsecured__365d__ratio": {0, 1e6}, "bureau_card_utilisation": {0, 1_200_000},
	"final_score": {300e6, 900e6}, "offer_limit": {5_000e6, 900_000e6}, "offer_emi": {500e6, 30_000e6},
	"offer_apr": {0, 40e6}, "post_offer_foir": {0, 1e6}, "fraud_score": {0, 100e6}, "location_pincode_risk_score": {0,
		100e6}, "eod_balance__all__90d__avg": {-5_000e6, 90_000e6}, "report.incomeAssessment.foir": {0, 70e6},
}

// value returns a usual value of a number field in millionths, mostly a round
// number.
func (d *dice) value(name string) int64 {
	scale, ok := scales[name]
	if !ok {
		scale = [2]int64{-1e6, 15e6}
	}
	n := d.between(scale[0], scale[1])
	span := scale[1] - scale[0]
	for _, unit := range []int64{10_000e6, 1_000e6, 5e6, 1e6, 10_000} {
		if span > 8*unit && d.percent(70) {
			return n / unit * unit
		}
	}
	return n
}

// threshold returns a value for a condition and records it, so that facts are
// drawn near it.
func (w *writer) threshold(name string) json.Number {
	n := w.value(name)
	if w.percent(4) {
		n = pick(w.dice, int64(0), -1e6, 1e18)
	}
	w.near[name] = append(w.near[name], n)
	return micros(n)
}

// condition returns a condition that has at most depth levels above its predicates. Rarely, it returns a predicate
// under six negations.
func (w *writer) condition(depth int, stage2 bool) object {
	if w.percent(1) { // a deep condition that stays within the limit of 16 levels at any position
		c := w.predicate(false)
		for range 6 {
			c = object{"op": "not", "arg": c}
		}
		return c
	}
	if depth <= 0 {
		return w.predicate(stage2)
	}
	switch w.below(10) {
	case 0, 1:
		return object{"op": "not", "arg": w.condition(depth-1, stage2)}
	case 2, 3, 4, 5:
		args := []any{}
		for range w.between(1, 4) {
			args = append(args, w.condition(depth-1, stage2))
		}
		return object{"op": pick(w.dice, "and", "or"), "args": args}
	default:
		return w.predicate(stage2)
	}
}

func (w *writer) predicate(stage2 bool) object {
	if w.percent(3) {
		return object{"op": pick(w.dice, "true", "false")}
	}
	name := pick(w.dice, w.fields...)
	if stage2 && w.percent(60) {
		name = pick(w.dice, stage2Fields...)
	}
	if w.percent(7) {
		return object{"op": pick(w.dice, "exists", "absent"), "field": name}
	}
	return w.predicateOn(name, stage2)
}

// predicateOn returns a predicate that is unknown if the field is absent.
func (w *writer) predicateOn(name string, stage2 bool) object {
	switch w.typeOf(name) {
	case rule.NumberType:
		return w.numberTest(name, stage2)
	case rule.Absent, rule.BoolType:
	case rule.StringType:
		if op := pick(w.dice, "", "", "starts_with", "ends_with", "contains"); op != "" {
			return object{
				"op":    op,
				"field": name,
				"value": pick(w.dice, "A", "5600", "ibi", "IN", "SA", "ED", "\"q", "G1"),
			}
		}
	}
	words := w.words(name)
	if name == "grade" {
		words = []any{"G1", "G20", "G25", "NA", "B"}
	}
	switch w.below(4) {
	case 0:
		values := []any{}
		for range w.between(1, int64(len(words))) {
			values = append(values, pick(w.dice, words...))
		}
		return object{"op": pick(w.dice, "in", "not_in"), "field": name, "values": values}
	case 1:
		sides := []any{object{"field": name}, w.partner(name)}
		if w.percent(50) {
			slices.Reverse(sides)
		}
		return object{"op": pick(w.dice, "eq", "ne"), "left": sides[0], "right": sides[1]}
	default:
		return object{"op": pick(w.dice, "eq", "ne"), "field": name, "value": pick(w.dice, words...)}
	}
}

// partner returns an operand to compare the field name with: a field or a
// constant of the same type.
func (w *writer) partner(name string) object {
	same := slices.DeleteFunc(slices.Clone(w.fields),
		func(other string) bool { return w.typeOf(other) != w.typeOf(name) })
	if len(same) > 0 && w.percent(70) {
		return object{"field": pick(w.dice, same...)}
	}
	return object{"value": pick(w.dice, w.words(name)...)}
}

var comparisons = []string{"eq", "ne", "lt", "lte", "gt", "gte"}

func (w *writer) numberTest(name string, stage2 bool) object {
	switch w.below(10) {
	case 0:
		low, high := w.value(name), w.value(name)
		if low > high {
			low, high = high, low
		}
		w.near[name] = append(w.near[name], low, high)
		return object{"op": "between", "field": name, "min": micros(low), "max": micros(high)}
	case 1:
		values := []any{}
		for range pick(w.dice, 1, 3, 8, 9, 40) {
			values = append(values, w.threshold(name))
		}
		return object{"op": pick(w.dice, "in", "not_in"), "field": name, "values": values}
	case 2, 3:
		left, right := w.operandOn(name, 2), w.operand(2, stage2)
		if w.percent(50) {
			left, right = right, left
		}
		return object{"op": pick(w.dice, comparisons...), "left": left, "right": right}
	default:
		return object{"op": pick(w.dice, comparisons...), "field": name, "value": w.threshold(name)}
	}
}

func (w *writer) operand(depth int, stage2 bool) object {
	numbers := slices.DeleteFunc(slices.Clone(w.fields),
		func(name string) bool { return w.typeOf(name) != rule.NumberType })
	name := pick(w.dice, numbers...)
	if stage2 && w.percent(40) {
		name = pick(w.dice, "final_score", "offer_limit", "offer_emi", "offer_apr", "post_offer_foir")
	}
	if w.percent(30) {
		return object{"value": w.threshold(name)}
	}
	return w.operandOn(name, depth)
}

// operandOn returns an operand that reads the field name, with at most depth
// levels of arithmetic.
func (w *writer) operandOn(name string, depth int) object {
	if depth == 0 || w.percent(40) {
		return object{"field": name}
	}
	args := []any{w.operandOn(name, depth-1)}
	op := pick(w.dice, "add", "sub", "mul", "div", "min", "max", "abs")
	switch op {
	case "sub", "div":
		args = append(args, w.operand(depth-1, false))
	case "abs":
	default:
		for range w.below(3) {
			args = append(args, w.operand(depth-1, false))
		}
	}
	if len(args) > 1 && w.percent(50) {
		args[0], args[1] = args[1], args[0]
	}
	return object{"op": op, "args": args}
}

// facts returns facts for the policy: values near its thresholds, usual values,
// extreme values, values of the wrong type, null and absent fields.
func (g *generated) facts(d *dice) object {
	facts := object{}
	ntc := d.percent(15)
	sparse := d.percent(20)
	for _, name := range g.fields {
		switch roll := d.below(100); {
		case roll < 10 || sparse && roll < 70:
			continue
		case roll < 11:
			facts[name] = nil
			continue
		case roll < 13:
			facts[name] = pick[any](d, true, "700", json.Number("1"), json.Number("700"))
			continue
		}
		if g.typeOf(name) == rule.NumberType {
			facts[name] = g.number(d, name)
		} else {
			facts[name] = pick(d, g.words(name)...)
		}
	}
	if _, given := facts["bureau_is_ntc"]; given || ntc {
		facts["bureau_is_ntc"] = ntc
		if ntc && d.percent(85) {
			delete(facts, "bureau_score")
		}
	}
	return facts
}

func (g *generated) number(d *dice, name string) json.Number {
	n := d.value(name)
	if near := g.near[name]; len(near) > 0 && d.percent(50) {
		n = pick(d, near...) + pick[int64](d, 0, 0, 1, -1, 10_000, -10_000, 1e6, -1e6)
	}
	switch roll := d.below(100); {
	case roll < 2:
		n = pick[int64](d, 0, -1e6, 1e18)
		if name != "foir" { // a FOIR of -10^12 would give a capacity without limit
			n = pick[int64](d, n, -1e18)
		}
	case roll < 4:
		n += d.between(-5_000, 5_000) // not a whole number of paise
	}
	n = max(-1e18, min(n, 1e18))
	switch d.below(40) {
	case 0: // more than six decimals
		if n > 0 && n < 1e17 {
			return json.Number(fmt.Sprintf("%d.%06d%d", n/1e6, n%1e6, d.below(100)))
		}
	case 1: // exponent notation
		return json.Number(fmt.Sprintf("%de-6", n))
	}
	return micros(n)
}

// encode marshals facts to JSON.
func encode(tb testing.TB, facts object) []byte {
	tb.Helper()
	document, err := json.Marshal(facts)
	if err != nil {
		tb.Fatal(err)
	}
	return document
}

// decodeFacts reads facts in the same way as the service.
func decodeFacts(tb testing.TB, document []byte) *rule.Facts {
	tb.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		tb.Fatalf("%v in %s", err, document)
	}
	facts, err := rule.ReadFacts(v, field.Catalogue())
	if err != nil {
		tb.Fatalf("%v in %s", err, document)
	}
	return facts
}
