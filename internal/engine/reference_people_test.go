package engine_test

import (
	"math/big"
	"slices"
)

// addPartner adds the co-applicant's income and obligations. If the co-applicant's obligations are unknown, it adds
// neither. Obligations count even if there is no income.
func (a *application) addPartner(income, foir *big.Rat, section object) (*big.Rat, *big.Rat) {
	extra := a.chosenIncome("co_applicant.", section)
	burden := a.chosenObligations("co_applicant.", section, extra)
	if burden == nil {
		return income, foir
	}
	total := income
	if extra != nil {
		total = least(add(income, extra), million)
	}
	own := a.chosenObligations("", section, income)
	if own == nil {
		return total, nil
	}
	owed, most := least(add(own, burden), million), big.NewRat(5, 1)
	switch {
	case owed.Sign() == 0:
		return total, new(big.Rat)
	case total.Sign() == 0:
		return total, most
	}
	return total, halfUp(least(quo(owed, total), most), 6)
}

// notNegative returns an amount of a person, or nil if it is absent or negative.
func (a *application) notNegative(name string) *big.Rat {
	if n, ok := a.read(name).(*big.Rat); ok && n.Sign() >= 0 {
		return n
	}
	return nil
}

func (a *application) chosenIncome(who string, section object) *big.Rat {
	names, take := []any{"monthly_income"}, "first"
	if s, ok := section["income"].(object); ok {
		names = list(s, "of")
		if given := text(s, "take"); given != "" {
			take = given
		}
	}
	var found []*big.Rat
	for _, name := range names {
		if n := a.notNegative(who + as[string](name)); n != nil {
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 0:
		return nil
	case take == "lowest":
		return slices.MinFunc(found, (*big.Rat).Cmp)
	}
	return found[0]
}

func (a *application) chosenObligations(who string, section object, income *big.Rat) *big.Rat {
	names, take := []any{"declared"}, "highest"
	if s, ok := section["obligations"].(object); ok {
		names = list(s, "of")
		if given := text(s, "take"); given != "" {
			take = given
		}
	}
	var found []*big.Rat
	for _, name := range names {
		var n *big.Rat
		switch name {
		case "declared":
			of := a.notNegative(who + "monthly_income")
			if of == nil {
				of = income
			}
			if foir := a.notNegative(who + "foir"); foir != nil && of != nil {
				n = least(round(mul(foir, of), 6), million)
			}
		case "bureau":
			n = a.notNegative(who + "bureau_own_emi")
		case "bank":
			n = a.notNegative(who + "bank_due_emi")
		}
		if n != nil {
			found = append(found, n)
		}
	}
	switch {
	case len(found) == 0:
		return nil
	case take == "highest":
		return slices.MaxFunc(found, (*big.Rat).Cmp)
	}
	return found[0]
}

// chooseScore replaces the bureau score with the co-applicant's score if the policy says so.
func (a *application) chooseScore() {
	section, _ := a.policy["people"].(object)
	other, ok := a.read("co_applicant.bureau_score").(*big.Rat)
	if !ok {
		return
	}
	own, rated := a.read("bureau_score").(*big.Rat)
	switch text(section, "score") {
	case "lowest":
		if rated && other.Cmp(own) < 0 {
			a.facts["bureau_score"], a.othersScore = other, true
		}
	case "highest":
		if !rated || other.Cmp(own) > 0 {
			a.facts["bureau_score"], a.facts["bureau_is_ntc"], a.othersScore = other, false, true
		}
	}
}

// isOthers reports whether the co-applicant's score counts and the reasons must say so. Older facts do not say whether
// there is a co-applicant, and the reasons of their decisions must not change.
func (a *application) isOthers() bool { return a.othersScore && a.read("has_co_applicant") != nil }

// mentionsScore reports whether a part of a policy names the bureau score.
func mentionsScore(v any) bool {
	switch v := v.(type) {
	case object:
		for name, member := range v {
			if name == "field" && member == "bureau_score" || name != "value" && mentionsScore(member) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, mentionsScore)
	}
	return false
}

// ofWhom returns the code of a rule or an adjustment that hit. It is CO_APPLICANT if the co-applicant's score is among
// the predicates that made the rule or adjustment hit.
func (a *application) ofWhom(ast object, code string) string {
	truth, leaves := a.settle(ast)
	about := slices.ContainsFunc(leaves, func(s settled) bool { return mentionsScore(s.leaf) })
	if code == "" || truth != yes || !about || !a.isOthers() {
		return code
	}
	return "CO_APPLICANT"
}

// capCode returns the code of a limit cap. It is CO_APPLICANT if the cap is computed from the co-applicant's score.
func (a *application) capCode(limit object) string {
	if a.isOthers() && mentionsScore(limit["of"]) {
		return "CO_APPLICANT"
	}
	return text(limit, "reason_code")
}
