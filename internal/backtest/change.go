package backtest

import (
	"reflect"
	"slices"
	"strconv"
	"sync"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// change is one difference between two policies. The function "alone" returns the plan of the champion with only
// this change. The function "without" returns the plan of the challenger without this change. Both show the effect
// of the change on a swapped row. Each plan is compiled when the first swapped row needs it.
type change struct {
	PolicyChange
	alone, without func() *engine.Plan
	apply          func(to, from *engine.Policy) // copies the changed part from one policy to the other
}

// maxChanges is the maximum number of changes that are evaluated one by one. If
// there are more, the changes of each section are evaluated together.
const maxChanges = 64

// changesBetween lists the differences between two policies, in the order of a
// policy document. It leaves out texts, reason codes, conditions of an offer and
// the order of rules, because they do not change a status, a limit or a price.
func changesBetween(champion, challenger *engine.Policy) []change {
	d := differ{a: champion, b: challenger}
	d.semantics()
	d.required()
	d.affordability()
	d.people()
	d.exposure()
	d.knockouts()
	d.adjustments()
	d.scorecard()
	d.bands()
	d.limitCaps()
	d.charges()
	d.step()
	if len(d.changes) > maxChanges {
		d.bySection()
	}
	for i := range d.changes {
		c := &d.changes[i]
		c.alone = hybrid(champion, challenger, c.apply)
		c.without = hybrid(challenger, champion, c.apply)
	}
	return d.changes
}

// hybrid returns a function that compiles a mixed policy: the policy "base" with one part that apply copies
// from the policy "other". The function compiles only once.
func hybrid(base, other *engine.Policy, apply func(to, from *engine.Policy)) func() *engine.Plan {
	return sync.OnceValue(func() *engine.Plan {
		p := *base
		p.Required = slices.Clone(base.Required)
		p.Knockouts = slices.Clone(base.Knockouts)
		p.Adjustments = slices.Clone(base.Adjustments)
		p.Bands = slices.Clone(base.Bands)
		p.LimitCaps = slices.Clone(base.LimitCaps)
		p.Inputs = slices.Clone(base.Inputs)
		for _, in := range other.Inputs {
			if !slices.ContainsFunc(p.Inputs, func(x engine.Input) bool { return x.Name == in.Name }) {
				p.Inputs = append(p.Inputs, in)
			}
		}
		p.Tables = mergedTables(base.Tables, other.Tables)
		card := *base.Scorecard
		card.Factors = slices.Clone(card.Factors)
		p.Scorecard = &card
		apply(&p, other)
		return engine.Compile(&p, field.Catalogue())
	})
}

// differ collects the changes from policy a to policy b.
type differ struct {
	a, b    *engine.Policy
	changes []change
}

func (d *differ) add(section, id, before, after string, apply func(to, from *engine.Policy)) {
	what := "changed"
	switch {
	case before == "":
		what = "added"
	case after == "":
		what = "removed"
	}
	d.changes = append(d.changes, change{
		PolicyChange: PolicyChange{Section: section, ID: id, What: what, Before: before, After: after},
		apply:        apply,
	})
}

// The sections of a policy, as its document names them.
const (
	sectionSemantics     = "semantics"
	sectionRequired      = "required_fields"
	sectionAffordability = "affordability"
	sectionPeople        = "people"
	sectionExposure      = "exposure"
	sectionKnockouts     = "knockouts"
	sectionAdjustments   = "adjustments"
	sectionBase          = "base_points"
	sectionRange         = "score_range"
	sectionFactors       = "factors"
	sectionBands         = "pricing_bands"
	sectionLimitCaps     = "limit_caps"
	sectionCharges       = "charges"
	sectionStep          = "limit_step"
)

func (d *differ) semantics() {
	if d.a.Semantics != d.b.Semantics {
		d.add(sectionSemantics, "", strconv.Itoa(d.a.Semantics), strconv.Itoa(d.b.Semantics),
			func(to, from *engine.Policy) { to.Semantics = from.Semantics })
	}
}

func (d *differ) affordability() {
	if before, after := d.a.Affordability.String(), d.b.Affordability.String(); before != after {
		d.add(sectionAffordability, "", before, after, func(to, from *engine.Policy) {
			to.Affordability = from.Affordability
		})
	}
}

func (d *differ) people() {
	if before, after := d.a.People.String(), d.b.People.String(); before != after {
		d.add(sectionPeople, "", before, after, func(to, from *engine.Policy) { to.People = from.People })
	}
}

func (d *differ) exposure() {
	if before, after := d.a.Exposure.String(), d.b.Exposure.String(); before != after {
		d.add(sectionExposure, "", before, after, func(to, from *engine.Policy) { to.Exposure = from.Exposure })
	}
}

func (d *differ) required() {
	before, after := requiredText(d.a), requiredText(d.b)
	if before != after {
		d.add(sectionRequired, "", before, after, func(to, from *engine.Policy) { to.Required = from.Required })
	}
}

func (d *differ) charges() {
	if before, after := d.a.ChargesText(), d.b.ChargesText(); before != after {
		d.add(sectionCharges, "", before, after, func(to, from *engine.Policy) { to.Charges = from.Charges })
	}
}

func (d *differ) step() {
	before, after := rupees(d.a.LimitStepPaise), rupees(d.b.LimitStepPaise)
	if before != after {
		d.add(sectionStep, "", before, after, func(to, from *engine.Policy) { to.LimitStepPaise = from.LimitStepPaise })
	}
}

func (d *differ) knockouts() {
	eachDifferent(d.a.Knockouts, d.b.Knockouts, knockoutID, func(k *engine.Knockout) string {
		return string(conditionBytes(&k.Condition)) + k.Action.String() + k.OnAbsent.String() +
			string(rune('0'+k.Stage))
	}, func(id string, before, after *engine.Knockout) {
		d.add(sectionKnockouts, id, knockoutText(before), knockoutText(after), func(to, from *engine.Policy) {
			to.Knockouts = replaced(to.Knockouts, from.Knockouts, knockoutID, id)
		})
	})
}

func (d *differ) adjustments() {
	eachDifferent(d.a.Adjustments, d.b.Adjustments, adjustmentID, func(a *engine.Adjustment) string {
		return string(conditionBytes(&a.Condition)) + a.Delta.String()
	}, func(id string, before, after *engine.Adjustment) {
		d.add(sectionAdjustments, id, adjustmentText(before), adjustmentText(after), func(to, from *engine.Policy) {
			to.Adjustments = replaced(to.Adjustments, from.Adjustments, adjustmentID, id)
		})
	})
}

func knockoutID(k *engine.Knockout) string     { return k.ID }
func adjustmentID(a *engine.Adjustment) string { return a.ID }
func factorName(f *engine.Factor) string       { return f.Name }

// limitCaps adds a change for each cap that differs.
func (d *differ) limitCaps() {
	eachDifferent(d.a.LimitCaps, d.b.LimitCaps, capID, (*engine.LimitCap).String,
		func(id string, before, after *engine.LimitCap) {
			d.add(sectionLimitCaps, id, capText(before), capText(after), func(to, from *engine.Policy) {
				to.LimitCaps = replaced(to.LimitCaps, from.LimitCaps, capID, id)
			})
		})
}

func capID(c *engine.LimitCap) string { return c.ID }

// bands adds a change for each band that differs if both policies have the same ranges. Otherwise it adds one change
// for all bands, because a single band of one policy may overlap the bands of the other. It also adds one change for
// all bands if a band has a condition, because the order of such bands matters.
func (d *differ) bands() {
	if d.a.HasSegments() || d.b.HasSegments() {
		if !slices.EqualFunc(d.a.Bands, d.b.Bands, func(x, y engine.Band) bool {
			x.ID = y.ID
			return reflect.DeepEqual(x, y)
		}) {
			d.add(sectionBands, "", bandsText(d.a.Bands), bandsText(d.b.Bands), func(to, from *engine.Policy) {
				to.Bands = from.Bands
			})
		}
		return
	}
	if !slices.EqualFunc(sortedRanges(d.a), sortedRanges(d.b), func(x, y bandRange) bool { return x == y }) {
		d.add(sectionBands, "", bandsText(d.a.Bands), bandsText(d.b.Bands), func(to, from *engine.Policy) {
			to.Bands = from.Bands
		})
		return
	}
	for i := range d.a.Bands {
		before := &d.a.Bands[i]
		after := bandAt(d.b, rangeOf(before))
		same := *after
		same.ID = before.ID
		if reflect.DeepEqual(*before, same) {
			continue
		}
		at := rangeOf(before)
		d.add(sectionBands, before.ID, bandText(before), bandText(after), func(to, from *engine.Policy) {
			*bandAt(to, at) = *bandAt(from, at)
		})
	}
}

// bandRange identifies the applicants of a band: new to credit or not, and the
// range of scores.
type bandRange struct {
	ntc, ranged    bool
	least, highest int64
}

func rangeOf(b *engine.Band) bandRange {
	return bandRange{b.NTC, b.Ranged, b.MinScore, b.MaxScore}
}

func sortedRanges(p *engine.Policy) []bandRange {
	var list []bandRange
	for i := range p.Bands {
		list = append(list, rangeOf(&p.Bands[i]))
	}
	slices.SortFunc(list, func(a, b bandRange) int {
		if a.ntc != b.ntc {
			if a.ntc {
				return 1
			}
			return -1
		}
		return int(min(max(a.least-b.least, -1), 1))
	})
	return list
}

func bandAt(p *engine.Policy, at bandRange) *engine.Band {
	for i := range p.Bands {
		if rangeOf(&p.Bands[i]) == at {
			return &p.Bands[i]
		}
	}
	return nil // unreachable: both policies have the same ranges
}

// eachDifferent calls fn for each element that is in only one of the lists, or whose key differs between the lists. It
// visits the elements of a in order, and then the elements that only b has. before is nil if a does not have the
// element, and after is nil if b does not have it.
func eachDifferent[T any](a, b []T, id, key func(*T) string, fn func(id string, before, after *T)) {
	in := map[string]*T{}
	for i := range b {
		in[id(&b[i])] = &b[i]
	}
	seen := map[string]bool{}
	for i := range a {
		name := id(&a[i])
		seen[name] = true
		if after := in[name]; after == nil || key(&a[i]) != key(after) {
			fn(name, &a[i], after)
		}
	}
	for i := range b {
		if name := id(&b[i]); !seen[name] {
			fn(name, nil, &b[i])
		}
	}
}

// replaced returns list with one change: the element with the given name becomes that of "from". It adds the
// element if only "from" has it, and removes the element if only list has it. It may modify list.
func replaced[T any](list, from []T, id func(*T) string, name string) []T {
	at := slices.IndexFunc(list, func(x T) bool { return id(&x) == name })
	source := slices.IndexFunc(from, func(x T) bool { return id(&x) == name })
	switch {
	case at < 0:
		return append(list, from[source])
	case source < 0:
		return slices.Delete(list, at, at+1)
	}
	list[at] = from[source]
	return list
}

func conditionBytes(c *rule.Condition) []byte {
	var w wire.Writer
	c.Write(&w)
	return w.Buf
}
