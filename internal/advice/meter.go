package advice

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// maxSteps bounds a search in the engine's steps: some hundred milliseconds.
// What a search has not found by then it does not find.
const maxSteps = 20_000_000

// stepsBetweenChecks is some hundred microseconds of work.
const stepsBetweenChecks = 20_000

// meter counts the work of a search.
type meter struct {
	check func() error // nil: never interrupted
	err   error
	steps int
	since int // the last check
}

// spend counts steps that are about to be taken. It reports false if the search
// must end: its caller has gone, or it has done all that it may.
func (m *meter) spend(steps int) bool {
	if m.err != nil || m.steps > maxSteps {
		return false
	}
	m.steps += steps
	m.since += steps
	if m.since >= stepsBetweenChecks {
		m.since = 0
		if m.check != nil {
			m.err = m.check()
		}
	}
	return m.err == nil && m.steps <= maxSteps
}

// over reports whether the search must end.
func (m *meter) over() bool { return m.err != nil || m.steps > maxSteps }

// terms are the predicates of a policy's conditions by the fields that they
// name, in the policy's order.
type terms struct {
	all    []*rule.Condition
	byName map[string][]int
}

func newTerms(p *engine.Policy, m *meter) *terms {
	t := &terms{byName: map[string][]int{}}
	eachCondition(p, func(c *rule.Condition) {
		m.spend(1)
		at := len(t.all)
		t.all = append(t.all, c)
		c.Operands(func(ref rule.Ref) {
			if list := t.byName[ref.Name]; len(list) == 0 || list[len(list)-1] != at {
				t.byName[ref.Name] = append(list, at)
			}
		})
	})
	return t
}

// naming visits the predicates that name one of some fields.
func (t *terms) naming(names []string, visit func(*rule.Condition)) {
	var places []int
	for _, name := range names {
		places = append(places, t.byName[name]...)
	}
	slices.Sort(places)
	for _, at := range slices.Compact(places) {
		visit(t.all[at])
	}
}
