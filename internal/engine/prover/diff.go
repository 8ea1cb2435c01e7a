package prover

import (
	"errors"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Version is the version of the prover. It changes whenever a result could change.
const Version = 8

// ErrOutOfTime is returned by Options.Check if the time for the comparison is over. The result then has what was found
// so far.
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
	// Progress is called after each variable with the number of variables that are done and the number of all
	// variables. Progress may be nil.
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
	// Incomplete has one sentence for each reason why the result is not complete.
	Incomplete []string
	// NotCompared names the parts in which the policies differ and which the comparison does not cover.
	NotCompared []string
	Cells       int64 // number of combinations of cells that the result covers
	States      int   // states that were explored
	Changes     []engine.Change
	Classes     []Class
	Terms       []string // the code of the offer's condition for each bit of Kind.Added and Kind.Removed
	// Guarantees has the proofs of the guarantees of the old and of the new policy. Diff leaves it empty; the caller
	// sets it.
	Guarantees [2][]Proof
	// Population is nil unless the caller has counted the applicants of a loan book.
	Population *Population
}

// Class is a kind of applicant that the policies treat differently.
type Class struct {
	Kind
	// Confirmed is set if both plans have decided the witness. If it is not set, it is not known whether such
	// applicants exist.
	Confirmed bool
	Witness   *Witness
	// Where describes a region that contains every applicant of the class. It may contain other applicants, too.
	Where []Constraint
	// Causes lists the changes that cause the difference for the witness, as indexes in Changes.
	Causes []int
	// FromLimit and ToLimit are bounds of the limits that applicants of the class get under the old and the new
	// policy: the lowest and the highest. The bounds are not always reached. They are known only if Bounded is set.
	FromLimit, ToLimit [2]rule.Number
	Bounded            bool
}

// Diff compares two plans that were compiled with the same catalogue. It returns only errors of Options.Check, and
// never ErrOutOfTime.
func Diff(old, changed *engine.Plan, o Options) (Result, error) {
	r, err := comparePlans(old, changed, o)
	if err == nil && !r.Complete && old.Checksum() == changed.Checksum() {
		// Policies with the same checksum make the same decisions, including the parts that the comparison does not
		// cover.
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
	r := s.result(old, changed)
	if abort != nil {
		return Result{}, abort
	}
	return r, nil
}

// complete returns the options with their defaults. If Check returns an error other than ErrOutOfTime, the error is
// also stored in abort.
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
	for _, c := range kept {
		r.Classes = append(r.Classes, Class{Kind: c.kind, Confirmed: c.witness != nil, Witness: c.witness})
	}
	if explored := s.truncated == ""; !s.explain(old, changed, kept, &r) && explored {
		r.Incomplete = append(r.Incomplete, "the time for the comparison is over, so the regions, limits or causes of "+
			"some kinds of change are left out")
	}
	r.Complete = len(r.Incomplete) == 0
	r.Equal = r.Complete && len(r.Classes) == 0
	return r
}

// explain sets the regions, the limits and the causes of the classes of a result. It returns false if it stops early.
// Then each class that is not explained has none of the three.
func (s *search) explain(old, changed *engine.Plan, classes []*class, r *Result) bool {
	explored := s.truncated == "" // if not, the regions and the limits would be incomplete
	var regions [][]Constraint
	if explored {
		regions = s.regions(classes)
	}
	causes := newCauses(old, changed, r.Changes, s.terms, s.options.MaxCauses)
	for i, c := range classes {
		x := Class{Kind: c.kind, Confirmed: c.witness != nil, Witness: c.witness}
		if explored {
			x.FromLimit, x.ToLimit, x.Bounded = s.limitsOf(c)
		}
		if c.witness != nil {
			x.Causes = causes.of(c.witness.Facts, s.stopped)
		}
		if s.stopped() {
			return false
		}
		if regions != nil {
			x.Where = regions[i]
		}
		r.Classes[i] = x
	}
	return true
}

// leavesBetweenChecks is the number of leaves whose limits are computed between two calls of Options.Check.
const leavesBetweenChecks = 256

// limitsOf returns bounds of the limits that a class gets under both policies. ok is false if it stops early; then the
// bounds are too narrow.
func (s *search) limitsOf(c *class) (from, to [2]rule.Number, ok bool) {
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
		if i%leavesBetweenChecks == 0 && s.stopped() {
			return from, to, false
		}
		b := s.boxOf(last[leaf].ctx)
		x, y := s.view(0, last[leaf].sides[0], &b), s.view(1, last[leaf].sides[1], &b)
		if c.kind.From.Status != engine.Declined {
			bound(&from, &x, i == 0)
		}
		if c.kind.To.Status != engine.Declined {
			bound(&to, &y, i == 0)
		}
	}
	return from, to, true
}

// compareKinds orders classes: changes of the status come first, and among them the changes that are worst for the
// applicant.
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
