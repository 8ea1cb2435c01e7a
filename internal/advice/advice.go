// Package advice finds out what an applicant could change so that the same
// policy would decide better: the smallest changes of the fields that the
// policy calls actionable, each of them decided by the engine before anybody
// hears of it.
//
// Nothing here guesses. A decision can only change where the policy compares
// the field with something, at an edge of a bin, or where the price depends on
// it, so that a value from each stretch between those places stands for all of
// them, and the nearest one is tried first. What is returned is therefore
// exact: applied, it gives the outcome that it promises, and no smaller change
// of the same field on its grid does.
//
// An income and a score are never advised on, whatever a policy says: the one
// is declared by the applicant and the other is nobody's to choose. The same
// holds for what devices, places and fraud counts show.
package advice

import (
	"cmp"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// DefaultMax is how many improvements are returned when nobody says.
const DefaultMax = 8

// Options narrow the search.
type Options struct {
	// Max is how many improvements are returned at most; 0 is DefaultMax.
	Max int
	// Tenures are the tenures that may be proposed, of those that the policy
	// allows; nil for all of them.
	Tenures []int
	// MinAmount is the least amount that may be proposed; 0 for no bound.
	MinAmount rule.Number
	// Check is called many times in a millisecond of search; its error ends the
	// search. nil lets it run to its end.
	Check func() error
}

// Change is one field that has to change.
type Change struct {
	Field string
	From  rule.Value // absent when the request did not say
	To    rule.Value
	// Waiting is set for what falls with time and by doing nothing, such as
	// the number of recent enquiries.
	Waiting bool
	// PayOff is, for a change of foir_effective, the obligations a month that
	// are paid off by it, in whole rupees; absent without an income.
	PayOff rule.Value
}

// Improvement is a set of changes and what the engine decides with them.
type Improvement struct {
	Changes []Change // in the order of the policy's actionable fields
	Status  engine.Status
	// Full is set when the goal was the whole amount asked for, instead of the
	// lower one that is offered now.
	Full bool
	// What is offered then; Offered is false only if nothing is.
	Offered         bool
	Grade           string
	BandID          string
	LimitPaise      int64
	RateBP          int64
	TenureMonths    int
	InstalmentPaise int64

	cost int64
}

// goal is an outcome that is looked for.
type goal uint8

const (
	toReferred goal = iota // referred or better
	toApproved
	toFull // approved for all that was asked for
	goals
)

func (g goal) met(d *engine.Decision) bool {
	switch g {
	case toReferred:
		return d.Status != engine.Declined
	case toApproved:
		return d.Status == engine.Approved
	default:
		return d.Status == engine.Approved && !d.Offer.CounterOffer
	}
}

// worst is the worst status that meets a goal.
func (g goal) worst() engine.Status {
	if g == toReferred {
		return engine.Referred
	}
	return engine.Approved
}

// worstOf is the worst status that meets one of some goals.
func worstOf(list []goal) engine.Status {
	worst := engine.Approved
	for _, g := range list {
		worst = max(worst, g.worst())
	}
	return worst
}

// goalsOf are the outcomes that would be better than a decision. Whoever has
// what was asked for needs no advice.
func goalsOf(d *engine.Decision) []goal {
	switch {
	case d.Status == engine.Declined:
		return []goal{toApproved, toReferred}
	case d.Status == engine.Referred:
		return []goal{toApproved}
	case d.Offer.CounterOffer:
		return []goal{toFull}
	default:
		return nil
	}
}

// Improve lists what would turn the outcome d of facts under plan.
//
// For each field the smallest change that gives each better outcome is
// returned, and for an outcome that no single change gives, the smallest
// change of each pair of fields. Improvements with a better outcome come
// first, then those with fewer changes, then those with the smaller change in
// proportion to the present values, then in the order of the policy's
// actionable fields. A pair is measured by the sum of its two proportions.
//
// A search that would take more than maxSteps ends there: a change that it has
// not come to is not returned.
//
// facts are left as they are. d must be what plan decided of them. The only
// error is that of o.Check.
func Improve(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, o Options) ([]Improvement, error) {
	wanted := goalsOf(d)
	if len(wanted) == 0 {
		return nil, nil
	}
	s := newSearch(plan, facts, d, o)
	found := s.improve(wanted, d, o)
	if s.err != nil {
		return nil, s.err
	}
	return found, nil
}

func (s *search) improve(wanted []goal, d *engine.Decision, o Options) []Improvement {
	if len(s.levers) == 0 || s.hopeless(d) {
		return nil
	}
	found := s.single(wanted)
	for _, g := range wanted {
		if !s.reached[g] {
			found = append(found, s.pairs(g)...)
		}
	}
	slices.SortStableFunc(found, func(a, b Improvement) int {
		return cmp.Or(
			cmp.Compare(a.Status, b.Status), cmp.Compare(len(a.Changes), len(b.Changes)), cmp.Compare(a.cost, b.cost),
		)
	})
	found = distinct(found)
	most := o.Max
	if most <= 0 {
		most = DefaultMax
	}
	return found[:min(len(found), most)]
}

// distinct leaves out what is listed already: the pair that is approved is
// also the smallest that is not declined.
func distinct(list []Improvement) []Improvement {
	var out []Improvement
	for _, x := range list {
		known := slices.ContainsFunc(out, func(y Improvement) bool { return slices.Equal(x.Changes, y.Changes) })
		if !known {
			out = append(out, x)
		}
	}
	return out
}
