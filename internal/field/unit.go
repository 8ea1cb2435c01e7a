package field

import (
	"strings"

	"verdict/internal/rule"
)

// UnitPair is a raw path and its canonical name if the two have different units
// for the same figure.
type UnitPair struct {
	Raw, Canonical         string
	RawUnit, CanonicalUnit string
	Meaning                string // what the examples mean in words
	rawExample, example    string
	// A value in the raw unit is 0 or at least rawLeast, and a value in the
	// canonical unit is at most most. Other values were probably meant in the
	// other unit.
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

// PairOf returns the pair that a field belongs to. A ratio that people often
// write as a percentage has a pair without a raw path.
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

// Example returns an example value of one of the two fields; Meaning describes
// it.
func (p UnitPair) Example(name string) string {
	if name == p.Raw {
		return p.rawExample
	}
	return p.example
}

// Foreign reports whether a value of one of the two fields was probably meant
// in the other's unit.
func (p UnitPair) Foreign(name string, n rule.Number) bool {
	if name == p.Raw {
		return 0 < n && n < p.rawLeast
	}
	return n > p.most
}
