package batchdesk_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

// BenchmarkRows compares the rows of a batch, run by one worker, with the same applications decided by 64 concurrent
// callers without HTTP. An operation is one decision. The CPU time is that of this process and does not include
// PostgreSQL.
func BenchmarkRows(b *testing.B) {
	for _, database := range []struct {
		name string
		url  func(testing.TB) string
	}{{"sqlite", storetest.SQLite}, {"postgres", storetest.Postgres}} {
		for _, way := range []struct {
			name string
			run  func(b *testing.B, service *usecase.Set, q *queue, caller tenant.Principal)
		}{{"closed loop", closedLoop}, {"batch", runBatch}} {
			b.Run(database.name+"/"+way.name, func(b *testing.B) {
				q := &queue{}
				plans, err := tenant.DefaultPricePlans().WithQuotas("free=unmetered")
				if err != nil {
					b.Fatal(err)
				}
				service, err := usecase.New(storetest.Open(b, database.url(b), store.Options{}), usecase.Options{
					ChunkQueue: q, MasterKey: usecasetest.MasterKey, PasswordCost: usecasetest.Cheap, Plans: plans,
				})
				if err != nil {
					b.Fatal(err)
				}
				signed, err := service.Operator.Signup(b.Context(), tenant.Signup{
					Email: usecasetest.Asha, OrgName: "Asha", Password: tenant.NewSecret(usecasetest.Password),
				})
				if err != nil {
					b.Fatal(err)
				}
				caller, err := service.Access.Authenticate(b.Context(), signed.Key)
				if err != nil {
					b.Fatal(err)
				}
				way.run(b, service, q, caller)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
			})
		}
	}
}

// closedLoop decides with concurrent callers.
func closedLoop(b *testing.B, service *usecase.Set, _ *queue, caller tenant.Principal) {
	b.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	cpu := cpuTime()
	b.ResetTimer()
	for range 64 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				body, err := wire.Parse([]byte(strings.Replace(lines(1), "A-0", fmt.Sprintf("A-%d", i), 1)))
				if err == nil {
					_, err = service.Decisions.Decide(b.Context(), caller, application.DecisionRequest(body), nil)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
}

// runBatch decides the rows of a batch.
func runBatch(b *testing.B, service *usecase.Set, q *queue, caller tenant.Principal) {
	b.Helper()
	started := start(b, service, caller, lines(b.N))
	chunks := q.take()
	cpu := cpuTime()
	b.ResetTimer()
	for _, c := range chunks {
		if err := service.RunChunk(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-cpu).Microseconds())/float64(b.N), "cpu-µs/op")
	if done, err := service.Batches.Get(b.Context(), caller, started.ID); err != nil || done.FinishedMicros == 0 {
		b.Fatalf("%+v, %v", done, err)
	}
}

// cpuTime returns the processor time that this process has used.
func cpuTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it cannot fail for this process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
