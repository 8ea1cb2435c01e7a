package space

// Budget bounds the work of one run of a Solver. It counts steps; a step is a
// small constant amount of work.
type Budget struct {
	max, steps int
	exhausted  bool

	check      func() error // nil if the run is never interrupted
	err        error        // the error of check
	sinceCheck int          // steps since the last check
}

// NewBudget returns a budget of about maxSteps steps. If check is not nil, it
// is called about every stepsBetweenChecks steps, and its first error exhausts
// the budget.
func NewBudget(maxSteps int, check func() error) Budget {
	return Budget{max: maxSteps, check: check}
}

// Spend uses n+1 steps. It returns false if the budget is exhausted; the work
// must then stop.
func (b *Budget) Spend(n int) bool {
	if b.exhausted = b.exhausted || b.steps > b.max; b.exhausted {
		return false
	}
	b.steps += n + 1
	b.Checkpoint(n + 1)
	return b.err == nil
}

// stepsBetweenChecks is the number of steps between two calls of check. These steps take a few hundred microseconds.
const stepsBetweenChecks = 500

// Checkpoint counts steps without using the budget, for work that must always
// be done. It calls check about every stepsBetweenChecks steps, so that the
// caller can stop the work.
func (b *Budget) Checkpoint(steps int) {
	if b.check == nil || b.err != nil {
		return
	}
	if b.sinceCheck += steps; b.sinceCheck < stepsBetweenChecks {
		return
	}
	b.sinceCheck = 0
	if b.err = b.check(); b.err != nil {
		b.exhausted = true
	}
}

// Exhaust ends the budget: from now on, Spend returns false.
func (b *Budget) Exhaust() { b.exhausted = true }

// Exhausted reports whether the budget has ended.
func (b *Budget) Exhausted() bool { return b.exhausted }

// Steps returns the number of steps used.
func (b *Budget) Steps() int { return b.steps }

// Err returns the error of check, or nil if check has returned none.
func (b *Budget) Err() error { return b.err }
