package field

import (
	"strings"

	"verdict/internal/rule"
)

// UnitPair is a raw path and its canonical twin when the two have different
// units: the same figure, written in two ways.
type UnitPair struct {
	Raw, Canonical         string
	RawUnit, CanonicalUnit string
	Meaning                string // what the examples mean in words
	rawExample, example    string
	// A number of the raw unit is at least rawLeast unless it is 0, one of the
	// canonical unit at most most: beyond, it was meant for the other.
	rawLeast, most rule.Number
}

// unitPairs lists every path of a request whose unit is not its twin's.
var unitPairs = []UnitPair{{
	Raw: "report.incomeAssessment.foir", Canonical: FOIR,
	RawUnit: "a percentage", CanonicalUnit: "a ratio", Meaning: "35 percent",
	rawExample: "35", example: "0.35",
	rawLeast: 2 * rule.One, most: 5 * rule.One,
}}

// PairOf finds the pair that a field is one of. A ratio that people like to
// write as a percentage is half of a pair without a raw path.
func PairOf(name string) (UnitPair, bool) {
	for _, p := range unitPairs {
		if name == p.Raw || name == p.Canonical {
			return p, true
		}
	}
	if strings.HasSuffix(name, "foir") || strings.HasSuffix(name, "foir_effective") || strings.HasSuffix(name, "card_utilisation") {
		alone := unitPairs[0]
		alone.Raw, alone.Canonical = "", name
		return alone, true
	}
	return UnitPair{}, false
}

// UnitOf names the unit of one of the two, with its article.
func (p UnitPair) UnitOf(name string) string {
	if name == p.Raw {
		return p.RawUnit
	}
	return p.CanonicalUnit
}

// Example is a value of one of the two, which means Meaning.
func (p UnitPair) Example(name string) string {
	if name == p.Raw {
		return p.rawExample
	}
	return p.example
}

// Foreign reports whether a value of one of the two looks as if it were meant
// for the other.
func (p UnitPair) Foreign(name string, n rule.Number) bool {
	if name == p.Raw {
		return 0 < n && n < p.rawLeast
	}
	return n > p.most
}
