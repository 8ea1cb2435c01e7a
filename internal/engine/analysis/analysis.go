package analysis

import (
	"cmp"
	"slices"
	"sync"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Run lists the likely mistakes in a policy from engine.ReadPolicy. Every proved finding is true if all facts are
// within the domains of the catalogue; see Finding. Run may miss mistakes. Errors come first, then warnings, then
// infos. Findings of one severity are in document order, then by code. The result is deterministic.
//
// The work is bounded for every policy. The check that compares rules with each other is the most expensive one and
// runs last.
func Run(p *engine.Policy, catalogue *rule.Catalogue) []Finding {
	found, _ := RunUntil(p, catalogue, nil) // RunUntil returns no error if check is nil
	return found
}

// RunUntil does the work of Run and calls check every few hundred steps. If
// check returns an error, RunUntil stops and returns that error and no
// findings. There are no other errors. check may be nil.
func RunUntil(p *engine.Policy, catalogue *rule.Catalogue, check func() error) ([]Finding, error) {
	a, kept := analyses.Get().(*analysis)
	if !kept {
		a = newAnalysis()
	}
	a.begin(p, catalogue, check)
	a.clauses()
	(&conditionCheck{analysis: a}).run()
	unitCheck{a}.run()
	percentCheck{a}.run()
	(&silenceCheck{analysis: a}).run()
	scoreCheck{a}.run()
	bandCheck{a}.run()
	capCheck{a}.run()
	peopleCheck{a}.run()
	reasonCheck{a}.run()
	(&redundancyCheck{analysis: a}).run()
	a.truncation()
	slices.SortStableFunc(a.found, func(x, y found) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), x.at.compare(y.at), cmp.Compare(x.Code, y.Code))
	})
	out := make([]Finding, len(a.found))
	for i := range a.found {
		out[i] = a.found[i].Finding
	}
	err := a.solver.Budget.Err()
	a.release()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// The limits of one analysis: the total number of steps, and the number of
// pairs of rules that are compared. They are far beyond the needs of a policy
// that people maintain, and they bound the work for the largest policy.
const (
	maxSteps       = 1_000_000
	maxComparisons = 50_000
)

// analysis is the working memory of one call of Run. All checks share it. It
// has the policy, its conditions and the findings.
type analysis struct {
	policy    *engine.Policy
	catalogue *rule.Catalogue
	space     *space.Space // the solver's space
	solver    *space.Solver

	knockouts   []clause
	adjustments []clause
	whens       []clause // the "when" conditions of factors
	terms       []clause
	segments    []clause      // the "when" conditions of bands
	caps        []clause      // the "when" conditions of limit caps
	reads       []space.Field // backing array of the reads of all clauses

	found   []found
	unknown []string // names of the conditions that are too large to analyse
}

// analyses pools the working memory between calls. Nothing that Run returns
// refers to it.
var analyses sync.Pool

func newAnalysis() *analysis {
	solver := space.NewSolver()
	return &analysis{
		solver: solver,
		space:  solver.Space,
		found:  make([]found, 0, 16),
		reads:  make([]space.Field, 0, 64),
	}
}

// begin resets the working memory for a policy.
func (a *analysis) begin(p *engine.Policy, catalogue *rule.Catalogue, check func() error) {
	*a = analysis{
		policy: p, catalogue: catalogue, space: a.space, solver: a.solver,
		found:     a.found[:0],
		reads:     a.reads[:0],
		knockouts: a.knockouts[:0], adjustments: a.adjustments[:0], whens: a.whens[:0], terms: a.terms[:0],
		segments: a.segments[:0], caps: a.caps[:0],
		unknown: a.unknown[:0],
	}
	a.solver.Reset(space.NewBudget(maxSteps, check))
	a.space.Reset(catalogue, ParamsOf(p))
}

// ParamsOf returns the data of a policy that the space needs.
func ParamsOf(p *engine.Policy) space.Params {
	sources := p.CountedSources()
	params := space.Params{
		MinScore: p.Scorecard.MinScore,
		MaxScore: p.Scorecard.MaxScore,
		Grades:   grades(p),
		Tables:   p.Tables,
	}
	if len(sources.Income.Of) > 0 {
		params.IncomeSource = sources.Income.Of[0]
	}
	if sources.CountsDeclared() {
		params.FOIRSource = field.FOIR
	}
	return params
}

// grades returns the possible values of the field grade under a policy.
func grades(p *engine.Policy) []string {
	grades := append(make([]string, 0, 1+len(p.Bands)), engine.NoGrade)
	for i := range p.Bands {
		if g := p.Bands[i].Grade; !slices.Contains(grades, g) {
			grades = append(grades, g)
		}
	}
	return grades
}

// release clears the working memory and returns it to the pool. If the memory
// has grown large for a huge policy, release leaves it to the garbage collector
// instead.
func (a *analysis) release() {
	const most = 1 << 12
	if a.space.Size() > most || cap(a.knockouts) > most {
		return
	}
	clear(a.found)
	clear(a.unknown)
	for _, list := range [][]clause{a.knockouts, a.adjustments, a.whens, a.terms, a.segments, a.caps} {
		clear(list)
	}
	a.space.Clear()
	a.solver.Reset(space.Budget{})
	a.policy = nil
	analyses.Put(a)
}

// lists returns the conditions of the policy by section.
func (a *analysis) lists() [6][]clause {
	return [...][]clause{a.knockouts, a.adjustments, a.whens, a.terms, a.segments, a.caps}
}
