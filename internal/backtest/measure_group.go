package backtest

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// smallGroup is the minimum number of rows of a group whose approval rate is meaningful. The rate of a smaller group
// is not used as the best rate and does not affect Fairness.FourFifths.
const smallGroup = 30

// fairness compares approval rates by group.
func fairness(column string, p *Partial) *Fairness {
	kept := slices.Clone(p.groups.kept)
	rows := func(g *group) int64 { return g.approved.all().rows + g.others.all().rows }
	slices.SortFunc(kept, func(a, b group) int {
		return cmp.Or(cmp.Compare(rows(&b), rows(&a)), strings.Compare(a.name, b.name))
	})
	out := &Fairness{Column: column, Groups: []Group{}, FourFifths: true}
	status := p.champion.byStatus()
	rest := group{name: "(others)", approved: status[engine.Approved]}
	for _, s := range []engine.Status{engine.Referred, engine.Declined} {
		rest.others.plus(&status[s])
	}
	for i := range kept {
		if i == MaxGroups {
			break
		}
		rest.approved.minus(&kept[i].approved)
		rest.others.minus(&kept[i].others)
		out.Groups = append(out.Groups, groupOf(&kept[i]))
	}
	if rows(&rest) > 0 {
		out.Groups = append(out.Groups, groupOf(&rest))
	}
	compareGroups(out)
	return out
}

func groupOf(g *group) Group {
	all := g.approved
	all.plus(&g.others)
	name := g.name
	if name == "" {
		name = "(blank)"
	}
	return Group{
		Name: name, Count: all.all().rows, Approved: g.approved.all().rows,
		ApprovalRate: ratio(g.approved.all().weight, all.all().weight), BadRateApproved: shareOf(&g.approved),
	}
}

// compareGroups sets the ratio of each group's approval rate to the best approval rate, and the results of the
// four-fifths rule.
func compareGroups(f *Fairness) {
	var best rule.Number
	for _, g := range f.Groups {
		if g.Count >= smallGroup {
			best = max(best, g.ApprovalRate.Value)
		}
	}
	for i := range f.Groups {
		g := &f.Groups[i]
		g.FourFifths = true
		if best == 0 {
			continue
		}
		g.Ratio = ratio(int64(g.ApprovalRate.Value), int64(best))
		g.FourFifths = g.Ratio.Value >= rule.One*4/5
		if !g.FourFifths && g.Count >= smallGroup {
			f.FourFifths = false
		}
	}
}

func (c *counts) minus(d *counts) {
	for i := range c {
		c[i].rows -= d[i].rows
		c[i].weight -= d[i].weight
	}
}

// vintage computes, for each month on book, the share of approved loans that had
// gone bad by then.
func vintage(p *Partial) *Vintage {
	status := p.champion.byStatus()
	approved := status[engine.Approved].labelled()
	out := &Vintage{Approved: approved.rows, NoMonth: p.vintage.noMonth.rows, ByMonth: []VintageMonth{}}
	var so tally
	for i := range min(int(p.vintage.last), len(p.vintage.months)) {
		so.plus(p.vintage.months[i])
		out.ByMonth = append(out.ByMonth, VintageMonth{
			Month: i + 1, Bad: p.vintage.months[i].rows, Share: ratio(so.weight, approved.weight),
		})
	}
	return out
}

// actual compares the champion's decisions with those that the lender made at the time of the applications. It
// returns nil if no row states the lender's decision.
func actual(p *Partial) *Actual {
	out := &Actual{}
	var all, same int64
	for then := range 3 {
		for now := range 3 {
			t := p.actual[3*then+now]
			out.Matrix[then][now] = t.rows
			out.Count += t.rows
			all += t.weight
			if then == now {
				same += t.weight
			}
		}
	}
	if out.Count == 0 {
		return nil
	}
	out.AgreementRate = ratio(same, all)
	return out
}
