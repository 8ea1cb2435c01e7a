package prover

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Population counts how many applicants of a book are in each class of a result.
type Population struct {
	Rows     int64   // applicants that were counted
	Unlisted int64   // applicants who are treated differently and are in no class; 0 if the result is complete
	ByClass  []int64 // by index in the classes of the result

	plans     [2]*engine.Plan
	terms     []string
	at        map[Kind]int
	decisions [2]engine.Decision
}

// NewPopulation returns an empty population for the result of Diff for the same plans.
func NewPopulation(old, changed *engine.Plan, r *Result) *Population {
	p := &Population{
		ByClass: make([]int64, len(r.Classes)), plans: [2]*engine.Plan{old, changed}, terms: r.Terms, at: map[Kind]int{},
	}
	for i := range r.Classes {
		p.at[r.Classes[i].Kind] = i
	}
	for i := range p.decisions {
		p.decisions[i].KeepQuotes()
	}
	return p
}

// Add decides an applicant under both policies and counts the class. The rows of a book are of applicants who are
// named, so Add adds that fact if it is absent.
func (p *Population) Add(facts *rule.Facts) {
	for i, plan := range p.plans {
		if plan.UsesOwn() && facts.Get(field.OwnReference).Type() == rule.Absent {
			facts.Set(field.OwnReference, rule.Bool(true))
		}
		plan.Decide(facts, &p.decisions[i])
	}
	p.Rows++
	k := compare(&p.decisions[0], &p.decisions[1], p.terms)
	if !k.changed() {
		return
	}
	if at, ok := p.at[k]; ok {
		p.ByClass[at]++
	} else {
		p.Unlisted++
	}
}
