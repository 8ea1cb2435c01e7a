package prover

import (
	"fmt"
	"strings"

	"verdict/internal/rule"
)

// widen puts bands with a condition before some of the bands of a policy.
func (l *lab) widen(s sections) {
	var out []object
	for i, b := range s["pricing_bands"] {
		for range l.IntN(2) {
			next := l.band(i, 0, 0)
			next["id"], next["when"] = fmt.Sprintf("PB_%d_%d", i, len(out)), l.condition(1, false)
			next["min_score"], next["max_score"] = b["min_score"], b["max_score"]
			if l.percent(30) {
				next["min_score"], next["max_score"] = 598+l.IntN(6), 604+l.IntN(6)
			}
			if b["ntc"] != nil {
				next["ntc"], next["grade"] = true, "N"
			}
			out = append(out, next)
		}
		out = append(out, b)
	}
	s["pricing_bands"] = out
}

// operand returns an amount near the limits of a policy.
func (l *lab) operand(depth int) object {
	var numbers []string
	for _, name := range l.fields {
		if l.field(name).Type == rule.NumberType {
			numbers = append(numbers, name)
		}
	}
	switch n := l.IntN(8); {
	case depth == 0 && (n < 3 || len(numbers) == 0):
		return object{"value": []any{0.5, 1, 2, 3, 4.5, 6, 8}[l.IntN(7)]}
	case depth == 0:
		return object{"field": numbers[l.IntN(len(numbers))]}
	case n == 0:
		return object{"op": "abs", "args": []any{l.operand(depth - 1)}}
	default:
		op := []string{"add", "add", "sub", "mul", "mul", "div", "min", "max"}[n]
		return object{"op": op, "args": []any{l.operand(depth - 1), l.operand(depth - 1)}}
	}
}

func (l *lab) limitCap(i int) object {
	of := object{"value": 3 + l.IntN(6)}
	if l.percent(70) {
		of = object{"op": "add", "args": []any{object{"value": 1 + l.IntN(5)}, l.operand(l.IntN(3))}}
		if !strings.Contains(fmt.Sprint(of), "field:") { // a policy may not have a negative constant amount
			of = object{"value": 3 + l.IntN(6)}
		}
	}
	out := object{"id": fmt.Sprintf("LC_%d", i), "of": of}
	if l.percent(60) {
		out["when"] = l.condition(1, false)
	}
	return out
}

func (l *lab) charge(i int) object {
	out := object{
		"id":     fmt.Sprintf("CH_%d", i),
		"to":     "third_party",
		"kind":   "fixed",
		"amount": float64(1+l.IntN(30)) / 10,
	}
	if l.percent(50) {
		out["kind"], out["amount"] = "percent", 1+l.IntN(50)
		if l.percent(50) {
			out["min"] = float64(1+l.IntN(40)) / 10
		}
		if l.percent(30) {
			out["max"] = 4 + float64(l.IntN(10))/10
		}
	}
	if l.percent(50) {
		out["gst"] = 18
	}
	return out
}

func (l *lab) people(int) object { return object{"score": []string{"lowest", "highest"}[l.IntN(2)]} }
