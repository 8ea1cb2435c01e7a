package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Cause is a principal reason with the value that led to it and the limit that the value was compared with.
type Cause struct {
	Code    string
	RuleID  string // "" if no rule is the reason, but the score, the price or the offer
	Message string // for the applicant
	Text    string // for the lender
	Field   FieldValue
	Limit   FieldValue // has the name and the unit of Field; not given unless the reason compares with one value
	// Needs is how Field must compare with Limit for the rule to pass, such as "at least"; "" if one comparison does not
	// say that.
	Needs string
}

// passes maps each comparison that makes a rule hit to the words for a value with which the rule does not hit.
var passes = map[rule.Op]string{
	rule.Lt:    "at least",
	rule.Lte:   "more than",
	rule.Gt:    "at most",
	rule.Gte:   "less than",
	rule.Eq:    "other than",
	rule.In:    "other than",
	rule.Ne:    "equal to",
	rule.NotIn: "equal to",
}

// causes returns the principal reasons of a decision. The values of fields that identify a person are masked, as
// engine.Decision.Detail masks them.
func (t *teller) causes(d *engine.Decision) []Cause {
	var list []Cause
	for _, r := range d.Reasons {
		detail := d.Detail(r)
		c := Cause{Code: r.Code, RuleID: detail.RuleID, Message: d.Message(r), Text: detail.Text}
		if detail.Field != "" {
			c.Field = described(detail.Field)
			c.Limit = c.Field
		}
		if detail.Value.Type() != rule.Absent {
			c.Field.Value, c.Field.Given = detail.Value.String(), true
		}
		if detail.Threshold.Type() != rule.Absent {
			c.Limit.Value, c.Limit.Given = detail.Threshold.String(), true
			if !t.negates(detail.RuleID) {
				c.Needs = passes[detail.Op]
			}
		}
		list = append(list, c)
	}
	return list
}

// negates reports whether a knockout's condition contains "not". The opposite of one of its comparisons then does not
// say what passes.
func (t *teller) negates(ruleID string) (negates bool) {
	knockouts := t.policy.Plan.Policy().Knockouts
	for i := range knockouts {
		if knockouts[i].ID == ruleID {
			knockouts[i].Condition.Walk(func(c *rule.Condition) { negates = negates || c.Op == rule.Not })
		}
	}
	return negates
}
