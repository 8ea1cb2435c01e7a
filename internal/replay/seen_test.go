package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/wire"
)

// seen counts the operators, blocks and outcomes that occur in a corpus. If an operator or a block did not occur,
// the corpus could not detect a change of that operator or block.
type seen struct {
	operators, held, failed, facts, outcomes, grades, layouts map[string]int
	read                                                      map[string]*weighed // policies, by id
	policies, vectors                                         int
}

func newSeen() *seen {
	return &seen{
		operators: map[string]int{}, held: map[string]int{}, failed: map[string]int{}, facts: map[string]int{},
		outcomes: map[string]int{}, grades: map[string]int{}, layouts: map[string]int{},
		read: map[string]*weighed{},
	}
}

// look counts the decisions of a scope.
func (s *seen) look(t *testing.T, scope *store.Scope) {
	t.Helper()
	err := scope.Decisions(t.Context()).Walk(store.DecisionFilter{}, store.Page{}, func(d *store.Decision) error {
		s.outcomes[d.Endpoint+" "+d.Status]++
		s.grades[d.Grade]++
		for layout := range layouts {
			if strings.HasPrefix(d.ApplicantRef, strings.ReplaceAll(layout, " ", "-")+"-") {
				s.layouts[layout]++
			}
		}
		facts, err := wire.Parse(d.Facts)
		if err != nil {
			return err
		}
		for name, value := range facts.Members() {
			if value.Given() {
				s.facts[name]++
			}
		}
		policy, err := s.policy(t, scope, d.PolicyID)
		if err != nil {
			return fmt.Errorf("policy %s: %w", d.PolicyID, err)
		}
		known, err := rule.ReadFacts(facts, field.Catalogue())
		if err != nil {
			return err
		}
		policy.weigh(known, s.held, s.failed)
		if bytes.Contains(d.Response, []byte(`"features":{`)) {
			return s.vector(t, scope, d.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// policy counts the operators of a policy that decided.
func (s *seen) policy(t *testing.T, scope *store.Scope, id string) (*weighed, error) {
	t.Helper()
	if s.read[id] != nil {
		return s.read[id], nil
	}
	s.policies++
	set, err := scope.RuleSets(t.Context()).Get(id)
	if err != nil {
		return nil, err
	}
	policy, err := engine.ParsePolicy(set.Document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		return nil, err
	}
	for i := range policy.Knockouts {
		s.condition(&policy.Knockouts[i].Condition)
	}
	for i := range policy.Adjustments {
		s.condition(&policy.Adjustments[i].Condition)
	}
	s.read[id] = newWeighed(policy, field.Catalogue())
	return s.read[id], nil
}

func (s *seen) condition(c *rule.Condition) {
	c.Walk(func(n *rule.Condition) {
		s.operators[n.Op.String()]++
		s.operand(&n.Left)
		s.operand(&n.Right)
	})
}

func (s *seen) operand(o *rule.Operand) {
	if o.Kind == rule.ArithOperand {
		s.operators[o.Arith.String()]++
	}
	for i := range o.Args {
		s.operand(&o.Args[i])
	}
}

// vector checks that computing the features of a decision again gives the same
// vector.
func (s *seen) vector(t *testing.T, scope *store.Scope, id string) error {
	t.Helper()
	stored, err := scope.Decisions(t.Context()).Features(id)
	if err != nil {
		return err
	}
	s.vectors++
	if wrong := remeasured(stored); wrong != "" {
		t.Errorf("features of %s: %s", id, wrong)
	}
	return nil
}

// check fails the test for every operator, block and outcome that no decision of
// the corpus covers.
func (s *seen) check(t *testing.T) {
	t.Helper()

	want := func(what string, counts map[string]int, name string) {
		if counts[name] == 0 {
			t.Errorf("the corpus has no %s %q", what, name)
		}

	}
	for _, name := range roots {
		want("operator", s.operators, name)
		if name != rule.False.String() {
			want("adjustment that holds by", s.held, name)
		}
		if name != rule.True.String() {
			want("adjustment that fails by", s.failed, name)
		}
	}
	for _, name := range fields.stage1 {
		want("fact", s.facts, name)
	}
	for _, in := range declared {
		want("fact", s.facts, in.name)
	}
	for name := range columns {
		want("fact", s.facts, name)
	}
	for layout := range layouts {
		want("layout", s.layouts, layout)
	}
	for _, status := range spelled(func(i uint8) any { return engine.Status(i) }, 0) {
		for _, endpoint := range []string{
			decisioning.EndpointDecisions,
			decisioning.EndpointEvaluate,
			decisioning.EndpointUnderwrite,
		} {
			want("outcome", s.outcomes, endpoint+" "+status)
		}
	}
	for _, band := range engine.DefaultPolicy().Bands {
		want("grade", s.grades, band.Grade)
	}
	if s.vectors < 100 {
		t.Errorf("the corpus has %d feature vectors", s.vectors)
	}
}

// spelled returns the names of all values of a small enumeration, beginning with
// first, so that a new value is included automatically. The enumeration ends at
// the first value for which fmt reports that String panicked.
func spelled(at func(uint8) any, first uint8) (names []string) {
	for i := first; ; i++ {
		name := fmt.Sprint(at(i))
		if strings.HasPrefix(name, "%!") {
			return names
		}
		names = append(names, name)
	}
}

// TestSpelled checks that spelled finds the operators, because an empty list
// would pass every coverage check.
func TestSpelled(t *testing.T) {
	t.Parallel()
	names := spelled(func(i uint8) any { return rule.Op(i) }, 1)
	if len(names) < 19 || names[0] != rule.And.String() {
		t.Errorf("the operators are %q", names)
	}
}

// dayOf parses the day at which the windows of a vector end.
func dayOf(text string) (civil.Day, bool) {
	at, err := time.Parse(time.DateOnly, text)
	return civil.DayOf(at.Date()), err == nil
}
