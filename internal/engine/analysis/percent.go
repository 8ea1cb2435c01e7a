package analysis

import (
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// percentFields has the fields in percent that have no counterpart in another
// unit, each with its smallest and largest plausible threshold. A threshold of
// 0 is always plausible.
var percentFields = map[string]struct{ least, most rule.Number }{
	field.OfferAPR:             {rule.One, rule.Int(500)},
	"bank_income_mismatch_pct": {rule.One + 1, rule.MaxNumber},
	"bank_emi_mismatch_pct":    {rule.One + 1, rule.MaxNumber},
}

// percentCheck reports prices of bands that look like fractions, and thresholds
// on percentages that look like fractions or basis points.
type percentCheck struct{ *analysis }

func (a percentCheck) run() {
	for i := range a.policy.Bands {
		b := &a.policy.Bands[i]
		if !b.Priced {
			continue
		}
		if b.RateBP > 0 && b.RateBP < 100 {
			a.fraction(i, "interest_rate", rule.Number(b.RateBP)*rule.Paisa)
		}
		if b.GSTPct > 0 && b.GSTPct < rule.One {
			a.fraction(i, "gst_pct", b.GSTPct)
			if b.FeePct > 0 && b.FeePct < rule.One { // a small fee alone may be intended
				a.fraction(i, "processing_fee_pct", b.FeePct)
			}
		}
	}
	for i := range a.policy.Charges {
		a.charge(i, &a.policy.Charges[i])
	}
	for _, list := range a.lists() {
		for i := range list {
			a.percentsOf(&list[i])
		}
	}
	for i := range a.policy.Scorecard.Factors {
		f := &a.policy.Scorecard.Factors[i]
		for _, b := range f.Ranges() {
			if b.HasMin && a.percent(location{section: atFactor, index: i}, "The factor "+f.Name, f.Field, b.Min) {
				break
			}
		}
	}
}

// fraction reports a price of a band that looks like a fraction.
func (a percentCheck) fraction(band int, member string, n rule.Number) {
	a.suspect(SeverityError, fault.CodeUnitMismatch, location{section: atBand, index: band}, fmt.Sprintf(
		"The band %s has %s %s, which looks like a fraction; %s is percent: write %s for %s percent.",
		a.policy.Bands[band].ID, member, n, member, 100*n, 100*n)).Fields = []string{member}
}

// charge reports the tax of a charge if it looks like a fraction. Then it also reports the charge's percentage if that
// looks like a fraction. A small percentage alone may be intended.
func (a percentCheck) charge(index int, c *engine.Charge) {
	tax := rule.Number(c.Amount.TaxMicros)
	if tax <= 0 || tax >= rule.One {
		return
	}
	report := func(member string, n rule.Number) {
		at := location{section: atCharge, index: index, rest: "/" + member}
		a.suspect(SeverityError, fault.CodeUnitMismatch, at, fmt.Sprintf(
			"The charge %s has %s %s, which looks like a fraction; %s is percent: write %s for %s percent.",
			c.ID, member, n, member, 100*n, 100*n)).Fields = []string{member}
	}
	report("gst", tax)
	if pct := rule.Number(c.Amount.PctMicros); pct > 0 && pct < rule.One {
		report("amount", pct)
	}
}

// percentsOf checks the fields of one clause that are percentages.
func (a percentCheck) percentsOf(c *clause) {
	for _, at := range c.reads {
		ref := a.space.Domain(at).Ref
		if _, ok := percentFields[ref.Name]; !ok {
			continue
		}
		reported := false
		c.cond.Walk(func(n *rule.Condition) {
			for _, bound := range boundsOn(n, ref) {
				reported = reported || a.percent(c.at, c.opening(), ref, bound)
			}
		})
	}
}

// percent reports a threshold on a percentage if it is implausible. It returns
// true if it reported a finding.
func (a percentCheck) percent(at location, who string, ref rule.Ref, n rule.Number) bool {
	bounds, ok := percentFields[ref.Name]
	if !ok || ref.ID < 0 || n == 0 {
		return false
	}
	looks := "a fraction"
	switch size := max(n, -n); {
	case size > bounds.most:
		looks = "basis points"
	case size >= bounds.least:
		return false
	}
	a.suspect(SeverityError, fault.CodeUnitMismatch, at, fmt.Sprintf(
		"%s compares %s with %s, which looks like %s; %s is percent: 25 means 25 percent.",
		who, ref.Name, n, looks, ref.Name)).Fields = []string{ref.Name}
	return true
}
