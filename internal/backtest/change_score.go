package backtest

import (
	"slices"
	"strconv"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

func (d *differ) scorecard() {
	a, b := d.a.Scorecard, d.b.Scorecard
	if a.Base != b.Base {
		d.add(sectionBase, "", a.Base.String(), b.Base.String(), func(to, from *engine.Policy) {
			to.Scorecard.Base = from.Scorecard.Base
		})
	}
	before, after := a.MinScore.String()+" to "+a.MaxScore.String(), b.MinScore.String()+" to "+b.MaxScore.String()
	if before != after {
		d.add(sectionRange, "", before, after, func(to, from *engine.Policy) {
			to.Scorecard.MinScore, to.Scorecard.MaxScore = from.Scorecard.MinScore, from.Scorecard.MaxScore
		})
	}
	eachDifferent(a.Factors, b.Factors, factorName, func(f *engine.Factor) string {
		return factorKey(f) + factorText(f)
	}, d.factor)
}

// factor adds a change for each bin whose points differ, and one for the points
// of a missing value, if the factors differ only in their points. Otherwise it
// adds one change for the whole factor.
func (d *differ) factor(name string, before, after *engine.Factor) {
	if before == nil || after == nil || factorKey(before) != factorKey(after) {
		d.add(sectionFactors, name, factorText(before), factorText(after), func(to, from *engine.Policy) {
			to.Scorecard.Factors = replaced(to.Scorecard.Factors, from.Scorecard.Factors, factorName, name)
		})
		return
	}
	for i := range before.Bins {
		x, y := &before.Bins[i], &after.Bins[i]
		if x.Points == y.Points {
			continue
		}
		d.add(sectionFactors, name+" "+binText(x), pointsText(x.Points), pointsText(y.Points),
			func(to, from *engine.Policy) {
				bins := ownBins(to, name)
				bins[i].Points = factorOf(from, name).Bins[i].Points
			})
	}
	if before.HasMissing != after.HasMissing || before.Missing != after.Missing {
		d.add(sectionFactors, name+" missing", missingText(before), missingText(after), func(to, from *engine.Policy) {
			x, y := factorOf(to, name), factorOf(from, name)
			x.HasMissing, x.Missing = y.HasMissing, y.Missing
		})
	}
}

func factorOf(p *engine.Policy, name string) *engine.Factor {
	for i := range p.Scorecard.Factors {
		if p.Scorecard.Factors[i].Name == name {
			return &p.Scorecard.Factors[i]
		}
	}
	return nil // unreachable: both policies have the factor
}

// ownBins replaces a factor's bins by a copy and returns the copy, so that
// changing the bins does not change the policy from which the hybrid was made.
func ownBins(p *engine.Policy, name string) []engine.Bin {
	f := factorOf(p, name)
	f.Bins = slices.Clone(f.Bins)
	return f.Bins
}

// factorKey returns the same text for two factors if they differ only in their
// points.
func factorKey(f *engine.Factor) string {
	key := f.Field.Name + "\x00" + f.Weight.String()
	if f.When != nil {
		key += "\x00" + string(conditionBytes(f.When))
	}
	for i := range f.Bins {
		key += "\x00" + binText(&f.Bins[i])
	}
	return key
}

// bySection merges the changes of each section into one change.
func (d *differ) bySection() {
	whole := map[string]func(to, from *engine.Policy){
		sectionKnockouts:   func(to, from *engine.Policy) { to.Knockouts = from.Knockouts },
		sectionAdjustments: func(to, from *engine.Policy) { to.Adjustments = from.Adjustments },
		sectionFactors:     func(to, from *engine.Policy) { to.Scorecard.Factors = from.Scorecard.Factors },
		sectionBands:       func(to, from *engine.Policy) { to.Bands = from.Bands },
		sectionLimitCaps:   func(to, from *engine.Policy) { to.LimitCaps = from.LimitCaps },
	}
	each := d.changes
	d.changes = nil
	for i := 0; i < len(each); {
		j := i
		for j < len(each) && each[j].Section == each[i].Section {
			j++
		}
		if apply := whole[each[i].Section]; apply != nil && j-i > 1 {
			d.add(each[i].Section, "", "", "", apply)
			last := &d.changes[len(d.changes)-1]
			last.What, last.After = "changed", strconv.Itoa(j-i)+" changes"
		} else {
			d.changes = append(d.changes, each[i:j]...)
		}
		i = j
	}
}

func pointsText(n rule.Number) string { return n.String() + " points" }

func missingText(f *engine.Factor) string {
	if !f.HasMissing {
		return "no entry"
	}
	return pointsText(f.Missing)
}
