package engine_test

import (
	"math/big"
	"slices"
	"strings"

	"verdict/internal/rule"
)

// kleene is a truth value. "and" is the minimum, "or" is the maximum, and "not"
// changes the sign.
type kleene int

const (
	no      kleene = -1
	unknown kleene = 0
	yes     kleene = 1
)

func known(b bool) kleene {
	if b {
		return yes
	}
	return no
}

// given reports whether the fact exists. A fact that is null does not exist.
func (a *application) given(name string) bool { return a.facts[name] != nil }

// read returns a fact, or nil if the fact is absent or does not have the type
// of its field.
func (a *application) read(name string) any {
	switch v := a.facts[name].(type) {
	case *big.Rat:
		if a.typeOf(name) == rule.NumberType {
			return v
		}
	case string:
		if a.typeOf(name) == rule.StringType {
			return v
		}
	case bool:
		if a.typeOf(name) == rule.BoolType {
			return v
		}
	}
	return nil
}

// truth evaluates a "condition_ast".
func (a *application) truth(ast object) kleene {
	switch op := text(ast, "op"); op {
	case "true":
		return yes
	case "false":
		return no
	case "and":
		result := yes
		for _, arg := range objects(ast, "args") {
			result = min(result, a.truth(arg))
		}
		return result
	case "or":
		result := no
		for _, arg := range objects(ast, "args") {
			result = max(result, a.truth(arg))
		}
		return result
	case "not":
		return -a.truth(as[object](ast["arg"]))
	case "exists":
		return known(a.given(text(ast, "field")))
	case "absent":
		return known(!a.given(text(ast, "field")))
	case "in", "not_in", "between", "starts_with", "ends_with", "contains":
		value := a.read(text(ast, "field"))
		if value == nil {
			return unknown
		}
		return known(test(op, value, ast))
	default:
		left, right := a.sides(ast)
		if left == nil || right == nil {
			return unknown
		}
		return known(compare(op, left, right))
	}
}

// test reports whether a predicate holds for a value.
func test(op string, value any, ast object) bool {
	same := func(other any) bool { return compare("eq", value, other) }
	switch op {
	case "in":
		return slices.ContainsFunc(list(ast, "values"), same)
	case "not_in":
		return !slices.ContainsFunc(list(ast, "values"), same)
	case "between":
		return compare("gte", value, ast["min"]) && compare("lte", value, ast["max"])
	case "starts_with":
		return strings.HasPrefix(as[string](value), text(ast, "value"))
	case "ends_with":
		return strings.HasSuffix(as[string](value), text(ast, "value"))
	default:
		return strings.Contains(as[string](value), text(ast, "value"))
	}
}

func compare(op string, left, right any) bool {
	if l, ok := left.(*big.Rat); ok {
		order := l.Cmp(as[*big.Rat](right))
		switch op {
		case "eq":
			return order == 0
		case "ne":
			return order != 0
		case "lt":
			return order < 0
		case "lte":
			return order <= 0
		case "gt":
			return order > 0
		default:
			return order >= 0
		}
	}
	return (left == right) == (op == "eq")
}

// sides returns the two values that a comparison compares.
func (a *application) sides(ast object) (left, right any) {
	if ast["field"] != nil {
		return a.read(text(ast, "field")), ast["value"]
	}
	return a.operand(as[object](ast["left"])), a.operand(as[object](ast["right"]))
}

// operand returns the value of an operand, or nil if the value is unknown.
func (a *application) operand(o object) any {
	switch {
	case o["op"] != nil:
		if n := a.arithmetic(o); n != nil {
			return n
		}
		return nil
	case o["field"] != nil:
		return a.read(text(o, "field"))
	default:
		return o["value"]
	}
}

// million is the largest absolute value of a number: 10^12.
var million = big.NewRat(1_000_000_000_000, 1)

// arithmetic applies the operator from the first argument to the last. Every
// result is rounded to six decimals. The result is nil if it exceeds the limit,
// if an argument has no value, or after a division by zero.
func (a *application) arithmetic(o object) *big.Rat {
	var result *big.Rat
	for i, arg := range objects(o, "args") {
		n, ok := a.operand(arg).(*big.Rat)
		if !ok {
			return nil
		}
		switch op := text(o, "op"); {
		case op == "abs":
			result = new(big.Rat).Abs(n)
		case i == 0:
			result = n
		case op == "add":
			result = add(result, n)
		case op == "sub":
			result = sub(result, n)
		case op == "mul":
			result = round(mul(result, n), 6)
		case op == "div" && n.Sign() == 0:
			return nil
		case op == "div":
			result = round(quo(result, n), 6)
		case op == "min":
			result = least(result, n)
		case op == "max":
			result = greatest(result, n)
		}
		if new(big.Rat).Abs(result).Cmp(million) > 0 {
			return nil
		}
	}
	return result
}

// fieldsOf returns the fields of a condition or operand in reading order.
func fieldsOf(o object) []string {
	var out []string
	if name := text(o, "field"); name != "" {
		out = append(out, name)
	}
	for _, member := range []string{"arg", "left", "right"} {
		if inner, ok := o[member].(object); ok {
			out = append(out, fieldsOf(inner)...)
		}
	}
	for _, arg := range objects(o, "args") {
		out = append(out, fieldsOf(arg)...)
	}
	return out
}
