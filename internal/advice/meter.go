package advice

// maxSteps bounds a search in the engine's steps: some hundred milliseconds.
// What a search has not found by then it does not find.
const maxSteps = 20_000_000

// stepsBetweenChecks is some hundred microseconds of work.
const stepsBetweenChecks = 20_000

// workOfEdge is what finding one value that the policy compares a field with costs,
// in the engine's steps.
const workOfEdge = 20

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
	return m.tick(steps) && m.steps <= maxSteps
}

// tick asks the check after so much work of another kind than the engine's, which
// is bounded by the size of the policy and does not count towards maxSteps. It
// reports false if the caller has gone.
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
