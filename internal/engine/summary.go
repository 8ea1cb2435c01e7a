package engine

import (
	"maps"
	"slices"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// WriteSummary writes a summary of the policy for people, as members of the object that is currently open: its rules
// with their conditions in words, its bands, the factors of its scorecard and the fields that it names. extra adds
// members to a knockout or an adjustment; it may be nil.
func (p *Policy) WriteSummary(w *wire.Writer, extra func(w *wire.Writer, ruleID string)) {
	if extra == nil {
		extra = func(*wire.Writer, string) {}
	}
	w.Key("knockouts").Array()
	for i := range p.Knockouts {
		k := &p.Knockouts[i]
		w.Object().Key("id").String(k.ID).Key("stage").Int(int64(k.Stage))
		w.Key("action").String(k.Action.String()).Key("reason_code").String(k.Code())
		if k.OnAbsent != PassWhenAbsent {
			w.Key("on_absent").String(k.OnAbsent.String())
		}
		if k.System {
			w.Key("system").Bool(true)
		}
		writeCondition(w, &k.Condition)
		extra(w, k.ID)
		w.EndObject()
	}
	w.EndArray().Key("adjustments").Array()
	for i := range p.Adjustments {
		a := &p.Adjustments[i]
		w.Object().Key("id").String(a.ID)
		number(w, "delta", a.Delta)
		w.Optional("reason_code", a.ReasonCode)
		writeCondition(w, &a.Condition)
		extra(w, a.ID)
		w.EndObject()
	}
	w.EndArray().Key("pricing_bands").Array()
	for i := range p.Bands {
		p.Bands[i].write(w)
	}
	w.EndArray()
	if len(p.LimitCaps) > 0 {
		w.Key(sectionLimitCaps).Array()
		for i := range p.LimitCaps {
			p.LimitCaps[i].write(w)
		}
		w.EndArray()
	}
	w.Key("scorecard_factors").Array()
	for i := range p.Scorecard.Factors {
		p.Scorecard.Factors[i].write(w)
	}
	w.EndArray().Key("referenced_fields")
	w.Strings(p.ReferencedFields())
}

// writeCondition writes a condition both as a condition_ast and in words.
func writeCondition(w *wire.Writer, c *rule.Condition) {
	w.Key("condition_ast")
	c.Write(w)
	w.Key("condition_text").String(c.Text())
}

// ReferencedFields lists, in name order and each once, the fields that the policy names in required_fields, in rules
// and their messages, in conditions of offers, in bands, in caps and in the scorecard. It also lists the keys of the
// tables that the policy names. Fields that the engine itself reads to price an offer are listed only if the policy
// names them there too.
func (p *Policy) ReferencedFields() []string {
	names := map[string]bool{}
	note := func(ref rule.Ref) { names[ref.Name] = true }
	for _, required := range p.Required {
		for _, ref := range required.Any {
			note(ref)
		}
	}
	for i := range p.Knockouts {
		k := &p.Knockouts[i]
		k.Condition.Fields(note)
		for name := range templateNames(k.Message) {
			if name != thresholdName {
				names[name] = true
			}
		}
	}
	for i := range p.Adjustments {
		p.Adjustments[i].Condition.Fields(note)
	}
	for i := range p.Terms {
		p.Terms[i].Condition.Fields(note)
	}
	for i := range p.Scorecard.Factors {
		f := &p.Scorecard.Factors[i]
		note(f.Field)
		if f.When != nil {
			f.When.Fields(note)
		}
	}
	for i := range p.Bands {
		if when := p.Bands[i].When; when != nil {
			when.Fields(note)
		}
	}
	for i := range p.LimitCaps {
		c := &p.LimitCaps[i]
		if c.Of.Fields(note); c.When != nil {
			c.When.Fields(note)
		}
	}
	for i := range p.Tables {
		for _, key := range p.Tables[i].Keys {
			note(key.Field)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Lookups lists the fields that the policy looks up in lists, in the order in which the policy names them. Each pair
// of a field and a list is listed once.
func (p *Policy) Lookups() (list []rule.NamedLookup) {
	var found []rule.Lookup
	p.conditions(func(c *rule.Condition) { found = c.Lookups(found) })
	for _, l := range found {
		list = append(list, l.Named())
	}
	return list
}

// conditions calls visit for every condition of the policy, except those of guarantees.
func (p *Policy) conditions(visit func(*rule.Condition)) {
	for i := range p.Knockouts {
		visit(&p.Knockouts[i].Condition)
	}
	for i := range p.Adjustments {
		visit(&p.Adjustments[i].Condition)
	}
	for i := range p.Scorecard.Factors {
		if when := p.Scorecard.Factors[i].When; when != nil {
			visit(when)
		}
	}
	for i := range p.Terms {
		visit(&p.Terms[i].Condition)
	}
	for i := range p.Bands {
		if when := p.Bands[i].When; when != nil {
			visit(when)
		}
	}
	for i := range p.LimitCaps {
		if when := p.LimitCaps[i].When; when != nil {
			visit(when)
		}
	}
}

// FeatureNames lists the features among the fields that ReferencedFields returns.
func (p *Policy) FeatureNames() []string {
	return slices.DeleteFunc(p.ReferencedFields(), func(name string) bool { return !field.IsFeature(name) })
}
