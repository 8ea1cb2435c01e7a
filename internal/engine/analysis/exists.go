package analysis

import (
	"maps"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// choice is one of the outcomes of a factor: a value that falls into one of its bins, or no value.
type choice struct {
	points rule.Number
	at     space.Field
	states space.Set // nil if the choice needs no value of the field
}

// The limits of the search for an applicant with a score: the number of different sums after each factor, and the
// number of applicants that are decided.
const (
	maxSums  = 4_096
	maxTries = 24
)

// someWithoutBand reports whether it has found an applicant who has a final score from least to most and gets no band.
// It decides candidates with the compiled policy. If it returns false, such an applicant may still exist.
func (a scoreCheck) someWithoutBand(ntc bool, least, most rule.Number) bool {
	mark := a.solver.Mark()
	defer a.solver.Release(mark)
	who := space.Box{}
	if at := a.space.NTC(); at != space.NoField {
		allow := space.OnlyTrue()
		if !ntc {
			allow = a.solver.Sets.Difference(a.space.Domain(at).Given, allow)
		}
		who = a.solver.With(who, at, allow)
	}
	layers, choices, ok := a.sums()
	if !ok {
		return false
	}
	card := a.policy.Scorecard
	plan, facts := engine.Compile(a.policy, a.catalogue), rule.NewFacts(a.catalogue)
	var d engine.Decision
	for _, sum := range targets(layers[len(layers)-1], card, least, most) {
		a.solver.Budget.Checkpoint(len(choices))
		applicant, ok := a.applicant(who, layers, choices, sum)
		if !ok || a.solver.Budget.Err() != nil {
			continue
		}
		facts.Reset()
		for _, f := range applicant {
			facts.Set(f.Name, f.Value)
		}
		plan.Decide(facts, &d)
		if d.Grade == engine.NoGrade && least <= d.FinalScore && d.FinalScore <= most {
			return true
		}
	}
	return false
}

// sums returns the possible sums of points after each factor. For each sum it also returns a choice of that factor
// which leads to the sum. ok is false if there are too many sums.
func (a scoreCheck) sums() (layers []map[rule.Number]int32, choices [][]choice, ok bool) {
	card := a.policy.Scorecard
	last := map[rule.Number]int32{card.Base: 0}
	layers = append(layers, last)
	for i := range card.Factors {
		options := a.choices(&card.Factors[i])
		next := map[rule.Number]int32{}
		for _, sum := range slices.Sorted(maps.Keys(last)) {
			for k, c := range options {
				if _, has := next[sum+c.points]; !has {
					next[sum+c.points] = int32(k)
				}
			}
		}
		if len(next) > maxSums {
			return nil, nil, false
		}
		a.solver.Budget.Checkpoint(len(next))
		last, layers, choices = next, append(layers, next), append(choices, options)
	}
	return layers, choices, true
}

// choices returns the possible contributions of a factor: the points of each bin with the values that fall into it,
// and the points for an absent value.
func (a scoreCheck) choices(f *engine.Factor) (list []choice) {
	at := a.space.FieldOf(f.Field)
	d := a.space.Domain(at)
	rest := d.Given
	for k := range f.Bins {
		var states space.Set
		if states, rest = a.takes(f, k, d, rest); len(states) > 0 {
			list = append(list, choice{f.Weighted(f.Bins[k].Points), at, states})
		}
	}
	missing := rule.Number(0)
	if f.HasMissing {
		missing = f.Weighted(f.Missing)
	}
	return append(list, choice{points: missing, at: at})
}

// targets returns the sums that give a final score from least to most, or some of them if there are many.
func targets(sums map[rule.Number]int32, card *engine.Scorecard, least, most rule.Number) (list []rule.Number) {
	for _, sum := range slices.Sorted(maps.Keys(sums)) {
		if score := min(max(sum, card.MinScore), card.MaxScore); least <= score && score <= most {
			list = append(list, sum)
		}
	}
	if len(list) <= maxTries {
		return list
	}
	some := make([]rule.Number, maxTries)
	for i := range some {
		some[i] = list[i*(len(list)-1)/(maxTries-1)]
	}
	return some
}

// applicant returns the facts of an applicant whose points add up to sum and who gives all required fields. It returns
// false if it finds none.
func (a scoreCheck) applicant(
	who space.Box, layers []map[rule.Number]int32, choices [][]choice, sum rule.Number,
) ([]rule.NamedValue, bool) {
	for i := len(choices) - 1; i >= 0; i-- {
		c := &choices[i][layers[i+1][sum]]
		sum -= c.points
		if c.states == nil {
			continue
		}
		states := a.solver.Sets.Intersection(a.solver.States(who, c.at), c.states)
		if len(states) == 0 {
			return nil, false
		}
		who = a.solver.With(who, c.at, states)
	}
	who, ok := a.solver.Tightened(who)
	if !ok || a.solver.Supply(who) == 0 {
		return nil, false
	}
	silence := &silenceCheck{analysis: a.analysis}
	for _, req := range a.policy.Required {
		if !slices.ContainsFunc(req.Any, func(ref rule.Ref) bool { return silence.needs(who, a.space.FieldOf(ref)) }) {
			who = silence.given(who, req.Any, space.NoField)
		}
	}
	return a.solver.Facts(who)
}
