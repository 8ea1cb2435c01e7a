package prover

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// causes finds the changed entries of a policy that cause a different decision.
type causes struct {
	old, changed *engine.Plan
	changes      []engine.Change
	terms        []string
	without      []*engine.Plan // by change: the new policy without the change
	with         []*engine.Plan // by change: the old policy with the change
	decisions    [2]engine.Decision
	tooMany      bool
	planBytes    int // the most memory of one of these plans, estimated
	keptBytes    int // about the memory of the plans in without and with
}

// maxCauseCost is the largest total cost of the policies that are compiled to find causes.
const maxCauseCost = 1_000_000

// maxKeptBytes is about the most memory of the plans that are kept for the next applicant. Other plans are compiled
// again for each applicant.
const maxKeptBytes = 32 << 20

// bytesPerPlanByte is the most memory of a plan for each byte of its document. The hostile policies of the tests need
// between one byte and, with large sets of texts, 9.5.
const bytesPerPlanByte = 10

func newCauses(old, changed *engine.Plan, changes []engine.Change, terms []string, most int) *causes {
	c := &causes{old: old, changed: changed, changes: changes, terms: terms, tooMany: len(changes) > most}
	// Each change is tried in a plan of its own, and compiling a large policy takes milliseconds. If all changes
	// together cost too much, no causes are searched.
	c.tooMany = c.tooMany || len(changes)*(old.Policy().Cost()+changed.Policy().Cost()) > maxCauseCost
	c.without, c.with = make([]*engine.Plan, len(changes)), make([]*engine.Plan, len(changes))
	if !c.tooMany {
		c.planBytes = bytesPerPlanByte * max(len(old.Policy().Document()), len(changed.Policy().Document()))
	}
	return c
}

// of returns the indexes of the changes that cause the different decision on an applicant. A change is a cause if
// the new policy would decide differently without it. If there is no such change, several changes cause the
// difference, and each of them is enough. Then the result has each change that alone would change the decision of
// the old policy. If there is no such change either, the result has all changes. stopped is called before each change
// is tried. If stopped returns true, the search ends and the result is empty.
func (c *causes) of(facts []rule.NamedValue, stopped func() bool) (list []int) {
	if c.tooMany {
		return nil
	}
	applicant := rule.NewFacts(c.old.Catalogue())
	for _, f := range facts {
		applicant.Set(f.Name, f.Value)
	}
	differs := func(p, q *engine.Plan) bool {
		p.Decide(applicant, &c.decisions[0])
		q.Decide(applicant, &c.decisions[1])
		k := compare(&c.decisions[0], &c.decisions[1], c.terms)
		return k.changed()
	}
	for i := range c.changes {
		if stopped() {
			return nil
		}
		if differs(c.plan(c.without, i, c.changed.Policy(), c.old.Policy()), c.changed) {
			list = append(list, i)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range c.changes {
		if stopped() {
			return nil
		}
		if differs(c.old, c.plan(c.with, i, c.old.Policy(), c.changed.Policy())) {
			list = append(list, i)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range c.changes {
		list = append(list, i)
	}
	return list
}

// plan returns the plan of a policy in which change i is as in another policy. It takes the plan from kept, or compiles
// it and keeps it there if all kept plans together stay below maxKeptBytes.
func (c *causes) plan(kept []*engine.Plan, i int, policy, from *engine.Policy) *engine.Plan {
	if kept[i] != nil {
		return kept[i]
	}
	p := c.exchange(policy, from, &c.changes[i])
	if c.keptBytes+c.planBytes <= maxKeptBytes {
		c.keptBytes += c.planBytes
		kept[i] = p
	}
	return p
}

// exchange returns the plan of a policy in which one changed entry is replaced with the entry of another policy.
func (c *causes) exchange(policy, from *engine.Policy, change *engine.Change) *engine.Plan {
	p := *policy
	card := *policy.Scorecard
	p.Scorecard = &card
	id := change.ID
	switch change.Section {
	case "knockouts":
		p.Knockouts = exchanged(p.Knockouts, from.Knockouts, id, func(k *engine.Knockout) string { return k.ID })
	case "adjustments":
		p.Adjustments = exchanged(p.Adjustments, from.Adjustments, id,
			func(a *engine.Adjustment) string { return a.ID })
	case "factors":
		card.Factors = exchanged(card.Factors, from.Scorecard.Factors, id,
			func(f *engine.Factor) string { return f.Name })
	case "pricing_bands":
		p.Bands = exchanged(p.Bands, from.Bands, id, func(b *engine.Band) string { return b.ID })
		if id == "" { // the first band that applies to the applicant counts, so the order of the bands matters
			p.Bands = ordered(p.Bands, from.Bands)
		}
	case "conditions":
		p.Terms = exchanged(p.Terms, from.Terms, id, func(t *engine.Term) string { return t.Code })
	case "required_fields":
		p.Required = exchanged(p.Required, from.Required, id, func(r *engine.Requirement) string { return r.Text })
	case "scorecard":
		switch id {
		case "base_points":
			card.Base = from.Scorecard.Base
		case "min_score":
			card.MinScore = from.Scorecard.MinScore
		case "max_score":
			card.MaxScore = from.Scorecard.MaxScore
		}
	case "limit_step":
		p.LimitStepPaise = from.LimitStepPaise
	case "affordability":
		p.Affordability = from.Affordability
	case "exposure":
		p.Exposure = from.Exposure
	case "limit_caps":
		p.LimitCaps = exchanged(p.LimitCaps, from.LimitCaps, id, func(c *engine.LimitCap) string { return c.ID })
	case "charges":
		p.Charges = exchanged(p.Charges, from.Charges, id, func(c *engine.Charge) string { return c.ID })
	case "people":
		p.People = from.People
	}
	return engine.Compile(&p, c.old.Catalogue())
}

// ordered returns the bands of a list in the order that they have in a second list. Bands that are not in the second
// list come last.
func ordered(list, as []engine.Band) []engine.Band {
	at := func(b *engine.Band) int {
		i := slices.IndexFunc(as, func(x engine.Band) bool { return x.ID == b.ID })
		if i < 0 {
			return len(as)
		}
		return i
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(x, y engine.Band) int { return at(&x) - at(&y) })
	return out
}

// exchanged returns a section in which the entry with the given id is as in another section: replaced, added or left
// out. An empty id means the order of the entries; then exchanged changes nothing, because the order matters only for
// bands.
func exchanged[T any](list, from []T, id string, idOf func(*T) string) []T {
	is := func(e T) bool { return idOf(&e) == id }
	out := slices.DeleteFunc(slices.Clone(list), is)
	if at := slices.IndexFunc(from, is); id != "" && at >= 0 {
		place := slices.IndexFunc(list, is)
		if place < 0 { // insert the entry after those that precede it in the other section
			place = 0
			for _, before := range from[:at] {
				name := idOf(&before)
				place = max(place, 1+slices.IndexFunc(out, func(e T) bool { return idOf(&e) == name }))
			}
		}
		out = slices.Insert(out, min(place, len(out)), from[at])
	}
	return out
}
