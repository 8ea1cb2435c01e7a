package analysis

import (
	"cmp"
	"strconv"

	"verdict/internal/rule"
)

// section is a section of the document. Findings are sorted by section in this
// order.
type section uint8

const (
	atPolicy section = iota
	atKnockout
	atAdjustment
	atFactor
	atBand
	atCap
	atTerm
	atCharge
)

// location is the position in the document that a finding is about.
type location struct {
	section section
	index   int    // index within the section; -1 for the whole section
	rest    string // the rest of the pointer
}

var sectionPointers = [...]string{
	atPolicy: "", atKnockout: "/knockouts", atAdjustment: "/adjustments", atFactor: "/scorecard/factors",
	atBand: "/pricing_bands", atCap: "/limit_caps", atTerm: "/conditions",
	atCharge: "/charges",
}

func (l location) pointer() string {
	base := sectionPointers[l.section]
	if l.section != atPolicy && l.index >= 0 {
		base += "/" + strconv.Itoa(l.index)
	}
	return base + l.rest
}

func (l location) compare(m location) int {
	return cmp.Or(cmp.Compare(l.section, m.section), cmp.Compare(l.index, m.index))
}

// found is a finding with its location, by which findings are sorted.
type found struct {
	Finding
	at location
}

// report adds a finding that is proved. The caller may set more members through
// the returned pointer, but only until the next call of report.
func (a *analysis) report(s Severity, code string, at location, detail string, witness []rule.NamedValue) *Finding {
	a.found = append(a.found, found{at: at, Finding: Finding{
		Severity: s,
		Code:     code,
		Pointer:  at.pointer(),
		Key:      code + "@" + a.stablePointer(at),
		Detail:   detail,
		Witness:  witness,
		Proved:   true,
	}})
	return &a.found[len(a.found)-1].Finding
}

// suspect adds a finding that is not proved.
func (a *analysis) suspect(s Severity, code string, at location, detail string) *Finding {
	f := a.report(s, code, at, detail, nil)
	f.Proved = false
	return f
}

// stablePointer returns the pointer of a location with the id of the entry
// instead of its index, because the index changes if entries before it are
// added or removed.
func (a *analysis) stablePointer(l location) string {
	base := sectionPointers[l.section]
	if l.section != atPolicy && l.index >= 0 {
		base += "/" + a.idAt(l)
	}
	if base+l.rest == "" {
		return "/"
	}
	return base + l.rest
}

// idAt returns the id of the entry at a location. Ids need no escaping in a
// pointer, because they contain neither "/" nor "~".
func (a *analysis) idAt(l location) string {
	switch p := a.policy; l.section {
	case atKnockout:
		return p.Knockouts[l.index].ID
	case atAdjustment:
		return p.Adjustments[l.index].ID
	case atFactor:
		return p.Scorecard.Factors[l.index].Name
	case atBand:
		return p.Bands[l.index].ID
	case atCap:
		return p.LimitCaps[l.index].ID
	case atTerm:
		return p.Terms[l.index].Code
	case atCharge:
		return p.Charges[l.index].ID
	default:
		return ""
	}
}
