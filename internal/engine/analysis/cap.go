package analysis

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// capCheck reports limit caps that leave nobody a loan, limit caps that can be negative, limit caps that decline
// applicants who leave a field out, and a bound of exposure that leaves nobody a loan.
type capCheck struct{ *analysis }

func (a capCheck) run() {
	least, lends := a.smallestLoan()
	if !lends {
		return
	}
	a.exposure(least)
	for i := range a.policy.LimitCaps {
		c := &a.policy.LimitCaps[i]
		at := location{section: atCap, index: i}
		if !a.unlendable(at, c, rule.Rupees(least)) {
			a.negative(at, c)
		}
		a.neededFields(at, c.ID, &c.Of)
	}
}

// unlendable reports a cap whose amount is always below the smallest loan. The catalogue does not bound the amounts
// that a policy declares. The check assumes that they are not negative, and the finding is then not proved.
func (a capCheck) unlendable(at location, c *engine.LimitCap, least rule.Number) bool {
	most := amountsOf(&c.Of, a.usual).greatest
	if max(most, 0) >= least {
		return false
	}
	severity, who := SeverityError, "everybody"
	if c.When != nil {
		severity, who = SeverityWarning, "everybody to whom it applies"
	}
	f := a.report(severity, fault.CodeUnlendableCap, at, fmt.Sprintf(
		"The limit cap %s allows at most %s, which is below the smallest loan of every band: it declines %s.",
		c.ID, max(most, 0), who), nil)
	f.Proved = max(amountsOf(&c.Of, a.possible).greatest, 0) < least
	return true
}

// exposure reports an exposure limit that, rounded down to the step, is below the smallest loan. Such a limit declines
// even applicants who owe nothing.
func (a capCheck) exposure(leastPaise int64) {
	e := a.policy.Exposure
	if e == nil || e.MaxTotalPaise-e.MaxTotalPaise%a.policy.LimitStepPaise >= leastPaise {
		return
	}
	a.report(SeverityError, fault.CodeUnlendableExposure, location{section: atPolicy, rest: "/exposure/max_total"},
		fmt.Sprintf("exposure allows at most %s in all to one person, which, floored to the limit_step of %s, is "+
			"below the smallest loan of every band, %s: it declines everybody.", rule.Rupees(e.MaxTotalPaise),
			rule.Rupees(a.policy.LimitStepPaise), rule.Rupees(leastPaise)), nil)
}

// negative reports a cap whose amount can be negative although none of its fields is negative. Such a cap counts as 0.
func (a capCheck) negative(at location, c *engine.LimitCap) {
	witness := a.negativeExample(&c.Of)
	if len(witness) == 0 {
		return
	}
	a.report(SeverityInfo, fault.CodeNegativeCap, at, fmt.Sprintf(
		"The limit cap %s can be negative, as in the example: it then counts as 0, and the application is declined.",
		c.ID), witness).Proved = c.When == nil // perhaps the cap applies to nobody with these values
}

// maxCapFields is the largest number of fields for which negativeExample searches for an example.
const maxCapFields = 3

// negativeExample returns facts for which the amount is negative. It tries values of every order of magnitude, small
// ones first.
func (a capCheck) negativeExample(of *rule.Operand) []rule.NamedValue {
	var names []string
	var ranges []amounts
	of.Fields(func(ref rule.Ref) {
		if !slices.Contains(names, ref.Name) {
			names, ranges = append(names, ref.Name), append(ranges, a.usual(ref))
		}
	})
	if len(names) == 0 || len(names) > maxCapFields || amountsOf(of, a.usual).least >= 0 {
		return nil
	}
	tried := make([]rule.Number, len(names))
	value := func(ref rule.Ref) amounts { return exactly(tried[slices.Index(names, ref.Name)]) }
	var search func(from int) bool
	search = func(from int) bool {
		if from == len(names) {
			return a.solver.Budget.Spend(1) && amountsOf(of, value).greatest < 0
		}
		for _, n := range examples {
			n = min(max(n, ranges[from].least), ranges[from].greatest)
			if tried[from] = n; search(from + 1) {
				return true
			}
		}
		return false
	}
	if !search(0) {
		return nil
	}
	facts := make([]rule.NamedValue, len(names))
	for i, name := range names {
		facts[i] = rule.NamedValue{Name: name, Value: rule.Num(tried[i])}
	}
	return facts
}

// examples are the values that negativeExample tries, within the range of each field.
var examples = [...]rule.Number{
	0, rule.One, rule.Int(10), rule.Int(1_000), rule.Int(10_000), rule.Int(100_000), rule.Int(10_000_000),
	rule.MaxNumber,
}

// possible returns the range of a field according to the catalogue.
func (a capCheck) possible(ref rule.Ref) amounts {
	r := anyAmount
	if ref.ID >= 0 {
		f := a.catalogue.Field(ref.ID)
		if f.BoundedBelow {
			r.least = f.Min
		}
		if f.BoundedAbove {
			r.greatest = f.Max
		}
	}
	return r
}

// usual returns the range of a field. It excludes negative values unless the catalogue has a lower bound for the
// field.
func (a capCheck) usual(ref rule.Ref) amounts {
	r := a.possible(ref)
	if r.least == -rule.MaxNumber {
		r.least = 0
	}
	return r
}

// smallestLoan returns the smallest min_limit of a band that lends. lends is false if no band does.
func (a capCheck) smallestLoan() (paise int64, lends bool) {
	for i := range a.policy.Bands {
		if b := &a.policy.Bands[i]; b.Priced && (!lends || b.MinLimitPaise < paise) {
			paise, lends = b.MinLimitPaise, true
		}
	}
	return paise, lends
}

// neededFields reports the fields of a cap that a request may leave out. The cap then cannot be computed.
func (a capCheck) neededFields(at location, id string, of *rule.Operand) {
	var names []string
	of.Fields(func(ref rule.Ref) {
		if !a.isRequired(ref.Name) && !field.IsOwn(ref.Name) && !slices.Contains(names, ref.Name) {
			names = append(names, ref.Name)
		}
	})
	if len(names) > 0 {
		a.report(SeverityInfo, fault.CodeCapNeedsField, at, fmt.Sprintf(
			"If the limit cap %s applies to an application without %s, it cannot be computed, and the application is "+
				"declined.", id, strings.Join(names, " or ")), nil).Fields = names
	}
}

// isRequired reports whether required_fields lists a field without an alternative.
func (a capCheck) isRequired(name string) bool {
	for _, r := range a.policy.Required {
		if len(r.Any) == 1 && r.Any[0].Name == name {
			return true
		}
	}
	return false
}
