package replay_test

import (
	"encoding/json"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// roots lists the names of all operators of conditions and of arithmetic. Every drawn policy has adjustments that test
// a few of these operators, each in a short condition of its own. So a change of any operator is visible in decisions
// and is not hidden in a long rule.
var roots = append(spelled(func(i uint8) any { return rule.Op(i) }, 1),
	spelled(func(i uint8) any { return rule.Arith(i) }, 1)...)

// perAuthor is the number of these adjustments in a policy.
const perAuthor = 6

// usual lists numeric fields that most requests have. counts lists those whose values are small enough to equal a
// constant. texts lists some string fields with their values, and textNames lists the fields of texts, one of them
// twice.
var (
	usual = []string{
		"bureau_score", "monthly_income", "foir", "age", "requested_amount", "enquiries_6m", "active_tradelines",
		"max_dpd_12m",
	}
	counts = []string{"enquiries_6m", "active_tradelines"}
	texts  = map[string][]string{
		"employment_type": {"SALARIED", "SELF_EMPLOYED", "SELF_EMPLOYED_PROFESSIONAL", "STUDENT", "RETIRED", "OTHER"},
		"bureau":          {"cibil", "experian", "equifax", "crif"},
		"device.model":    {"Redmi 9", "Pixel 7a", "iPhone 13"},
	}
	textNames = []string{"employment_type", "employment_type", "bureau", "device.model"}
)

// root returns a short condition that contains op and whose result depends on op.
func (w *author) root(op string) object {
	name := pick(w.dice, textNames...)
	word := pick(w.dice, texts[name]...)
	cut := w.between(1, len(word)-1)
	switch op {
	case "and", "or":
		return object{"op": op, "args": []any{w.root("lt"), w.root("gte")}}
	case "not":
		return object{"op": op, "arg": w.root(pick(w.dice, "lte", "in", "starts_with"))}
	case "eq", "ne":
		if w.percent(50) {
			return object{"op": op, "field": name, "value": word}
		}
		return object{"op": op, "field": pick(w.dice, counts...), "value": w.IntN(6)}
	case "in", "not_in":
		if w.percent(50) {
			return object{"op": op, "field": name, "values": []any{word, pick(w.dice, texts[name]...)}}
		}
		return object{"op": op, "field": pick(w.dice, counts...), "values": []any{0, 2, w.IntN(9)}}
	case "in_list", "not_in_list":
		if w.percent(50) {
			return object{"op": op, "field": name, "list": textList}
		}
		return object{"op": op, "field": pick(w.dice, counts...), "list": numberList}
	case "between":
		f := w.lookup(pick(w.dice, usual...))
		ends := w.ordered(f, 3)
		return object{"op": op, "field": f.Name, "min": ends[0], "max": ends[len(ends)-1]}
	case "starts_with":
		return object{"op": op, "field": name, "value": word[:cut]}
	case "ends_with":
		return object{"op": op, "field": name, "value": word[cut:]}
	case "contains":
		return object{"op": op, "field": name, "value": word[cut/2 : cut]}
	case "exists", "absent":
		return object{
			"op":    op,
			"field": pick(w.dice, "foir", "device_is_rooted", "bank_income", "fraud_score", "max_dpd_12m"),
		}
	case "true", "false":
		return object{"op": op}
	case "lt", "lte", "gt", "gte":
		f := w.lookup(pick(w.dice, usual...))
		return object{"op": op, "field": f.Name, "value": w.threshold(f)}
	default:
		return w.calculated(op)
	}
}

// calculated returns a condition that compares the result of an arithmetic
// operator.
func (w *author) calculated(op string) object {
	income := object{"field": "monthly_income"}
	args, bound := []any{income, object{"field": "requested_amount"}}, json.Number("300000")
	switch op {
	case "sub":
		bound = "-200000"
	case "mul":
		args, bound = []any{income, object{"field": "foir"}}, "24000"
	case "div":
		args, bound = []any{object{"field": "requested_amount"}, income}, "3.5"
	case "min":
		bound = "70000"
	case "abs":
		args = []any{object{"op": "sub", "args": args}}
	}
	return object{
		"op":    pick(w.dice, "lt", "gte"),
		"left":  object{"op": op, "args": args},
		"right": object{"value": bound},
	}
}

// rooted returns the adjustments for the policy with the given number.
func (w *author) rooted(number int) (list []any) {
	for i := range perAuthor {
		op := roots[(number*perAuthor+i)%len(roots)]
		list = append(list, object{"id": "ROOT_" + op, "delta": w.between(1, 9), "condition_ast": w.root(op)})
	}
	return list
}

// weighed counts how often the conditions that test a single operator are true
// and false.
type weighed struct {
	slots *rule.Slots
	code  *rule.Code
	tests []rule.Test
	names []string
	frame rule.Frame
}

func newWeighed(policy *engine.Policy, catalogue *rule.Catalogue) *weighed {
	w := &weighed{slots: rule.NewSlots(catalogue)}
	w.code = rule.NewCode(w.slots)
	for i := range policy.Adjustments {
		a := &policy.Adjustments[i]
		if at := slices.IndexFunc(roots, func(op string) bool { return a.ID == "ROOT_"+op }); at >= 0 {
			w.tests, w.names = append(w.tests, w.code.Add(&a.Condition)), append(w.names, roots[at])
		}
	}
	return w
}

// weigh evaluates the conditions on an application's facts and adds the results to held and failed.
func (w *weighed) weigh(facts *rule.Facts, held, failed map[string]int) {
	w.slots.Load(facts, &w.frame)
	for i, test := range w.tests {
		switch w.code.Eval(test, &w.frame) {
		case rule.Holds:
			held[w.names[i]]++
		case rule.Fails:
			failed[w.names[i]]++
		case rule.Unknown:
		}
	}
}
