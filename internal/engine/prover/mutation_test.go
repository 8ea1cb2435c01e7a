package prover

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/enginetest"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// spot is a value of a policy document that can be changed. The random pairs that solvers judge are made of spots, so
// another spot would change every pair; enginetest.Mutations lists more changes.
type spot struct {
	name         string
	set          func(any)
	old, changed any
}

// spots lists the possible changes of a policy document: a threshold, an operator, the points of a bin, a delta, an
// action, or a member of a band.
func spots(policy any) (list []spot) {
	numbers := map[string]float64{
		"value": 1, "points": 3, "delta": -4, "interest_rate": 0.5, "max_limit": -10_000, "min_limit": 5_000,
		"default_limit": 1_000, "income_multiple": 1, "foir_cap": -0.05, "processing_fee_pct": 0.25,
		"processing_fee_min": 100, "gst_pct": 1, "base_points": 5, "limit_step": 1_000, "min": 1, "tenure_months": -12,
		"amount": 1, "gst": 1,
	}
	words := map[string]map[string][]any{
		"op": {"lt": {"lte", "gt"}, "gt": {"gte", "lt"}, "gte": {"gt"}, "lte": {"lt"}, "and": {"or"},
			"or": {"and"}},
		"action": {"decline": {"refer"}, "refer": {"decline", "approve"}, "approve": {"refer"}},
		"score":  {"lowest": {"highest", "primary"}},
		"kind":   {"percent": {"fixed"}},
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(fmt.Sprintf("%s/%d", path, i), v[i])
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				set := func(x any) { v[key] = x }
				switch x := v[key].(type) {
				case float64:
					if step, ok := numbers[key]; ok {
						if key == "value" && x < 5 && x != float64(int(x)) {
							step = 0.05 // a ratio
						}
						list = append(list, spot{path + "/" + key, set, x, x + step})
					}
				case string:
					for _, next := range words[key][x] {
						list = append(list, spot{path + "/" + key, set, x, next})
					}
				default:
					walk(path+"/"+key, x)
				}
			}
		}
	}
	walk("", policy)
	return list
}

// mutations applies each change of a list to a document. It returns the documents that are valid policies, and for each
// of them the name of its change.
func mutations(tb testing.TB, document []byte, list []enginetest.Mutation) (names []string, documents [][]byte) {
	tb.Helper()
	for _, m := range list {
		policy := enginetest.Decode(tb, document)
		m.Apply(policy)
		if data, ok := valid(tb, policy); ok {
			names, documents = append(names, m.Name), append(documents, data)
		}
	}
	return names, documents
}

// choices lists the changes of the choice among the scores of several people.
func choices(document object) (list []enginetest.Mutation) {
	for _, s := range spots(document) {
		if strings.HasPrefix(s.name, "/people") {
			list = append(list, enginetest.Mutation{
				Name:  fmt.Sprintf("%s = %v", s.name, s.changed),
				Apply: func(d object) { d["people"] = object{"score": s.changed} },
			})
		}
	}
	return list
}

// valid returns the text of a policy document, and whether the document is valid.
func valid(tb testing.TB, policy any) ([]byte, bool) {
	tb.Helper()
	data, err := json.Marshal(policy)
	if err != nil {
		tb.Fatal(err)
	}
	_, err = engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	return data, err == nil
}

// crowd makes random applicants whose values are near the thresholds of a policy.
type crowd struct {
	*rand.Rand
	names  []string
	inputs []string // numbers that the policy declares
	near   map[string][]rule.Number
}

func newCrowd(p *engine.Plan, seed uint64) *crowd {
	c := &crowd{Rand: rand.New(rand.NewPCG(seed, 3)), near: map[string][]rule.Number{}}
	policy := p.Policy()
	add := func(name string, list ...rule.Value) {
		for _, v := range list {
			if v.Type() == rule.NumberType {
				c.near[name] = append(c.near[name], v.Number())
			}
		}
	}
	see := func(n *rule.Condition) {
		if n.Left.Kind == rule.FieldOperand {
			add(n.Left.Field.Name, append(slices.Clone(n.Values), n.Right.Value)...)
		}
	}
	for i := range policy.Knockouts {
		policy.Knockouts[i].Condition.Walk(see)
	}
	for i := range policy.Adjustments {
		policy.Adjustments[i].Condition.Walk(see)
	}
	for i := range policy.Scorecard.Factors {
		f := &policy.Scorecard.Factors[i]
		for k := range f.Bins {
			add(f.Field.Name, rule.Num(f.Bins[k].Min))
		}
	}
	add(field.RequestedAmount, rule.Num(rule.Int(20_000)), rule.Num(rule.Int(300_000)), rule.Num(rule.Int(900_000)))
	add(field.RequestedTenureMonths, rule.Num(rule.Int(12)), rule.Num(rule.Int(24)), rule.Num(rule.Int(60)))
	c.near[field.FOIR] = append(c.near[field.FOIR], c.near[field.FOIREffective]...)
	for _, name := range []string{field.BureauScore, field.MonthlyIncome, field.FOIR} {
		c.near[field.OfRole(field.CoApplicant, name)] = c.near[name]
	}
	for _, in := range policy.Inputs {
		c.inputs = append(c.inputs, in.Name)
	}
	c.names = p.Fields()
	return c
}

// applicant returns the facts of a random applicant.
func (c *crowd) applicant() *rule.Facts {
	facts := rule.NewFacts(field.Catalogue())
	for _, name := range c.names {
		id, ok := field.Catalogue().Lookup(name)
		if !ok || c.IntN(8) == 0 {
			continue
		}
		f := field.Catalogue().Field(id)
		switch f.Type {
		case rule.BoolType:
			facts.Set(name, rule.Bool(c.IntN(6) == 0))
		case rule.StringType:
			if len(f.Values) > 0 {
				facts.Set(name, rule.Str(f.Values[c.IntN(len(f.Values))]))
			}
		default:
			facts.Set(name, rule.Num(c.number(f)))
		}
	}
	if facts.Get(field.BureauIsNTC).IsTrue() {
		facts.Set(field.BureauScore, rule.Value{})
	} else if facts.Get(field.BureauScore).Type() == rule.Absent { // only a score makes bureau_is_ntc false
		facts.Set(field.BureauIsNTC, rule.Value{})
	}
	for _, name := range c.inputs {
		if c.IntN(8) > 0 {
			facts.Set(name, rule.Num(rule.Int(c.Int64N(500_000))))
		}
	}
	return facts
}

func (c *crowd) number(f *rule.Field) rule.Number {
	unit := rule.One
	if !f.Integer && f.BoundedAbove && f.Max < rule.Int(10) {
		unit = rule.One / 100
	}
	n := rule.Number(c.IntN(4)) * unit
	if near := c.near[f.Name]; len(near) > 0 && c.IntN(10) > 0 {
		n = near[c.IntN(len(near))] + rule.Number(c.IntN(9)-4)*unit
	}
	if f.BoundedBelow {
		n = max(n, f.Min)
	}
	if f.BoundedAbove {
		n = min(n, f.Max)
	}
	return n
}

// unlisted decides n random applicants under both policies. It returns a kind of change that occurs but that the
// result does not list; ok is false if there is none.
func (c *crowd) unlisted(old, changed *engine.Plan, r *Result, n int) (missing Kind, differ int, ok bool) {
	known := map[Kind]bool{}
	for _, class := range r.Classes {
		known[class.Kind] = true
	}
	var x, y engine.Decision
	x.KeepQuotes()
	y.KeepQuotes()
	for range n {
		facts := c.applicant()
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		k := compare(&x, &y, r.Terms)
		if !k.changed() {
			continue
		}
		if differ++; !known[k] {
			return k, differ, true
		}
	}
	return Kind{}, differ, false
}

// TestEveryDifferenceIsInAClass decides random applicants under two policies and checks that each difference is in a
// class.
func TestEveryDifferenceIsInAClass(t *testing.T) {
	t.Parallel()
	old := plan(t, engine.DefaultPolicyJSON())
	n := 20_000
	if os.Getenv("VERDICT_LONG") != "" {
		n = 1_000_000
	}
	for _, edits := range [][]string{
		{`"value": 21}`, `"value": 23}`, `"interest_rate": 14.0`, `"interest_rate": 14.5`},
		{`"points": -20`, `"points": -10`, `"points": 45`, `"points": 40`, `"points": 8`, `"points": 12`},
		{`"foir_cap": 0.6`, `"foir_cap": 0.55`, `"max_limit": 500000`, `"max_limit": 600000`, `"min_limit": 20000`,
			`"min_limit": 30000`},
	} {
		changed := edited(t, edits...)
		r := diff(t, old, changed)
		k, differ, missing := newCrowd(old, 1).unlisted(old, changed, &r, n)
		if missing {
			t.Errorf("%v: %+v is in no class", edits, k)
		}
		t.Logf("%v: %d of %d applicants differ, %d classes, complete %v", edits, differ, n, len(r.Classes), r.Complete)
		if differ == 0 || !r.Complete {
			t.Errorf("%v: %d differ, %v", edits, differ, r.Incomplete)
		}
	}
}

// TestMutationsOfPartsAreFound does the same as TestMutationsAreFound for the default policy with a segment, caps,
// charges and a choice of scores.
func TestMutationsOfPartsAreFound(t *testing.T) {
	t.Parallel()
	text := string(engine.DefaultPolicyJSON())
	for _, edits := range [][]string{
		parts()["segments"][0],
		{`"semantics": 2,`, `"semantics": 2, "people": {"score": "lowest"}, "limit_caps": [
			{"id": "LC_YOUNG", "of": {"value": 90000}, "when": {"op": "lt", "field": "age", "value": 30}},
			{"id": "LC_INCOME", "of": {"op": "mul", "args": [{"value": 2.5}, {"field": "monthly_income"}]},
				"when": {"op": "gte", "field": "enquiries_6m", "value": 4}}],
			"charges": [{"id": "CH_STAMP", "to": "third_party", "kind": "fixed", "amount": 500},
				{"id": "CH_COVER", "to": "third_party", "kind": "percent", "amount": 1, "min": 300, "gst": 18}],`},
	} {
		for i := 0; i < len(edits); i += 2 {
			text = strings.Replace(text, edits[i], edits[i+1], 1)
		}
	}
	var kept, names []string
	var documents [][]byte
	document := enginetest.Decode(t, []byte(text))
	all, changed := mutations(t, []byte(text), append(enginetest.PriceMutations(document), choices(document)...))
	for i, name := range all { // the mutations of all other parts are already tested with the default policy
		for _, part := range []string{"/limit_caps", "/charges", "/people", "/pricing_bands/0"} {
			if strings.HasPrefix(name, part) {
				kept, names, documents = append(kept, part), append(names, name), append(documents, changed[i])
			}
		}
	}
	if slices.Sort(kept); len(slices.Compact(kept)) < 4 {
		t.Fatalf("only %v have mutations", kept)
	}
	checkMutations(t, plan(t, []byte(text)), names, documents, 7, nil)
}

// TestMutationsAreFound changes the default policy at one place at a time. The comparison must find each change with a
// witness, or prove that the change has no effect.
func TestMutationsAreFound(t *testing.T) {
	t.Parallel()
	old := plan(t, engine.DefaultPolicyJSON())
	names, documents := mutations(t, engine.DefaultPolicyJSON(),
		enginetest.Mutations(enginetest.Decode(t, engine.DefaultPolicyJSON())))
	checkMutations(t, old, names, documents, 20, enginetest.Equivalent)
}

// checkMutations compares a policy with some of its mutations, or all of them in a long run. It always compares the
// mutations that no application can show: they must be proved equal, or the witnesses must be applicants whom no
// request can state.
func checkMutations(
	t *testing.T, old *engine.Plan, names []string, documents [][]byte, every int, equivalent []enginetest.Same,
) {
	t.Helper()
	if os.Getenv("VERDICT_LONG") != "" {
		every = 1
	}
	equal, different, open := 0, 0, 0
	for i := range names {
		at := slices.IndexFunc(equivalent, func(e enginetest.Same) bool { return strings.HasPrefix(names[i], e.Name) })
		if i%every != 0 && at < 0 {
			continue
		}
		changed := plan(t, documents[i])
		r := diff(t, old, changed)
		redecide(t, old, changed, &r)
		for _, c := range r.Classes {
			if at >= 0 && (!c.Confirmed || c.Witness.Request != nil) {
				t.Errorf("%s: %+v should not exist: %s", names[i], c.Kind, equivalent[at].Why)
			}
		}
		switch {
		case !r.Complete && strings.HasPrefix(names[i], "/affordability"):
			open++ // the policies count income or obligations differently
			if r.Equal {
				t.Errorf("%s: equal, but not complete", names[i])
			}
		case !r.Complete:
			t.Errorf("%s: not complete: %v", names[i], r.Incomplete)
		case r.Equal:
			equal++
			t.Logf("%s: proved equal", names[i])
		default:
			different++
		}
		if k, _, missing := newCrowd(changed, uint64(i)).unlisted(old, changed, &r, 2_000); missing {
			t.Errorf("%s: %+v is in no class", names[i], k)
		}
	}
	t.Logf("%d of %d mutations: %d found, %d proved equal, %d not complete", equal+different+open, len(names),
		different, equal, open)
	if different == 0 {
		t.Error("no mutation was found")
	}
}
