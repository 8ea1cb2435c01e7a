package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// BenchmarkInsert measures durable inserts of decisions of 2 kB, with their usage. "bulk" inserts as the service does,
// with 64 concurrent callers. "answers" also stores an answer for an idempotency key. "functions" inserts each decision
// with a function in shared transactions. "alone" uses a transaction for each decision. "one caller" has a single
// caller. "four tenants" spreads the decisions over four tenants. The CPU time is that of this process and does not
// include PostgreSQL.
func BenchmarkInsert(b *testing.B) {
	for _, database := range []struct {
		name string
		url  func(testing.TB) string
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		for _, way := range []struct {
			name    string
			callers int
			batch   int
			tenants int64
			insert  func(context.Context, *store.Scope, *store.DecisionWrite) error
		}{
			{"bulk", 64, 0, 1, bulk}, {"answers", 64, 0, 1, answers}, {"functions", 64, 0, 1, function},
			{"alone", 64, 1, 1, bulk}, {"one caller", 1, 0, 1, bulk}, {"four tenants", 64, 0, 4, bulk},
		} {
			b.Run(database.name+"/"+way.name, func(b *testing.B) {
				db := storetest.Open(b, database.url(b), store.Options{BatchSize: way.batch})
				var next atomic.Int64
				var all sync.WaitGroup
				before, cpu := db.Stats(), cpuTime()
				b.ResetTimer()
				for range way.callers {
					all.Go(func() {
						for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
							scope := db.Scope(fmt.Sprintf("ten_%d", i%way.tenants), "sandbox")
							if err := way.insert(b.Context(), scope, write(fmt.Sprintf("dec_%010d", i))); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				all.Wait()
				b.StopTimer()
				after := db.Stats()
				b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
				b.ReportMetric(float64(after.Writes-before.Writes)/float64(after.Batches-before.Batches), "per-commit")
			})
		}
	}
}

func bulk(ctx context.Context, scope *store.Scope, w *store.DecisionWrite) error {
	return scope.InsertDecision(ctx, w)
}

func answers(ctx context.Context, scope *store.Scope, w *store.DecisionWrite) error {
	w.Answer = answering(w.Decision.ID, w.Decision.ID, "h").Answer
	return scope.InsertDecision(ctx, w)
}

// cpuTime returns the CPU time that this process has used.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail for this process itself
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func function(ctx context.Context, scope *store.Scope, w *store.DecisionWrite) error {
	return scope.Write(ctx, func(tx *store.Tx) error { return tx.Decisions().Insert(w) })
}
