package advice

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Missing is an input that was not sent, with its possible effect.
type Missing struct {
	Field string
	// Rules lists the rules that could not be evaluated without the field. Factors lists the scorecard factors that
	// read the field.
	Rules   []string
	Factors []string
	// Best and Worst are the best and the worst of several outcomes: the present outcome, and the outcome for
	// each value of the field that the policy distinguishes.
	Best, Worst engine.Status
	// Matters is set if one of these values gives an outcome that differs from
	// the present one.
	Matters bool
	// Ask is set if the applicant or a bureau can be asked for the field. It is
	// never set for blocks that need a separate consent.
	Ask bool
}

// Open is a rule that could not be evaluated. Residual is the part of its
// condition that the known values do not settle.
type Open struct {
	RuleID   string
	Missing  []string
	Residual string
}

// Completeness lists the unevaluated rules and missing inputs of an application.
type Completeness struct {
	Open    []Open
	Missing []Missing // sorted: inputs that matter first, then by effort to obtain them
}

// AskNext returns the inputs that could change the outcome and can be asked for.
// The input that is easiest to obtain comes first.
func (c *Completeness) AskNext() []string {
	var out []string
	for i := range c.Missing {
		if m := &c.Missing[i]; m.Matters && m.Ask {
			out = append(out, m.Field)
		}
	}
	return out
}

// Complete returns the rules that could not be evaluated and the inputs that are
// missing from facts. d must be the decision of plan on facts. check is called
// several times per millisecond. If it returns an error, Complete stops and
// returns that error; no other error is possible. check may be nil.
//
// After maxSteps, Complete tries no more values. If it has not tried all values
// of an input, it reports that the input can lead to any outcome, so that the
// input matters.
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
	lacking := map[string][]string{} // rule ids by the canonical name of the missing field
	for _, n := range open {
		s.spend(len(n.Missing) + 1)
		out.Open = append(out.Open, Open{RuleID: n.ID, Missing: n.Missing, Residual: rest.residual(n.ID)})
		for _, other := range s.withKeys(n.Missing, facts) {
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
			derived := f.Field.Name == field.FOIREffective && isObligation(name) ||
				f.Field.Name == field.IncomeEffective && name == field.MonthlyIncome
			if derived || canonical(f.Field.Name) == name {
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

// withKeys returns the missing fields of a rule. It replaces a column of a table
// by those keys of the table that are absent.
func (s *search) withKeys(missing []string, facts *rule.Facts) (names []string) {
	for _, name := range missing {
		t, _, ok := rule.FindTable(s.plan.Tables(), name)
		if !ok {
			names = append(names, name)
			continue
		}
		for _, key := range t.Keys {
			if facts.Get(key.Field.Name).Type() == rule.Absent {
				names = append(names, key.Field.Name)
			}
		}
	}
	return names
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

// effort returns a rank for how hard an input is to obtain: 0 if the applicant
// can state it, 1 if it needs a bank statement, 2 if a bureau report must be
// bought.
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

// askable reports whether the applicant, a bank or a bureau can be asked for a
// field. It returns false for a field that needs a separate consent, for a field
// that the engine derives, and for a field that can only be computed from the
// accounts of a report.
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

// absent returns the canonical names of the inputs that the plan reads and the
// request could have sent but did not.
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
			continue // the id is optional in an evaluate request, and nobody is asked for it
		}
		if field.IsOwn(name) {
			continue // no request contains it
		}
		if field.IsOfRole(name) && !hasRole(facts, name) {
			continue // nobody is asked to bring a co-applicant or a guarantor
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

// hasRole reports whether the application has a person with the role to which a field belongs.
func hasRole(facts *rule.Facts, name string) bool {
	role, _, _ := strings.Cut(name, ".")
	return slices.ContainsFunc(field.RoleFacts(), func(fact string) bool {
		return facts.Get(field.OfRole(role, fact)).Type() != rule.Absent
	})
}

// consider decides the application with each value of m.Field that the policy
// distinguishes, and updates m.Best and m.Worst.
func (s *search) consider(m *Missing) {
	if s.isKey(m.Field) {
		// The rows of tables are not known here, so the columns may have any values.
		m.Best, m.Worst = engine.Approved, engine.Declined
		return
	}
	raw := sent(s.facts, m.Field)
	for _, v := range s.possible(m.Field) {
		if m.Best == engine.Approved && m.Worst == engine.Declined && !s.plain {
			break // the range already includes every outcome
		}
		s.facts.Set(m.Field, v)
		for _, t := range raw {
			if v.Type() == rule.NumberType {
				s.facts.Set(t.name, rule.Num(v.Number()*t.times))
			}
		}
		if s.considerAnswers(m, s.lookups(m.Field)); s.over() {
			m.Best, m.Worst = engine.Approved, engine.Declined
			break
		}
	}
	s.facts.Set(m.Field, rule.Value{})
	for _, t := range raw {
		s.facts.Set(t.name, t.was)
	}
}

// considerAnswers decides with each combination of the answers that lists can
// give for the value of a field, and updates m.Best and m.Worst. It does not
// know what the lists contain.
func (s *search) considerAnswers(m *Missing, lookups []rule.NamedLookup) {
	if len(lookups) == 0 {
		s.try(engine.Referred) // if the probe declines, no full decision is needed
		m.Best, m.Worst = min(m.Best, s.last), max(m.Worst, s.last)
		return
	}
	for _, contains := range []bool{false, true} {
		s.facts.Set(lookups[0].Fact, rule.Bool(contains))
		if s.considerAnswers(m, lookups[1:]); s.over() {
			break
		}
	}
	s.facts.Set(lookups[0].Fact, rule.Value{})
}

// lookups returns the first lookups of a field, under any of its names, in the lists of the policy.
func (s *search) lookups(name string) (found []rule.NamedLookup) {
	const most = 6 // 64 combinations
	for _, l := range s.plan.Lookups() {
		if slices.Contains(namesOf(name), l.Field.Name) && len(found) < most {
			found = append(found, l)
		}
	}
	return found
}

// isKey reports whether a field, under any of its names, is a key of a table of the policy.
func (s *search) isKey(name string) bool { return len(s.tables(name)) > 0 }

// tables returns the tables of the policy that have a field, under any of its names, as a key.
func (s *search) tables(name string) (found []*rule.Table) {
	tables := s.plan.Tables()
	for i := range tables {
		for _, key := range tables[i].Keys {
			if slices.Contains(namesOf(name), key.Field.Name) {
				found = append(found, &tables[i])
			}
		}
	}
	return found
}

// Apply returns a copy of facts with the changes. It sets each changed field
// under every name that the request used for it. For a change of foir_effective
// it lowers the obligations.
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
