package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
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
	// blocked are the scopes that another transaction is in the way of, and why.
	blocked map[voice]error
}

func newBatch(s *session, jobs []*job, apart bool) *batch {
	return &batch{
		session: s, jobs: jobs, results: make([]error, len(jobs)),
		whole: len(jobs) == 1 || !apart && ofOneScope(jobs),
	}
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
			b.attempt(i, func() error { return b.call(b.jobs[i]) })
		}
		b.decide(decisions)
	}
}

// attempt does a job, unless its scope is blocked: the jobs of a scope are
// done in their order, and each would wait for the same lock again.
func (b *batch) attempt(i int, do func() error) {
	scope := b.jobs[i].scope
	if b.results[i] = b.blocked[scope]; b.results[i] != nil {
		return
	}
	begun, before := time.Now(), b.session.bytes
	b.results[i] = b.guarded(do)
	b.jobs[i].took = max(b.jobs[i].took, time.Since(begun), takes(costOf(b.session.bytes-before)))
	b.notice(scope, b.results[i])
}

// notice reports whether an error blocks a scope, and has the rest of the batch
// wait less for other locks: a paused node may hold those of many scopes.
func (b *batch) notice(scope voice, err error) bool {
	s := b.session
	if s.db.dialect.class(err) != classConflict {
		return false
	}
	if b.blocked == nil {
		b.blocked = map[voice]error{}
	}
	b.blocked[scope] = err
	if hurry := s.db.dialect.hurry(); hurry != "" && !b.whole && len(b.blocked) == 1 && s.broken == nil {
		_, err := s.exec(hurry)
		_ = b.fatal(err) // told by the session
	}
	return true
}

// lock takes a scope's lock before several functions that may take it: behind
// rows that the one before has locked, it would be taken crosswise with a node
// that has them the other way round.
func (b *batch) lock(functions []int) {
	if len(functions) < 2 || b.session.broken != nil {
		return
	}
	first := b.jobs[functions[0]]
	if first.voice == (voice{}) {
		return
	}
	err := b.guarded(func() error { return (&Tx{session: b.session, voice: first.voice}).lockScope() })
	if err != nil && !b.notice(first.scope, err) {
		_ = b.fatal(err) // told by the session
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
	if len(which) == 0 {
		return
	}
	scope := b.jobs[which[0]].scope
	if err := b.blocked[scope]; err != nil {
		b.refuse(which, err)
		return
	}
	tx := &Tx{session: b.session, voice: b.jobs[which[0]].voice}
	together := make([]*job, len(which))
	for k, i := range which {
		together[k] = b.jobs[i]
	}
	writes := writesOf(together)
	var refusals []error
	err := b.guarded(func() (err error) {
		refusals, err = tx.Decisions().insertAll(writes)
		return err
	})
	if b.notice(scope, err) {
		b.refuse(which, err)
		return
	}
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
		b.attempt(i, func() error { return tx.Decisions().Insert(b.jobs[i].decision) })
	}
}

func (b *batch) refuse(which []int, err error) {
	for _, i := range which {
		b.results[i] = err
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
