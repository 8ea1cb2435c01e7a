package engine

import (
	"cmp"
	"fmt"
	"strings"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// Detail is the lender's view of a reason: its source, with values and
// thresholds that an applicant is not shown.
type Detail struct {
	RuleID    string
	Field     string
	Value     rule.Value
	Threshold rule.Value
	// Op is the operator with which a rule that hit compares Value and Threshold. It is 0 if no rule compares them.
	Op   rule.Op
	Text string
}

// Message returns the applicant-safe text of a reason.
func (d *Decision) Message(r Reason) string {
	if r.kind == byRule && !d.hits[r.at].absent {
		at := d.hits[r.at].Knockout
		own := d.plan.policy.Knockouts[at].ApplicantMessage
		// The rule's own text may be about the applicant. So it is not used if the co-applicant's score made the rule
		// hit.
		if own != "" && !(reasoner{d.plan, d}).ofOther(d.plan.scores.rules[at]) {
			return own
		}
	}
	if text := d.textOfCap(r); text != "" {
		return text
	}
	if label, ok := d.plan.labels[r.Code]; ok {
		return criterion + label
	}
	if neutral, ok := neutralTexts[r.Code]; ok && r.kind == byPoints && d.nearBest(r.at) {
		return neutral
	}
	if r.kind == byLimit && d.limit.binding == DefaultLimit {
		if v := d.unverified(); v != noVariant {
			return variantTexts[v].text
		}
	}
	if r.Code == ReasonFOIRHigh && d.isAboutInstalment(r) {
		return variantTexts[instalmentHigh].text
	}
	return ApplicantMessage(r.Code)
}

// isAboutInstalment reports whether a reason is about the instalment of the new loan and not about existing
// obligations. That is so if the existing obligations take at most half of the share that the band allows, or if the
// rule reads the FOIR after the offer. It returns false for policies of semantics 1, which keep their original texts.
func (d *Decision) isAboutInstalment(r Reason) bool {
	switch {
	case d.plan.policy.Semantics == FirstSemantics:
		return false
	case r.kind == byLimit:
		foir := d.named(d.plan.policy.counted(field.FOIR))
		return foir.Type() == rule.NumberType && 2*foir.Number() <= d.band.FOIRCap
	case r.kind == byRule:
		return detailer{d, masked}.rule(d.hits[r.at]).Field == field.PostOfferFOIR
	default:
		return false
	}
}

// nearBest reports whether every factor that lost points under a code is near its best: its value is not bad but could
// be better. It returns false for policies of semantics 1, which keep their original texts.
func (d *Decision) nearBest(code int32) bool {
	return d.plan.policy.Semantics > FirstSemantics && !d.lost[code].firm
}

// criterion starts the applicant-safe text of a generated reason code.
const criterion = "One of the lender's scoring criteria: "

// GeneratedMessage returns the applicant-safe text of the factor's generated
// reason code. It names the factor by its label, or by its name if it has none.
func (f *Factor) GeneratedMessage() string { return criterion + cmp.Or(f.Label, spaced(f.Name)) }

// shown has the two functions that convert a field's value for display. They either
// mask the values of identifying fields or return all values unchanged.
type shown struct {
	value func(name string, v rule.Value) rule.Value
	text  func(name string, v rule.Value) string
}

var (
	masked  = shown{field.Masked, field.MaskedText}
	byShape = shown{field.MaskedByShape, field.MaskedTextByShape}
	inClear = shown{
		func(_ string, v rule.Value) rule.Value { return v },
		func(_ string, v rule.Value) string { return v.String() },
	}
)

// Detail explains a reason to the lender. A value that identifies a person is
// masked, as in the facts of a response.
func (d *Decision) Detail(r Reason) Detail { return detailer{d, masked}.reason(r) }

// DetailMaskedByShape does the work of Detail for older agent runs. Those runs
// masked the values of fields outside the catalogue by the shape of the value alone,
// without regard to the field's name.
func (d *Decision) DetailMaskedByShape(r Reason) Detail { return detailer{d, byShape}.reason(r) }

// DetailInClear does the work of Detail without masking, for agent runs that were
// stored before masking existed.
func (d *Decision) DetailInClear(r Reason) Detail { return detailer{d, inClear}.reason(r) }

// detailer explains the reasons of a decision to the lender. Its member "as" converts the values for display.
type detailer struct {
	decision *Decision
	as       shown
}

// reason explains a reason according to its kind.
func (x detailer) reason(r Reason) Detail {
	d := x.decision
	switch r.kind {
	case byRequirement:
		return x.requirement()
	case byRule:
		return x.rule(d.hits[r.at])
	case byLimit:
		return x.limit()
	case byMinimum:
		return Detail{
			Field:     field.OfferLimit,
			Value:     rule.Num(rule.Rupees(d.limit.paise)),
			Threshold: rule.Num(rule.Rupees(d.band.MinLimitPaise)),
			Text: fmt.Sprintf("the limit would be %s; %s lends at least %s", rule.Rupees(d.limit.paise), d.band.ID,
				rule.Rupees(d.band.MinLimitPaise)),
		}
	case byPoints:
		return x.points(r.at)
	default:
		return x.band()
	}
}

// requirement lists every requirement that was not met.
func (x detailer) requirement() Detail {
	d := x.decision
	var names []string
	for i, slots := range d.plan.required {
		if !anyGiven(slots, &d.frame) {
			names = append(names, d.plan.policy.Required[i].Text)
		}
	}
	if d.plan.lacksReference(&d.frame) {
		names = append(names, field.ApplicantRef)
	}
	list := strings.Join(names, ", ")
	return Detail{Field: list, Text: "required and not given: " + list}
}

// rule explains a knockout that hit. If the knockout hit because fields are absent, the explanation names these
// fields. Otherwise it is the knockout's own message or, without a message, its condition.
func (x detailer) rule(hit Hit) Detail {
	d, as := x.decision, x.as
	k := &d.plan.policy.Knockouts[hit.Knockout]
	e := d.plan.code.Explain(&k.Condition, &d.frame)
	out := Detail{RuleID: k.ID}
	why := k.ID // the condition in words is appended unless it would reveal a masked value
	if !x.isMasked(&k.Condition) {
		why += ": " + k.Condition.Text()
	}
	if hit.absent {
		out.Field = strings.Join(d.absentFacts(e.Missing), ", ")
		out.Text = fmt.Sprintf("%s cannot be evaluated without %s", k.ID, out.Field)
		if out.Field == "" {
			out.Text = strings.Replace(why, k.ID, k.ID+" has no result", 1)
		}
		return out
	}
	leaf := x.principal(e.Deciding, d.plan.codes[reasoner{d.plan, d}.hitCode(&hit)])
	var threshold rule.Value
	if leaf != nil && leaf.IsLookup() {
		return x.lookup(leaf, k, out, why)
	}
	if leaf != nil {
		out.Field = leaf.Left.Field.Name
		out.Value = as.value(out.Field, d.value(leaf.Left.Field))
		threshold = x.threshold(leaf)
		out.Threshold = as.value(out.Field, threshold)
		out.Op = leaf.Op
	}
	if k.Message != "" {
		out.Text = expand(k.Message, func(name string) string {
			switch {
			case name != thresholdName:
				return as.text(name, d.named(name))
			case leaf == nil || threshold.Type() != rule.Absent:
				return as.text(out.Field, threshold)
			case x.isMasked(leaf):
				return "a masked value"
			default:
				return leaf.Text() // the predicate has no single value, but a range, a set or arithmetic
			}
		})
		return out
	}
	out.Text = why
	if out.Field != "" {
		out.Text = fmt.Sprintf("%s is %s (%s)", out.Field, as.text(out.Field, d.value(leaf.Left.Field)), why)
	}
	return out
}

// isMasked reports whether a condition reads a masked field. If so, its constants
// must be hidden too, because a constant is often equal to the masked value. A lookup
// has no constant.
func (x detailer) isMasked(c *rule.Condition) (hides bool) {
	c.Walk(func(n *rule.Condition) {
		if n.IsLookup() {
			return
		}
		n.Operands(func(ref rule.Ref) {
			v := x.decision.value(ref)
			hides = hides || x.as.value(ref.Name, v) != v
		})
	})
	return hides
}

// principal returns the predicate that best explains why a rule hit. It prefers a
// predicate on a field that has the rule's reason code, and then a predicate on a
// number.
func (x detailer) principal(leaves []*rule.Condition, code string) *rule.Condition {
	var best *rule.Condition
	bestRank := -1
	for _, leaf := range leaves {
		if leaf.Left.Kind != rule.FieldOperand {
			continue
		}
		rank := 0
		ref := leaf.Left.Field
		if ref.ID >= 0 && x.decision.plan.catalogue.Field(ref.ID).ReasonCode == code {
			rank = 2
		}
		if ref.Type == rule.NumberType {
			rank++
		}
		if rank > bestRank {
			best, bestRank = leaf, rank
		}
	}
	return best
}

// threshold returns the value that a predicate compares with: a constant or the value of another field. It returns an
// absent value if there is no single value.
func (x detailer) threshold(leaf *rule.Condition) rule.Value {
	switch {
	case leaf.Right.Kind == rule.FieldOperand:
		return x.decision.value(leaf.Right.Field)
	case len(leaf.Values) == 1:
		return leaf.Values[0]
	default:
		return leaf.Right.Value
	}
}

// limit explains a limit by the constraint that determined it.
func (x detailer) limit() Detail {
	d := x.decision
	b, l := d.band, &d.limit
	minimum := rule.Num(rule.Rupees(b.MinLimitPaise))
	if l.consumed {
		return x.consumed()
	}
	switch l.binding {
	case FOIRCapacity:
		return Detail{
			Field:     d.plan.policy.counted(field.FOIR),
			Value:     d.named(d.plan.policy.counted(field.FOIR)),
			Threshold: rule.Num(b.FOIRCap),
			Text: fmt.Sprintf("%s caps obligations at %s of income; the limit that leaves is %s", b.ID, b.FOIRCap,
				rule.Rupees(l.paise)),
		}
	case IncomeMultiple:
		return Detail{
			Field: d.plan.policy.counted(field.MonthlyIncome),
			Value: d.named(d.plan.policy.counted(field.MonthlyIncome)),
			Text: fmt.Sprintf("%s lends at most %s times income; the limit that leaves is %s", b.ID, b.IncomeMultiple,
				rule.Rupees(l.paise)),
		}
	case RequestedAmount:
		return Detail{
			Field:     field.RequestedAmount,
			Value:     d.named(field.RequestedAmount),
			Threshold: minimum,
			Text:      fmt.Sprintf("%s minimum %s", b.ID, rule.Rupees(b.MinLimitPaise)),
		}
	case ExposureCap:
		return x.exposure()
	case LimitCapped:
		return x.limitCap()
	case BandMaxLimit:
		return Detail{
			Field:     field.RequestedAmount,
			Value:     d.named(field.RequestedAmount),
			Threshold: rule.Num(rule.Rupees(b.MaxLimitPaise)),
			Text:      fmt.Sprintf("%s maximum %s", b.ID, rule.Rupees(b.MaxLimitPaise)),
		}
	default:
		missing := d.plan.policy.counted(field.MonthlyIncome)
		if d.named(missing).Type() != rule.Absent {
			missing = d.plan.policy.counted(field.FOIR)
		}
		missing = strings.Join(d.absentFacts([]string{missing}), ", ")
		return Detail{
			Field: missing, Threshold: rule.Num(rule.Rupees(b.DefaultLimitPaise)),
			Text: fmt.Sprintf("without %s %s lends its default limit of %s", missing, b.ID,
				rule.Rupees(b.DefaultLimitPaise)),
		}
	}
}

// points describes the factor that lost the most points under a code. If no factor lost points under the code, it
// describes the first adjustment that did.
func (x detailer) points(code int32) Detail {
	d, as := x.decision, x.as
	var worst *compiledFactor
	var worstOutcome *outcome
	total := d.lost[code].points
	for i := range d.bins {
		f, o := &d.plan.scoring.factors[i], &d.plan.scoring.outcomes[d.bins[i]]
		if (reasoner{d.plan, d}).factorCode(i) == code && (worst == nil || o.lost > worstOutcome.lost) {
			worst, worstOutcome = f, o
		}
	}
	if worst == nil {
		for i := range d.plan.adjustments {
			a := &d.plan.adjustments[i]
			if d.adjusted.At(i) == rule.Holds && (reasoner{d.plan, d}).adjustmentCode(i) == code {
				return Detail{RuleID: a.id, Text: fmt.Sprintf("%s took %s points", a.id, -a.delta)}
			}
		}
		return Detail{}
	}
	ref := d.plan.slots.Ref(worst.slot)
	format := "%s is %s, which scores %s points where the best value scores %s; this reason cost %s points in all"
	if d.plan.policy.Semantics == FirstSemantics {
		// Stored agent runs contain this text and are compared with it, so it must not change.
		format = "%s is %s: %s of the factor's best %s points; %s points lost for this reason"
	}
	return Detail{
		Field: ref.Name, Value: as.value(ref.Name, d.value(ref)),
		Text: fmt.Sprintf(format, ref.Name, as.text(ref.Name, d.value(ref)), worstOutcome.points,
			worstOutcome.points+worstOutcome.lost, total),
	}
}

// band explains the outcome of the pricing band, or why the score has no band.
func (x detailer) band() Detail {
	d := x.decision
	text := fmt.Sprintf("no pricing band takes a score of %s", d.FinalScore)
	switch {
	case d.band != nil && d.band.Action == Refer:
		return Detail{
			Field: field.BureauIsNTC,
			Value: rule.Bool(true),
			Text:  d.band.ID + " refers applicants who are new to credit",
		}
	case d.band != nil:
		text = fmt.Sprintf("%s declines scores from %d to %d", d.band.ID, d.band.MinScore, d.band.MaxScore) +
			x.who(d.band.Band)
	case len(d.plan.ladder(d).bands) == 0 && d.named(field.BureauIsNTC).IsTrue():
		return Detail{
			Field: field.BureauIsNTC,
			Value: rule.Bool(true),
			Text:  "the policy has no pricing band for applicants who are new to credit",
		}
	}
	return Detail{Field: field.FinalScore, Value: rule.Num(d.FinalScore), Text: text}
}

// value returns the value of a field in the application. It returns an absent value
// if the plan does not read the field.
func (d *Decision) value(ref rule.Ref) rule.Value {
	slot, ok := d.plan.slots.Find(ref)
	if !ok {
		return rule.Value{}
	}
	return d.plan.slots.Value(&d.frame, slot)
}

// named returns the value of the field with the given name, as messages use it in braces. It returns an absent value
// if there is no such field.
func (d *Decision) named(name string) rule.Value {
	ref, ok := d.plan.ref(name)
	if !ok {
		return rule.Value{}
	}
	return d.value(ref)
}
