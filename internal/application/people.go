package application

import (
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Other is a person of an application other than the primary applicant.
type Other struct {
	Role    string
	Ref     string // the applicant_ref or, if there is none, the id without spaces around it
	Pointer string // the JSON pointer of the reference in the request
	// Fraud has the identifiers of the person, under the same names as those of the primary applicant. It is nil if
	// the entry has no fraud object.
	Fraud *rule.Facts
}

// memberApplicants is the top-level member that lists the people of an application.
const memberApplicants = "applicants"

// rolePrimary is the role of the person whose application is decided.
const rolePrimary = "primary"

var roles = []string{rolePrimary, field.CoApplicant, field.Guarantor}

// ownMembers are the members that an entry of applicants has in addition to the members of the applicant object.
var ownMembers = []string{
	"role", field.ApplicantRef, "consent", "bureau_report", "bureau", "report", "bank_summary",
}

// movedMembers are the top-level members that must be in the entries of applicants instead, if the request has that
// list.
var movedMembers = []string{"applicant", "bureau_report", "bureau", "report", "bank_summary"}

// hasPeople reports whether a body lists several people.
func hasPeople(v wire.Value) bool { return v.Get(memberApplicants).Given() }

// peopleEvaluate reports whether one of the people of a body has a report, as in an evaluate request.
func peopleEvaluate(v wire.Value) bool {
	for _, e := range v.Get(memberApplicants).Elements() {
		if e.Get("report").Given() || e.Get("bureau").Given() {
			return true
		}
	}
	return false
}

// peopleReader reads the list "applicants" of a request.
type peopleReader struct{ request *reader }

// read reads the list applicants. It calls the function primary with the entry of the primary applicant, and
// adds the facts of the other people under their roles.
func (x peopleReader) read(v wire.Value, primary func(entry wire.Value)) {
	r := x.request
	for _, name := range movedMembers {
		if member := v.Get(name); member.Given() {
			r.faults.Add(member.Pointer(), fault.CodeInvalidField,
				`belongs in the entry of a person, because the request has "applicants"`)
		}
	}
	list := v.Get(memberApplicants)
	if list.Kind() != wire.Array {
		r.faults.Add(list.Pointer(), fault.CodeWrongType, "must be a list of people, but is %s", list.Kind())
		return
	}
	if list.Len() > len(roles) {
		r.faults.Add(list.Pointer(), fault.CodeTooMany,
			"has more than %d entries: one primary applicant, one co-applicant and one guarantor", len(roles))
		return
	}
	var seen []string
	for _, entry := range list.Elements() {
		if !r.object(entry) {
			continue
		}
		role, ok := x.role(entry, seen)
		if !ok {
			continue
		}
		seen = append(seen, role)
		if role == rolePrimary {
			x.noPrimaryFraud(entry)
			primary(entry)
			x.primaryRef(entry)
			r.consent(entry.Get("consent"))
		} else {
			x.other(entry, role)
		}
	}
	if r.faults.Len() == 0 && !slices.Contains(seen, rolePrimary) {
		r.faults.Add(list.Pointer(), fault.CodeRequired, `must have an entry with the role "primary"`)
	}
	x.references(v, list)
	if slices.Contains(seen, field.CoApplicant) {
		r.app.Facts.Set(field.HasCoApplicant, rule.Bool(true))
	}
}

// role reads the role of an entry, which no other entry may have.
func (x peopleReader) role(entry wire.Value, seen []string) (string, bool) {
	r := x.request
	v := entry.Get("role")
	switch {
	case !v.Given():
		r.faults.AddItem(wire.Required(entry, "role", entry.Pointer()+"/role", strings.Join(roles, ", ")))
	case v.Kind() != wire.String || !slices.Contains(roles, v.Text()):
		r.faults.Add(v.Pointer(), fault.CodeInvalidField, "must be one of %s", strings.Join(roles, ", "))
	case slices.Contains(seen, v.Text()):
		r.faults.Add(v.Pointer(), fault.CodeDuplicate, "is the role of another entry too; an application has one "+
			"primary applicant, at most one co-applicant and at most one guarantor")
	default:
		return v.Text(), true
	}
	return "", false
}

// primaryRef reads the reference of the primary applicant, which may also be at the top level.
func (x peopleReader) primaryRef(entry wire.Value) {
	r := x.request
	v := entry.Get(field.ApplicantRef)
	if !v.Given() {
		return
	}
	before := r.app.ApplicantRef
	r.applicantRef(v)
	if before != "" && v.Kind() == wire.String && v.Text() != before {
		r.faults.Add(v.Pointer(), fault.CodeInvalidField,
			"differs from the applicant_ref of the request, which names the primary applicant; send one of the two")
	}
}

// references rejects a reference that two people have, because the income of one person would count twice. A person's
// reference is the applicant_ref or, if there is none, the id. The primary applicant's reference may also be the
// applicant_ref of the request or of its fraud block. Two people cannot have the same id either. Spaces around a
// reference are ignored.
func (x peopleReader) references(body, list wire.Value) {
	r := x.request
	owners, ids := map[string]int{}, map[string]int{}
	claim := func(of map[string]int, v wire.Value, person int) bool {
		ref := strings.TrimSpace(v.Text())
		if v.Kind() != wire.String || ref == "" {
			return true
		}
		if owner, taken := of[ref]; taken && owner != person {
			r.faults.Add(v.Pointer(), fault.CodeDuplicate,
				"is the reference of another person of this application too; one person has one role")
			return false
		}
		of[ref] = person
		return true
	}
	primary := -1
	for i, entry := range list.Elements() {
		if entry.Get("role").Text() == rolePrimary {
			primary = i
		}
	}
	claim(owners, body.Get(field.ApplicantRef), primary)
	if r.app.Endpoint == Evaluate { // a decision request has no fraud block
		claim(owners, body.Get("fraud").Get(field.ApplicantRef), primary)
	}
	for i, entry := range list.Elements() {
		id, first := entry.Get("id"), true
		switch ref := entry.Get(field.ApplicantRef); {
		case ref.Given():
			claim(owners, ref, i)
		case i != primary || !body.Get(field.ApplicantRef).Given():
			first = claim(owners, id, i)
		}
		if first && claim(ids, id, i) && i != primary && !entry.Get(field.ApplicantRef).Given() {
			x.noSpaces(id)
		}
	}
}

// noSpaces rejects an id with spaces around it, if the id names a person other than the primary applicant. An id of
// only spaces names nobody.
func (x peopleReader) noSpaces(id wire.Value) {
	r := x.request
	ref := strings.TrimSpace(id.Text())
	if id.Kind() == wire.String && ref != "" && ref != id.Text() {
		r.faults.Add(id.Pointer(), fault.CodeInvalidField, "must not begin or end with a space, because the id "+
			"with the space would name a different person")
	}
}

// primaryDecision reads the entry of the primary applicant of a decision request.
func (r *reader) primaryDecision(entry wire.Value) {
	r.walk(roots()["applicant"], entry, "applicant", r.entryMembers()...)
	r.misplaced(entry, "bureau", "report", "bank_summary")
	r.block(entry, "bureau_report")
	r.score(entry, "bureau_report", entry.Pointer()+"/bureau_report", "bureau_report.score")
	fallBack(r.app.Facts)
	r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
}

// primaryEvaluate reads the entry of the primary applicant of an evaluate request.
func (r *reader) primaryEvaluate(entry wire.Value) {
	r.app.at = entry.Pointer()
	r.misplaced(entry, "bureau_report")
	if body, ok := r.report(entry); ok {
		r.bureauReport(body)
	}
	r.walk(evaluateApplicant(), entry, "applicant", r.entryMembers()...)
	r.app.ApplicantID = r.app.Facts.Get("applicant.id").Text()
	r.block(entry, "bank_summary")
	if summary := entry.Get("bank_summary"); summary.Kind() == wire.Object {
		r.bank(summary)
	}
}

// misplaced rejects members of an entry that belong to the other endpoint.
func (r *reader) misplaced(entry wire.Value, names ...string) {
	for _, name := range names {
		if v := entry.Get(name); v.Given() {
			r.faults.Add(v.Pointer(), fault.CodeWrongEndpoint,
				"belongs to a request of the other endpoint: /v1/decisions takes bureau_report, and "+
					"/v1/evaluate takes report")
		}
	}
}

// other reads a person other than the primary applicant with a reader of its own, and adds the facts about the person
// under the role.
func (x peopleReader) other(entry wire.Value, role string) {
	r := x.request
	person := newReader(r.app.Endpoint, r.opt)
	person.opt.Inputs, person.opt.FeaturesAuto, person.isOther = nil, false, true
	person.app.AsOf = r.opt.Today
	given := entry.Get("bureau_report").Given() || entry.Get("report").Given()
	person.opt.ScoreOptional = r.opt.ScoreOptional || !given
	switch {
	case r.app.Endpoint == Decisions || r.early:
		person.primaryDecision(entry)
	case given:
		person.primaryEvaluate(entry)
	default:
		person.withoutReport(entry)
	}
	if role == field.Guarantor && !given && !r.opt.ScoreOptional {
		member := map[Endpoint]string{Decisions: "bureau_report", Evaluate: "report"}[r.app.Endpoint]
		r.faults.AddItem(wire.Required(entry, member, entry.Pointer()+"/"+member,
			"the guarantor's report, because the guarantee depends on it"))
	}
	person.notOfLoan(entry)
	consented := person.consent(entry.Get("consent"))
	if given && !consented {
		r.warnings.Add(entry.Pointer(), fault.CodeConsentNotStated,
			`has the report of a second person without "consent": {"id": …, "at": …}`)
	}
	if v := entry.Get(field.ApplicantRef); v.Given() {
		person.applicantRef(v)
	}
	for _, item := range person.faults.Items() {
		r.faults.AddItem(item)
	}
	for _, item := range person.warnings.Items() {
		r.warnings.AddItem(item)
	}
	r.app.HasOthers = true
	x.named(entry, role)
	x.otherFraud(entry, role)
	x.addRole(role, person.app.Facts, entry.Get("consent"))
}

// named adds a person to Others if the request names the person by a reference. Otherwise it sets HasUnnamed.
func (x peopleReader) named(entry wire.Value, role string) {
	r := x.request
	for _, name := range []string{field.ApplicantRef, "id"} {
		v := entry.Get(name)
		if ref := strings.TrimSpace(v.Text()); v.Kind() == wire.String && ref != "" {
			r.app.Others = append(r.app.Others, Other{Role: role, Ref: strings.Clone(ref), Pointer: v.Pointer()})
			return
		}
	}
	r.app.HasUnnamed = true
}

// withoutReport reads a person of an evaluate request for whom no report was sent. It reads the id and the bank
// summary.
func (r *reader) withoutReport(entry wire.Value) {
	r.misplaced(entry, "bureau_report")
	r.walk(evaluateApplicant(), entry, "applicant", r.entryMembers()...)
	r.block(entry, "bank_summary")
	if summary := entry.Get("bank_summary"); summary.Kind() == wire.Object {
		r.bank(summary)
	}
}

// notOfLoan warns about members that describe the loan and not the person.
func (r *reader) notOfLoan(entry wire.Value) {
	for _, name := range []string{field.RequestedAmount, field.RequestedTenureMonths} {
		if r.app.Facts.Get(name).Type() != rule.Absent {
			r.warnings.Add(entry.Pointer(), fault.CodeNotRead,
				"states %s, which is read from the primary applicant only", name)
		}
	}
}

// consent reads the consent of a person, and reports whether there is a valid consent.
func (r *reader) consent(v wire.Value) bool {
	if !v.Given() || !r.object(v) {
		return false
	}
	id, at := v.Get("id"), v.Get("at")
	ok := true
	switch {
	case !id.Given():
		r.faults.AddItem(wire.Required(v, "id", v.Pointer()+"/id", "your identifier of the consent"))
		ok = false
	case id.Kind() != wire.String || id.Text() == "" || len(id.Text()) > maxText:
		r.faults.Add(id.Pointer(), fault.CodeInvalidField, "must be a text of 1 to %d bytes", maxText)
		ok = false
	}
	if !at.Given() {
		r.faults.AddItem(wire.Required(v, "at", v.Pointer()+"/at", "the time of the consent"))
		return false
	}
	given, err := time.Parse(time.RFC3339, at.Text())
	if at.Kind() != wire.String || err != nil {
		r.faults.Add(at.Pointer(), fault.CodeInvalidField, "must be a time such as 2026-11-17T10:00:00+05:30")
		return false
	}
	if r.opt.Today != 0 && civil.DayAt(given) > r.opt.Today {
		r.warnings.Add(at.Pointer(), fault.CodeLaterEvent,
			"is after the day of the request, so the consent was not given yet; send the time of the consent")
	}
	return ok
}

// addRole adds the facts about a person under the role.
func (x peopleReader) addRole(role string, facts *rule.Facts, consent wire.Value) {
	r := x.request
	for _, name := range field.RoleFacts() {
		if v := facts.Get(name); v.Type() != rule.Absent {
			r.app.Facts.Set(field.OfRole(role, name), v)
		}
	}
	add := func(name string, v wire.Value) {
		if v.Kind() == wire.String && len(v.Text()) <= maxText {
			r.app.Facts.Set(field.OfRole(role, name), rule.Str(v.Text()))
		}
	}
	add(field.ConsentID, consent.Get("id"))
	add(field.ConsentAt, consent.Get("at"))
}
