package rule_test

import (
	"slices"
	"testing"

	"verdict/internal/rule"
)

// TestExplain checks the deciding predicates and the missing fields of an
// explanation. TestReference checks that the explained result always equals the
// compiled one.
func TestExplain(t *testing.T) {
	t.Parallel()
	const (
		young = `{"op":"lt","field":"age","value":21}`
		poor  = `{"op":"lt","field":"monthly_income","value":25000}`
		ntc   = `{"op":"eq","field":"bureau_is_ntc","value":true}`
		ratio = `{"op":"gt","left":{"op":"div","args":[{"field":"foir"},{"field":"age"}]},"right":{"field":"foir"}}`
	)
	and := func(args string) string { return `{"op":"and","args":[` + args + `]}` }
	or := func(args string) string { return `{"op":"or","args":[` + args + `]}` }
	not := func(arg string) string { return `{"op":"not","arg":` + arg + `}` }
	for _, c := range []struct {
		condition string
		facts     string
		truth     rule.Truth
		deciding  []string
		missing   []string
	}{
		{young, `{"age":20}`, rule.Holds, []string{"age < 21"}, nil},
		{young, `{"age":21}`, rule.Fails, []string{"age < 21"}, nil},
		{young, `{}`, rule.Unknown, nil, []string{"age"}},
		{young, `{"age":"20"}`, rule.Unknown, nil, []string{"age"}},
		{not(young), `{}`, rule.Unknown, nil, []string{"age"}},
		{`{"op":"true"}`, `{}`, rule.Holds, []string{"always"}, nil},
		{`{"op":"exists","field":"age"}`, `{}`, rule.Fails, []string{"age is given"}, nil},

		// If an "and" holds, all its arguments are deciding; if it fails, one
		// argument that fails is enough.
		{and(young + "," + poor), `{"age":20,"monthly_income":1}`,
			rule.Holds, []string{"age < 21", "monthly_income < 25000"}, nil},
		{and(young + "," + poor), `{"age":20,"monthly_income":25000}`,
			rule.Fails, []string{"monthly_income < 25000"}, nil},
		{and(young + "," + poor), `{"monthly_income":25000}`, rule.Fails, []string{"monthly_income < 25000"}, nil},
		{and(young + "," + poor), `{"monthly_income":1}`, rule.Unknown, nil, []string{"age"}},
		{and(poor + "," + young + "," + not(poor)), `{}`, rule.Unknown, nil, []string{"monthly_income", "age"}},

		// If an "or" fails, all its arguments are deciding; if it holds, one
		// argument that holds is enough.
		{or(young + "," + poor), `{"monthly_income":1}`, rule.Holds, []string{"monthly_income < 25000"}, nil},
		{or(young + "," + poor), `{"age":30,"monthly_income":30000}`,
			rule.Fails, []string{"age < 21", "monthly_income < 25000"}, nil},
		{or(young + "," + poor), `{"age":30}`, rule.Unknown, nil, []string{"monthly_income"}},

		// A missing field is not listed if the argument that reads it is
		// already decided.
		{and(or(young+","+poor) + "," + ntc), `{"age":20}`, rule.Unknown, nil, []string{"bureau_is_ntc"}},
		{or(and(young+","+poor) + "," + not(ntc)), `{"bureau_is_ntc":false}`, rule.Holds,
			[]string{"bureau_is_ntc = true"}, nil},

		// Arithmetic lists its missing fields; a division by zero has no
		// missing field.
		{ratio, `{}`, rule.Unknown, nil, []string{"foir", "age"}},
		{ratio, `{"foir":1}`, rule.Unknown, nil, []string{"age"}},
		{ratio, `{"foir":1,"age":0}`, rule.Unknown, nil, nil},
		{and(ratio + "," + ntc), `{"foir":1,"age":0}`, rule.Unknown, nil, []string{"bureau_is_ntc"}},
	} {
		p := compile(readCondition(t, c.condition))
		var frame rule.Frame
		p.slots.Load(readFacts(t, c.facts), &frame)
		e := p.code.Explain(p.conditions[0], &frame)
		var deciding []string
		for _, d := range e.Deciding {
			deciding = append(deciding, d.Text())
		}
		if e.Truth != c.truth {
			t.Errorf("%s over %s %s, want %s", p.conditions[0].Text(), c.facts, name(e.Truth), name(c.truth))
		}
		if !slices.Equal(deciding, c.deciding) {
			t.Errorf("%s over %s was decided by %q, want %q", p.conditions[0].Text(), c.facts, deciding, c.deciding)
		}
		if !slices.Equal(e.Missing, c.missing) {
			t.Errorf("%s over %s misses %q, want %q", p.conditions[0].Text(), c.facts, e.Missing, c.missing)
		}
	}
}
