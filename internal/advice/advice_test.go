package advice_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// names maps each canonical field to its path in the request. A test always changes both.
var names = map[string]string{
	"foir": "applicant.foir", "requested_amount": "applicant.requested_amount",
	"requested_tenure_months": "applicant.tenure_months", "enquiries_6m": "bureau_report.enquiries_6m",
}

// bench applies changes to an application and decides it, without the optimisations of the search.
type bench struct {
	plan  *engine.Plan
	facts *rule.Facts
	d     engine.Decision
}

func newBench(plan *engine.Plan, facts *rule.Facts) *bench {
	b := &bench{plan: plan, facts: rule.NewFacts(field.Catalogue())}
	for _, f := range facts.Sorted() {
		b.facts.Set(f.Name, f.Value)
	}
	return b
}

// try sets one field to v, calls the function "then", and restores the field.
func (b *bench) try(name string, v rule.Value, then func()) {
	if name == field.FOIREffective {
		b.repay(v.Number(), then)
		return
	}
	raw := names[name]
	was, wasRaw := b.facts.Get(name), b.facts.Get(raw)
	b.facts.Set(name, v)
	b.facts.Set(raw, v)
	then()
	b.facts.Set(name, was)
	b.facts.Set(raw, wasRaw)
}

// repay lowers the declared FOIR and the instalments of the bureau report to at most a share of the declared
// income, calls the function "then", and restores both.
func (b *bench) repay(share rule.Number, then func()) {
	names := []string{"foir", "applicant.foir", "bureau_own_emi"}
	var was []rule.Value
	income := b.facts.Get("monthly_income").Number()
	for _, name := range names {
		v := b.facts.Get(name)
		was = append(was, v)
		most := share
		if name == "bureau_own_emi" {
			most = rule.Number(float64(share) / 1e6 * float64(income))
		}
		if v.Type() != rule.Absent && v.Number() > most {
			b.facts.Set(name, rule.Num(most))
		}
	}
	then()
	for i, name := range names {
		b.facts.Set(name, was[i])
	}
}

// decide returns the status of the changed application, and whether the whole requested amount is
// offered.
func (b *bench) decide() (engine.Status, bool) {
	b.plan.Decide(b.facts, &b.d)
	return b.d.Status, !b.d.Offer.CounterOffer
}

// nearer calls visit for every value on a field's grid that is nearer to origin than distance,
// until visit returns false.
func nearer(name string, origin, distance rule.Number, visit func(rule.Number) bool) {
	grid := map[string]rule.Number{"foir": 10_000, "foir_effective": 10_000, "requested_amount": 100 * rule.One}[name]
	if grid == 0 {
		grid = rule.One
	}
	upwards := name == "requested_amount" || name == "requested_tenure_months"
	least := map[string]rule.Number{"requested_amount": grid, "requested_tenure_months": grid}[name]
	first := origin - origin%grid
	for x := first; x >= least && origin-x < distance; x -= grid {
		if x != origin && !visit(x) {
			return
		}
	}
	for x := first + grid; upwards && x-origin < distance; x += grid {
		if !visit(x) {
			return
		}
	}
}

func reaches(x *advice.Improvement, status engine.Status, full bool) bool {
	return status <= x.Status && (!x.Full || full)
}

// movesTenure reports whether x proposes another tenure. A tenure that the band does not allow is
// not a valid proposal, even together with other changes.
func movesTenure(x *advice.Improvement) bool {
	return slices.ContainsFunc(x.Changes, func(c advice.Change) bool { return c.Field == "requested_tenure_months" })
}

// check verifies every improvement with the engine: applying the improvement must give the promised outcome, and no
// smaller change of the same field may give it.
func check(t *testing.T, plan *engine.Plan, facts *rule.Facts, list []advice.Improvement) {
	t.Helper()
	b := newBench(plan, facts)
	for i := range list {
		x := &list[i]
		apply(b, x.Changes, func() {
			status, full := b.decide()
			if status != x.Status || x.Full && !full || b.d.Grade != x.Grade || b.d.Offer.LimitPaise != x.LimitPaise {
				t.Errorf("%+v gives %s, %d", x, status, b.d.Offer.LimitPaise)
			}
		})
		for k, c := range x.Changes {
			if c.From.Type() == rule.Absent {
				continue // an absent value has no distance
			}
			others := append(append([]advice.Change{}, x.Changes[:k]...), x.Changes[k+1:]...)
			distance := c.To.Number() - c.From.Number()
			apply(b, others, func() {
				nearer(c.Field, c.From.Number(), max(distance, -distance), func(n rule.Number) bool {
					smaller := false
					b.try(c.Field, rule.Num(n), func() {
						status, full := b.decide()
						smaller = reaches(x, status, full) && !(movesTenure(x) && b.d.Offer.TenureNotAvailable)
					})
					if smaller {
						t.Errorf("%s at %s does what is promised for %+v", c.Field, n, x)
					}
					return !smaller
				})
			})
		}
	}
}

func apply(b *bench, changes []advice.Change, then func()) {
	if len(changes) == 0 {
		then()
		return
	}
	b.try(changes[0].Field, changes[0].To, func() { apply(b, changes[1:], then) })
}

// found tries every value on the grid of each field and fails the test if a single change gives a
// better outcome but was not returned.
func found(t *testing.T, plan *engine.Plan, facts *rule.Facts, d *engine.Decision, list []advice.Improvement) {
	t.Helper()
	b := newBench(plan, facts)
	for _, name := range []string{"foir", "enquiries_6m", "requested_tenure_months", "requested_amount"} {
		from := facts.Get(name)
		if name == "foir" && plan.Derives() {
			name, from = "foir_effective", plan.Obligations(facts).FOIR
		}
		if from.Type() == rule.Absent || d.Status == engine.Approved {
			continue
		}
		best := d.Status
		for i := range list {
			if c := list[i].Changes; len(c) == 1 && c[0].Field == name {
				best = min(best, list[i].Status)
			}
		}
		reach := map[string]rule.Number{
			"foir":                    rule.One,
			"foir_effective":          5 * rule.One,
			"enquiries_6m":            rule.Int(100),
			"requested_tenure_months": rule.Int(100),
		}[name]
		if name == "requested_amount" {
			reach = rule.Int(450_000)
		}
		nearer(name, from.Number(), reach, func(n rule.Number) bool {
			missed := false
			b.try(name, rule.Num(n), func() {
				status, _ := b.decide()
				missed = status < best && !(name == "requested_tenure_months" && b.d.Offer.TenureNotAvailable)
			})
			if missed {
				t.Errorf("%s at %s gives %s, and the best returned is %s", name, n, b.d.Status, best)
			}
			return !missed
		})
	}
}

// improvable counts the cases and improvements that a property test has checked, so that the test
// fails if there are too few.
type improvable struct{ cases, single, pair, full, referred int }

func (s *improvable) add(list []advice.Improvement) {
	s.cases++
	for i := range list {
		switch {
		case list[i].Full:
			s.full++
		case len(list[i].Changes) == 2:
			s.pair++
		default:
			s.single++
		}
		if list[i].Status == engine.Referred {
			s.referred++
		}
	}
}

func TestImprovementsAreExactUnderTheDefaultPolicy(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: corpora")
	}
	plan, dice := defaultPlan(), &dice{state: 1}
	var seen improvable
	for seen.cases < rounds(1_000, 50_000) && !t.Failed() {
		facts := application(dice)
		var d engine.Decision
		plan.Decide(facts, &d)
		if d.Status == engine.Approved && !d.Offer.CounterOffer {
			continue
		}
		list := improve(t, plan, facts, &d, advice.Options{Max: 100})
		seen.add(list)
		check(t, plan, facts, list)
		if seen.cases%25 == 0 {
			found(t, plan, facts, &d, list)
		}
	}
	if seen.single < 100 || seen.pair < 50 || seen.full < 30 || seen.referred < 50 {
		t.Errorf("too little was seen: %+v", seen)
	}
}

func TestImprovementsAreExactUnderAnyPolicy(t *testing.T) {
	t.Parallel()
	var seen improvable
	for seed := range uint64(rounds(30, 2_000)) {
		dice := &dice{state: seed}
		document := policy(dice)
		plan := compile(t, document)
		for range 4 {
			facts := application(dice)
			var d engine.Decision
			plan.Decide(facts, &d)
			list := improve(t, plan, facts, &d, advice.Options{Max: 100})
			seen.add(list)
			check(t, plan, facts, list)
			if seed%5 == 0 {
				found(t, plan, facts, &d, list)
			}
			if t.Failed() {
				t.Fatalf("seed %d\n%s\n%v", seed, document, facts.Sorted())
			}
		}
	}
	if seen.single < 50 || seen.pair < 5 || seen.referred < 20 {
		t.Errorf("too little was seen: %+v", seen)
	}
}

// TestImproveIsDeterministicAndLeavesFactsAlone checks that the same call gives the same result and
// does not modify its arguments.
func TestImproveIsDeterministicAndLeavesFactsAlone(t *testing.T) {
	t.Parallel()
	plan, dice := defaultPlan(), &dice{state: 7}
	for range rounds(200, 5_000) {
		facts := application(dice)
		before := facts.Sorted()
		var d engine.Decision
		plan.Decide(facts, &d)
		first := improve(t, plan, facts, &d, advice.Options{})
		second := improve(t, plan, facts, &d, advice.Options{})
		same := cmp.AllowUnexported(advice.Improvement{}, rule.Value{})
		if diff := cmp.Diff(first, second, same); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(before, facts.Sorted(), same); diff != "" {
			t.Fatal(diff)
		}
	}
}
