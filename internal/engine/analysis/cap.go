package analysis

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// capCheck reports limit caps that leave nobody a loan, and those that decline applicants who leave a field out.
type capCheck struct{ *analysis }

func (a capCheck) run() {
	least, lends := a.smallestLoan()
	if !lends {
		return
	}
	for i := range a.policy.LimitCaps {
		c := &a.policy.LimitCaps[i]
		at := location{section: atCap, index: i}
		n, constant, ok := c.Of.Constant()
		switch {
		case constant && ok && max(n, 0) < rule.Rupees(least):
			severity, who := SeverityError, "everybody"
			if c.When != nil {
				severity, who = SeverityWarning, "everybody to whom it applies"
			}
			a.report(severity, fault.CodeUnlendableCap, at, fmt.Sprintf(
				"The limit cap %s allows at most %s, which is below the smallest loan of every band: it declines %s.",
				c.ID, n, who), nil)
		case !constant:
			a.neededFields(at, c.ID, &c.Of)
		}
	}
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
