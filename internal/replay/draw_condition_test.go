package replay_test

import (
	"slices"

	"verdict/internal/rule"
)

// author draws a random policy.
type author struct {
	dice
	fields []string // fields that the policy may name in stage 1
	inputs map[string]rule.Type
}

// rare returns a condition that is seldom true, so that decisions of every
// outcome occur.
func (w *author) rare(stage2 bool) object {
	if w.percent(10) {
		return w.condition(2, stage2)
	}
	return object{"op": "and", "args": []any{w.condition(2, stage2), w.condition(1, stage2), w.predicate(stage2)}}
}

// condition returns a condition with at most depth levels above its predicates.
func (w *author) condition(depth int, stage2 bool) object {
	if depth == 0 || w.percent(45) {
		return w.predicate(stage2)
	}
	if w.percent(25) {
		return object{"op": "not", "arg": w.condition(depth-1, stage2)}
	}
	args := []any{}
	for range w.between(1, 3) {
		args = append(args, w.condition(depth-1, stage2))
	}
	return object{"op": pick(w.dice, "and", "or"), "args": args}
}

func (w *author) predicate(stage2 bool) object {
	if w.percent(3) {
		return object{"op": pick(w.dice, "true", "false")}
	}
	name := pick(w.dice, w.fields...)
	if stage2 && w.percent(60) {
		name = pick(w.dice, fields.stage2...)
	}
	if w.percent(8) {
		return object{"op": pick(w.dice, "exists", "absent"), "field": name}
	}
	if f := w.lookup(name); f.Type == rule.NumberType {
		return w.numberTest(f)
	}
	return w.wordTest(w.lookup(name))
}

// wordTest returns a test of a string or boolean field.
func (w *author) wordTest(f *rule.Field) object {
	words := w.words(f)
	if f.Type == rule.StringType && w.percent(30) {
		return object{
			"op":    pick(w.dice, "starts_with", "ends_with", "contains"),
			"field": f.Name,
			"value": pick(w.dice, parts...),
		}
	}
	switch w.IntN(4) {
	case 0:
		values := []any{}
		for range w.between(1, min(4, len(words))) {
			values = append(values, pick(w.dice, words...))
		}
		return object{"op": pick(w.dice, "in", "not_in"), "field": f.Name, "values": values}
	case 1:
		same := slices.DeleteFunc(slices.Clone(w.fields), func(other string) bool {
			return w.lookup(other).Type != f.Type
		})
		same = append(same, f.Name)
		return object{
			"op":    pick(w.dice, "eq", "ne"),
			"left":  object{"field": f.Name},
			"right": object{"field": pick(w.dice, same...)},
		}
	default:
		return object{"op": pick(w.dice, "eq", "ne"), "field": f.Name, "value": pick(w.dice, words...)}
	}
}

var comparisons = []string{"eq", "ne", "lt", "lte", "gt", "gte"}

func (w *author) numberTest(f *rule.Field) object {
	switch w.IntN(8) {
	case 0:
		ends := w.ordered(f, 2)
		return object{"op": "between", "field": f.Name, "min": ends[0], "max": ends[len(ends)-1]}
	case 1:
		values := []any{}
		for range pick(w.dice, 1, 3, 12) {
			values = append(values, w.threshold(f))
		}
		return object{"op": pick(w.dice, "in", "not_in"), "field": f.Name, "values": values}
	case 2, 3:
		return object{"op": pick(w.dice, comparisons...), "left": w.operand(f, 2), "right": w.other(2)}
	default:
		return object{"op": pick(w.dice, comparisons...), "field": f.Name, "value": w.threshold(f)}
	}
}

// other returns an operand that reads any numeric field, or a constant.
func (w *author) other(depth int) object {
	f := w.lookup(pick(w.dice, w.numbers()...))
	if w.percent(35) {
		return object{"value": w.threshold(f)}
	}
	return w.operand(f, depth)
}

// numbers returns the numeric fields, always including the income.
func (w *author) numbers() []string {
	list := slices.DeleteFunc(slices.Clone(w.fields), func(name string) bool {
		return w.lookup(name).Type != rule.NumberType
	})
	return append(list, "monthly_income")
}

// operand returns an operand that reads the field.
func (w *author) operand(f *rule.Field, depth int) object {
	if depth == 0 || w.percent(40) {
		return object{"field": f.Name}
	}
	args := []any{w.operand(f, depth-1)}
	op := pick(w.dice, "add", "sub", "mul", "div", "min", "max", "abs")
	switch op {
	case "sub", "div":
		args = append(args, w.other(depth-1))
	case "add", "mul", "min", "max":
		for range w.IntN(3) {
			args = append(args, w.other(depth-1))
		}
	}
	return object{"op": op, "args": args}
}
