package analysis

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// someOperand generates arithmetic over two fields and constants.
func someOperand(t *rapid.T, depth int) rule.Operand {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	switch {
	case kind == 0:
		n := rapid.Int64Range(-2_000_000, 2_000_000).Draw(t, "constant")
		return rule.Operand{Kind: rule.ConstantOperand, Value: rule.Num(rule.Number(n) * rule.Paisa)}
	case kind <= 2 || depth == 0:
		name := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "field")
		return rule.Operand{Kind: rule.FieldOperand, Field: rule.Ref{Name: name, ID: -1, Type: rule.NumberType}}
	}
	op := rapid.SampledFrom([]rule.Arith{
		rule.Add, rule.Sub, rule.Mul, rule.Div, rule.Min, rule.Max, rule.Abs,
	}).Draw(t, "operation")
	args := 2
	if op == rule.Abs {
		args = 1
	}
	o := rule.Operand{Kind: rule.ArithOperand, Arith: op}
	for range args {
		o.Args = append(o.Args, someOperand(t, depth-1))
	}
	return o
}

// TestAmountsContainEveryResult checks that the result of an operand is within the range of amountsOf, for numbers
// within the ranges of the fields. The results are computed as decisions compute them.
func TestAmountsContainEveryResult(t *testing.T) {
	t.Parallel()
	catalogue := field.Catalogue()
	computed := 0
	rapid.Check(t, func(t *rapid.T) {
		o := someOperand(t, 3)
		draw := func(label string) (amounts, rule.Number) {
			numbers := []rule.Number{}
			for range 3 {
				numbers = append(numbers,
					rule.Number(rapid.Int64Range(-5_000_000, 5_000_000).Draw(t, label))*rule.Paisa)
			}
			slices.Sort(numbers)
			return amounts{numbers[0], numbers[2]}, numbers[1]
		}
		x, atX := draw("x")
		y, atY := draw("y")
		pick := func(ifX, ifY amounts) func(rule.Ref) amounts {
			return func(ref rule.Ref) amounts { return map[string]amounts{"x": ifX, "y": ifY}[ref.Name] }
		}
		slots := rule.NewSlots(catalogue)
		code := rule.NewCode(slots)
		expression := code.AddOperand(&o)
		facts := rule.NewFacts(catalogue)
		facts.Set("x", rule.Num(atX))
		facts.Set("y", rule.Num(atY))
		var frame rule.Frame
		slots.Load(facts, &frame)
		result, ok := code.Value(expression, &frame)
		if !ok {
			return
		}
		computed++
		for _, r := range []amounts{amountsOf(&o, pick(x, y)), amountsOf(&o, pick(exactly(atX), exactly(atY)))} {
			if result < r.least || result > r.greatest {
				t.Fatalf("%s is %s for x = %s, y = %s, which is not from %s to %s",
					o.Text(), result, atX, atY, r.least, r.greatest)
			}
		}
	})
	if computed < 20 {
		t.Errorf("only %d operands had a result", computed)
	}
}

// TestNegativeCapsDecline checks the examples of findings about caps that can be negative: an applicant with the
// values of the example is declined.
func TestNegativeCapsDecline(t *testing.T) {
	t.Parallel()
	for _, of := range []string{
		`{"op":"sub","args":[{"value":500000},{"field":"monthly_income"}]}`,
		`{"op":"sub","args":[{"op":"mul","args":[{"value":10},{"field":"monthly_income"}]},
			{"field":"bureau_total_emi"}]}`,
		`{"op":"mul","args":[{"value":100000},{"op":"sub","args":[{"value":0.6},{"field":"foir"}]}]}`,
	} {
		policy, err := engine.ParsePolicy([]byte(`{"name":"P","semantics":2,"include_defaults":false,
			"scorecard":{"base_points":700,"factors":[]},"limit_caps":[{"id":"CAP","of":`+of+`}],
			"pricing_bands":[{"id":"B","grade":"A","min_score":300,"max_score":900,"interest_rate":12,
			"tenure_months":12,
			"min_limit":1000,"max_limit":90000,"default_limit":5000,"foir_cap":5}]}`),
			engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		found := Run(policy, field.Catalogue())
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Code == fault.CodeNegativeCap })
		if at < 0 {
			t.Errorf("%s: no finding", of)
			continue
		}
		facts := rule.NewFacts(field.Catalogue())
		for _, fact := range found[at].Witness {
			facts.Set(fact.Name, fact.Value)
		}
		var d engine.Decision
		engine.Compile(policy, field.Catalogue()).Decide(facts, &d)
		if d.Status != engine.Declined || d.Offer.LimitPaise != 0 {
			t.Errorf("%s: %v is %s", of, found[at].Witness, d.Status)
		}
	}
}
