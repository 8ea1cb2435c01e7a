// Package advice finds what an applicant could change to get a better decision
// under the same policy. It returns the smallest changes to the fields that the
// policy lists as actionable. Before it returns a change, it applies the change
// and lets the engine decide.
//
// The search is exact. When a field changes, the decision can change only at a
// value that the policy compares the field with, at the edge of a bin, or where
// the price depends on the field. So one value from each interval between those
// points represents the whole interval. The search tries the values that are
// nearest to the present value first. A returned change gives the promised
// outcome when it is applied, and no smaller change of the same field on its
// grid does.
//
// The package never proposes to change the income or the score, even if a policy
// lists them: the applicant only declares the income and cannot choose the
// score. It does not propose to change device, location or fraud fields either,
// because that would help fraudsters.
package advice

import (
	"cmp"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// DefaultMax is the number of improvements returned if Options.Max is 0.
const DefaultMax = 8

// Options limits the search.
type Options struct {
	// Max is the maximum number of improvements to return; 0 means DefaultMax.
	Max int
	// Tenures lists the tenures that may be proposed. nil permits every tenure
	// that the policy allows.
	Tenures []int
	// MinAmount is the smallest amount that may be proposed; 0 means no bound.
	MinAmount rule.Number
	// Check is called several times per millisecond of search. If it returns an
	// error, the search stops with that error. If Check is nil, the search is
	// never stopped.
	Check func() error
}

// Change is one field that must change, with its present and its new value.
type Change struct {
	Field string
	From  rule.Value // absent if the request did not send the field
	To    rule.Value
	// Waiting is set for a field that only falls as time passes: the number of
	// recent enquiries.
	Waiting bool
	// PayOff is the amount of monthly obligations to pay off, in whole rupees,
	// for a change of foir_effective. It is absent for any other change, and if
	// there is no income.
	PayOff rule.Value
}

// Improvement is a set of changes with the decision that the engine makes after
// them.
type Improvement struct {
	Changes []Change // in the order of the policy's actionable fields
	Status  engine.Status
	// Full is set if the present offer is for less than the requested amount and
	// the changes give the whole amount.
	Full bool
	// Offered reports whether the engine makes an offer after the changes. The
	// fields below describe that offer.
	Offered         bool
	Grade           string
	BandID          string
	LimitPaise      int64
	RateBP          int64
	TenureMonths    int
	InstalmentPaise int64

	cost int64
}

// goal is an outcome that the search tries to reach.
type goal uint8

const (
	toReferred goal = iota // referred or better
	toApproved
	toFull // approved for the whole requested amount
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

// worst returns the worst status that meets the goal.
func (g goal) worst() engine.Status {
	if g == toReferred {
		return engine.Referred
	}
	return engine.Approved
}

// worstOf returns the worst status that meets at least one of the goals.
func worstOf(list []goal) engine.Status {
	worst := engine.Approved
	for _, g := range list {
		worst = max(worst, g.worst())
	}
	return worst
}

// goalsOf returns the outcomes that are better than d, or none if d grants
// everything that was requested.
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

// Improve returns the changes to facts that would give a better outcome than d
// under plan. It returns nil if d grants everything that was requested.
//
// It returns, for each field, the smallest change that reaches each better
// outcome. For an outcome that no single change reaches, it returns the smallest
// change of each pair of fields. Improvements are sorted by outcome (better
// first), then by number of changes (fewer first), then by the size of the
// change relative to the present value, then by the order of the policy's
// actionable fields. The size of a pair is the sum of its two relative sizes.
//
// The search stops after maxSteps, so a change that would take longer to find is
// not returned.
//
// Improve does not modify facts. d must be the decision of plan on facts. The
// only possible error is that of o.Check.
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

	limit := o.Max
	if limit <= 0 {
		limit = DefaultMax
	}
	return found[:min(len(found), limit)]
}

// distinct returns list without duplicates. A duplicate is an improvement with the same changes as an earlier
// one. Duplicates occur because the smallest pair that is approved can also be the smallest pair that is not
// declined.
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
