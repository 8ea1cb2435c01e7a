package engine

import (
	"cmp"
	"maps"
	"strconv"
	"strings"

	"verdict/internal/rule"
)

// causes adds the reasons under semantics 2: only reasons that are true of this decision. A cause is an unmet
// requirement, a rule that hit, the limit or the score. A cause counts only if it would give the final status on its
// own. If all causes were removed, the status would be better. If everything except the causes were removed, the
// status would be the same.
func (x reasoner) causes() {
	p, d := x.plan, x.decision
	if d.missing >= 0 {
		x.add(p.own[ownMissingInput], byRequirement, d.missing)
	}
	for i := range d.hits {
		if h := &d.hits[i]; resultStatus[h.Result] == d.Status {
			x.add(x.ruleCode(h), byRule, int32(i))
		}
	}
	if d.limit.belowMinimum {
		if code := x.bindingCode(noCode); code != noCode {
			x.add(code, byLimit, 0)
		}
	}
	if d.eligibility {
		return
	}
	if x.scoreStatus() == d.Status {
		x.scoreReasons()
	}
	x.addFallback()
}

// scoreStatus returns the status that the score alone gives: the status of its
// band.
func (x reasoner) scoreStatus() Status {
	switch band := x.decision.band; {
	case band == nil || band.Action == Decline:
		return Declined
	case band.Action == Refer:
		return Referred
	default:
		return Approved
	}
}

// scoreReasons adds lost points as reasons if the score gave the status and regaining the points would put the
// applicant into a better band. It adds the largest losses until their sum reaches that band, and then all firm losses
// (see outcome). So a factor near its best, whose value is not bad, is a reason only if its points are needed to reach
// the band. If a new-to-credit band refers the applicant, that is the first of these reasons.
func (x reasoner) scoreReasons() {
	p, d := x.plan, x.decision
	if d.band != nil && d.band.NTC && d.band.Action == Refer {
		x.add(p.own[ownNewToCredit], byBand, 0)
	}
	x.sumLost()
	best := d.sum
	for i := range d.lost {
		best += d.lost[i].points
	}
	if !x.betterBand(p.scoring.clamp(best)) {
		return
	}
	regained, needed := d.sum, 0
	worst := x.worstLost(false)
	for ; needed < len(worst) && !x.betterBand(p.scoring.clamp(regained)); needed++ {
		regained += worst[needed].points
	}
	x.addLost(worst[:needed])
	x.rankLost(true)
}

// betterBand reports whether a better band is within reach: whether a score that is higher than the final score, but
// at most best, falls into a band with a better outcome than the decision has.
func (x reasoner) betterBand(best rule.Number) bool {
	d := x.decision
	score, most := d.FinalScore.Floor(), best.Floor()
	l := x.plan.ladder(d)
	if l.conditional {
		return l.betterSegment(score+1, most, d)
	}
	for i, r := range l.ranges {
		if l.bands[i].better(d.Status) && max(r.least, score+1) <= min(r.greatest, most) {
			return true
		}
	}
	return false
}

// factorPrefix starts the generated reason codes of factors and adjustments
// that name no code.
const factorPrefix = "FACTOR_"

// FactorCode returns the generated reason code of a factor or an adjustment
// that names no code: "FACTOR_" and its name in capital letters, with "_" for
// every byte that is not an ASCII letter or digit, cut to the length of a code.
func FactorCode(name string) string {
	return codeOf(factorPrefix, name)
}

// IsFactorCode reports whether a reason code has the form of a code that
// FactorCode generates. The applicant-safe text of such a code names the
// factor.
func IsFactorCode(code string) bool { return strings.HasPrefix(code, factorPrefix) }

// codeOf converts a name to a reason code of capital letters, digits and
// underscores, with at most maxCode bytes.
func codeOf(prefix, name string) string {
	code := []byte(prefix + strings.ToUpper(name))
	for i, c := range code {
		if !isCapital(c) && !isDigit(c) {
			code[i] = '_'
		}
	}
	return string(code[:min(len(code), maxCode)])
}

// UniqueCode returns the code itself if it is not taken, otherwise the code
// with the first free numeric suffix, from "_2" on.
func UniqueCode(code string, taken map[string]bool) string {
	unique := code
	for n := 2; taken[unique]; n++ {
		suffix := "_" + strconv.Itoa(n)
		unique = code[:min(len(code), maxCode-len(suffix))] + suffix
	}
	return unique
}

// GeneratedCodes has the generated reason codes of the factors, by name, and of the adjustments that take points away,
// by id. Only factors and adjustments that name no code have one. The codes exist because under semantics 2 every lost
// point has a code.
type GeneratedCodes struct{ Factors, Adjustments map[string]string }

// GeneratedCodes assigns the generated codes first to the factors and then to the adjustments, both in policy order.
// Names that differ only in case or punctuation, or only beyond the length of a code, would give the same code; the
// later ones get a numeric suffix. A generated code may equal a code that the policy states. A code with a suffix
// never equals a code that a factor, a bin or an adjustment states. A policy of semantics 1 has no generated codes.
func (p *Policy) GeneratedCodes() (g GeneratedCodes) {
	if p.Semantics == FirstSemantics {
		return g
	}
	g = GeneratedCodes{map[string]string{}, map[string]string{}}
	taken, written := map[string]bool{}, map[string]bool{}
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		written[f.ReasonCode] = true
		for k := range f.Bins {
			written[f.Bins[k].ReasonCode] = true
		}
	}
	for i := range p.Adjustments {
		written[p.Adjustments[i].ReasonCode] = true
	}
	give := func(codes map[string]string, name string) {
		code := FactorCode(name)
		if taken[code] {
			maps.Copy(taken, written)
			code = UniqueCode(code, taken)
		}
		taken[code], codes[name] = true, code
	}
	for i := range p.Scorecard.Factors {
		if f := &p.Scorecard.Factors[i]; f.ReasonCode == "" {
			give(g.Factors, f.Name)
		}
	}
	for i := range p.Adjustments {
		if a := &p.Adjustments[i]; a.ReasonCode == "" && a.Delta < 0 {
			give(g.Adjustments, a.ID)
		}
	}
	return g
}

// labels records a label for each code of a factor or of its bins that has the form of a generated code. The label is
// the factor's own label, or its name in words if it has none. Adjustments get no label, because the id of an
// adjustment is internal to the lender.
func (c *compiler) labels() {
	p := c.plan
	if p.policy.Semantics == FirstSemantics {
		return
	}
	note := func(code, label, name string) {
		if _, taken := p.labels[code]; taken || !IsFactorCode(code) {
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
		note(cmp.Or(f.ReasonCode, c.generic.Factors[f.Name]), f.Label, f.Name)
		for k := range f.Bins {
			note(f.Bins[k].ReasonCode, f.Label, f.Name)
		}
	}
}

// spaced converts a name to lower-case words.
func spaced(name string) string {
	return strings.ToLower(strings.NewReplacer("_", " ", ".", " ", "-", " ").Replace(name))
}
