package analysis

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// silencing is a field that a request may leave out, with the rules and factors that do not apply without it. Those
// rules and factors are called silenced.
type silencing struct {
	field space.Field
	names []string // the rules and factors as named in a sentence
	ids   []string
	at    location // location of the first rule or factor
	first *clause  // clause of the first rule; nil for a factor, or if the rule is silenced only in part
	doubt bool     // true if the effect is not proved for all of the rules and factors
}

// silentWhenAbsent reports the rules and factors that do not apply, or apply only in part, if a field that may be
// left out (see omissible) is left out. It skips system rules, knockouts whose on_absent is not "pass", and factors
// with missing_points or without weight.
//
// Three kinds of fields have a finding of their own: a column of a table, a field that nearly every request has,
// and a field whose presence a condition tests and whose block is not optional. The remaining fields of a block
// share one finding. Each rule or factor that reads features also has a finding of its own. Findings about features
// are errors, which people acknowledge one by one.
func (a *silenceCheck) silentWhenAbsent() {
	list := make([]silencing, a.space.Len())
	for at := range list {
		list[at].field = space.Field(at)
	}
	for i := range a.knockouts {
		if c := &a.knockouts[i]; a.passesAbsence(c) {
			a.noteSilenced(list, c, true)
		}
	}
	for i := range a.adjustments {
		// Leaving a field out to avoid a bonus does not help an applicant.
		a.noteSilenced(list, &a.adjustments[i], a.policy.Adjustments[i].Delta < 0)
	}
	for _, clauses := range [...][]clause{a.whens, a.terms} {
		for i := range clauses {
			a.noteSilenced(list, &clauses[i], false)
		}
	}
	for i := range a.segments {
		c := &a.segments[i]
		a.noteSilenced(list, c, a.worseThanFallback(c.at.index))
	}
	for i := range a.caps {
		a.noteSilenced(list, &a.caps[i], true)
	}
	a.noteFactors(list)
	a.reportSilenced(list)
}

// noteSilenced records a clause under the fields whose absence silences it. It reports features immediately, and
// other fields only if the clause counts against the applicant. If a clause is too large to analyse, or if no
// budget is left for it, noteSilenced reports every feature that the clause reads. Otherwise a very large condition
// would avoid the error at activation.
func (a *silenceCheck) noteSilenced(list []silencing, c *clause, adverse bool) {
	if !c.Known {
		a.reportFeatures(c, a.featuresRead(c), " may not apply", false)
		return
	}
	if !a.possibleClause(c) {
		return
	}
	var features []string
	whole, proved := false, true
	for _, at := range c.reads {
		isFeature := a.block(at).severity == SeverityError
		if !isFeature && !adverse || !a.omissible(at) {
			continue
		}
		wholly, partly, sure := false, isFeature, false
		if a.solver.Budget.Spend(len(c.Upper)) {
			wholly, partly, sure = a.silencedBy(c, at)
		}
		switch name := c.label(); {
		case !wholly && !partly:
		case isFeature:
			features, whole = append(features, a.space.Domain(at).Ref.Name), whole || wholly
			proved = proved && sure
		case wholly:
			list[a.source(at)].add(c, c.at, name, c.name)
		default:
			q := &list[a.source(at)]
			q.add(nil, c.at, "a part of "+name, c.name)
			q.doubt = q.doubt || !sure
		}
	}
	effect := " does not apply"
	if !whole {
		effect = " applies only in part"
	}
	a.reportFeatures(c, features, effect, proved)
}

// featuresRead lists the features that a clause reads and a request may leave
// out.
func (a *silenceCheck) featuresRead(c *clause) (names []string) {
	for _, at := range c.reads {
		if a.block(at).severity == SeverityError && a.omissible(at) {
			names = append(names, a.space.Domain(at).Ref.Name)
		}
	}
	return names
}

// reportFeatures reports what happens to a clause without the features: it does not apply, applies only in part, or
// may not apply. The parameter effect says which of these is the case. reportFeatures reports nothing if the list is
// empty.
func (a *silenceCheck) reportFeatures(c *clause, features []string, effect string, proved bool) {
	if len(features) == 0 {
		return
	}
	fix := "give the rule on_absent"
	if c.at.section != atKnockout {
		fix = "let a knockout refer applicants without them"
	}
	a.featureSilence(c.at, c.opening()+effect, features, fix).Proved = proved
}

// noteFactors records the factors without points for an absent field.
func (a *silenceCheck) noteFactors(list []silencing) {
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		at, here := a.space.FieldOf(f.Field), location{section: atFactor, index: i}
		switch {
		case f.HasMissing || f.Weight == 0 || !a.omissible(at):
		case a.block(at).severity == SeverityError:
			a.featureSilence(here, "The factor "+f.Name+" does not apply", []string{f.Field.Name},
				"give the factor missing_points")
		default:
			list[a.source(at)].add(nil, here, "the factor "+f.Name, f.Name)
		}
	}
}

func (q *silencing) add(c *clause, at location, name, id string) {
	if len(q.ids) == 0 {
		q.first, q.at = c, at
	}
	if !slices.Contains(q.ids, id) { // a rule may look a field up in several lists
		q.names, q.ids = append(q.names, name), append(q.ids, id)
	}
}

// featureSilence reports a rule or factor that does not apply, or not fully, to
// requests that do not ask for features.
func (a *silenceCheck) featureSilence(at location, opening string, features []string, fix string) *Finding {
	f := a.report(SeverityError, fault.CodeSilentWhenAbsent, at, fmt.Sprintf(
		"%s to requests without \"features\": true, because it reads %s; set \"features\": \"auto\" in the policy, "+
			"list what it reads in required_fields, or %s.",
		opening, enumerate(features), fix), nil)
	f.Fields = features
	return f
}

// omissible reports whether a request may leave a field out without being
// stopped by the policy. It returns false for a field that the engine computes,
// and for a feature if the policy always computes features. A score does not
// count as left out, because an applicant without a score is new to credit and
// may have a thin-file index instead.
func (a *silenceCheck) omissible(at space.Field) bool {
	at = a.source(at)
	d := a.space.Domain(at)
	if t, ok := a.space.Table(d.Ref); ok {
		return a.mayLack(t) && !a.notes[at].required && !a.hitsAbsence(at)
	}
	scored := d.Scored || at == a.space.NTC() || d.Ref.Name == thinFileIndex
	return !d.Computed && !a.notes[at].required && !scored && !a.hitsAbsence(at) &&
		!(a.block(at).severity == SeverityError && a.policy.FeaturesAuto)
}

// thinFileIndex is the field that a bureau report may have instead of a score.
const thinFileIndex = "bureau_ntc_index"

// hitsAbsence reports whether some knockout hits every applicant who leaves a
// field out. It returns false if no condition tests whether the field is
// present.
func (a *silenceCheck) hitsAbsence(at space.Field) bool {
	n := &a.notes[at]
	if !n.tested {
		return false
	}
	if n.hit == notComputed {
		n.hit = notHit
		absent := a.solver.With(space.Box{}, at, space.OnlyAbsent())
		for i := range a.knockouts {
			if c := &a.knockouts[i]; c.Known && a.solver.Covers(c.Lower, absent) {
				n.hit = hit
				break
			}
		}
	}
	return n.hit == hit
}

// silencedBy reports whether an applicant for whom a clause holds can avoid the clause by leaving a field out.
// wholly is set if the clause holds for nobody without the field. partly is set if the clause still holds for some
// applicants without the field. proved is false if partly may be wrong, because sets do not express the whole
// condition or a limit was reached.
func (a *silenceCheck) silencedBy(c *clause, at space.Field) (wholly, partly, proved bool) {
	wholly, proved = true, true
	for _, b := range c.Upper {
		if !a.needs(b, at) {
			wholly = false
			continue
		}
		if !partly {
			partly = !a.solver.Covers(c.Lower, a.solver.With(b, at, space.OnlyAbsent()))
			proved = !partly || c.Exact() && !a.solver.Limited()
		}
	}
	return wholly, partly && !wholly, wholly || proved
}

// block is a part of a request that fields belong to. severity is the severity of a finding which says that a
// request may leave out fields of the block.
type block struct {
	name     string
	severity Severity
}

var blocks = map[string]block{
	"applicant":       {"applicant", SeverityWarning},
	"applicant.*":     {"applicant", SeverityWarning},
	"bureau":          {"report", SeverityWarning},
	"bureau_report.*": {"report", SeverityWarning},
	"report.*":        {"report", SeverityWarning},
	"bank":            {"bank_summary", SeverityInfo},
	"bank_summary.*":  {"bank_summary", SeverityInfo},
	"device.*":        {"device", SeverityInfo},
	"location.*":      {"location", SeverityInfo},
	"fraud.*":         {"fraud", SeverityInfo},
	"features":        {"features", SeverityError},
}

// block returns a field's block. A path that a policy declares belongs to the
// applicant or the report. A catalogue group that is not in blocks counts as an
// optional block.
func (a *silenceCheck) block(at space.Field) block {
	ref := a.space.Domain(at).Ref
	if ref.ID < 0 {
		name, _, _ := strings.Cut(ref.Name, ".")
		return block{name, SeverityWarning}
	}
	group := a.catalogue.Field(ref.ID).Group
	if b, ok := blocks[group]; ok {
		return b
	}
	return block{group, SeverityInfo}
}

// isCore reports whether the catalogue says that nearly every request has a
// field.
func (a *silenceCheck) isCore(at space.Field) bool {
	ref := a.space.Domain(at).Ref
	return ref.ID >= 0 && a.catalogue.Field(ref.ID).Core
}

// reportSilenced reports the rules and factors that do not apply without each
// field or each block.
func (a *silenceCheck) reportSilenced(list []silencing) {
	var order []string
	grouped := map[string][]*silencing{}
	for i := range list {
		q := &list[i]
		if len(q.ids) == 0 {
			continue
		}
		if t, ok := a.space.Table(a.space.Domain(q.field).Ref); ok {
			a.reportTable(q, t)
			continue
		}
		b := a.block(q.field)
		if a.isCore(q.field) || a.notes[q.field].tested && b.severity == SeverityWarning {
			a.reportField(q)
			continue
		}
		if grouped[b.name] == nil {
			order = append(order, b.name)
		}
		grouped[b.name] = append(grouped[b.name], q)
	}
	for _, name := range order {
		a.reportBlock(name, grouped[name])
	}
}

// reportField reports the rules and factors that do not apply without one
// field.
func (a *silenceCheck) reportField(q *silencing) {
	name := a.space.Domain(q.field).Ref.Name
	severity, rest := SeverityWarning, "The field is not required, and no rule tests whether it is present."
	if a.notes[q.field].tested {
		severity, rest = SeverityInfo, "The field is not required, but another rule tests whether it is present."
	}
	var witness []rule.NamedValue
	if q.first != nil {
		witness = a.without(q.first, q.field)
	}
	opening := "Without " + name + " in the request"
	if name == field.IncomeEffective || name == field.FOIREffective {
		opening = "If " + name + " cannot be derived from the request" // a request cannot contain the derived field
	}
	f := a.report(severity, fault.CodeSilentWhenAbsent, q.at,
		fmt.Sprintf("%s, %s %s. %s", opening, enumerate(q.names), notApply(q.names), rest), witness)
	f.Proved = !q.doubt
	f.Key, f.IDs, f.Fields = fault.CodeSilentWhenAbsent+"@/fields/"+name, q.ids, []string{name}
}

// reportBlock reports, in one finding, the rules and factors that do not apply
// without the fields of a block.
func (a *silenceCheck) reportBlock(name string, list []*silencing) {
	first := list[0]
	var fields, names, ids []string
	for _, q := range list {
		fields = append(fields, a.space.Domain(q.field).Ref.Name)
		for i, id := range q.ids {
			if !slices.Contains(ids, id) {
				ids, names = append(ids, id), append(names, q.names[i])
			}
		}
		if q.at.compare(first.at) < 0 {
			first = q
		}
	}
	severity := a.block(first.field).severity
	rest := "The fields are not required, and no rule tests whether they are present."
	if len(fields) == 1 {
		rest = "The field is not required, and no rule tests whether it is present."
	}
	detail := fmt.Sprintf("Without %s in the request, %s %s. %s", enumerateOr(fields), enumerate(names),
		notApply(names), rest)
	if severity == SeverityInfo {
		detail = fmt.Sprintf("Without the block %s, or without %s in it, %s %s. That is expected of an optional block.",
			name, enumerateOr(fields), enumerate(names), notApply(names))
	}
	f := a.report(severity, fault.CodeSilentWhenAbsent, first.at, detail, nil)
	f.Proved = !slices.ContainsFunc(list, func(q *silencing) bool { return q.doubt })
	f.Key, f.IDs, f.Fields = fault.CodeSilentWhenAbsent+"@/blocks/"+name, ids, fields
}

// notApply returns "does not apply" or "do not apply", depending on the number
// of names.
func notApply(names []string) string {
	if len(names) == 1 {
		return "does not apply"
	}
	return "do not apply"
}

// enumerateOr joins names like enumerate, but with "or" instead of "and".
func enumerateOr(names []string) string {
	text := enumerate(names)
	if i := strings.LastIndex(text, " and "); i >= 0 && len(names) > 1 {
		return text[:i] + " or " + text[i+len(" and "):]
	}
	return text
}
