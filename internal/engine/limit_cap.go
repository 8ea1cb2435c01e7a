package engine

import (
	"fmt"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// LimitCap limits the offer to an amount that the policy computes from the application, such as a share of the value
// of a vehicle.
type LimitCap struct {
	ID         string
	Of         rule.Operand    // the largest limit, in rupees
	When       *rule.Condition // the cap applies if the condition holds; nil if it always applies
	ReasonCode string          // "" means the code of a band's maximum
	// ApplicantMessage replaces the applicant-safe text of the reason if the cap determines the limit.
	ApplicantMessage string
}

const (
	sectionLimitCaps = "limit_caps"
	maxLimitCaps     = 100
)

// limitCaps reads the section "limit_caps".
func (r *policyReader) limitCaps(f *wire.Form) {
	list := f.Array(sectionLimitCaps, maxLimitCaps)
	if list.Len() > 0 {
		r.fromSemantics2(f, sectionLimitCaps)
	}
	for _, v := range list.Elements() {
		form := wire.NewForm(v, &r.faults)
		c := &form
		limit := LimitCap{ID: r.id(c, r.ids)}
		if c.Require("of", "the largest limit in rupees, an operand") {
			before := r.faults.Len()
			limit.Of = rule.ReadOperand(c.Get("of"), &r.scope, &r.faults)
			if r.faults.Len() == before {
				checkConstantCap(c, &limit.Of)
			}
		}
		limit.When = r.when(c)
		limit.ReasonCode = readReasonCode(c)
		limit.ApplicantMessage, _ = c.Text("applicant_message", maxText)
		c.Done()
		r.policy.LimitCaps = append(r.policy.LimitCaps, limit)
	}
}

// checkConstantCap checks a cap that names no field. It rejects the cap if its amount cannot be computed or is
// negative.
func checkConstantCap(f *wire.Form, of *rule.Operand) {
	n, constant, ok := of.Constant()
	switch {
	case !constant:
	case !ok:
		f.Fail("of", fault.CodeInvalidField, "has no result: it divides by 0 or is too large")
	case n < 0:
		f.Fail("of", fault.CodeOutOfRange, "must not be negative: it is the largest limit in rupees")
	}
}

// when reads the member "when": an optional condition.
func (r *policyReader) when(f *wire.Form) *rule.Condition {
	v := f.Get("when")
	if !v.Given() {
		return nil
	}
	c := rule.ReadCondition(v, &r.scope, &r.faults)
	return &c
}

// fromSemantics2 rejects a member that older semantics do not have.
func (r *policyReader) fromSemantics2(f *wire.Form, member string) {
	if r.policy.Semantics < 2 {
		f.Fail(member, fault.CodeInvalidField, `is available from semantics 2 on: set "semantics":2 in the policy`)
	}
}

func (c *LimitCap) write(w *wire.Writer) {
	w.Object()
	w.Optional("applicant_message", c.ApplicantMessage)
	w.Key("id").String(c.ID).Key("of")
	c.Of.Write(w)
	w.Optional("reason_code", c.ReasonCode)
	if c.When != nil {
		w.Key("when")
		c.When.Write(w)
	}
	w.EndObject()
}

// String describes the cap in words.
func (c *LimitCap) String() string {
	text := "at most " + c.Of.Text()
	if c.When != nil {
		text += " if " + c.When.Text()
	}
	return text
}

// compiledCap is a LimitCap compiled to a plan's slots.
type compiledCap struct {
	when   rule.Test
	amount rule.Expression
	code   int32 // index in codes; noCode if the cap has no reason code
}

// limitCaps compiles the caps. A cap without a condition gets one that always holds.
func (c *compiler) limitCaps() {
	p := c.plan
	for i := range p.policy.LimitCaps {
		limit := &p.policy.LimitCaps[i]
		compiled := compiledCap{when: c.optional(limit.When), amount: p.code.AddOperand(&limit.Of)}
		if limit.ReasonCode != "" {
			compiled.code = c.codeIndex(limit.ReasonCode)
		}
		p.caps = append(p.caps, compiled)
	}
}

// optional compiles a condition that may be left out. If it is left out, it always holds.
func (c *compiler) optional(condition *rule.Condition) rule.Test {
	if condition == nil {
		condition = &rule.Condition{Op: rule.True}
	}
	return c.plan.code.Add(condition)
}

// cap lowers an amount to the smallest cap that applies. A cap whose condition is unknown does not apply. If a cap
// applies and cannot be computed, the amount is 0, because the policy does not say how much may be lent.
func (x pricer) cap(paise int64, binding Constraint) (int64, Constraint) {
	p, d := x.plan, x.decision
	l := &d.limit
	for i := range p.caps {
		c := &p.caps[i]
		if !p.code.Satisfied(c.when, &d.frame) {
			continue
		}
		amount, ok := p.code.Value(c.amount, &d.frame)
		if !ok {
			l.capAt, l.capUnknown = int32(i), true
			return 0, LimitCapped
		}
		if capped := int64(max(amount, 0) / rule.Paisa); capped < paise { // a cap is rounded down
			paise, binding, l.capAt = capped, LimitCapped, int32(i)
		}
	}
	return paise, binding
}

// cappedBy returns the cap that determined the limit, or nil if another constraint did.
func (d *Decision) cappedBy() *LimitCap {
	if d.limit.binding != LimitCapped {
		return nil
	}
	return &d.plan.policy.LimitCaps[d.limit.capAt]
}

// capPaise returns the amount of the cap that determined the limit.
func (d *Decision) capPaise() int64 {
	amount, _ := d.plan.code.Value(d.plan.caps[d.limit.capAt].amount, &d.frame)
	return int64(max(amount, 0) / rule.Paisa)
}

// limitCap explains a limit that a cap determined.
func (x detailer) limitCap() Detail {
	d := x.decision
	c := d.cappedBy()
	if d.limit.capUnknown {
		missing := strings.Join(d.absentFacts(d.plan.code.Missing(&c.Of, &d.frame)), ", ")
		text := fmt.Sprintf("%s has no result: %s", c.ID, c.Of.Text())
		if missing != "" {
			text = fmt.Sprintf("%s cannot be computed without %s", c.ID, missing)
		}
		return Detail{RuleID: c.ID, Field: missing, Text: text}
	}
	most := rule.Rupees(d.capPaise())
	return Detail{
		RuleID:    c.ID,
		Field:     field.RequestedAmount,
		Value:     d.named(field.RequestedAmount),
		Threshold: rule.Num(most),
		Text: fmt.Sprintf("%s allows at most %s (%s); the limit that leaves is %s", c.ID, most, c.Of.Text(),
			rule.Rupees(d.limit.paise)),
	}
}

// limitCap returns the part of a sentence that says which cap determined the limit.
func (n *narrative) limitCap() string {
	d := n.decision
	if d.limit.capUnknown {
		return "because " + n.detailer.limitCap().Text
	}
	c := d.cappedBy()
	return fmt.Sprintf("capped by %s at %s", c.ID, rule.Rupees(d.capPaise()))
}
