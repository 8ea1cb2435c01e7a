package console

import (
	"verdict/internal/decisioning"
)

// factGroup is what was known of one part of the application.
type factGroup struct {
	Name  string
	Facts []decisioning.FactStory
}

// groupNames are the parts in the order they are shown. The raw paths of a
// request come last: they say again what the names above say.
var groupNames = []struct{ group, name string }{
	{"applicant", "Applicant and request"}, {"bureau", "Bureau"}, {"bank", "Bank statement"}, {"fraud", "Fraud"},
	{"device", "Device"}, {"location", "Location"}, {"features", "Features that the policy reads"}, {"", "Declared by the policy"},
}

const sentGroup = "As it was sent"

func factGroups(facts []decisioning.FactStory) []factGroup {
	byGroup := map[string][]decisioning.FactStory{}
	known := map[string]bool{}
	for _, g := range groupNames {
		known[g.group] = true
	}
	for _, f := range facts {
		group := f.Group
		if !known[group] {
			group = sentGroup
		}
		byGroup[group] = append(byGroup[group], f)
	}
	var list []factGroup
	for _, g := range groupNames {
		if held := byGroup[g.group]; len(held) > 0 {
			list = append(list, factGroup{g.name, held})
		}
	}
	if held := byGroup[sentGroup]; len(held) > 0 {
		list = append(list, factGroup{sentGroup, held})
	}
	return list
}

// Named is the group of a name; pages show some of them in places of their own.
func (t *told) Named(name string) *factGroup {
	for i := range t.Facts {
		if t.Facts[i].Name == name {
			return &t.Facts[i]
		}
	}
	return nil
}

// Text is a field's value in its unit, for templates.
func (t *told) Text(f decisioning.FieldValue) string { return fieldText(f) }

// Percent is a rate, for templates.
func (t *told) Percent(basisPoints int64) string {
	return decimalText(basisPoints, 2) + " %"
}

// Feature is the value of a feature, for templates.
func (t *told) Feature(value int64) string { return featureText(value) }

// FOIRAfter is the FOIR with the instalment of the offer.
func (t *told) FOIRAfter() string { return decimalText(t.Answer.Offer.PostFOIR, 4) }

// bindings say what decided an amount below the one asked for.
var bindings = map[string]string{
	"foir_capacity": "limited by the instalment that the income can support", "requested_amount": "the amount asked for",
	"band_max_limit": "the maximum of the pricing band", "income_multiple": "the pricing band's maximum multiple of income",
	"default_limit": "the pricing band's default, because income or FOIR is unknown",
}

// Binding is what decided the amount, in words.
func (t *told) Binding() string { return bindings[t.Answer.Offer.Binding.String()] }

// Engines is the version that decided and, if it is another, the one that
// repeated the decision.
func (t *told) Engines() string {
	then, now := t.Answer.EngineVersion, t.Again.EngineVersion
	if then == now {
		return then
	}
	return then + " then, " + now + " now"
}

// Change says what would have to change, in words.
func (t *told) Change(c decisioning.ImprovementChange) string {
	to := c.FieldValue
	to.Value, to.Given = c.To, true
	return fieldText(c.FieldValue) + " → " + fieldText(to)
}

// resultBadges are the results of rules. Of a knockout the good outcome is that
// it did not hold.
var resultBadges = map[string]badge{
	"pass": {"good", "✓", "Pass"}, "fail": {"bad", "✕", "Fail"}, "refer": {"warn", "?", "Refer"}, "applied": {"info", "±", "Applied"},
	"not_applied": {"quiet", "–", "Not applied"}, "not_evaluated": {"quiet", "○", "Not evaluated"}, "not_reached": {"quiet", "–", "Not reached"},
}

// Badge is the result of a rule, for templates.
func (t *told) Badge(result string) badge { return resultBadges[result] }
