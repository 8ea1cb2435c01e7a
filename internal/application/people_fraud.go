package application

import (
	"slices"
	"strings"
	"sync"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// memberFraud is the member with the identifiers of a person. At the top level, it has the identifiers of the primary
// applicant. In an entry of applicants, it has those of the co-applicant or the guarantor.
const memberFraud = "fraud"

// hasOtherFraud reports whether an entry of applicants has an object with identifiers.
func hasOtherFraud(body wire.Value) bool {
	for _, entry := range body.Get(memberApplicants).Elements() {
		if entry.Get(memberFraud).Kind() == wire.Object {
			return true
		}
	}
	return false
}

// entryMembers returns the members that an entry of applicants has in addition to the members of the applicant
// object. The fraud object is one of them only in an evaluate request, and only for a person other than the primary
// applicant.
func (r *reader) entryMembers() []string {
	if r.app.Endpoint != Evaluate || !r.isOther {
		return ownMembers
	}
	return append(slices.Clip(ownMembers), memberFraud)
}

// personFraud returns the node of the identifiers that somebody other than the primary applicant may have. The device
// id is one of them: the device block describes the primary applicant's phone, so another person's device id must be
// in the fraud object.
var personFraud = sync.OnceValue(func() *node {
	n := &node{path: memberFraud, children: map[string]*node{"device_id": roots()["device"].children["device_id"]}}
	for name, child := range roots()[memberFraud].children {
		if name != field.ApplicantRef && name != "agent_id" {
			n.children[name] = child
		}
	}
	n.name()
	return n
})

// noPrimaryFraud rejects identifiers in the entry of the primary applicant, whose identifiers are at the top level.
// It accepts them if the policy declares such paths as inputs.
func (x peopleReader) noPrimaryFraud(entry wire.Value) {
	r := x.request
	for path := range r.opt.Inputs {
		if strings.HasPrefix(path, "applicant."+memberFraud+".") {
			return
		}
	}
	if v := entry.Get(memberFraud); v.Given() && r.app.Endpoint == Evaluate {
		r.faults.Add(v.Pointer(), fault.CodeInvalidField,
			`belongs at the top level: the member "fraud" of the request has the identifiers of the primary applicant`)
	}
}

// otherFraud reads the identifiers of a person other than the primary applicant. named must have been called before.
func (x peopleReader) otherFraud(entry wire.Value, role string) {
	r := x.request
	block := entry.Get(memberFraud)
	if r.app.Endpoint != Evaluate || !block.Given() || !r.object(block) {
		return
	}
	facts := x.identifiers(block)
	at := slices.IndexFunc(r.app.Others, func(o Other) bool { return o.Role == role })
	if at < 0 {
		r.faults.AddItem(wire.Required(entry, field.ApplicantRef, entry.Pointer()+"/"+field.ApplicantRef,
			"the person's reference, the same in all applications, because the identifiers are counted for that "+
				"person"))
		return
	}
	other := &r.app.Others[at]
	other.Fraud = facts
	if signal.PersonRef(other.Ref) == "" {
		r.faults.Add(other.Pointer, fault.CodeInvalidField, "is a placeholder that different applicants would share, "+
			"so the identifiers cannot be counted; send the person's reference, the same in all applications")
	}
	if ref := block.Get(field.ApplicantRef); ref.Given() && strings.TrimSpace(ref.Text()) != other.Ref {
		r.faults.Add(ref.Pointer(), fault.CodeInvalidField,
			"differs from the reference of the person; leave it out, because the entry has applicant_ref or id")
	}
}

// identifiers reads the members of the fraud object of an entry. A malformed identifier is a fault. A value that is
// well formed but does not identify anybody, such as a placeholder, gives a warning, as for the primary applicant.
func (x peopleReader) identifiers(block wire.Value) *rule.Facts {
	r := x.request
	person := newReader(r.app.Endpoint, r.opt)
	person.opt.Inputs, person.isOther = nil, true
	person.walk(personFraud(), block, memberFraud, field.ApplicantRef, "agent_id")
	if v := block.Get("agent_id"); v.Given() {
		r.warnings.Add(v.Pointer(), fault.CodeNotRead,
			`is read only from the member "fraud" of the request: an agent brings the application and not one person`)
	}
	signal.CheckFraud(block, &person.faults)
	at := func(pointer string) func(fault.Item) bool {
		return func(item fault.Item) bool { return item.Pointer == pointer }
	}
	for _, f := range signal.Unusable(person.app.Facts) {
		pointer := block.Pointer() + "/" + f.Fact[strings.LastIndexByte(f.Fact, '.')+1:]
		switch {
		case f.Malformed && slices.ContainsFunc(person.faults.Items(), at(pointer)):
		case f.Malformed:
			person.faults.Add(pointer, fault.CodeInvalidField, "must be %s; leave it out if it is not known", f.Wanted)
		case f.Private:
			r.warnings.Add(pointer, fault.CodeNotDerived, "%s", f.Text)
		default:
			r.warnings.Add(pointer, fault.CodeIdentifierNotCounted, "%s", f.Text)
		}
	}
	for _, item := range person.faults.Items() {
		r.faults.AddItem(item)
	}
	for _, item := range person.warnings.Items() {
		r.warnings.AddItem(item)
	}
	return person.app.Facts
}
