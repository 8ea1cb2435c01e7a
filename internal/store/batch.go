package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// batch is the work of one transaction: several jobs, each of which may fail
// without harm to the others.
type batch struct {
	session *session
	jobs    []*job
	results []error
	// whole says that the jobs succeed or fail together, so that nothing has to
	// stand between them; split, that they failed and must be tried apart.
	whole, split bool
}

func newBatch(s *session, jobs []*job, apart bool) *batch {
	return &batch{session: s, jobs: jobs, results: make([]error, len(jobs)), whole: len(jobs) == 1 || !apart && ofOneScope(jobs)}
}

// ofOneScope tells whether all jobs are decisions that are inserted together.
func ofOneScope(jobs []*job) bool {
	for _, j := range jobs {
		if j.decision == nil || j.voice != jobs[0].voice {
			return false
		}
	}
	return true
}

func writesOf(jobs []*job) []*DecisionWrite {
	writes := make([]*DecisionWrite, len(jobs))
	for i, j := range jobs {
		writes[i] = j.decision
	}
	return writes
}

// run does every job, those of one scope one after the other and its decisions
// together. The scopes are in a fixed order, so that two nodes do not lock the
// same counters crosswise; what belongs to no scope comes first.
func (b *batch) run() {
	order := make([]int, len(b.jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return compareVoices(b.jobs[x].voice, b.jobs[y].voice)
	})
	for which := range byScope(order, func(i int) voice { return b.jobs[i].voice }) {
		var decisions, functions []int
		for _, i := range which {
			if b.jobs[i].decision != nil {
				decisions = append(decisions, i)
			} else {
				functions = append(functions, i)
			}
		}
		b.lock(functions)
		for _, i := range functions {
			b.results[i] = b.guarded(func() error { return b.call(b.jobs[i]) })
		}
		if len(decisions) > 0 {
			b.decide(decisions)
		}
	}
}

// lock takes a scope's lock before several functions that may take it: behind
// rows that the one before has locked, it would be taken crosswise with a node
// that has them the other way round.
func (b *batch) lock(functions []int) {
	if len(functions) < 2 || b.session.broken != nil {
		return
	}
	if v := b.jobs[functions[0]].voice; v != (voice{}) {
		_ = b.fatal((&Tx{session: b.session, voice: v}).lockScope()) // told by the session
	}
}

// call runs a job's function and keeps a panic for the caller's goroutine.
func (b *batch) call(j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked = p
			err = fmt.Errorf("the write panicked: %v", p)
		}
	}()
	return j.run(b.session)
}

// decide inserts the decisions of one scope, all in a few statements. If that
// fails, one of them is at fault, and each is tried by itself.
func (b *batch) decide(which []int) {
	tx := &Tx{session: b.session, voice: b.jobs[which[0]].voice}
	together := make([]*job, len(which))
	for k, i := range which {
		together[k] = b.jobs[i]
	}
	writes := writesOf(together)
	var refusals []error
	err := b.guarded(func() (err error) {
		refusals, err = tx.insertDecisions(writes)
		return err
	})
	if err == nil || len(which) == 1 {
		for k, i := range which {
			b.results[i] = err
			if err == nil {
				b.results[i] = refusals[k]
			}
		}
		return
	}
	if b.whole {
		b.split = true
		return
	}
	for _, i := range which {
		b.results[i] = b.guarded(func() error { return tx.InsertDecision(b.jobs[i].decision) })
	}
}

// guarded runs fn so that its failure undoes what it did and nothing else.
func (b *batch) guarded(fn func() error) error {
	s := b.session
	if b.whole { // undone with the transaction
		return fn()
	}
	if _, err := s.exec("SAVEPOINT job"); err != nil {
		return err
	}
	err := fn()
	if s.broken != nil {
		return s.broken
	}
	if err == nil {
		_, err = s.exec("RELEASE SAVEPOINT job")
		return b.fatal(err)
	}
	// PostgreSQL undoes what was announced along with everything else.
	s.speaks = voice{}
	if _, undo := s.exec("ROLLBACK TO SAVEPOINT job"); undo != nil {
		return b.fatal(errors.Join(undo, err))
	}
	if _, release := s.exec("RELEASE SAVEPOINT job"); release != nil {
		return b.fatal(errors.Join(release, err))
	}
	return err
}

// fatal gives the whole transaction up: without its savepoints one job's
// failure could not be told from another's success.
func (b *batch) fatal(err error) error {
	if err != nil && b.session.broken == nil {
		b.session.broken = err
	}
	return err
}

// kept counts the jobs that the commit will make durable.
func (b *batch) kept() int {
	n := 0
	for _, err := range b.results {
		if err == nil {
			n++
		}
	}
	return n
}

func compareVoices(a, b voice) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.environment, b.environment))
}
