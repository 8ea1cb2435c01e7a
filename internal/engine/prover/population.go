package prover

import (
	"fmt"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Population counts how many applicants of a loan book are in each class of a result.
type Population struct {
	Rows     int64   // applicants that were counted
	Unlisted int64   // applicants who are treated differently but are in no class; 0 if the result is complete
	ByClass  []int64 // applicants of each class, by index in the classes of the result
	// What names the applicants in the summary, such as "applications of the last 30 days". If it is "", the summary
	// does not mention them.
	What string

	plans     [2]*engine.Plan
	terms     []string
	at        map[Kind]int
	decisions [2]engine.Decision
}

// NewPopulation returns an empty population for the result of Diff for the same plans.
func NewPopulation(old, changed *engine.Plan, r *Result) *Population {
	p := &Population{
		ByClass: make([]int64, len(r.Classes)), plans: [2]*engine.Plan{old, changed}, terms: r.Terms,
		at: map[Kind]int{},
	}
	for i := range r.Classes {
		p.at[r.Classes[i].Kind] = i
	}
	for i := range p.decisions {
		p.decisions[i].KeepQuotes()
	}
	return p
}

// Add decides an applicant under both policies and counts the applicant's class. Applicants of a loan book count as
// having a reference, so Add sets own_reference if it is absent.
func (p *Population) Add(facts *rule.Facts) {
	for i, plan := range p.plans {
		if plan.UsesOwn() && facts.Get(field.OwnReference).Type() == rule.Absent {
			facts.Set(field.OwnReference, rule.Bool(true))
		}
		plan.Decide(facts, &p.decisions[i])
	}
	p.Count(&p.decisions[0], &p.decisions[1])
}

// Count counts the class of an applicant whom the old and the new policy have decided.
func (p *Population) Count(from, to *engine.Decision) {
	p.Rows++
	k := compare(from, to, p.terms)
	if !k.changed() {
		return
	}
	if at, ok := p.at[k]; ok {
		p.ByClass[at]++
	} else {
		p.Unlisted++
	}
}

// Tally counts the applicants of a population who are treated differently. Applicants who are in no class count only
// in All.
type Tally struct {
	All, Worse, Better, Mixed int64
	Declined                  int64 // approved by the old policy and declined by the new one
}

// Tally adds up the classes of a result.
func (p *Population) Tally(r *Result) (t Tally) {
	t.All = p.Unlisted
	for i := range r.Classes {
		c, n := &r.Classes[i], p.ByClass[i]
		t.All += n
		switch c.Direction() {
		case Worse:
			t.Worse += n
		case Better:
			t.Better += n
		default:
			t.Mixed += n
		}
		if c.From.Status == engine.Approved && c.To.Status == engine.Declined {
			t.Declined += n
		}
	}
	return t
}

// Sentence returns a sentence about how many applicants of the population are treated differently. It returns "" if
// What is "".
func (p *Population) Sentence(r *Result) string {
	switch {
	case p.What == "":
		return ""
	case p.Rows == 0:
		return fmt.Sprintf("There are no %s to count.", p.What)
	}
	t := p.Tally(r)
	if t.All == 0 {
		return fmt.Sprintf("None of the %s %s is treated differently.", grouped(p.Rows), p.What)
	}
	are := "are"
	if t.All == 1 {
		are = "is"
	}
	text := fmt.Sprintf("%s of %s %s %s treated differently: %s worse, %s better, %s mixed", grouped(t.All),
		grouped(p.Rows), p.What, are, grouped(t.Worse), grouped(t.Better), grouped(t.Mixed))
	if p.Unlisted > 0 {
		text += fmt.Sprintf(", and %s in a way that is not listed", grouped(p.Unlisted))
	}
	switch t.Declined {
	case 0:
		return text + "."
	case 1:
		return text + "; 1 of them is declined instead of approved."
	}
	return text + fmt.Sprintf("; %s of them are declined instead of approved.", grouped(t.Declined))
}

// grouped writes a number with Indian digit groups, such as 12,34,567. The number must not be negative.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for at := len(digits) - 3; at > 0; at -= 2 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}
