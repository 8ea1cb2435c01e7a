package generate

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// goal is something that an application of the set must show.
type goal struct {
	text  string
	facts []string // the facts that determine it
	about *condition
	score rule.Number // for a goal of a band: the score that reaches it
	exact bool        // score is set
	ntc   bool        // the band is for applicants who are new to credit
	band  *engine.Band
	never string // why no application reaches it; "" if that is not known
}

// conditionGoals has the indexes of a condition's goals, noGoal if there is none.
type conditionGoals struct {
	holds, fails, unknown, alone int
}

const noGoal = -1

// leafGoal is reached if the leaf decides its condition and its field has the value.
type leafGoal struct {
	at    int
	any   bool       // the goal does not depend on the value
	truth rule.Truth // the truth that the leaf must have; used if any is set
	value rule.Value // the value that the field must have, or the absent value
}

type factorGoals struct {
	bins    []int        // one for each bin
	values  []valueGoal  // ends of ranges, values of sets
	missing int          // the points for an absent field
	when    *condition   // nil if the factor always takes part
	bounds  []engine.Bin // the bins
}

type valueGoal struct {
	at    int
	value rule.Value
}

type bandGoals struct {
	reached, lowest, highest int
	tenures                  []int // parallel to the band's tenures
	otherTenure, noTenure    int
	bindings                 map[engine.Constraint]int
	atMinimum, belowMinimum  int
	feeShare, feeMinimum     int
}

// goalList builds the goals of a policy.
type goalList struct {
	policy *engine.Policy
	goals  []goal
}

func (l *goalList) add(facts []string, format string, args ...any) int {
	l.goals = append(l.goals, goal{text: fmt.Sprintf(format, args...), facts: facts})
	return len(l.goals) - 1
}

func (l *goalList) condition(c *condition) {
	var facts []string
	c.root.Fields(func(ref rule.Ref) {
		if !slices.Contains(facts, ref.Name) {
			facts = append(facts, ref.Name)
		}
	})
	first := len(l.goals)
	none := conditionGoals{noGoal, noGoal, noGoal, noGoal}
	c.goals = none
	c.goals.holds = l.add(facts, "%s: holds", c.name)
	c.goals.fails = l.add(facts, "%s: does not hold", c.name)
	if c.owner == ofKnockout {
		c.goals.alone = l.add(facts, "%s: alone gives the status", c.name)
	}
	if c.owner == ofKnockout || c.owner == ofBand || c.owner == ofCap {
		if slices.ContainsFunc(c.leaves, (*leaf).canBeUnknown) {
			c.goals.unknown = l.add(facts, "%s: is not evaluated, because a field is absent", c.name)
		}
	}
	for _, x := range c.leaves {
		l.leaf(c, x)
	}
	l.exclude(c)
	for i := first; i < len(l.goals); i++ {
		l.goals[i].about = c
	}
}

// canBeUnknown reports whether the predicate is unknown if its field is absent.
func (l *leaf) canBeUnknown() bool {
	switch l.node.Op {
	case rule.Exists, rule.IsAbsent, rule.True, rule.False:
		return false
	}
	return true
}

// leaf lists the values of the leaf's field at which the leaf must decide.
func (l *goalList) leaf(c *condition, x *leaf) {
	facts := []string{}
	x.node.Operands(func(ref rule.Ref) { facts = append(facts, ref.Name) })
	text := short(x.node.Text())
	if x.node.Op == rule.True || x.node.Op == rule.False {
		return
	}
	if len(c.leaves) > 1 { // with a single leaf, these goals would repeat those of the condition
		x.goals = append(x.goals,
			leafGoal{at: l.add(facts, "%s: %s decides, and holds", c.name, text), any: true, truth: rule.Holds},
			leafGoal{at: l.add(facts, "%s: %s decides, and does not hold", c.name, text), any: true, truth: rule.Fails})
	}
	if x.field == "" || x.node.Op == rule.Exists || x.node.Op == rule.IsAbsent {
		return
	}
	d, ok := domainOf(l.policy, x.field)
	if !ok || d.typ == rule.BoolType {
		return
	}
	var values []rule.Value
	for _, v := range x.constants() {
		values = append(values, d.around(x.node.Op, v, v == x.constants()[0])...)
	}
	if len(d.vocabulary) > 0 {
		values = d.values(nil)
	}
	slices.SortStableFunc(values, compareValues)
	for _, v := range slices.Compact(values) {
		at := l.add(facts, "%s: %s decides at %s", c.name, text, v)
		x.goals = append(x.goals, leafGoal{at: at, value: v})
	}
}

// short returns the beginning of a text, for predicates with many values.
func short(text string) string {
	const longest = 100
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "…"
}

// around returns a constant and the neighbouring values at which the result of a comparison changes. It leaves out
// values that are not in the domain. first is set for the lower bound of "between".
func (d *domain) around(op rule.Op, v rule.Value, first bool) (list []rule.Value) {
	if v.Type() != rule.NumberType {
		return []rule.Value{v}
	}
	below, above := true, true
	switch op {
	case rule.Lt, rule.Gte:
		above = false
	case rule.Gt, rule.Lte:
		below = false
	case rule.Between:
		below, above = first, !first
	}
	add := func(n rule.Number, wanted bool) {
		if wanted && n%d.unit == 0 && d.least <= n && n <= d.most {
			list = append(list, rule.Num(n))
		}
	}
	add(v.Number()-d.unit, below)
	add(v.Number(), true)
	add(v.Number()+d.unit, above)
	return list
}

func compareValues(x, y rule.Value) int {
	switch {
	case x.Number() < y.Number():
		return -1
	case x.Number() > y.Number():
		return 1
	case x.Text() < y.Text():
		return -1
	case x.Text() > y.Text():
		return 1
	}
	return 0
}

func (l *goalList) factor(f *engine.Factor, when *condition) *factorGoals {
	facts := []string{f.Field.Name}
	if when != nil {
		when.root.Fields(func(ref rule.Ref) { facts = append(facts, ref.Name) })
	}
	g := &factorGoals{when: when, bounds: f.Bins}
	d, known := domainOf(l.policy, f.Field.Name)
	for i := range f.Bins {
		b := &f.Bins[i]
		g.bins = append(g.bins, l.add(facts, "factor %s: bin %d", f.Name, i+1))
		if !known {
			continue
		}
		var values []rule.Value
		if b.HasMin {
			values = append(values, d.around(rule.Eq, rule.Num(b.Min), true)...)
			values = slices.DeleteFunc(values, func(v rule.Value) bool { return v.Number() != b.Min })
		}
		if b.HasMax && d.least <= b.Max-d.unit && b.Max-d.unit <= d.most {
			values = append(values, rule.Num(b.Max-d.unit))
		}
		for _, n := range b.Special {
			values = append(values, rule.Num(n))
		}
		if b.Else {
			for _, v := range d.values(nil) {
				if !slices.ContainsFunc(f.Bins, func(o engine.Bin) bool { return slices.Contains(o.In, v) }) {
					values = append(values, v)
				}
			}
		}
		slices.SortStableFunc(values, compareValues)
		for _, v := range slices.Concat(slices.Compact(values), b.In) {
			g.values = append(g.values, valueGoal{l.add(facts, "factor %s: bin %d at %s", f.Name, i+1, v), v})
		}
	}
	g.missing = l.add(facts, "factor %s: the field is absent", f.Name)
	return g
}

// band lists the goals of a band, and notes which of them no score reaches.
func (l *goalList) band(b *engine.Band) *bandGoals {
	first := len(l.goals)
	g := l.bandGoals(b)
	least, greatest := scores(l.policy)
	never := fmt.Sprintf("the points of the policy add up to at least %s and at most %s", least, greatest)
	for i := first; i < len(l.goals); i++ {
		x := &l.goals[i]
		outside := b.Ranged && (rule.Int(b.MaxScore+1) <= least || rule.Int(b.MinScore) > greatest)
		if outside || x.exact && (x.score+rule.One <= least || x.score > greatest) {
			x.never = never
		}
	}
	return g
}

func (l *goalList) bandGoals(b *engine.Band) *bandGoals {
	var who []string
	if b.When != nil {
		b.When.Fields(func(ref rule.Ref) { who = append(who, ref.Name) })
	}
	scored := func(score rule.Number, exact bool, format string, args ...any) int {
		at := l.add(slices.Concat([]string{field.BureauScore, field.BureauIsNTC}, who), "band "+b.ID+": "+format,
			args...)
		l.goals[at].score, l.goals[at].exact, l.goals[at].ntc = score, exact, b.NTC
		l.goals[at].band = b
		return at
	}
	price := slices.Concat([]string{
		field.MonthlyIncome, field.FOIR, field.RequestedAmount, field.RequestedTenureMonths,
	}, who)
	for i := range l.policy.LimitCaps {
		l.policy.LimitCaps[i].Of.Fields(func(ref rule.Ref) { price = append(price, ref.Name) })
	}
	priced := func(format string, args ...any) int {
		at := l.add(price, "band "+b.ID+": "+format, args...)
		l.goals[at].score, l.goals[at].ntc = rule.Int((b.MinScore+b.MaxScore)/2), b.NTC
		return at
	}
	g := &bandGoals{
		lowest: noGoal, highest: noGoal, otherTenure: noGoal, noTenure: noGoal, atMinimum: noGoal, belowMinimum: noGoal,
		feeShare: noGoal, feeMinimum: noGoal, bindings: map[engine.Constraint]int{},
	}
	g.reached = scored(rule.Int(b.MinScore), false, "is reached")
	if b.Ranged {
		g.lowest = scored(rule.Int(b.MinScore), true, "score %d", b.MinScore)
		g.highest = scored(rule.Int(b.MaxScore), true, "score %d", b.MaxScore)
	}
	if !b.Priced || b.Action == engine.Decline {
		return g
	}
	for _, months := range b.Tenures {
		g.tenures = append(g.tenures, priced("tenure %d is requested", months))
	}
	g.noTenure = priced("no tenure is requested")
	g.otherTenure = priced("a tenure that is not allowed is requested")
	for _, c := range []engine.Constraint{
		engine.RequestedAmount, engine.FOIRCapacity, engine.BandMaxLimit, engine.DefaultLimit,
	} {
		g.bindings[c] = priced("the limit is bounded by %s", c)
	}
	if b.HasIncomeMultiple {
		g.bindings[engine.IncomeMultiple] = priced("the limit is bounded by %s", engine.IncomeMultiple)
	}
	g.atMinimum = priced("the limit is the minimum")
	g.belowMinimum = priced("the requested amount is just below the minimum")
	if b.FeePct > 0 {
		g.feeShare = priced("the fee is a share of the limit")
	}
	g.feeMinimum = priced("the fee is the minimum")
	if share, ok := rule.Rupees(b.MinLimitPaise).Times(b.FeePct); ok && share > rule.Rupees(b.FeeMinPaise)*100 {
		l.goals[g.feeMinimum].never = "the share of the smallest limit is higher"
	}
	return g
}
