package console

import (
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/offer"
)

// factGroup holds the facts of one part of the application.
type factGroup struct {
	Name  string
	Facts []decisioning.FactStory
}

// groupNames lists the groups in the order of the page. The raw paths of a request come last,
// because they repeat values of the other groups.
var groupNames = []struct{ group, name string }{
	{"applicant", "Applicant and request"},
	{"bureau", "Bureau"},
	{"bank", "Bank statement"},
	{"co_applicant", "Co-applicant"},
	{"guarantor", "Guarantor"},
	{"fraud", "Fraud"},
	{"own", "Own exposure"},
	{"device", "Device"},
	{"location", "Location"},
	{"features", "Features that the policy reads"},
	{"", "Declared by the policy"},
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

// Text returns the value of a field with its unit. Templates call it.
func (t *shownDecision) Text(f decisioning.FieldValue) string { return fieldText(f) }

// Percent writes a rate in basis points as a percentage. Templates call it.
func (t *shownDecision) Percent(basisPoints int64) string {
	return decimalText(basisPoints, 2) + " %"
}

// Feature writes the value of a feature. Templates call it.
func (t *shownDecision) Feature(value int64) string { return featureText(value) }

// FOIRAfter returns the FOIR including the instalment of the offer.
func (t *shownDecision) FOIRAfter() string { return t.Percent(t.Answer.Offer.PostFOIR) }

// bindings holds, for each limit, the text for an offer whose amount was determined by that
// limit.
var bindings = map[string]string{
	"foir_capacity":    "limited by the instalment that the income can support",
	"requested_amount": "the amount asked for",
	"band_max_limit":   "the maximum of the pricing band",
	"income_multiple":  "the pricing band's maximum multiple of income",
	"exposure_cap":     "the most that one person may owe and be offered",
	"limit_cap":        "a limit cap of the policy",
	"default_limit":    "the pricing band's default, because income or FOIR is unknown",
}

// Binding returns a text that names the limit that determined the amount of the offer.
func (t *shownDecision) Binding() string {
	text := bindings[t.Answer.Offer.Binding.String()]
	if id := t.Answer.Offer.LimitCapID; id != "" {
		text += ", " + id
	}
	return text
}

// Engines returns the version of the engine that decided and, if it differs, the version that
// repeated the decision for this page.
func (t *shownDecision) Engines() string {
	then, now := t.Answer.EngineVersion, t.Again.EngineVersion
	if then == now {
		return then
	}
	return then + " then, " + now + " now"
}

// Change writes the change of a field that would improve the outcome.
func (t *shownDecision) Change(c decisioning.ImprovementChange) string {
	to := c.FieldValue
	to.Value, to.Given = c.To, true
	return fieldText(c.FieldValue) + " → " + fieldText(to)
}

// resultBadges holds the badges of rule results. A knockout passes if its condition is false.
var resultBadges = map[string]badge{
	"pass":          {"good", "✓", "Pass"},
	"fail":          {"bad", "✕", "Fail"},
	"refer":         {"warn", "?", "Refer"},
	"applied":       {"info", "±", "Applied"},
	"not_applied":   {"quiet", "–", "Not applied"},
	"not_evaluated": {"quiet", "○", "Not evaluated"},
	"not_reached":   {"quiet", "–", "Not reached"},
}

// Badge returns the badge of a rule's result. Templates call it.
func (t *shownDecision) Badge(result string) badge { return resultBadges[result] }

// RoleName returns the role of a person of the application.
func (t *shownDecision) RoleName(role string) string {
	for _, g := range groupNames {
		if g.group == role {
			return g.name
		}
	}
	return words(role)
}

// OtherTerm returns the warning that the term of the offer is not the requested term. It returns nil if there is no
// such warning.
func (t *shownDecision) OtherTerm() *fault.Item {
	for i := range t.Answer.Warnings {
		if w := &t.Answer.Warnings[i]; t.Answer.Offer.Made && w.Code == fault.CodeTenureNotAvailable {
			return w
		}
	}
	return nil
}

// TermMessage returns what a letter tells the applicant about the term.
func (t *shownDecision) TermMessage() string {
	l, _ := offer.LanguageOf(offer.DefaultLanguage)
	return l.Text("letter.term")
}

// Asked says what was asked for and why the offer differs from it, in the amount, the term or both. It returns "" if
// the offer does not differ.
func (t *shownDecision) Asked() string {
	o := &t.Answer.Offer
	other := t.OtherTerm() != nil
	if !o.CounterOffer && !other {
		return ""
	}
	asked := "Another term"
	if o.HasRequested {
		asked = paise(o.RequestedPaise)
	}
	if other {
		for _, f := range t.Story.Facts {
			if f.Name == requestedMonths && f.Given && o.HasRequested {
				asked += " over " + f.Value + " months"
			}
		}
	}
	asked += " was asked for"
	if o.CounterOffer {
		asked += "; the amount is " + t.Binding()
	}
	if other {
		asked += "; the term asked for is not available, so it is " + itoa(o.TenureMonths) + " months"
	}
	return asked + "."
}
