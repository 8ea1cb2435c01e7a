package console

import (
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/wire"
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
	return string(wire.AppendDecimal(nil, basisPoints, 2)) + " %"
}

// bindings say what decided an amount below the one asked for.
var bindings = map[string]string{
	"foir_capacity": "limited by the instalment that the income can support", "requested_amount": "the amount asked for",
	"band_max_limit": "the maximum of the pricing band", "income_multiple": "the pricing band's maximum multiple of income",
	"default_limit": "the pricing band's default, because income or FOIR is unknown",
}

// Binding is what decided the amount, in words.
func (t *told) Binding() string { return bindings[t.Doc.Get("offer").Get("binding_constraint").Text()] }

// Engines is the version that decided and, if it is another, the one that
// repeated the decision.
func (t *told) Engines() string {
	then, now := t.Doc.Get("engine_version").Text(), t.Doc.Get("re_explanation").Get("engine_version").Text()
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

// indented is a document for people to read: members in their order, numbers
// as they were written, two spaces to the level.
func indented(v wire.Value) string {
	var b strings.Builder
	indent(&b, v, 0)
	return b.String()
}

func indent(b *strings.Builder, v wire.Value, level int) {
	open, closed := "{", "}"
	switch v.Kind() {
	case wire.Array:
		open, closed = "[", "]"
	case wire.Object:
	default:
		var w wire.Writer
		b.Write(w.Value(v).Buf)
		return
	}
	if v.Len() == 0 {
		b.WriteString(open + closed)
		return
	}
	b.WriteString(open)
	line, first := "\n"+strings.Repeat("  ", level+1), true
	begin := func() {
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(line)
	}
	for name, member := range v.Members() {
		begin()
		b.Write(append(wire.AppendString(nil, name), ": "...))
		indent(b, member, level+1)
	}
	for _, element := range v.Elements() {
		begin()
		indent(b, element, level+1)
	}
	b.WriteString("\n" + strings.Repeat("  ", level) + closed)
}
