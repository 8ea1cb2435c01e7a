package store

import (
	"testing"
	"time"
)

// jobOf returns a job with a decision of a tenant. bytes is the size of its
// documents.
func jobOf(tenant string, bytes int) *job {
	scope := rlsScope{tenant: tenant, environment: "sandbox"}
	return &job{scope: scope, rls: scope, decision: &DecisionWrite{Decision: Decision{Response: make([]byte, bytes)}}}
}

func tenants(jobs []*job) (names string) {
	for _, j := range jobs {
		names += j.scope.tenant
	}
	return names
}

// TestQueueIsFair checks that a scope with many or large jobs delays only
// itself.
func TestQueueIsFair(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	for range 100 {
		q.push(jobOf("a", 0), now)
	}
	for range 3 {
		q.push(jobOf("b", 0), now)
	}
	if budget := q.budget(now); budget != 0 {
		t.Errorf("two scopes after each other have a budget of %d", budget)
	}
	q.push(jobOf("a", 0), now)
	budget := q.budget(now)
	if budget != 40 {
		t.Errorf("two scopes may take %d", budget)
	}
	budget = 10
	batch, cost := q.take(make([]*job, 0, 256), budget)
	if got := tenants(batch); got != "abababaaaa" || cost != budget {
		t.Errorf("the first batch holds %s and costs %d of %d", got, cost, budget)
	}
	q.push(jobOf("b", 0), now) // tenant b has used less, so its job comes first
	batch, _ = q.take(make([]*job, 0, 256), budget)
	if got := tenants(batch); got != "baaaaaaaaa" {
		t.Errorf("the second batch holds %s", got)
	}
	// A large job gets its own batch while others wait.
	q.remove(batch[1].scope)
	q.push(jobOf("a", 1<<20), now)
	q.push(jobOf("b", 0), now)
	for _, want := range []string{"b", "a"} {
		if batch, _ = q.take(make([]*job, 0, 256), budget); tenants(batch) != want {
			t.Errorf("a batch holds %s, want %s", tenants(batch), want)
		}
	}
	if q.length != 0 {
		t.Errorf("%d jobs are left", q.length)
	}
}

// TestQueueOfOneScope checks that a scope that writes alone fills batches, and
// that an idle scope gains no credit for later batches.
func TestQueueOfOneScope(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	q.push(jobOf("b", 0), now)
	for range 200 {
		q.push(jobOf("a", 0), now)
	}
	q.push(jobOf("a", 0), now.Add(time.Second))
	if batch, _ := q.take(make([]*job, 0, 256), q.budget(now.Add(time.Second))); len(batch) != 202 {
		t.Errorf("the batch holds %d jobs", len(batch))
	}
	for range 20 {
		q.push(jobOf("a", 0), now)
		q.push(jobOf("b", 0), now)
	}
	if batch, _ := q.take(make([]*job, 0, 6), 0); tenants(batch) != "ababab" {
		t.Errorf("after a pause the batch holds %s", tenants(batch))
	}
}

// TestQueueCharges checks that a scope whose functions have written more than estimated waits until the
// other scopes have used as much.
func TestQueueCharges(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	q.push(jobOf("a", 0), now)
	q.take(make([]*job, 0, 1), 0)
	q.charge(jobOf("a", 0).scope, 4)
	q.charge(jobOf("unknown", 0).scope, 4)
	for range 8 {
		q.push(jobOf("a", 0), now)
		q.push(jobOf("b", 0), now)
	}
	if batch, _ := q.take(make([]*job, 0, 8), 0); tenants(batch) != "bbbbabab" {
		t.Errorf("after a large write of a the batch holds %s", tenants(batch))
	}
}

// TestQueueForgets checks that idle scopes are deleted from the queue.
func TestQueueForgets(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Now()
	for i := range 20_000 {
		q.push(jobOf(time.Duration(i).String(), 0), now)
		q.take(make([]*job, 0, 8), 0)
	}
	if len(q.scopes) > 4*manyScopes {
		t.Errorf("%d scopes are remembered", len(q.scopes))
	}
}

// TestQueueMeasures checks that the measured duration of commits determines the
// budget of a batch.
func TestQueueMeasures(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Now()
	for range 2 {
		q.push(jobOf("a", 0), now)
		q.push(jobOf("b", 0), now)
	}
	q.remove(jobOf("b", 0).scope)
	for range 100 {
		q.measured(10, 5500*time.Microsecond)
		q.measured(100, 10*time.Millisecond)
	}
	if got := q.budget(now); got < 95 || got > 105 { // the commit takes 5 ms of a batch
		t.Errorf("a batch may cost %d", got)
	}
	for range 100 {
		q.measured(8, 500*time.Microsecond)
	}
	if got := q.budget(now); got != 20 {
		t.Errorf("with a fast disk a batch may cost %d", got)
	}
}

// TestQueueIsBounded checks that a scope in which jobs always wait uses no more
// memory than these jobs need.
func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	q, now := newQueue(), time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	q.push(jobOf("a", 0), now)
	for i := range 100_000 {
		q.push(jobOf("a", 0), now)
		if batch, _ := q.take(make([]*job, 0, 1), 0); len(batch) != 1 || q.length != 1 {
			t.Fatalf("round %d: a batch of %d, %d jobs wait", i, len(batch), q.length)
		}
	}
	if size := cap(q.scopes[jobOf("a", 0).scope].jobs); size > 16 {
		t.Errorf("room for %d jobs, and one waits", size)
	}
}
