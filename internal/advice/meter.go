package advice

// maxSteps limits a search, in engine steps. It corresponds to a few hundred
// milliseconds of work. A search that reaches it returns what it has found so
// far.
const maxSteps = 20_000_000

// stepsBetweenChecks is the number of steps between two calls of the check. It
// corresponds to a few hundred microseconds of work.
const stepsBetweenChecks = 20_000

// workOfEdge is the cost of finding one value that the policy compares a field
// with, in engine steps.
const workOfEdge = 20

// meter counts the work of a search.
type meter struct {
	check func() error // nil if the search is never interrupted
	err   error
	steps int
	since int // work since the last check
}

// spend counts steps that are about to be taken. It returns false if the search
// must end because the check failed or maxSteps is exceeded.
func (m *meter) spend(steps int) bool {
	if m.err != nil || m.steps > maxSteps {
		return false
	}
	m.steps += steps
	return m.tick(steps) && m.steps <= maxSteps
}

// tick counts work and calls the check after every stepsBetweenChecks steps.
// Work that is counted by tick alone does not count towards maxSteps, because
// the size of the policy limits such work. tick returns false if the check has
// failed.
func (m *meter) tick(work int) bool {
	m.since += work
	if m.since >= stepsBetweenChecks && m.err == nil {
		m.since = 0
		if m.check != nil {
			m.err = m.check()
		}
	}
	return m.err == nil
}

// over reports whether the search must end.
func (m *meter) over() bool { return m.err != nil || m.steps > maxSteps }
