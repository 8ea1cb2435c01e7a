package field

import (
	"strings"

	"verdict/internal/rule"
)

// UnitPair is a raw path and its canonical name that give the same figure in
// different units.
type UnitPair struct {
	Raw, Canonical         string
	RawUnit, CanonicalUnit string
	Meaning                string // the meaning of both examples in words
	rawExample, example    string
	// Values in the raw unit are 0 or at least rawLeast. Values in the canonical unit are at most the value of the
	// field "most". A value outside these bounds was probably meant in the other unit.
	rawLeast, most rule.Number
}

// unitPairs lists every path of a request whose unit differs from that of its
// canonical name.
var unitPairs = []UnitPair{{
	Raw: "report.incomeAssessment.foir", Canonical: FOIR,
	RawUnit: "a percentage", CanonicalUnit: "a ratio", Meaning: "35 percent",
	rawExample: "35", example: "0.35",
	rawLeast: 2 * rule.One, most: 5 * rule.One,
}}

// PairOf returns the pair that a field belongs to. It returns false if there is none. Some ratios have no raw path,
// but people often write them as percentages. For such a ratio it returns a pair whose Raw is "".
func PairOf(name string) (UnitPair, bool) {
	for _, p := range unitPairs {
		if name == p.Raw || name == p.Canonical {
			return p, true
		}
	}
	if strings.HasSuffix(name, "foir") || strings.HasSuffix(name, "foir_effective") ||
		strings.HasSuffix(name, "card_utilisation") {
		alone := unitPairs[0]
		alone.Raw, alone.Canonical = "", name
		return alone, true
	}
	return UnitPair{}, false
}

// UnitOf returns the unit of one of the two fields, with its article.
func (p UnitPair) UnitOf(name string) string {
	if name == p.Raw {
		return p.RawUnit
	}
	return p.CanonicalUnit
}

// Example returns an example value of the named field, which must be one of the
// pair.
func (p UnitPair) Example(name string) string {
	if name == p.Raw {
		return p.rawExample
	}
	return p.example
}

// Foreign reports whether a value of one of the two fields was probably meant in the unit of the other field.
func (p UnitPair) Foreign(name string, n rule.Number) bool {
	if name == p.Raw {
		return 0 < n && n < p.rawLeast
	}
	return n > p.most
}
