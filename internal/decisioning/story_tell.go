package decisioning

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// teller builds a Story.
type teller struct {
	policy *policydesk.Policy
	facts  *rule.Facts
	answer *Answer
}

// rules describes every rule, in the order in which the rules run.
func (t *teller) rules(unknown []engine.NotEvaluated) []RuleStory {
	policy := t.policy.Plan.Policy()
	results := map[string]string{}
	for _, r := range t.answer.Rules {
		results[r.ID] = r.Result.String()
	}
	without := map[string][]string{}
	for _, u := range unknown {
		without[u.ID] = u.Missing
	}
	tell := func(r RuleStory, c *rule.Condition, otherwise string) RuleStory {
		r.Condition, r.Reads = c.Text(), t.reads(c)
		r.Result = results[r.ID]
		lacking, lacks := without[r.ID]
		r.Missing = lacking
		switch {
		case r.Result != "":
		case lacks:
			r.Result = resultNotEvaluated
		default:
			r.Result = otherwise
		}
		return r
	}
	stage := func(n int) (list []RuleStory) {
		for i := range policy.Knockouts {
			if k := &policy.Knockouts[i]; k.Stage == n {
				list = append(list, tell(RuleStory{
					ID:         k.ID,
					Kind:       "knockout",
					Stage:      n,
					Action:     k.Action.String(),
					ReasonCode: k.Code(),
				}, &k.Condition, resultNotReached))
			}
		}
		return list
	}

	list := stage(1)
	for i := range policy.Adjustments {
		a := &policy.Adjustments[i]
		list = append(list, tell(RuleStory{
			ID:         a.ID,
			Kind:       "adjustment",
			ReasonCode: a.ReasonCode,
			Delta:      a.Delta.String(),
		}, &a.Condition, resultNotApplied))
	}
	return append(list, stage(2)...)
}

// reads returns the fields that a condition names, each once.
func (t *teller) reads(c *rule.Condition) []FieldValue {
	var list []FieldValue
	c.Fields(func(ref rule.Ref) {
		if !slices.ContainsFunc(list, func(v FieldValue) bool { return v.Name == ref.Name }) {
			list = append(list, t.value(ref.Name))
		}
	})
	return list
}

// computed returns the value of a field that is part of the answer, such as the score or
// the offer. ours is false for other fields.
func (t *teller) computed(name string) (text string, given, ours bool) {
	offer := &t.answer.Offer
	switch name {
	case field.FinalScore:
		return t.answer.FinalScore.String(), true, true
	case field.Grade:
		return t.answer.Grade, true, true
	case field.OfferLimit:
		return decimal(offer.LimitPaise, 2), true, true
	case field.OfferEMI:
		return decimal(offer.InstalmentPaise, 2), offer.Made, true
	case field.OfferAPR:
		return decimal(offer.APR, 2), offer.Made, true
	case field.PostOfferFOIR:
		return decimal(offer.PostFOIR, 4), offer.HasPostFOIR, true
	}
	return "", false, false
}

func decimal(n int64, places int) string { return string(wire.AppendDecimal(nil, n, places)) }

// value returns a field with its value in this decision.
func (t *teller) value(name string) FieldValue {
	out := DescribedField(name)
	if text, given, ours := t.computed(name); ours {
		if given {
			out.Value, out.Given = text, true
		}
		return out
	}
	if v := t.facts.Get(name); v.Type() != rule.Absent {
		out.Value, out.Given = field.MaskedText(name, v), true
	}
	return out
}

// DescribedField returns a field with its unit and meaning, without a value.
func DescribedField(name string) FieldValue {
	out := FieldValue{Name: name}
	if id, known := field.Catalogue().Lookup(name); known {
		f := field.Catalogue().Field(id)
		out.Unit, out.Meaning = f.Unit, f.Meaning
	}
	return out
}

// factors returns the parts of the score with the fields they read.
func (t *teller) factors() []FactorStory {
	fields := map[string]string{}
	factors := t.policy.Plan.Policy().Scorecard.Factors
	for i := range factors {
		fields[factors[i].Name] = factors[i].Field.Name
	}
	var list []FactorStory
	for _, c := range t.answer.Contributions {
		f := FactorStory{Factor: c.Factor, Points: c.Points.String()}
		if name := fields[f.Factor]; name != "" {
			f.Read = t.value(name)
		}
		list = append(list, f)
	}
	return list
}

// known returns the facts, sorted by name.
func (t *teller) known() []FactStory {
	var list []FactStory
	for _, fact := range t.facts.Sorted() {
		f := FactStory{FieldValue: DescribedField(fact.Name)}
		f.Value, f.Given = field.MaskedText(fact.Name, fact.Value), true
		if id, known := field.Catalogue().Lookup(fact.Name); known {
			f.Group, f.Read = field.Catalogue().Field(id).Group, t.policy.Plan.Reads(id)
		} else {
			_, f.Read = t.policy.Inputs[fact.Name]
			if _, _, column := rule.ParseTableFact(fact.Name); column {
				f.Read = true
			}
		}
		list = append(list, f)
	}
	return list
}
