package engine

import (
	"strings"

	"verdict/internal/rule"
)

// causes gives the reasons under semantics 2: only what is true of this
// decision. A cause is an unmet requirement, a rule that hit, the limit or the
// score, and it counts only if it alone would give the final status. Without
// all causes the status would be better; without anything else it would be the
// same.
func (p *Plan) causes(d *Decision) {
	if d.missing >= 0 {
		d.reason(p.own[ownMissingInput], byRequirement, d.missing)
	}
	for i := range d.hits {
		if h := &d.hits[i]; resultStatus[h.Result] == d.Status {
			d.reason(p.hitCode(d, h), byRule, int32(i))
		}
	}
	if d.limit.belowMinimum {
		if code := p.bindingCode(d, noCode); code != noCode {
			d.reason(code, byLimit, 0)
		}
	}
	if d.eligibility {
		return
	}
	if d.scoreStatus() == d.Status {
		p.scoreReasons(d)
	}
	p.lastResort(d)
}

// scoreStatus is the status that the score alone gives: that of its band.
func (d *Decision) scoreStatus() Status {
	switch {
	case d.band == nil || d.band.Action == Decline:
		return Declined
	case d.band.Action == Refer:
		return Referred
	default:
		return Approved
	}
}

// scoreReasons explains a score that gave the status: by the points lost, if
// they lie between the applicant and a better band.
func (p *Plan) scoreReasons(d *Decision) {
	if d.band != nil && d.band.NTC && d.band.Action == Refer {
		d.reason(p.own[ownNewToCredit], byBand, 0)
	}
	d.addLost()
	best := d.sum
	for i := range d.lost {
		best += d.lost[i].points
	}
	if p.betterBand(d, p.scoring.clamp(best)) {
		d.rankLost()
	}
}

// betterBand reports whether a score above the final one and up to best has a
// band with a better outcome than the decision's.
func (p *Plan) betterBand(d *Decision, best rule.Number) bool {
	score, most := d.FinalScore.Floor(), best.Floor()
	l := p.ladder(d)
	for i, r := range l.ranges {
		better := l.bands[i].Action == Approve || l.bands[i].Action == Refer && d.Status == Declined
		if better && max(r.least, score+1) <= min(r.greatest, most) {
			return true
		}
	}
	return false
}

// factorPrefix begins the reason codes of factors and adjustments that name
// none of their own.
const factorPrefix = "FACTOR_"

// FactorCode returns the reason code of a factor or an adjustment that names
// none: its name in capital letters behind FACTOR_.
func FactorCode(name string) string {
	code := []byte(factorPrefix + strings.ToUpper(name))
	for i, c := range code {
		if !isCapital(c) && !isDigit(c) {
			code[i] = '_'
		}
	}
	return string(code[:min(len(code), maxCode)])
}

// codeOr returns the code that points are lost under: the policy's own, or the
// generic one under the semantics in which every lost point has a code.
func (p *Plan) codeOr(code, name string) string {
	if code != "" || p.policy.Semantics == FirstSemantics {
		return code
	}
	return FactorCode(name)
}

// compileLabels notes what people call the factors behind generic codes. The id
// of an adjustment is the lender's own and is not read out.
func (p *Plan) compileLabels() {
	if p.policy.Semantics == FirstSemantics {
		return
	}
	note := func(code, label, name string) {
		if _, taken := p.labels[code]; taken || !strings.HasPrefix(code, factorPrefix) {
			return
		}
		if p.labels == nil {
			p.labels = map[string]string{}
		}
		if label == "" {
			label = spaced(name)
		}
		p.labels[code] = label
	}
	for i := range p.policy.Scorecard.Factors {
		f := &p.policy.Scorecard.Factors[i]
		note(p.codeOr(f.ReasonCode, f.Name), f.Label, f.Name)
		for k := range f.Bins {
			note(f.Bins[k].ReasonCode, f.Label, f.Name)
		}
	}
}

// spaced turns a name into words.
func spaced(name string) string {
	return strings.ToLower(strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(name))
}
