package prover

import (
	"errors"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Version is the version of the prover. It changes whenever a result could change.
const Version = 7

// ErrOutOfTime is returned by Options.Check if the time for the comparison is over. The result then has what was found
// until then.
var ErrOutOfTime = errors.New("the comparison takes longer than the budget allows")

// Options bounds the work of a comparison.
type Options struct {
	MaxStates int // 0 means DefaultStates
	MaxBytes  int // 0 means DefaultBytes
	// MaxCauses is the largest number of changed entries whose effect on each class is determined; 0 means 200.
	MaxCauses int
	// Check is called every few hundred states. If it returns ErrOutOfTime, the comparison ends early and its result is
	// incomplete. Any other error ends the comparison without a result. Check may be nil.
	Check func() error
	// Progress is called after each variable with the number of variables that are done and the number of all, and may
	// be nil.
	Progress func(done, all int)
}

// The default budget of a comparison.
const (
	DefaultStates = 2_000_000
	DefaultBytes  = 256 << 20
)

// Result is the difference of two policies for all applicants.
type Result struct {
	// Equal is set if the policies are proved to decide alike.
	Equal bool
	// Complete is set if every applicant was covered and every class has a witness.
	Complete bool
	// Incomplete says why a result is not complete, one sentence for each reason.
	Incomplete []string
	// NotCompared names the parts in which the policies differ and which the comparison does not cover.
	NotCompared []string
	Cells       int64 // combinations of cells, which the result covers
	States      int   // states that were explored
	Changes     []engine.Change
	Classes     []Class
	Terms       []string // the conditions of the offer that the bits of a Kind stand for
	// Guarantees has the proofs of the guarantees of the old and of the new policy. A caller sets them.
	Guarantees [2][]Proof
	// Population is set by a caller that has counted the applicants of a book, else nil.
	Population *Population
}

// Class is a kind of applicants whom the policies treat differently.
type Class struct {
	Kind
	// Confirmed is set if the witness was decided by both plans. If it is not set, such applicants may not exist.
	Confirmed bool
	Witness   *Witness
	// Where describes the region of the class: every applicant of the class is in it. Not everybody in it is in the
	// class.
	Where []Constraint
	// Causes lists the indexes in Changes of the entries that cause the change for the witness.
	Causes []int
	// The least and the greatest limit of the applicants of the class. The bounds are not always reached.
	FromLimit, ToLimit [2]rule.Number
}

// Diff compares two plans that were compiled with the same catalogue. The only possible errors are those of
// Options.Check.
func Diff(old, changed *engine.Plan, o Options) (Result, error) {
	r, err := comparePlans(old, changed, o)
	if err == nil && !r.Complete && old.Checksum() == changed.Checksum() {
		// Policies with the same checksum make the same decisions, whatever the comparison does not cover.
		return Result{Equal: true, Complete: true, Cells: r.Cells, States: r.States, Changes: r.Changes}, nil
	}
	return r, err
}

func comparePlans(old, changed *engine.Plan, o Options) (Result, error) {
	var abort error
	o = o.complete(&abort)
	m := newModel(old, changed, o.Check)
	if m.divide(); m.tooLarge != "" {
		if abort != nil {
			return Result{}, abort
		}
		return Result{
			Incomplete: append(m.unknown, m.tooLarge), NotCompared: m.differ,
			Changes: engine.Changes(changed.Policy(), old.Policy()),
		}, nil
	}
	a := newAutomaton(m, o)
	a.explore()
	s := &search{pricing: newPricing(a), byKind: map[Kind]int{}}
	for i := range s.decisions {
		s.decisions[i].KeepQuotes()
	}
	if abort == nil {
		s.collect()
		s.settle()
	}
	if abort != nil {
		return Result{}, abort
	}
	return s.result(old, changed), nil
}

// complete returns the options with their defaults. If Check returns another error than ErrOutOfTime, the error is
// stored in abort.
func (o Options) complete(abort *error) Options {
	if o.MaxStates == 0 {
		o.MaxStates = DefaultStates
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = DefaultBytes
	}
	if o.MaxCauses == 0 {
		o.MaxCauses = 200
	}
	if check := o.Check; check != nil {
		o.Check = func() error {
			err := check()
			if err != nil && !errors.Is(err, ErrOutOfTime) {
				*abort = err
			}
			return err
		}
	}
	return o
}

// result lists what was found.
func (s *search) result(old, changed *engine.Plan) Result {
	r := Result{
		Cells:      s.cellCount(),
		States:     s.total,
		Changes:    engine.Changes(changed.Policy(), old.Policy()),
		Incomplete: s.unknown, NotCompared: s.differ,
		Terms: s.terms,
	}
	if s.truncated != "" {
		r.Incomplete = append(r.Incomplete, s.truncated)
	}
	var kept []*class
	unconfirmed := 0
	for _, c := range s.classes {
		if c.dropped {
			continue
		}
		if c.witness == nil {
			unconfirmed++
		}
		kept = append(kept, c)
	}
	if unconfirmed > 0 {
		r.Incomplete = append(r.Incomplete,
			"for some kinds of change it is not known whether an applicant exists; they are not confirmed")
	}
	slices.SortStableFunc(kept, func(x, y *class) int { return compareKinds(&x.kind, &y.kind) })
	var regions [][]Constraint
	if s.truncated == "" { // otherwise the regions would leave out what was not explored
		regions = s.regions(kept)
	}
	causes := newCauses(old, changed, r.Changes, s.terms, s.options.MaxCauses)
	for i, c := range kept {
		x := Class{Kind: c.kind, Confirmed: c.witness != nil, Witness: c.witness}
		if regions != nil {
			x.Where = regions[i]
		}
		x.FromLimit, x.ToLimit = s.limitsOf(c)
		if c.witness != nil {
			x.Causes = causes.of(c.witness.Facts, &c.kind)
		}
		r.Classes = append(r.Classes, x)
	}
	r.Complete = len(r.Incomplete) == 0
	r.Equal = r.Complete && len(r.Classes) == 0
	return r
}

// limitsOf returns bounds of the limits of a class under both policies.
func (s *search) limitsOf(c *class) (from, to [2]rule.Number) {
	last := s.layers[len(s.layers)-1].states
	bound := func(into *[2]rule.Number, v *view, first bool) {
		low, high := v.limits()
		if first {
			*into = [2]rule.Number{low, high}
			return
		}
		into[0], into[1] = min(into[0], low), max(into[1], high)
	}
	for i, leaf := range c.leaves {
		b := s.boxOf(last[leaf].ctx)
		x, y := s.view(0, last[leaf].sides[0], &b), s.view(1, last[leaf].sides[1], &b)
		if c.kind.From.Status != engine.Declined {
			bound(&from, &x, i == 0)
		}
		if c.kind.To.Status != engine.Declined {
			bound(&to, &y, i == 0)
		}
	}
	return from, to
}

// compareKinds orders classes: changes of the status first, the worst for the applicant first.
func compareKinds(x, y *Kind) int {
	rank := func(k *Kind) []int64 {
		shift := int64(k.From.Status) - int64(k.To.Status) // negative is worse
		same := int64(0)
		if shift == 0 {
			same = 1
		}
		direction := map[Direction]int64{Worse: 0, Mixed: 1, Better: 2}[k.Direction()]
		return []int64{
			same, shift, direction, int64(k.From.Status), -k.From.RateBP, -k.To.RateBP, int64(k.Limit), int64(k.Fee),
			int64(k.Tenure), int64(k.Added), int64(k.Removed),
		}
	}
	if order := slices.Compare(rank(x), rank(y)); order != 0 {
		return order
	}
	return slices.Compare([]string{x.From.Grade, x.To.Grade}, []string{y.From.Grade, y.To.Grade})
}
