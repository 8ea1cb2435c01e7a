package engine

import (
	"slices"

	"verdict/internal/wire"
)

// sections lists, in name order, the parts of a policy document that a new
// version inherits from its base if the request leaves them out. The name and
// the policy_key are not inherited.
var sections = []string{
	"actionable_fields", "adjustments", "affordability", "allow_gaps", sectionCharges, "conditions", sectionExposure,
	"features", sectionGuarantees, "include_defaults", "inputs", "knockouts", sectionLimitCaps, "limit_step",
	"offer_validity_days", sectionPeople, "pricing_bands", "required_fields", sectionScorecard, sectionSemantics,
}

// The scorecard's section has two members: the card, and the id of the stored card that it was copied from. If a
// request has either member, neither member of the base is inherited, because an inherited card would override a new
// id.
const (
	sectionScorecard  = "scorecard"
	memberScorecardID = "scorecard_id"
)

const sectionKnockouts = "knockouts"

// sectionSemantics is the section that says for which version of the engine's behaviour a policy was written.
const sectionSemantics = "semantics"

// Inherit completes a request for a new version. The base is a stored Document.
// The result has all members of the request and, from the base, every section
// that the request leaves out or gives as null. inherited lists the sections
// from the base. A draft without a base gets the newest semantics unless it
// names one.
//
// If a request turns include_defaults off, Inherit leaves out the default
// knockouts of the base. If a request turns it on, ReadPolicy merges them
// again. Inherit copies unknown members, which ReadPolicy rejects.
func Inherit(request, base wire.Value) (merged []byte, inherited []string) {
	var w wire.Writer
	if request.Kind() != wire.Object {
		return w.Value(request).Buf, nil
	}
	for _, name := range sections {
		if !gives(request, name) && gives(base, name) {
			inherited = append(inherited, name)
		}
	}
	newest := base.Kind() != wire.Object && !gives(request, sectionSemantics)
	w.Object()
	for name, member := range request.Members() {
		if slices.Contains(inherited, sectionOf(name)) || newest && name == sectionSemantics {
			continue // the member is null; its replacement is written below
		}
		w.Name(name).Value(member)
	}
	for name, member := range base.Members() {
		switch {
		case !slices.Contains(inherited, sectionOf(name)):
		case name == sectionKnockouts && turnsDefaultsOff(request, base):
			w.Name(name).Array()
			for _, entry := range member.Elements() {
				if !isDefaultKnockout(entry, semanticsOf(request, base)) {
					w.Value(entry)
				}
			}
			w.EndArray()
		default:
			w.Name(name).Value(member)
		}
	}
	if newest {
		w.Name(sectionSemantics).Int(NewestSemantics)
	}
	return w.EndObject().Buf, inherited
}

// gives reports whether a document has a section. A null section counts as left out.
func gives(document wire.Value, section string) bool {
	return document.Get(section).Given() || section == sectionScorecard && document.Get(memberScorecardID).Given()
}

// sectionOf returns the section that a member belongs to.
func sectionOf(member string) string {
	if member == memberScorecardID {
		return sectionScorecard
	}
	return member
}
