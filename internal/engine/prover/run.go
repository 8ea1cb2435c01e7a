package prover

import (
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/rule"
)

// run is a range of limits, ends included. Every condition on the limit, the instalment and the APR has the same
// truth value at all limits of a run.
type run struct {
	from, to         int64 // limits in paise
	instalments      [2]int64
	limit, emi, apr  int // the cells of the results, -1 if no condition reads them or they are not computed
	undeterminedCell bool
}

// runsOf returns the runs of a band's limits. It returns nil if there are none, if there are too many to compute,
// or if the work must stop.
func (p *pricing) runsOf(i int, v *view) []run {
	key := [3]int{i, v.bandAt, v.months}
	if known, ok := p.runs[key]; ok {
		return known
	}
	step := p.sides[i].policy.LimitStepPaise
	from := p.leastOffer(i, v.band)
	to := v.band.MaxLimitPaise - v.band.MaxLimitPaise%step
	var out []run
	if from <= to && (to-from)/step < maxSteps {
		out = p.computeRuns(i, v, from, to, step)
	}
	p.runs[key] = out
	return out
}

func (p *pricing) computeRuns(i int, v *view, from, to, step int64) (out []run) {
	terms, err := loan.NewTerms(v.band.RateBP, v.months)
	if err != nil {
		return nil // cannot happen: the reader of policies bounds rate and months
	}
	cellOf := func(name string, n rule.Number) int {
		if x := p.results[name]; x != nil {
			return x.cellOf(int64(n) / int64(p.space.Domain(x.field).Unit))
		}
		return -1
	}
	for limit := from; limit <= to; limit += step {
		if p.tired() {
			return nil
		}
		q := terms.Schedule(limit)
		x := run{
			from: limit, to: limit, instalments: [2]int64{q.InstalmentPaise, q.InstalmentPaise},
			limit: cellOf(field.OfferLimit, rule.Rupees(limit)),
			emi:   cellOf(field.OfferEMI, rule.Rupees(q.InstalmentPaise)),
			apr:   -1,
		}
		if costs := p.sides[i].costs(v.band, limit); p.results[field.OfferAPR] != nil && costs < limit {
			apr := loan.APR(limit-costs, q.InstalmentPaise, q.LastPaise, v.months)
			x.apr = cellOf(field.OfferAPR, rule.Number(apr)*rule.Paisa)
		}
		if n := len(out) - 1; n >= 0 && out[n].limit == x.limit && out[n].emi == x.emi && out[n].apr == x.apr {
			out[n].to = limit
			out[n].instalments[0] = min(out[n].instalments[0], q.InstalmentPaise)
			out[n].instalments[1] = max(out[n].instalments[1], q.InstalmentPaise)
			continue
		}
		out = append(out, x)
	}
	return out
}
