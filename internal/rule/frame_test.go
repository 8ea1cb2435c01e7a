package rule_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"verdict/internal/rule"
)

// typical is a knockout of typical size.
const typical = `{"op":"and","args":[
	{"op":"gt","field":"enquiries_6m","value":5},
	{"op":"or","args":[
		{"op":"lt","field":"bureau_score","value":780},
		{"op":"eq","field":"bureau_is_ntc","value":true},
		{"op":"in","field":"employment_type","values":["SELF_EMPLOYED","OTHER"]}]},
	{"op":"not","arg":{"op":"between","field":"foir","min":0,"max":0.4}}]}`

const typicalFacts = `{"enquiries_6m":7,"bureau_score":790,"bureau_is_ntc":false,"employment_type":"OTHER",
	"foir":0.55,"monthly_income":60000,"age":31,"bureau":"cibil","device_os":"android"}`

// TestFrameForgets checks that a reused frame contains no data of the previous
// applicant, whether for the same plan or for another.
func TestFrameForgets(t *testing.T) {
	t.Parallel()
	small := compile(readCondition(t, `{"op":"exists","field":"device_os"}`))
	large := compile(readCondition(t, `{"op":"or","args":[
		{"op":"eq","field":"bureau","value":"cibil"},{"op":"contains","field":"device_os","value":"and"},
		{"op":"gt","field":"age","value":0},{"op":"eq","field":"bureau_is_ntc","value":true}]}`))
	full := readFacts(t, `{"bureau":"cibil","device_os":"android","age":30,"bureau_is_ntc":true}`)
	wrong := readFacts(t, `{"bureau":1,"device_os":true,"age":"30","bureau_is_ntc":1}`)
	empty := readFacts(t, `{}`)

	var frame rule.Frame
	for range 2 {
		for _, step := range []struct {
			plan  *plan
			facts *rule.Facts
			want  rule.Truth
		}{
			{large, full, rule.Holds},
			{large, empty, rule.Unknown},
			{small, empty, rule.Fails},
			{small, full, rule.Holds},
			{large, wrong, rule.Unknown},
			{small, wrong, rule.Holds},
			{large, empty, rule.Unknown},
		} {
			step.plan.slots.Load(step.facts, &frame)
			if got := step.plan.code.Eval(step.plan.tests[0], &frame); got != step.want {
				t.Errorf("%s over %s: %s, want %s", step.plan.conditions[0].Text(), canonicalFacts(step.facts),
					name(got), name(step.want))
			}
		}
	}
}

// TestPut checks that Put changes only the given slot.
func TestPut(t *testing.T) {
	t.Parallel()
	c := readCondition(t,
		`{
			"op":"and",
			"args":[{"op":"eq","field":"bureau","value":"cibil"},{"op":"gt","field":"applicant.bonus","value":0}]
		}`)
	p := compile(c)
	var frame rule.Frame
	p.slots.Load(readFacts(t, `{"bureau":"crif","applicant.bonus":5}`), &frame)
	slot := map[string]int32{}
	c.Fields(func(r rule.Ref) {
		at, ok := p.slots.Find(r)
		if !ok || p.slots.Ref(at) != r {
			t.Fatalf("%s has no slot", r.Name)
		}
		slot[r.Name] = at
	})
	if p.slots.Len() != 2 {
		t.Fatalf("%d slots, want 2", p.slots.Len())
	}
	for _, step := range []struct {
		field string
		value rule.Value
		want  rule.Truth
		given bool
	}{
		{"bureau", rule.Str("cibil"), rule.Holds, true},
		{"applicant.bonus", rule.Num(0), rule.Fails, true},
		{"applicant.bonus", rule.Str("5"), rule.Unknown, false},
		{"applicant.bonus", rule.Num(1), rule.Holds, true},
		{"bureau", rule.Value{}, rule.Unknown, false},
		{"bureau", rule.Str("never seen"), rule.Fails, true},
	} {
		p.slots.Put(&frame, slot[step.field], step.value)
		if got := p.code.Eval(p.tests[0], &frame); got != step.want {
			t.Errorf("after %s = %s: %s, want %s", step.field, step.value, name(got), name(step.want))
		}
		if got := frame.Given(slot[step.field]); got != step.given {
			t.Errorf("after %s = %s: given: %t", step.field, step.value, got)
		}
		if _, ok := frame.Number(slot["applicant.bonus"]); ok != frame.Given(slot["applicant.bonus"]) {
			t.Error("a number slot can be read exactly when it is given")
		}
	}
	for _, other := range []rule.Ref{{Name: unusedName(0), ID: 0}, {Name: "applicant.is_staff", ID: rule.Undeclared}} {
		if _, ok := p.slots.Find(other); ok {
			t.Errorf("%s has a slot and no condition names it", other.Name)
		}
	}
}

// TestManyFields checks that a plan may read any number of fields, and that the
// shortcuts for the first 64 slots do not change a result. The values of
// consecutive fields are negative, positive and absent in turn.
func TestManyFields(t *testing.T) {
	t.Parallel()
	const fields = 160
	truths := []rule.Truth{rule.Holds, rule.Fails, rule.Unknown}
	facts := rule.NewFacts(catalogue)
	var conditions []*rule.Condition
	var want []rule.Truth
	for i := range fields {
		id, _ := catalogue.Lookup(unusedName(i))
		facts.Add(id, []rule.Value{rule.Num(-1), rule.Num(1), {}}[i%3])
		conditions = append(conditions,
			readCondition(t, fmt.Sprintf(`{"op":"lt","field":%q,"value":0}`, unusedName(i))))
		want = append(want, truths[i%3])
	}
	// These pairs of slots would share a bit if bits wrapped around after 64.
	for i := range fields - 64 {
		pair := fmt.Sprintf(`[{"op":"lt","field":%q,"value":0},{"op":"lt","field":%q,"value":0}]`,
			unusedName(i), unusedName(i+64))
		conditions = append(conditions, readCondition(t, `{"op":"or","args":`+pair+`}`))
		first, second := truths[i%3], truths[(i+64)%3]
		switch {
		case first == rule.Holds || second == rule.Holds:
			want = append(want, rule.Holds)
		case first == rule.Unknown || second == rule.Unknown:
			want = append(want, rule.Unknown)
		default:
			want = append(want, rule.Fails)
		}
	}
	p := compile(conditions...)
	var frame rule.Frame
	p.slots.Load(facts, &frame)
	for i, test := range p.tests {
		if got := p.code.Eval(test, &frame); got != want[i] {
			t.Errorf("%s %s, want %s", conditions[i].Text(), name(got), name(want[i]))
		}
		if got := p.code.Explain(conditions[i], &frame).Truth; got != want[i] {
			t.Errorf("%s is explained as %s, want %s", conditions[i].Text(), name(got), name(want[i]))
		}
	}
}

// TestConcurrentUse checks that concurrent requests can share one compiled
// plan. Each request has its own frame and its own expected result. The race
// detector checks that neither deciding nor explaining writes to the plan.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	const workers, rounds = 8, 200
	p := compile(
		readCondition(t, typical),
		readCondition(t, `{"op":"eq","left":{"field":"bureau"},"right":{"field":"device_os"}}`),
		readCondition(t,
			`{"op":"gt","left":{"op":"div","args":[{"field":"monthly_income"},{"field":"age"}]},
				"right":{"value":2000}}`),
		readCondition(t,
			`{
				"op":"or",
				"args":[{"op":"starts_with","field":"bureau","value":"ci"},{"op":"absent","field":"applicant.bonus"}]
			}`),
	)
	applicants := []string{typicalFacts, `{}`,
		`{"bureau":"x","device_os":"x","applicant.bonus":1,"age":0,"monthly_income":1}`}
	var want [][]rule.Truth
	for _, document := range applicants {
		var frame rule.Frame
		p.slots.Load(readFacts(t, document), &frame)
		var row []rule.Truth
		for _, test := range p.tests {
			row = append(row, p.code.Eval(test, &frame))
		}
		want = append(want, row)
	}
	if slices.Equal(want[0], want[1]) {
		t.Fatal("the applicants must differ for this test to see anything")
	}

	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			var frame rule.Frame
			for round := range rounds {
				who := (worker + round) % len(applicants)
				p.slots.Load(readFacts(t, applicants[who]), &frame)
				for i := range p.tests {
					got := p.code.Eval(p.tests[i], &frame)
					explained := p.code.Explain(p.conditions[i], &frame).Truth
					if got != want[who][i] || explained != got {
						t.Errorf("applicant %d, condition %d: %s, explained as %s, want %s",
							who, i, name(got), name(explained), name(want[who][i]))
					}
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkEval(b *testing.B) {
	p := compile(readCondition(b, typical))
	for _, c := range []struct{ name, facts string }{
		{"holds", typicalFacts},
		{"unknown", `{}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			var frame rule.Frame
			p.slots.Load(readFacts(b, c.facts), &frame)
			b.ReportAllocs()
			for b.Loop() {
				p.code.Eval(p.tests[0], &frame)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	p := compile(readCondition(b, typical))
	facts := readFacts(b, typicalFacts)
	var frame rule.Frame
	b.ReportAllocs()
	for b.Loop() {
		p.slots.Load(facts, &frame)
	}
}

func BenchmarkExplain(b *testing.B) {
	p := compile(readCondition(b, typical))
	var frame rule.Frame
	p.slots.Load(readFacts(b, typicalFacts), &frame)
	b.ReportAllocs()
	for b.Loop() {
		p.code.Explain(p.conditions[0], &frame)
	}
}
