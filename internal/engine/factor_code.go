package engine

import (
	"verdict/internal/rule"
)

// codesOfRulesOnly has the default reason codes that a factor must not use for lost points, because these codes
// describe applicants who get no loan at all.
var codesOfRulesOnly = map[string]bool{"AGE_RANGE": true, ReasonAmountMinimum: true, "LOC_PINCODE": true}

// DefaultCodes uses the reason code of the factor's catalogue field if the factor has no reason code of its own. The
// field's code is true of a bin if the bin differs from the best bin in the field's adverse direction. If the code is
// true of every bin that loses points and has no code of its own, the factor itself gets the code. Otherwise only the
// bins of which the code is true get it, and the other bins lose points under the factor's generated code.
func (f *Factor) DefaultCodes(catalogue *rule.Catalogue) {
	if f.ReasonCode != "" || f.Field.Name == "" || f.Field.ID < 0 {
		return
	}
	entry := catalogue.Field(f.Field.ID)
	if entry.ReasonCode == "" || codesOfRulesOnly[entry.ReasonCode] {
		return
	}
	_, best := f.extremes()
	losing, adverseBins := 0, make([]int, 0, len(f.Bins))
	for i := range f.Bins {
		if f.Bins[i].ReasonCode != "" || weighted(f.Bins[i].Points, f.Weight) >= best {
			continue
		}
		losing++
		if f.isAdverse(i, adverse(entry)) {
			adverseBins = append(adverseBins, i)
		}
	}
	if len(adverseBins) == losing {
		f.ReasonCode = entry.ReasonCode
		return
	}
	for _, i := range adverseBins {
		f.Bins[i].ReasonCode = entry.ReasonCode
	}
}

// isAdverse reports whether the bin with the index "at", which loses points, differs
// from the best bins in direction d.
func (f *Factor) isAdverse(at int, d direction) bool {
	switch {
	case d == either:
		return true
	case d == neither:
		return false
	case f.Field.Type == rule.NumberType:
		return f.isBeside(at, d)
	case f.Field.Type == rule.BoolType:
		return f.takes(at, d == high) && !f.takes(at, d != high)
	default:
		return false
	}
}

// isBeside reports whether the range with the index "at" is below all best ranges if d
// is low, or above all of them if d is high.
func (f *Factor) isBeside(at int, d direction) bool {
	ranges := f.Ranges()
	if at >= len(ranges) {
		return false // a special value is neither low nor high
	}
	best := -rule.MaxNumber
	for i := range ranges {
		best = max(best, weighted(ranges[i].Points, f.Weight))
	}
	for i := range ranges {
		if weighted(ranges[i].Points, f.Weight) == best && (i == at || (at < i) != (d == low)) {
			return false
		}
	}
	return true
}

// takes reports whether a boolean value falls into the bin with the given index.
func (f *Factor) takes(at int, value bool) bool {
	for i := range f.Bins {
		for _, v := range f.Bins[i].In {
			if v == rule.Bool(value) {
				return i == at
			}
		}
	}
	return f.Bins[at].Else
}

// withFieldCodes returns a copy of the card in which factors without a reason code have the code of their field. It is
// used if a policy of semantics 1 refers to a card by its id.
func (c *Scorecard) withFieldCodes(catalogue *rule.Catalogue) *Scorecard {
	out := *c
	out.Factors = append([]Factor(nil), c.Factors...)
	for i := range out.Factors {
		if f := &out.Factors[i]; f.ReasonCode == "" && f.Field.ID >= 0 {
			f.ReasonCode = catalogue.Field(f.Field.ID).ReasonCode
		}
	}
	return &out
}
