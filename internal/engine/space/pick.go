package space

import (
	"verdict/internal/exact"
	"verdict/internal/rule"
)

// Pick returns one value of a set of the field's readable values. The set must
// not be empty. For a number, Pick prefers a round value near the bound that
// limits the set.
func (s *Space) Pick(d *Domain, from Set) rule.Value {
	x := from[len(from)-1]
	switch d.Ref.Type {
	case rule.NumberType:
		whole := d.Given[0]
		lo, hi := rule.Number(x.Lo)*d.Unit, rule.Number(x.Hi)*d.Unit
		places := 2
		if d.Unit == rule.Paisa { // with two places, the result could be one paisa away from a bound, such as 4999.99
			places = 0
		}
		switch {
		case x.Lo == whole.Lo && x.Hi < whole.Hi:
			return rule.Num(roundest(lo, hi, false, places))
		case x.Lo == whole.Lo:
			places = 2
		}
		return rule.Num(roundest(lo, hi, true, places))
	case rule.BoolType:
		return rule.Bool(x.Lo == True)
	default:
	}
	switch {
	case len(d.Vocabulary) > 0:
		return rule.Str(d.Vocabulary[x.Lo])
	case x.Hi == mostCode:
		return rule.Str(s.otherText())
	default:
		return rule.Str(s.textOf[x.Lo])
	}
}

// otherText returns a text that no condition names so far.
func (s *Space) otherText() string {
	other := "other"
	for {
		if _, taken := s.texts[other]; !taken {
			return other
		}
		other += "_"
	}
}

// roundest returns a number in [lo, hi] close to lo if low is set, otherwise close to hi. It returns that end itself
// if the number of its decimals is at most places. Otherwise it returns a whole number if there is one, and else a
// number with as few decimals as possible. If the range is unbounded below and contains zero, the result is zero.
func roundest(lo, hi rule.Number, low bool, places int) rule.Number {
	end := hi
	switch {
	case lo == -rule.MaxNumber && hi >= 0:
		return 0
	case low:
		end = lo
	}
	if end.HasPlaces(places) {
		return end
	}
	for unit := rule.One; unit > 1; unit /= 10 {
		n := rule.Number(exact.DivFloor(hi, unit)) * unit
		if low {
			n = rule.Number(exact.DivCeil(lo, unit)) * unit
		}
		if lo <= n && n <= hi {
			return n
		}
	}
	return end
}
