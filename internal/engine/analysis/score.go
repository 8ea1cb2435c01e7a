package analysis

import (
	"fmt"
	"slices"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// scoreCheck reports factors and adjustments that look like mistakes, pricing
// bands that no score reaches, and reachable scores without a band.
type scoreCheck struct{ *analysis }

func (a scoreCheck) run() {
	a.scorecard()
	a.reachability()
}

// scorecard reports the findings about single factors and adjustments.
func (a scoreCheck) scorecard() {
	for i := range a.policy.Adjustments {
		if adj := &a.policy.Adjustments[i]; adj.Delta == 0 {
			a.report(SeverityInfo, fault.CodeDeadAdjustment, location{section: atAdjustment, index: i},
				adj.ID+" adds no points: its delta is 0.", nil)
		}
	}
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		a.deadBins(f, i)
		if f.Field.Type != rule.NumberType || f.Weight == 0 {
			continue
		}
		rises, falls := false, false
		ranges := f.Ranges() // Ranges leaves out the special values, which have no order
		for k := 1; k < len(ranges); k++ {
			rises = rises || ranges[k].Points > ranges[k-1].Points
			falls = falls || ranges[k].Points < ranges[k-1].Points
		}
		if rises && falls {
			a.report(SeverityWarning, fault.CodeNonMonotoneBins, location{section: atFactor, index: i},
				fmt.Sprintf("The points of the factor %s both rise and fall as %s grows.", f.Name, f.Field.Name), nil)
		}
	}
}

// deadBins reports the bins that no value of the field falls into. It does not
// report an "else" bin, which may be empty.
func (a scoreCheck) deadBins(f *engine.Factor, i int) {
	d := a.space.Domain(a.space.FieldOf(f.Field))
	rest := d.Given
	for k := range f.Bins {
		if a.solver.Budget.Checkpoint(1 + len(f.Bins)); a.solver.Budget.Err() != nil {
			return
		}
		var states space.Set
		if states, rest = a.takes(f, k, d, rest); len(states) == 0 && !f.Bins[k].Else {
			at := location{section: atFactor, index: i, rest: "/bins/" + strconv.Itoa(k)}
			a.report(SeverityWarning, fault.CodeDeadBin, at,
				fmt.Sprintf("Nobody falls into this bin of the factor %s: %s is %s.",
					f.Name, f.Field.Name, possibleValues(d)), nil)
		}
	}
}

// takes returns the states of the field that fall into bin k, and the remaining
// states. rest has the states that fall into none of the earlier bins.
func (a scoreCheck) takes(f *engine.Factor, k int, d *space.Domain, rest space.Set) (states, left space.Set) {
	ranges := f.Ranges()
	switch {
	case k >= len(ranges):
		states = a.solver.Sets.Intersection(rest, a.specials(f.Bins[k:k+1], d))
	case f.Field.Type == rule.NumberType:
		states = rest // all remaining values fall into the last range
		if k < len(ranges)-1 {
			states = a.solver.Sets.Intersection(rest, a.solver.Compared(d, rule.Lt, rule.Num(ranges[k+1].Min)))
		}
		if special := f.Bins[len(ranges):]; len(special) > 0 {
			states = a.solver.Sets.Difference(states, a.specials(special, d))
		}
	case f.Bins[k].Else || k == len(f.Bins)-1:
		return rest, nil // all remaining values fall into the last bin
	default:
		states = a.solver.OneOf(d, f.Bins[k].In)
	}
	return states, a.solver.Sets.Difference(rest, states)
}

// specials returns the states of the field that are special values of the bins.
func (a scoreCheck) specials(bins []engine.Bin, d *space.Domain) space.Set {
	var values []rule.Value
	for k := range bins {
		for _, n := range bins[k].Special {
			values = append(values, rule.Num(n))
		}
	}
	return a.solver.OneOf(d, values)
}

// reachability reports the bands that no combination of bins, missing fields and adjustments leads to, and the scores
// without a band that some combination leads to. It treats factors and adjustments as independent. So it may treat an
// unreachable score as reachable, but never the reverse.
func (a scoreCheck) reachability() {
	for _, ntc := range [...]bool{false, true} {
		if ntc && a.space.NTC() == space.NoField ||
			!slices.ContainsFunc(a.policy.Bands, func(b engine.Band) bool { return b.NTC == ntc && b.Ranged }) {
			continue
		}
		reach := a.scores(ntc)
		least, most := reach.clamped()
		a.uncovered(ntc, reach)
		a.withoutFallback(ntc, reach)
		for i := range a.policy.Bands {
			b := &a.policy.Bands[i]
			if b.NTC != ntc || !b.Ranged || reach.hits(rule.Int(b.MinScore), rule.Int(b.MaxScore+1)-1) {
				continue
			}
			who := "applicant"
			if ntc {
				who = "new-to-credit applicant"
			}
			a.report(SeverityWarning, fault.CodeUnreachableGrade, location{section: atBand, index: i},
				fmt.Sprintf("%s: no %s can score %d to %d. Scores run from %s to %s.",
					a.neverUsed(b), who, b.MinScore, b.MaxScore, least, most), nil)
		}
	}
}

// neverUsed returns a sentence that says that a band is not used. With segments, another band may have the same grade.
func (a scoreCheck) neverUsed(b *engine.Band) string {
	if a.policy.HasSegments() {
		return "The band " + b.ID + " is never used"
	}
	return fmt.Sprintf("Grade %s (%s) is never given", b.Grade, b.ID)
}

// scores returns the sums of points that applicants can reach. If ntc is set, it considers only applicants who are
// new to credit, otherwise only applicants who are not.
func (a scoreCheck) scores(ntc bool) *reach {
	card := a.policy.Scorecard
	r := newReach(card)
	context := space.Everybody()
	if at := a.space.NTC(); at != space.NoField {
		allow := space.OnlyTrue()
		if !ntc {
			allow = a.solver.Sets.Difference(a.space.Domain(at).All, allow)
		}
		context = a.solver.Possible(a.solver.Single(at, allow))
	}
	options := make([]rule.Number, 0, 16)
	when := 0
	for i := range card.Factors {
		f := &card.Factors[i]
		who := context
		options = options[:0]
		if f.When != nil {
			c := &a.whens[when]
			when++
			options = append(options, 0) // the factor adds nothing if its condition does not hold
			who = a.among(context, &c.Shape)
		}
		r.choose(a.outcomes(f, who, options))
	}
	for i := range a.adjustments {
		if who := a.among(context, &a.adjustments[i].Shape); len(who) > 0 {
			r.choose([]rule.Number{0, a.policy.Adjustments[i].Delta})
		}
	}
	r.settle()
	return r
}

// among returns the part of the context for which a condition may hold. If that
// cannot be determined, it returns the whole context.
func (a scoreCheck) among(context space.Region, s *space.Shape) space.Region {
	if !s.Known {
		return context
	}
	both, ok := a.solver.Intersection(context, s.Upper)
	if !ok {
		return context
	}
	return a.solver.Possible(both)
}

// outcomes appends to options the points that a factor can give to anybody in a region, without duplicates. If options
// is still empty after that, it appends 0.
func (a scoreCheck) outcomes(f *engine.Factor, who space.Region, options []rule.Number) []rule.Number {
	add := func(n rule.Number) {
		if !slices.Contains(options, n) {
			options = append(options, n)
		}
	}
	at := a.space.FieldOf(f.Field)
	d := a.space.Domain(at)
	unreadable := a.solver.Sets.Difference(d.All, d.Given)
	somebody := func(states space.Set) bool {
		return len(states) > 0 &&
			slices.ContainsFunc(who, func(b space.Box) bool { return a.solver.States(b, at).Meets(states) })
	}
	if somebody(unreadable) {
		missing := rule.Number(0)
		if f.HasMissing {
			missing = f.Weighted(f.Missing)
		}
		add(missing)
	}
	rest := d.Given
	for k := range f.Bins {
		if a.solver.Budget.Checkpoint(1 + len(f.Bins)); a.solver.Budget.Err() != nil {
			break
		}
		var states space.Set
		if states, rest = a.takes(f, k, d, rest); somebody(states) {
			add(f.Weighted(f.Bins[k].Points))
		}
	}
	if len(options) == 0 {
		add(0)
	}
	return options
}
