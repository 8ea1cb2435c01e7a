package advice

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Missing is an input that was not given, and what it could do.
type Missing struct {
	Field string
	// Rules could not be evaluated without it, and Factors gave no points.
	Rules   []string
	Factors []string
	// Best and Worst are the outcomes it could lead to, over every value that
	// the policy tells apart.
	Best, Worst engine.Status
	// Matters is set when one of these values gives another outcome than now.
	Matters bool
	// Ask is set for what an applicant or a bureau can be asked for. The blocks
	// that need a consent of their own are never asked for.
	Ask bool
}

// Open is a rule that could not be evaluated, with the condition that is still
// to be met once what is known has been filled in.
type Open struct {
	RuleID   string
	Missing  []string
	Residual string
}

// Completeness is what an application leaves open.
type Completeness struct {
	Open    []Open
	Missing []Missing // what matters first, then by how easily it is had
}

// AskNext lists the inputs that could change the outcome, the one that is had
// most easily first.
func (c *Completeness) AskNext() []string {
	var out []string
	for i := range c.Missing {
		if m := &c.Missing[i]; m.Matters && m.Ask {
			out = append(out, m.Field)
		}
	}
	return out
}

// Complete finds out what facts leave open under a plan. d must be what plan
// decided of them.
func Complete(plan *engine.Plan, facts *rule.Facts, d *engine.Decision) Completeness {
	s := &search{plan: plan, facts: copied(facts)}
	var out Completeness
	open := d.NotEvaluated()
	known := copied(facts)
	for _, derived := range d.Derived() {
		known.Set(derived.Name, derived.Value)
	}
	for _, n := range open {
		out.Open = append(out.Open, Open{RuleID: n.ID, Missing: n.Missing, Residual: residual(plan.Policy(), known, n.ID)})
	}
	for _, name := range absent(plan, facts) {
		m := Missing{Field: name, Best: d.Status, Worst: d.Status, Ask: askable(name)}
		for _, n := range open {
			if slices.ContainsFunc(n.Missing, func(other string) bool { return canonical(other) == name }) {
				m.Rules = append(m.Rules, n.ID)
			}
		}
		for i := range plan.Policy().Scorecard.Factors {
			f := &plan.Policy().Scorecard.Factors[i]
			owed := f.Field.Name == field.FOIREffective && obliges(name) || f.Field.Name == field.IncomeEffective && name == field.MonthlyIncome
			if owed || canonical(f.Field.Name) == name {
				m.Factors = append(m.Factors, f.Name)
			}
		}
		s.consider(&m)
		m.Matters = m.Best != d.Status || m.Worst != d.Status
		out.Missing = append(out.Missing, m)
	}
	slices.SortStableFunc(out.Missing, func(a, b Missing) int {
		return cmp.Or(-compareBool(a.Matters, b.Matters), cmp.Compare(effort(a.Field), effort(b.Field)))
	})
	return out
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// effort orders inputs by how easily they are had: what the applicant tells,
// what a bank statement shows, what a bureau is paid for.
func effort(name string) int {
	id, known := field.Catalogue().Lookup(name)
	if !known {
		return 0
	}
	switch field.Catalogue().Field(id).Group {
	case "applicant":
		return 0
	case "bank":
		return 1
	default:
		return 2
	}
}

// askable leaves out what needs a consent of its own, is worked out, or is
// known from the accounts of a report alone.
func askable(name string) bool {
	if strings.HasPrefix(name, "bureau_guaranteed_") || strings.HasPrefix(name, "bureau_addon_") {
		return false
	}
	id, known := field.Catalogue().Lookup(name)
	if !known {
		return true
	}
	switch field.Catalogue().Field(id).Group {
	case "applicant", "bureau", "bank":
		return true
	default:
		return false
	}
}

// absent lists the inputs that the plan reads and the request could have had,
// each under its canonical name.
func absent(plan *engine.Plan, facts *rule.Facts) []string {
	supply := rule.FromDecisions
	if facts.Get(scoreOfEvaluate).Type() != rule.Absent || facts.Get("bureau").Type() != rule.Absent {
		supply = rule.FromEvaluate
	}
	ntc := facts.Get(field.BureauIsNTC).IsTrue()
	var out []string
	for _, raw := range plan.Fields() {
		name := canonical(raw)
		if facts.Get(raw).Type() != rule.Absent || facts.Get(name).Type() != rule.Absent || slices.Contains(out, name) {
			continue
		}
		if name == "applicant.id" && supply == rule.FromEvaluate {
			continue // an evaluate request may bring one, and nobody is asked for it
		}
		if id, known := field.Catalogue().Lookup(name); known {
			f := field.Catalogue().Field(id)
			index := name == "bureau_ntc_index"
			if f.Supply&supply == 0 || ntc && f.BureauScored || !ntc && index {
				continue
			}
		} else if strings.HasPrefix(name, "report.") != (supply == rule.FromEvaluate) {
			continue
		}
		out = append(out, name)
	}
	return out
}

// consider tries the values that the policy tells apart.
func (s *search) consider(m *Missing) {
	raw := sent(s.facts, m.Field)
	for _, v := range s.possible(m.Field) {
		s.facts.Set(m.Field, v)
		for _, t := range raw {
			if v.Type() == rule.NumberType {
				s.facts.Set(t.name, rule.Num(v.Number()*t.times))
			}
		}
		s.plan.Decide(s.facts, &s.trial)
		m.Best, m.Worst = min(m.Best, s.trial.Status), max(m.Worst, s.trial.Status)
	}
	s.facts.Set(m.Field, rule.Value{})
	for _, t := range raw {
		s.facts.Set(t.name, t.was)
	}
}

// Apply is a copy of facts with changes made, under every name that the
// request sent a field by. A change of foir_effective pays obligations off.
func Apply(plan *engine.Plan, facts *rule.Facts, changes ...Change) *rule.Facts {
	out := copied(facts)
	for _, c := range changes {
		if c.Field == field.FOIREffective {
			owed := plan.Obligations(facts)
			lower(out, &owed, c.To.Number())
			continue
		}
		others := sent(facts, c.Field)
		out.Set(c.Field, c.To)
		for _, t := range others {
			out.Set(t.name, rule.Num(c.To.Number()*t.times))
		}
	}
	return out
}

func copied(facts *rule.Facts) *rule.Facts {
	out := rule.NewFacts(field.Catalogue())
	for _, fact := range facts.Sorted() {
		out.Set(fact.Name, fact.Value)
	}
	return out
}
