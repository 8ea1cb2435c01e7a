package advice

import (
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// enquiries is the field that falls by waiting and by nothing else.
const enquiries = "enquiries_6m"

// twin is another name of the same fact: the path under which the request sent
// it. A policy may compare either, so they change together.
type twin struct {
	name  string
	times rule.Number // what one of the canonical unit is in the twin's
	was   rule.Value  // as it was sent: an amount may be finer than a paisa
}

// The two requests spell a field in their own ways, and each is told by the
// score that it must carry.
const (
	scoreOfDecisions = "bureau_report.score"
	scoreOfEvaluate  = "report.scoreData.score"
)

// twins of the fields that are not simply sent under bureau_report.
var twins = map[string]struct{ decisions, evaluate twin }{
	field.FOIR:                  {twin{name: "applicant.foir", times: 1}, twin{name: "report.incomeAssessment.foir", times: 100}},
	field.RequestedAmount:       {twin{name: "applicant.requested_amount", times: 1}, twin{name: "report.requestedAmount", times: 1}},
	field.RequestedTenureMonths: {twin{name: "applicant.tenure_months", times: 1}, twin{name: "report.requestedTenureMonths", times: 1}},
}

// twinsOf lists the other names of a field, whether or not they were sent.
func twinsOf(name string) []twin {
	if t, ok := twins[name]; ok {
		return []twin{t.decisions, t.evaluate}
	}
	for _, raw := range []string{"bureau_report." + name, "bureau_report." + strings.TrimPrefix(name, "bureau_")} {
		if _, ok := field.Catalogue().Lookup(raw); ok {
			return []twin{{name: raw, times: 1}}
		}
	}
	return nil
}

// namesOf lists all names under which a policy may read a field: its twins, and
// what is derived from it.
func namesOf(name string) []string {
	out := []string{name}
	for _, t := range twinsOf(name) {
		out = append(out, t.name)
	}
	switch {
	case name == field.MonthlyIncome:
		out = append(out, field.IncomeEffective)
	case obliges(name) && name != field.FOIREffective:
		out = append(out, field.FOIREffective)
	}
	return out
}

// sent are the twins that change along with a field: those that the request
// has, and for a field that it left out the one it would have had.
func sent(facts *rule.Facts, name string) []twin {
	var out []twin
	absent := facts.Get(name).Type() == rule.Absent
	for _, t := range twinsOf(name) {
		would := scoreOfDecisions
		if strings.HasPrefix(t.name, "report.") {
			would = scoreOfEvaluate
		}
		t.was = facts.Get(t.name)
		if t.was.Type() != rule.Absent || absent && facts.Get(would).Type() != rule.Absent {
			out = append(out, t)
		}
	}
	return out
}

// canonical is the name under which the engine reads what a policy may have
// listed by its raw path.
func canonical(name string) string {
	for _, c := range []string{field.FOIR, field.RequestedAmount, field.RequestedTenureMonths} {
		if t := twins[c]; name == t.decisions.name || name == t.evaluate.name {
			return c
		}
	}
	if rest, ok := strings.CutPrefix(name, "bureau_report."); ok {
		for _, c := range []string{rest, "bureau_" + rest} {
			if _, known := field.Catalogue().Lookup(c); known {
				return c
			}
		}
	}
	return name
}

// obligations are the facts that foir_effective is derived from.
var obligations = []string{field.FOIR, field.BureauOwnEMI, field.BankDueEMI}

// obliges reports whether a field says how much is owed each month.
func obliges(name string) bool {
	return name == field.FOIREffective || slices.Contains(obligations, name)
}

// lower pays obligations off until they take a share of the income, under
// every name that the request sent them by.
func lower(facts *rule.Facts, owed *engine.Obligations, to rule.Number) {
	owed.Lower(to, func(name string, v rule.Value) {
		for _, t := range sent(facts, name) {
			facts.Set(t.name, rule.Num(v.Number()*t.times))
		}
		facts.Set(name, v)
	})
}

// rising are the fields that are better when they are larger, of those that an
// applicant can do something about.
var rising = map[string]bool{
	"bank_avg_balance": true, "bank_abb_to_emi": true, "bank_salary_months": true, "bank_statement_days": true,
	"bureau_oldest_account_months": true, "bureau_months_since_30dpd": true,
}

// advisable reports whether a field may be advised on. An income is declared,
// a score and an age are not chosen, features move only together, and about
// devices, places and fraud nobody is given hints.
func advisable(name string) bool {
	id, known := field.Catalogue().Lookup(name)
	if strings.Contains(strings.ToLower(name), "income") || strings.Contains(name, "score") || name == "age" {
		return false
	}
	if !known || name == field.FOIREffective {
		return true // an input of the policy's own, or what is owed
	}
	switch f := field.Catalogue().Field(id); f.Group {
	case "applicant", "bureau", "bank":
		return f.Type == rule.NumberType && name != "bureau_ntc_index"
	default:
		return false
	}
}
