package engine

import (
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// Document is a policy or a scorecard as JSON, as it is stored. Documents of
// earlier releases may have members that this release no longer reads.
type Document []byte

// NoBase is the base of a draft that inherits nothing.
const NoBase = "none"

// Draft is the document of a new version as its author wrote it: complete
// sections, a patch of the base's sections, or both. It may have faults; Merge
// and ReadPolicy report them.
type Draft struct{ body wire.Value }

// NewDraft returns a document as a draft.
func NewDraft(body wire.Value) Draft { return Draft{body} }

// ParseDraft parses a document as a draft.
func ParseDraft(text []byte) (Draft, error) {
	body, err := wire.Parse(text)
	return Draft{body}, err
}

// Base returns the id of the rule set that the draft inherits from, or NoBase.
// named is false if the draft names no base. If the base is not a string, Base
// adds a fault and returns false.
func (d Draft) Base(faults *fault.List) (id string, named bool) {
	v := d.body.Get("base")
	if v.Given() && v.Kind() != wire.String {
		faults.Add(v.Pointer(), fault.CodeWrongType, `must be the id of a rule set, or "none"`)
		return "", false
	}
	return v.Text(), v.Given()
}

// PolicyKey returns the policy_key of the draft. ok is false if the key is
// invalid; ReadPolicy reports the fault.
func (d Draft) PolicyKey() (key string, ok bool) { return field.PolicyKeyOf(d.body) }

// PinsScorecard reports whether the draft has a scorecard and also the id of a stored scorecard.
func (d Draft) PinsScorecard() bool {
	return d.body.Get(sectionScorecard).Given() && d.body.Get(memberScorecardID).Given()
}

// Merged is a draft that was completed with sections of its base.
type Merged struct {
	Document  Document     // the merged document, for ParsePolicy
	Inherited []string     // the sections that the draft leaves out, taken from the base
	Faults    []fault.Item // the faults of the patch
	patched   Patched
}

// Relocate returns the fault with its pointer into the merged document changed to
// the corresponding pointer into the draft.
func (m Merged) Relocate(item fault.Item) fault.Item { return m.patched.Relocate(item) }

// Merge applies the patch of the draft to its base and inherits the sections
// that the draft leaves out. base is empty for a draft that has no base. An
// error means that the base is not JSON.
func (d Draft) Merge(base Document) (m Merged, err error) {
	var from wire.Value
	if len(base) > 0 {
		if from, err = wire.Parse(base); err != nil {
			return m, err
		}
	}
	request := d.body
	if hasMember(request, memberPatch) {
		m.patched = Patch(request, from)
		m.Faults = m.patched.Faults
		if request, err = wire.Parse(m.patched.Request); err != nil {
			return m, err
		}
	}
	m.Document, m.Inherited = Inherit(request, from)
	return m, nil
}

// hasMember reports whether an object has a member, even if it is null.
func hasMember(object wire.Value, member string) bool {
	for name := range object.Members() {
		if name == member {
			return true
		}
	}
	return false
}
