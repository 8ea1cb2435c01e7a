package recovery

import "verdict/internal/exact"

// rank computes the probability that the loan rolls into a worse bucket. From
// this probability it computes the amount at risk, the expected recovery and the
// priority.
func (a *advisor) rank() {
	t, p := &a.s.RollRisk, &a.Promise
	a.RollTable = t.Table
	a.RollRisk = t.Buckets[a.Arrears.Bucket]
	if over := int64(p.Kept + p.Broken); over > 0 {
		a.RollRisk += exact.DivHalfAway(t.PromiseSwing*int64(p.Broken-p.Kept), over)
	}
	a.RollRisk = min(max(a.RollRisk, 0), whole)

	r := &a.Priority
	r.Probability = whole - a.RollRisk
	if a.Arrears.DPD > 0 { // without days past due there is nothing to recover
		r.ValuePaise = max(a.c.Loan.PrincipalPaise, a.c.Loan.OverduePaise)
	}
	r.ExpectedPaise = exact.DivHalfAway(r.ValuePaise*r.Probability, whole)
	r.AtRiskPaise = exact.DivHalfAway(r.ValuePaise*a.RollRisk, whole)
	r.Basis = a.s.Priority.Basis
	ranked := r.AtRiskPaise
	if r.Basis == ByRecovery {
		ranked = r.ExpectedPaise
	}
	r.Score = a.s.Priority.score(ranked)
	switch s := &a.s.Priority; {
	case r.Score >= s.Critical:
		r.Band = "critical"
	case r.Score >= s.High:
		r.Band = "high"
	case r.Score >= s.Medium:
		r.Band = "medium"
	default:
		r.Band = "low"
	}
}

// score returns the score of an amount by linear interpolation between the points
// of the scale.
func (p *Priority) score(paise int64) int {
	for i := 1; i < len(p.Scale); i++ {
		low, high := p.Scale[i-1], p.Scale[i]
		if paise < high.ExpectedPaise {
			rise := int64(high.Score-low.Score) * (paise - low.ExpectedPaise)
			return low.Score + int(exact.DivHalfAway(rise, high.ExpectedPaise-low.ExpectedPaise))
		}
	}
	return p.Scale[len(p.Scale)-1].Score
}

// reliability returns the share of promises that were kept, in ten-thousandths.
// ok is false if no promise was kept or broken yet.
func (r *Record) reliability() (part share, ok bool) {
	over := int64(r.Kept + r.Broken)
	if over == 0 {
		return 0, false
	}
	return exact.DivHalfAway(int64(r.Kept)*whole, over), true
}
