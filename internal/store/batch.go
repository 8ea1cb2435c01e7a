package store

import (
	"cmp"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"verdict/internal/fault"
)

// batch is the work of one transaction: several jobs, each of which may fail
// without affecting the others.
type batch struct {
	transaction *transaction
	jobs        []*job
	results     []error
	// allOrNothing means that no savepoints are used, so an error of the database undoes all jobs. split means that
	// this has happened, and that the jobs must be tried again with savepoints.
	allOrNothing, split bool
	// blocked holds the scopes that wait for another transaction's lock, each
	// with the error.
	blocked map[rlsScope]error
	// excess holds, for each scope, how much its jobs cost beyond the queue's estimates.
	excess map[rlsScope]int64
}

// newBatch returns a batch. A batch of decisions only needs no savepoints, unless apart is set: a decision that is
// refused undoes its own changes. blocked are the scopes that another transaction has locked, if an earlier attempt has
// found any.
func newBatch(s *transaction, jobs []*job, apart bool, blocked map[rlsScope]error) *batch {
	return &batch{
		transaction:  s,
		jobs:         jobs,
		results:      make([]error, len(jobs)),
		allOrNothing: len(jobs) == 1 || !apart && decisionsOnly(jobs),
		blocked:      blocked,
	}
}

func decisionsOnly(jobs []*job) bool {
	for _, j := range jobs {
		if j.decision == nil {
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

// run runs every job, scope by scope: first the functions of a scope in their
// order, then its decisions together. Scopes are in a fixed order, so that two
// nodes cannot deadlock on the same counters; jobs without a scope come last.
func (b *batch) run() {
	if len(b.blocked) > 0 {
		b.shortenLockTimeout()
	}
	order := make([]int, len(b.jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return compareScopes(b.jobs[x].rls, b.jobs[y].rls)
	})
	for which := range byScope(order, func(i int) rlsScope { return b.jobs[i].rls }) {
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
		b.insertDecisions(decisions)
		if b.split {
			return
		}
	}
}

// attempt runs a job unless its scope is blocked. In a blocked scope, every
// further job would wait for the same lock again.
func (b *batch) attempt(i int, do func() error) {
	scope := b.jobs[i].scope
	if b.results[i] = b.blocked[scope]; b.results[i] != nil {
		return
	}
	begun, before := time.Now(), b.transaction.bytes
	b.results[i] = b.withSavepoint(do)
	cost := costOf(b.transaction.bytes - before)
	b.jobs[i].took = max(b.jobs[i].took, time.Since(begun), durationOf(cost))
	if estimated := b.jobs[i].cost(); cost > estimated {
		if b.excess == nil {
			b.excess = map[rlsScope]int64{}
		}
		b.excess[scope] += cost - estimated
	}
	b.noteConflict(scope, b.results[i])
}

// noteConflict reports whether err is a conflict, and if so marks the scope as
// blocked. After the first conflict it shortens the lock timeout for the rest of
// the batch, because a paused node may hold locks of many scopes.
func (b *batch) noteConflict(scope rlsScope, err error) bool {
	if b.transaction.db.dialect.class(err) != classConflict {
		return false
	}
	if b.blocked == nil {
		b.blocked = map[rlsScope]error{}
	}
	b.blocked[scope] = err
	if !b.allOrNothing && len(b.blocked) == 1 {
		b.shortenLockTimeout()
	}
	return true
}

func (b *batch) shortenLockTimeout() {
	s := b.transaction
	if set := s.db.dialect.shortLockTimeout; set != "" && s.broken == nil {
		_, err := s.exec(set)
		_ = b.markBroken(err) // the error is recorded in the transaction
	}
}

// lock locks a scope before its functions run, because they may add entries to the journal. If a function locked the
// journal after it had locked other rows, two nodes could deadlock.
func (b *batch) lock(functions []int) {
	if len(functions) == 0 || b.transaction.broken != nil {
		return
	}
	first := b.jobs[functions[0]]
	if first.rls.environment == "" {
		return // functions of a tenant or of the system; those that add entries lock the journals themselves
	}
	err := b.withSavepoint(func() error { return (&Tx{transaction: b.transaction, rls: first.rls}).Lock() })
	if err == nil {
		return
	}
	for _, i := range functions { // functions of the system have a job.scope of their own, which is blocked separately
		if !b.noteConflict(b.jobs[i].scope, err) {
			_ = b.markBroken(err) // the error is recorded in the transaction
		}
	}
}

var errPanicked = errors.New("the write panicked")

// call runs a job's function. It recovers a panic, which submit raises again on the caller's goroutine. It records the
// stack here, because the stack of the caller's goroutine does not show where the function panicked.
func (b *batch) call(j *job) (err error) {
	defer func() {
		if p := recover(); p != nil {
			j.panicked = &fault.Panic{Value: p, Stack: debug.Stack()}
			err = errPanicked // without the value of the panic, which may contain data of a tenant
		}
	}()
	return j.run(b.transaction)
}

// insertDecisions inserts the decisions of one scope in a few statements. If that fails, it inserts each decision by
// itself, because one of them may be the cause. Without savepoints it cannot do that, and sets split instead. It also
// sets split if another transaction has locked the scope, because the other scopes of the batch must not wait.
func (b *batch) insertDecisions(which []int) {
	if len(which) == 0 {
		return
	}
	scope := b.jobs[which[0]].scope
	if err := b.blocked[scope]; err != nil {
		b.refuse(which, err)
		return
	}
	tx := &Tx{transaction: b.transaction, rls: b.jobs[which[0]].rls}
	together := make([]*job, len(which))
	for k, i := range which {
		together[k] = b.jobs[i]
	}
	writes := writesOf(together)
	var refusals []error
	err := b.withSavepoint(func() (err error) {
		refusals, err = tx.Decisions().insertAll(writes)
		return err
	})
	if b.noteConflict(scope, err) {
		b.refuse(which, err)
		b.split = b.allOrNothing && len(which) < len(b.jobs)
		return
	}
	if err == nil || len(b.jobs) == 1 || len(which) == 1 && !b.allOrNothing {
		for k, i := range which {
			b.results[i] = err
			if err == nil {
				b.results[i] = refusals[k]
			}
		}
		return
	}
	if b.allOrNothing {
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

// withSavepoint runs fn in a savepoint, so that an error undoes only fn's
// changes.
func (b *batch) withSavepoint(fn func() error) error {
	s := b.transaction
	if b.allOrNothing { // the transaction is rolled back as a whole
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
		return b.markBroken(err)
	}
	// ROLLBACK TO SAVEPOINT also restores PostgreSQL's settings, so the
	// row-level security scope must be set again.
	s.rls = rlsScope{}
	if _, undo := s.exec("ROLLBACK TO SAVEPOINT job"); undo != nil {
		return b.markBroken(undo)
	}
	if _, release := s.exec("RELEASE SAVEPOINT job"); release != nil {
		return b.markBroken(release)
	}
	return err
}

// markBroken makes the whole transaction fail: if a savepoint fails, the
// changes of one job can no longer be undone separately.
func (b *batch) markBroken(err error) error {
	if err != nil && b.transaction.broken == nil {
		b.transaction.broken = err
	}
	return err
}

// kept returns the number of jobs that the commit will make durable.
func (b *batch) kept() int {
	n := 0
	for _, err := range b.results {
		if err == nil {
			n++
		}
	}
	return n
}

func compareScopes(a, b rlsScope) int {
	return cmp.Or(cmp.Compare(flag(a.tenant == ""), flag(b.tenant == "")),
		cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.environment, b.environment))
}
