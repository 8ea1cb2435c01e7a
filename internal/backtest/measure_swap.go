package backtest

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// compareSides computes the report of the challenger and its differences from
// the champion.
func (r *Run) compareSides(p *Partial) *Challenger {
	s := &p.swap
	out := &Challenger{Side: r.measure(r.challenger, &p.challenger, p)}
	var swaps [2][2]counts // [champion approves][challenger approves]
	for a := range 3 {
		for b := range 3 {
			c := &s.matrix[3*a+b]
			out.Matrix[a][b] = c.all().rows
			swaps[b2i(a == int(engine.Approved))][b2i(b == int(engine.Approved))].plus(c)
		}
	}
	both, in, gone := &swaps[1][1], &swaps[0][1], &swaps[1][0]
	out.SwapSet = SwapSet{
		BothApprove: both.all().rows, ChampionOnly: gone.all().rows, ChallengerOnly: in.all().rows,
		BothDecline: swaps[0][0].all().rows,
		SwapIn:      shareOf(in), SwapOut: shareOf(gone), Both: shareOf(both),
	}
	weight := both.all().weight
	out.Shift = Change{
		Count:      both.all().rows,
		LimitLower: s.limit[0], LimitSame: s.limit[1], LimitHigher: s.limit[2],
		RateLower: s.price[0], RateSame: s.price[1], RateHigher: s.price[2],
		AvgLimitChange: s.limitChange.money(weight), TotalLimitChange: s.limitChange.money(weightUnit),
		AvgRateChange: s.rateChange.mean(weight, rule.One/100), AvgAPRChange: s.aprChange.mean(weight, rule.One/100),
	}
	out.PSI = shift(scoreWeights(&p.champion.cells, r.champion.grid),
		scoreWeights(&p.challenger.cells, r.challenger.grid))
	for i := range r.changes {
		out.Changes = append(out.Changes, r.changes[i].PolicyChange)
	}
	out.SwapIn = attribution(in.all().rows, s.explained[0], s.together[0], s.changeIn)
	out.SwapOut = attribution(gone.all().rows, s.explained[1], s.together[1], s.changeOut)
	return out
}

// scoreWeights returns the weight of each whole score that occurs, in ascending
// order of score.
func scoreWeights(c *cells, g grid) []scoreWeight {
	var list []scoreWeight
	for cell, counts := range c.each() {
		from := g.score(cell).Floor()
		if n := len(list); n == 0 || list[n-1].from != from {
			list = append(list, scoreWeight{from: from})
		}
		list[len(list)-1].weight += counts.all().weight
	}
	return list
}

func attribution(rows, explained, together int64, changes []changeSum) Attribution {
	out := Attribution{Count: rows, Explained: explained, Together: together, ByChange: []ChangeCount{}}
	for i := range changes {
		c := &changes[i]
		out.ByChange = append(out.ByChange, ChangeCount{
			Alone: c.alone.all().rows, Needed: c.needed, BadRate: shareOf(&c.alone),
		})
	}
	return out
}
