package analysis

import (
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Severity says how much a finding matters.
type Severity uint8

// The severities, milder ones first. An error means that the policy does
// something that cannot be intended. A warning is probably a mistake. An info
// may be intended but is worth knowing.
const (
	SeverityInfo Severity = iota
	SeverityWarning
	SeverityError
)

var severityNames = [...]string{SeverityInfo: "info", SeverityWarning: "warning", SeverityError: "error"}

// String returns the severity's name.
func (s Severity) String() string { return severityNames[s] }

// Finding is one result of the analysis of a policy.
//
// Proved says that the finding holds for every applicant within the domains of the catalogue, or that the document
// itself shows it. A finding that is not proved has one of three causes. It rests on a convention (a threshold that
// looks like a percentage). It rests on a bound that may not be reached (a score that perhaps no applicant has). Or
// it is about a condition that was not analysed.
type Finding struct {
	Severity Severity
	Code     string            // stable, snake_case
	Pointer  string            // JSON pointer into the policy's document
	Key      string            // code@pointer with ids instead of indexes, or code@/fields/NAME or code@/blocks/NAME
	Origin   Origin            // whether the base has the finding too; OriginUnknown until Against sets it
	Detail   string            // a sentence for a risk officer
	Proved   bool              // see the comment of Finding
	IDs      []string          // the rules, factors, bands or sources, if the finding can be about several
	Fields   []string          // the fields, or the members of a band, that the finding is about; nil if not stated
	Witness  []rule.NamedValue // facts of an applicant who is an example of the finding; empty if there is none
}

// Origin says whether a finding is new in a version or inherited from its base.
type Origin uint8

// The origins. OriginUnknown is the origin of findings that were not compared
// with those of a base.
const (
	OriginUnknown Origin = iota
	OriginNew
	OriginInherited
)

var originNames = [...]string{OriginUnknown: "", OriginNew: "new", OriginInherited: "inherited"}

// String returns the origin's name, or "" for OriginUnknown.
func (o Origin) String() string { return originNames[o] }

// Write writes the finding as JSON.
func (f Finding) Write(w *wire.Writer) {
	w.Object().Key("severity").String(f.Severity.String()).Key("code").String(f.Code)
	w.Key("pointer").String(f.Pointer).Key("key").String(f.Key)
	if f.Origin != OriginUnknown {
		w.Key("origin").String(f.Origin.String())
	}
	w.Key("detail").String(f.Detail).Key("proved").Bool(f.Proved)
	if len(f.IDs) > 0 {
		w.Key("ids").Strings(f.IDs)
	}
	if len(f.Fields) > 0 {
		w.Key("fields").Strings(f.Fields)
	}
	w.Key("witness").Object()
	for _, nv := range f.Witness {
		w.Key(nv.Name)
		nv.Value.Write(w)
	}
	w.EndObject().EndObject()
}
