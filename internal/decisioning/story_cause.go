package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Cause is a principal reason with the value that led to it and the limit that the value was compared with.
type Cause struct {
	Code    string
	RuleID  string // "" if the reason is not a rule, but the score, the price or the offer
	Message string // for the applicant
	Text    string // for the lender
	Field   FieldValue
	Limit   FieldValue // has the name and unit of Field; Given is set only if the reason compares with one value
	// Needs says how Field must compare with Limit for the rule to pass, such as "at least". It is "" if one
	// comparison cannot say that.
	Needs string
}

// passes describes, for each comparison that makes a rule hit, the values with which the rule passes. For example,
// a rule that hits below a limit passes with "at least" that limit.
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
			c.Field = DescribedField(detail.Field)
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

// negates reports whether a knockout's condition contains "not". In that case the opposite of one comparison does not
// describe the values with which the rule passes.
func (t *teller) negates(ruleID string) (negates bool) {
	knockouts := t.policy.Plan.Policy().Knockouts
	for i := range knockouts {
		if knockouts[i].ID == ruleID {
			knockouts[i].Condition.Walk(func(c *rule.Condition) { negates = negates || c.Op == rule.Not })
		}
	}
	return negates
}
