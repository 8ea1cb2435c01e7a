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
// decided of them. check is called many times in a millisecond and its error,
// the only one, ends the work; nil lets it run to its end.
//
// After maxSteps no more values are tried: an input whose values were not all
// tried is said to matter, and to lead to any outcome.
func Complete(plan *engine.Plan, facts *rule.Facts, d *engine.Decision, check func() error) (Completeness, error) {
	s := beginSearch(plan, facts, d, check)
	out := s.complete(facts, d)
	if s.err != nil {
		return Completeness{}, s.err
	}
	return out, nil
}

func (s *search) complete(facts *rule.Facts, d *engine.Decision) Completeness {
	var out Completeness
	open := d.NotEvaluated()
	known := copied(facts)
	for _, derived := range d.Derived() {
		known.Set(derived.Name, derived.Value)
	}
	rest := s.newRemainder(known, open)
	lacking := map[string][]string{} // rules by the canonical name of what they miss
	for _, n := range open {
		s.spend(len(n.Missing) + 1)
		out.Open = append(out.Open, Open{RuleID: n.ID, Missing: n.Missing, Residual: rest.residual(n.ID)})
		for _, other := range n.Missing {
			name := canonical(other)
			if list := lacking[name]; len(list) == 0 || list[len(list)-1] != n.ID {
				lacking[name] = append(list, n.ID)
			}
		}
	}
	for _, name := range absent(s.plan, facts) {
		if s.err != nil {
			break
		}
		m := Missing{Field: name, Best: d.Status, Worst: d.Status, Ask: askable(name), Rules: lacking[name]}
		s.spend(len(s.plan.Policy().Scorecard.Factors))
		for i := range s.plan.Policy().Scorecard.Factors {
			f := &s.plan.Policy().Scorecard.Factors[i]
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
	listed := map[string]bool{}
	for _, raw := range plan.Fields() {
		name := canonical(raw)
		if facts.Get(raw).Type() != rule.Absent || facts.Get(name).Type() != rule.Absent || listed[name] {
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
		out, listed[name] = append(out, name), true
	}
	return out
}

// consider tries the values that the policy tells apart.
func (s *search) consider(m *Missing) {
	raw := sent(s.facts, m.Field)
	for _, v := range s.possible(m.Field) {
		if m.Best == engine.Approved && m.Worst == engine.Declined && !s.plain {
			break // no other value adds to that
		}
		s.facts.Set(m.Field, v)
		for _, t := range raw {
			if v.Type() == rule.NumberType {
				s.facts.Set(t.name, rule.Num(v.Number()*t.times))
			}
		}
		s.try(engine.Referred) // a probe that comes to a decline is as good as a decision
		if s.over() {
			m.Best, m.Worst = engine.Approved, engine.Declined
			break
		}
		m.Best, m.Worst = min(m.Best, s.last), max(m.Worst, s.last)
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
