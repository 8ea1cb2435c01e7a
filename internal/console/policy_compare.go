package console

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/operation"
	"verdict/internal/policydesk"
)

// policyComparison holds two versions of a policy side by side.
type policyComparison struct {
	Before, After *policydesk.RuleSet // nil if not chosen yet
	Choices       []option
	Sections      []differences
	Same          bool // whether the checksums are equal, so that both versions make the same decisions
}

// differences holds the differences between two versions in one section.
type differences struct {
	Title     string
	Entries   []difference
	Unchanged int
}

// difference is one line that was added, removed or changed.
type difference struct {
	Name, What    string
	Before, After []shownFact
}

// shownFact is a fact of a line. Changed is set if the other version has the line, but without this fact.
type shownFact struct {
	fact
	Changed bool
}

// part is a line of a policy as a list of facts, identified by its name.
type part struct {
	name  string
	facts []fact
}

// comparePolicies renders the differences between two versions.
func (p *policyPages) comparePolicies(v *visit) error {
	var page policyComparison
	var sides [2]*policyText
	for i, name := range []string{"a", "b"} {
		id := v.query(name)
		if id == "" {
			continue
		}

		set, err := p.policies.RuleSet(v.ctx, v.caller(), id)
		if err != nil {
			return err
		}

		doc, err := parseStored(set.Document)
		if err != nil {
			return fmt.Errorf("rule set %s: %w", set.ID, err)
		}

		sides[i] = readable(doc, nil, nil)
		*[2]**policydesk.RuleSet{&page.Before, &page.After}[i] = &set
	}

	key := v.query("policy_key")
	if page.After != nil {
		key = page.After.PolicyKey
	} else if page.Before != nil {
		key = page.Before.PolicyKey
	}

	var err error
	if page.Choices, err = p.versionsOf(v, key, page.Before, page.After); err != nil {
		return err
	}
	if page.Before != nil && page.After != nil {
		page.Sections = compare(sides[0], sides[1])
		page.Same = page.Before.Checksum == page.After.Checksum
	}

	return v.render("policy_compare", "Compare two versions", struct {
		policyComparison
		Filters *form
	}{page, v.filters()})
}

// versionsOf returns the newest versions of a policy_key to choose from. The list always includes
// the chosen versions.
func (p *policyPages) versionsOf(v *visit, key string, chosen ...*policydesk.RuleSet) ([]option, error) {
	same := policydesk.RuleSetFilter{PolicyKey: key}
	page, err := p.policies.RuleSets(v.ctx, v.caller(), same, operation.List{Limit: perPage})
	if err != nil {
		return nil, err
	}

	sets := page.Data
	for _, set := range chosen {
		if set != nil && !slices.ContainsFunc(sets, func(s policydesk.RuleSet) bool { return s.ID == set.ID }) {
			sets = append(sets, *set)
		}
	}

	var list []option
	for i := range sets {
		s := &sets[i]
		label := fmt.Sprintf("%s v%d, %s: %s", s.PolicyKey, s.Version, s.Status, s.Name)
		list = append(list, option{Value: s.ID, Label: label})
	}

	return list, nil
}

// compare returns the differences between two versions, by section.
func compare(before, after *policyText) []differences {
	var list []differences
	for _, s := range []struct {
		title         string
		before, after []part
	}{
		{"Knockouts", ruleParts(before.Knockouts), ruleParts(after.Knockouts)},
		{"Adjustments", ruleParts(before.Adjustments), ruleParts(after.Adjustments)},
		{"Scorecard", cardParts(before), cardParts(after)},
		{"Pricing bands", bandParts(before.Bands), bandParts(after.Bands)},
		{"Limit caps", capParts(before.Caps), capParts(after.Caps)},
		{"Conditions of the offer", ruleParts(before.Terms), ruleParts(after.Terms)},
		{"Guarantees", guaranteeParts(before.Guarantees), guaranteeParts(after.Guarantees)},
		{"Everything else", generalParts(before), generalParts(after)},
	} {
		if s.title == "Guarantees" && len(s.before)+len(s.after) == 0 {
			continue // most policies have none
		}
		d := compareParts(s.before, s.after)
		d.Title = s.title
		list = append(list, d)
	}
	return list
}

// compareParts compares two lists of parts by name. It returns the new and changed parts in the order of the list
// "after", then the removed parts, then a change of order.
func compareParts(before, after []part) differences {
	var d differences
	old := map[string]part{}
	for _, p := range before {
		old[p.name] = p
	}

	kept := map[string]bool{}
	for _, p := range after {
		was, known := old[p.name]
		kept[p.name] = true
		switch {
		case !known:
			d.Entries = append(d.Entries, difference{Name: p.name, What: "added", After: markChanged(p.facts, nil)})
		case slices.Equal(was.facts, p.facts):
			d.Unchanged++
		default:
			d.Entries = append(d.Entries, difference{
				Name:   p.name,
				What:   "changed",
				Before: markChanged(was.facts, p.facts),
				After:  markChanged(p.facts, was.facts),
			})
		}
	}

	for _, p := range before {
		if !kept[p.name] {
			d.Entries = append(d.Entries, difference{Name: p.name, What: "removed", Before: markChanged(p.facts, nil)})
		}
	}
	if was, is := order(before, kept), order(after, nameSet(before)); was != is {
		d.Entries = append(d.Entries, difference{
			Name:   "Order",
			What:   "changed",
			Before: []shownFact{{fact{"", was}, true}},
			After:  []shownFact{{fact{"", is}, true}},
		})
	}

	return d
}

// order returns the names of the parts that both versions have, in the order of parts.
func order(parts []part, common map[string]bool) string {
	var names []string
	for _, p := range parts {
		if common[p.name] {
			names = append(names, p.name)
		}
	}
	return strings.Join(names, ", ")
}

func nameSet(parts []part) map[string]bool {
	names := map[string]bool{}
	for _, p := range parts {
		names[p.name] = true
	}
	return names
}

// markChanged returns the facts, and marks those that the list "other" does not contain. If that list is nil, it
// marks nothing.
func markChanged(facts, other []fact) []shownFact {
	var list []shownFact
	for _, f := range facts {
		list = append(list, shownFact{f, other != nil && !slices.Contains(other, f)})
	}
	return list
}

// facts returns facts for the pairs of a label and a text. It leaves out pairs with an empty text.
func facts(pairs ...string) []fact {
	var list []fact
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, fact{pairs[i], pairs[i+1]})
		}
	}
	return list
}

func ruleParts(lines []ruleLine) []part {
	var list []part
	for i := range lines {
		l := &lines[i]
		absent := ""
		if l.OnAbsent != "pass" {
			absent = l.OnAbsent
		}

		list = append(list, part{l.ID, facts(
			"Action", l.Action, "When", l.Condition, "Stage", l.Stage, "Reason", l.Reason, "When absent", absent,
			"Message for the lender", l.Message, "Message for the applicant", l.ApplicantMessage,
		)})
	}
	return list
}

func cardParts(t *policyText) []part {
	list := []part{{"Scale", t.Scale}}
	for i := range t.Factors {
		f := &t.Factors[i]
		p := part{f.Name, facts(
			"Field", f.Field, "Counts when", f.When, "Weight", f.Times,
			"Reason", f.Reason, "Points when absent", f.Missing,
		)}
		for _, b := range f.Bins {
			p.facts = append(p.facts, fact{b.Range, strings.TrimSpace(b.Points + " " + b.Reason)})
		}

		list = append(list, p)
	}
	return list
}

func bandParts(bands []bandLine) []part {
	var list []part
	for i := range bands {
		b := &bands[i]
		ntc := ""
		if b.NTC {
			ntc = "new to credit"
		}

		list = append(list, part{b.ID, facts(
			"Grade", b.Grade, "Scores", b.Scores, "For", ntc, "When", b.When, "Action", b.Action,
			"Rate", b.Rate, "Tenure", b.Tenure, "Loans", b.Limits,
			"Loan if the income is unknown", b.Usual, "Multiple of income", b.Multiple, "FOIR cap", b.FOIRCap,
			"Fee", b.Fee, "GST", b.Tax,
		)})
	}
	return list
}

func generalParts(t *policyText) []part {
	list := []part{{"Name", facts("", t.Name)}, {"Policy key", facts("", t.Key)}}
	for _, f := range t.General {
		list = append(list, part{f.Label, facts("", f.Text)})
	}

	list = append(list,
		part{"Required fields", facts("", strings.Join(t.Required, ", "))},
		part{"Fields that advice may change", facts("", strings.Join(t.Actionable, ", "))})
	for i := range t.Inputs {
		in := &t.Inputs[i]
		list = append(list, part{"Input " + in.Name, facts("Type", in.Type, "Meaning", in.Meaning)})
	}

	return list
}
