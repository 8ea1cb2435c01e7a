package prover

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// reading checks the regions and the limits of a result against decisions. It reads the texts of the regions, so it
// also notices a text that says something other than the set that it describes.
type reading struct {
	tb         testing.TB
	result     *Result
	conditions map[string]*rule.Condition // the predicates of both policies, by text
	catalogue  *rule.Catalogue
	slots      *rule.Slots
	code       *rule.Code
	compiled   map[string]rule.Test
	frame      rule.Frame
	checked    int // constraints that were checked for an applicant
	notChecked int // constraints about the order of two scores, which the test does not determine
}

func newReading(tb testing.TB, old, changed *engine.Plan, r *Result) *reading {
	tb.Helper()
	x := &reading{
		tb: tb, result: r, conditions: map[string]*rule.Condition{}, slots: rule.NewSlots(old.Catalogue()),
		compiled: map[string]rule.Test{}, catalogue: old.Catalogue(),
	}
	x.code = rule.NewCode(x.slots)
	note := func(c *rule.Condition) {
		if c != nil {
			c.Walk(func(n *rule.Condition) { x.conditions[n.Text()] = n })
		}
	}
	for _, plan := range []*engine.Plan{old, changed} {
		p := plan.Policy()
		for i := range p.Knockouts {
			note(&p.Knockouts[i].Condition)
		}
		for i := range p.Adjustments {
			note(&p.Adjustments[i].Condition)
		}
		for i := range p.Scorecard.Factors {
			note(p.Scorecard.Factors[i].When)
		}
		for i := range p.Terms {
			note(&p.Terms[i].Condition)
		}
		for i := range p.Bands {
			note(p.Bands[i].When)
		}
		for i := range p.LimitCaps {
			note(p.LimitCaps[i].When)
		}
	}
	return x
}

// check reports why the region or the limits of the class of an applicant are wrong. It returns "" if they hold.
func (x *reading) check(k Kind, facts *rule.Facts, from, to *engine.Decision) string {
	at := slices.IndexFunc(x.result.Classes, func(c Class) bool { return c.Kind == k })
	if at < 0 {
		return "" // checkAgainst reports missing kinds
	}
	c := &x.result.Classes[at]
	for _, w := range c.Where {
		if !x.holds(w, facts) {
			return "it does not hold that " + w.Field + " is " + w.Text
		}
	}
	for _, s := range []struct {
		name string
		of   *engine.Decision
		in   [2]rule.Number
	}{{"old", from, c.FromLimit}, {"new", to, c.ToLimit}} {
		limit := rule.Rupees(s.of.Offer.LimitPaise)
		if c.Bounded && s.of.Status != engine.Declined && (limit < s.in[0] || limit > s.in[1]) {
			return "the " + s.name + " limit " + limit.String() + " is not from " + s.in[0].String() + " to " +
				s.in[1].String()
		}
	}
	return ""
}

// holds reports whether a constraint holds for an applicant.
func (x *reading) holds(w Constraint, facts *rule.Facts) bool {
	x.checked++
	parts := strings.Split(w.Text, " or ")
	if c := x.conditions[w.Field]; c != nil {
		return slices.Contains(parts, x.truth(c, facts))
	}
	if _, fact := x.catalogue.Lookup(w.Field); !fact {
		x.notChecked++
		return true
	}
	v := facts.Get(w.Field)
	return slices.ContainsFunc(parts, func(part string) bool { return x.matches(part, v) })
}

// truth returns "holds", "does not hold" or "unknown", which the texts of a region say about a predicate.
func (x *reading) truth(c *rule.Condition, facts *rule.Facts) string {
	text := c.Text()
	test, ok := x.compiled[text]
	if !ok {
		test = x.code.Add(c)
		x.compiled[text] = test
	}
	x.slots.Load(facts, &x.frame)
	return [...]string{"unknown", "does not hold", "holds"}[x.code.Eval(test, &x.frame)]
}

// matches reports whether a part of a constraint's text holds for a value.
func (x *reading) matches(part string, v rule.Value) bool {
	if v.Type() == rule.Absent {
		return part == "absent" || part == "…"
	}
	switch part {
	case "given", "…", "any other text":
		return true
	case "absent":
		return false
	}
	if v.Type() != rule.NumberType {
		return part == v.String()
	}
	n, inside := v.Number(), true
	for _, bound := range strings.Split(part, " and ") {
		words := strings.Fields(bound)
		at, exact, ok := rule.ParseNumber(words[len(words)-1])
		if !ok || !exact {
			x.tb.Fatalf("the bound %q cannot be read", bound)
		}
		switch strings.Join(words[:len(words)-1], " ") {
		case "at least":
			inside = inside && n >= at
		case "at most":
			inside = inside && n <= at
		case "more than":
			inside = inside && n > at
		case "less than":
			inside = inside && n < at
		case "":
			inside = inside && n == at
		default:
			x.tb.Fatalf("the bound %q cannot be read", bound)
		}
	}
	return inside
}

// TestRegionsAreRead checks that reading notices a wrong region and wrong limits.
func TestRegionsAreRead(t *testing.T) {
	t.Parallel()
	old, changed := edited(t), edited(t, `"value": 21}`, `"value": 23}`)
	r := diff(t, old, changed)
	if len(r.Classes) == 0 {
		t.Fatal("there is no class")
	}
	decide := func() (Kind, *rule.Facts, *engine.Decision, *engine.Decision) {
		var x, y engine.Decision
		facts := rule.NewFacts(field.Catalogue())
		for _, v := range r.Classes[0].Witness.Facts {
			facts.Set(v.Name, v.Value)
		}
		old.Decide(facts, &x)
		changed.Decide(facts, &y)
		return compare(&x, &y, r.Terms), facts, &x, &y
	}
	k, facts, x, y := decide()
	read := newReading(t, old, changed, &r)
	if why := read.check(k, facts, x, y); why != "" || read.checked == 0 {
		t.Errorf("%d constraints: %s", read.checked, why)
	}
	class := r.Classes[0]
	for _, text := range []string{
		"absent", "less than 21", "at least 22 and at most 60", "60", "more than 21 or absent",
	} {
		r.Classes[0].Where = append(slices.Clone(class.Where), Constraint{Field: "age", Text: text})
		if read.check(k, facts, x, y) == "" {
			t.Errorf("age %v is %q", facts.Get("age"), text)
		}
	}
	r.Classes[0] = class
	r.Classes[0].FromLimit[1] = rule.Rupees(x.Offer.LimitPaise) - 1
	if read.check(k, facts, x, y) == "" {
		t.Errorf("the limit %d is at most %v", x.Offer.LimitPaise, r.Classes[0].FromLimit[1])
	}
}

// TestRegionsHoldForRandomApplicants checks the regions and the limits of the default policy and of drafts, also of
// comparisons that end early.
func TestRegionsHoldForRandomApplicants(t *testing.T) {
	t.Parallel()
	old := edited(t)
	for _, edits := range [][]string{
		{`"value": 21}`, `"value": 23}`, `"interest_rate": 14.0`, `"interest_rate": 14.5`},
		{`"foir_cap": 0.6`, `"foir_cap": 0.55`, `"max_limit": 500000`, `"max_limit": 600000`, `"points": -8`,
			`"points": -3`},
	} {
		changed := edited(t, edits...)
		whole := diff(t, old, changed)
		for _, states := range []int{0, whole.States * 98 / 100, whole.States - 20, whole.States - 3} {
			r, err := Diff(old, changed, Options{MaxStates: states}) // 0 means the default
			if err != nil {
				t.Fatal(err)
			}
			read, crowd, in := newReading(t, old, changed, &r), newCrowd(changed, 9), 0
			var x, y engine.Decision
			for range 20_000 {
				facts := crowd.applicant()
				old.Decide(facts, &x)
				changed.Decide(facts, &y)
				k := compare(&x, &y, r.Terms)
				if !k.changed() {
					continue
				}
				x.AddDerived(facts) // both policies derive the same figures
				if why := read.check(k, facts, &x, &y); why != "" {
					t.Errorf("%d states, %+v: %s for %v", states, k, why, facts.Sorted())
					break
				}
				in++
			}
			t.Logf("%d states: complete is %v, %d applicants in %d classes, %d constraints", states, r.Complete,
				in, len(r.Classes), read.checked)
			if in == 0 {
				t.Errorf("%d states: no applicant is treated differently", states)
			}
		}
	}
}
