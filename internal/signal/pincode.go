package signal

import (
	"slices"
	"time"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Risk is the class of a pincode.
type Risk string

// The classes, in ascending order.
const (
	RiskLow     Risk = "LOW"
	RiskMedium  Risk = "MEDIUM"
	RiskHigh    Risk = "HIGH"
	RiskBlocked Risk = "BLOCKED"
)

var riskNames = []string{string(RiskLow), string(RiskMedium), string(RiskHigh), string(RiskBlocked)}

// The lowest scores of the classes medium and high. No score makes a pincode blocked;
// a pincode is blocked only explicitly.
const (
	mediumFrom = 34 * rule.One
	highFrom   = 67 * rule.One
	maxRisk    = 100 * rule.One
)

// Score returns the score of a class that was given without a score: a round
// number within the class, and the maximum for a blocked pincode.
func (r Risk) Score() rule.Number {
	switch r {
	case RiskLow:
		return rule.Int(20)
	case RiskMedium:
		return rule.Int(50)
	case RiskHigh:
		return rule.Int(80)
	default:
		return maxRisk
	}
}

// Risks returns the names of the classes, in ascending order.
func Risks() []string { return slices.Clone(riskNames) }

// RiskOf returns the class of a score.
func RiskOf(score rule.Number) Risk {
	switch {
	case score < mediumFrom:
		return RiskLow
	case score < highFrom:
		return RiskMedium
	default:
		return RiskHigh
	}
}

// PincodeRisk is a tenant's risk class for a pincode, or for all pincodes that
// begin with the given three or more digits.
type PincodeRisk struct {
	Pincode string
	// Remove is set in a request that removes the entry. All other fields except
	// Pincode are then empty.
	Remove        bool
	Risk          Risk
	Score         rule.Number
	Reason        string
	UpdatedMicros int64
	ExpiresMicros int64 // 0 if the entry never expires
}

// Write writes the entry as an object of the API.
func (p PincodeRisk) Write(w *wire.Writer) {
	w.Object().Key("pincode").String(p.Pincode)
	w.Key("risk").Plain(string(p.Risk)).Key("risk_score").Decimal(int64(p.Score), rule.Places)
	if p.Reason != "" {
		w.Key("reason").String(p.Reason)
	}
	w.Key("updated_at").Plain(moment(p.UpdatedMicros)).Key("expires_at")
	if p.ExpiresMicros == 0 {
		w.Null()
	} else {
		w.Plain(moment(p.ExpiresMicros))
	}
	w.EndObject()
}

func moment(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

// The lengths of an entry's digits.
const (
	minPrefix   = 3 // a sorting district
	pincodeSize = 6
)

// isPincode reports whether s is six digits, the first not 0.
func isPincode(s string) bool { return len(s) == pincodeSize && isPrefix(s) }

// isPrefix reports whether s is three to six digits, the first not 0.
func isPrefix(s string) bool {
	if len(s) < minPrefix || len(s) > pincodeSize || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// PincodeTable is the lookup table of a tenant's entries. It is immutable; a
// nil table has no entries.
type PincodeTable struct {
	byPrefix map[string]PincodeRisk
}

// NewPincodeTable builds a table. If two entries have the same digits, the later
// one is used. Removed entries are left out.
func NewPincodeTable(entries []PincodeRisk) *PincodeTable {
	t := &PincodeTable{byPrefix: make(map[string]PincodeRisk, len(entries))}
	for _, e := range entries {
		if e.Remove {
			delete(t.byPrefix, e.Pincode)
		} else {
			t.byPrefix[e.Pincode] = e
		}
	}
	return t
}

// Lookup returns the entry with the longest matching prefix that has not expired,
// and false if there is none.
func (t *PincodeTable) Lookup(pincode string, atMicros int64) (PincodeRisk, bool) {
	if t == nil {
		return PincodeRisk{}, false
	}
	for n := min(len(pincode), pincodeSize); n >= minPrefix; n-- {
		if e, ok := t.byPrefix[pincode[:n]]; ok && (e.ExpiresMicros == 0 || atMicros < e.ExpiresMicros) {
			return e, true
		}
	}
	return PincodeRisk{}, false
}
