//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package batchdesk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// queue collects the chunks that are enqueued.
type queue struct {
	mu     sync.Mutex
	chunks []operation.Chunk
}

func (q *queue) Enqueue(_ context.Context, chunks []operation.Chunk) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.chunks = append(q.chunks, chunks...)
	return nil
}

func (q *queue) take() (chunks []operation.Chunk) {
	q.mu.Lock()
	defer q.mu.Unlock()
	chunks, q.chunks = q.chunks, nil
	return chunks
}

// lines returns n rows.
func lines(n int) string {
	var text strings.Builder
	for i := range n {
		_, _ = fmt.Fprintf(&text, `{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},`+
			`"bureau_report":{"score":742}}`+"\n", i)
	}
	return text.String()
}

func start(tb testing.TB, service *usecase.Set, caller tenant.Principal, text string) batchdesk.Batch {
	tb.Helper()
	started, err := service.Batches.Start(tb.Context(), caller, batchdesk.Request{
		Endpoint: decisioning.EndpointDecisions, Lines: strings.NewReader(text), MaxLine: 1 << 20,
	}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return started
}

// wantEachOnce checks that a batch is over, that each row has a decision of its own, and that each was billed once.
func wantEachOnce(t *testing.T, service *usecase.Set, caller tenant.Principal, id string, n int) {
	t.Helper()
	seen := map[string]bool{}
	err := service.Batches.Results(t.Context(), caller, id, batchdesk.Window{}, func(r batchdesk.Row) error {
		if seen[r.DecisionID] || r.Err != nil || r.Index != int64(len(seen)) {
			t.Errorf("the outcome of row %d is %+v", len(seen), r)
		}
		seen[r.DecisionID] = true
		return nil
	}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	usage, err := service.Decisions.Usage.Current(t.Context(), caller)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := service.Batches.Get(t.Context(), caller, id)
	if err != nil || batch.Status != batchdesk.Completed || len(seen) != n || usage.Used != int64(n) {
		t.Errorf("%d rows have an outcome, %d units are used, the batch is %+v, %v", len(seen), usage.Used, batch, err)
	}
}

// TestSameChunkTwice lets two nodes run the same chunk at the same time. This happens if one node is believed dead but
// still runs.
func TestSameChunkTwice(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q})
		other, err := usecase.New(db, usecase.Options{
			ChunkQueue: q, MasterKey: usecasetest.MasterKey, PasswordCost: usecasetest.Cheap,
			Now: usecasetest.NewClock().Now,
		})
		if err != nil {
			t.Fatal(err)
		}
		started := start(t, h.Service, h.Caller, lines(300))
		chunks := q.take()
		var all sync.WaitGroup
		errs := make([]error, 2)
		for i, service := range []*usecase.Set{h.Service, other} {
			all.Go(func() {
				for errs[i] = operation.ErrUnfinished; errors.Is(errs[i], operation.ErrUnfinished); {
					errs[i] = service.RunChunk(t.Context(), chunks[0])
				}
			})
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		wantEachOnce(t, h.Service, h.Caller, started.ID, 300)
	})
}

// TestUnfinishedChunk runs a chunk for which an attempt has too little time. The next attempts continue.
func TestUnfinishedChunk(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		var moving sync.Mutex
		moves := false
		now := func() time.Time {
			moving.Lock()
			defer moving.Unlock()
			if moves {
				clock.Pass(30 * time.Millisecond)
			}
			return clock.Now()
		}
		q := &queue{}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Now: now})
		started := start(t, h.Service, h.Caller, lines(900))
		chunk := q.take()[0]
		moving.Lock()
		moves = true
		moving.Unlock()
		attempts := 0
		for err := operation.ErrUnfinished; errors.Is(err, operation.ErrUnfinished); attempts++ {
			if err = h.Service.RunChunk(t.Context(), chunk); err != nil && !errors.Is(err, operation.ErrUnfinished) {
				t.Fatal(err)
			}
		}
		if attempts < 2 {
			t.Errorf("%d attempts", attempts)
		}
		wantEachOnce(t, h.Service, h.Caller, started.ID, 900)
	})
}

// TestResume checks that Resume enqueues the chunks that are not done, and that it skips batches that have made
// progress.
func TestResume(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Batches: batchdesk.Limits{ChunkRows: 10}})
		start(t, h.Service, h.Caller, lines(30))
		chunks := q.take()
		resume := func(want []operation.Chunk) {
			t.Helper()
			if err := h.Service.Batches.Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, q.take()); diff != "" {
				t.Errorf("enqueued (-want +got):\n%s", diff)
			}
		}
		resume(chunks) // this node does not know the batch yet
		if err := h.Service.RunChunk(t.Context(), chunks[1]); err != nil {
			t.Fatal(err)
		}
		resume(nil) // the batch has made progress
		resume([]operation.Chunk{chunks[0], chunks[2]})
	})
}

// TestUnreadableChunk spoils the stored rows of a chunk. They get an internal error, and the batch ends.
func TestUnreadableChunk(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		q := &queue{}
		h := usecasetest.Open(t, storetest.Open(t, databaseURL, store.Options{}), usecase.Options{
			ChunkQueue: q, Batches: batchdesk.Limits{ChunkRows: 10},
		})
		started := start(t, h.Service, h.Caller, lines(20))
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		statements := []string{"UPDATE batch_chunks SET input = (SELECT input FROM batch_chunks WHERE number = 2)"}
		if !strings.HasPrefix(databaseURL, "sqlite") {
			statements = append([]string{"SELECT set_config('verdict.role', 'system', true)"}, statements...)
		}
		for _, statement := range statements {
			if _, err := tx.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		for _, c := range q.take() {
			if err := h.Service.RunChunk(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		batch, err := h.Service.Batches.Get(t.Context(), h.Caller, started.ID)
		if err != nil || batch.Status != batchdesk.Completed || batch.Counts.Errors["internal_error"] != 10 {
			t.Errorf("%+v, %v", batch, err)
		}
	})
}

// TestAbandonedChunk runs a chunk whose rows cannot be stored because the context has ended. AbandonChunk then decides
// the rows, because the database works.
func TestAbandonedChunk(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q})
		started := start(t, h.Service, h.Caller, lines(5))
		chunk := q.take()[0]
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.Service.RunChunk(ended, chunk); err == nil {
			t.Error("a chunk was run although its context has ended")
		}
		if err := h.Service.AbandonChunk(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}
		wantEachOnce(t, h.Service, h.Caller, started.ID, 5)
	})
}

// TestCancelledWhileDeciding cancels a batch while a node that was believed dead decides some rows of a chunk. Another
// node has read these rows as undecided, and gives them an error after the first node has decided them. The decided
// rows keep their decisions.
func TestCancelledWhileDeciding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		slow := &hook{clock: usecasetest.NewClock()}
		fast := &hook{clock: usecasetest.NewClock()}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Now: fast.now})
		dead, err := usecase.New(db, usecase.Options{
			ChunkQueue: q, MasterKey: usecasetest.MasterKey, PasswordCost: usecasetest.Cheap, Now: slow.now,
		})
		if err != nil {
			t.Fatal(err)
		}
		started := start(t, h.Service, h.Caller, lines(200))
		chunk := q.take()[0]

		opened, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		slow.set(func() { // the clock is first read after the chunk was opened
			close(opened)
			<-release
			slow.set(func() { slow.clock.Pass(time.Second) }) // there is time for some rows only
		})
		go func() { ended <- dead.RunChunk(t.Context(), chunk) }()
		<-opened
		if _, err := h.Service.Batches.Cancel(t.Context(), h.Caller, started.ID, nil); err != nil {
			t.Fatal(err)
		}
		fast.set(func() {
			fast.set(nil)
			close(release)
			if err := <-ended; !errors.Is(err, operation.ErrUnfinished) {
				t.Errorf("the slow node returned %v", err)
			}
		})
		if err := h.Service.RunChunk(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}

		batch, err := h.Service.Batches.Get(t.Context(), h.Caller, started.ID)
		if err != nil {
			t.Fatal(err)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil {
			t.Fatal(err)
		}
		decided := batch.Counts.Statuses["APPROVED"]
		if usage.Used == 0 || decided != usage.Used || batch.Counts.Errors["batch_cancelled"] != 200-decided {
			t.Errorf("%d units are used, the batch is %+v", usage.Used, batch)
		}
	})
}

// hook calls a function whenever the time is read.
type hook struct {
	clock *usecasetest.Clock
	mu    sync.Mutex
	do    func()
}

func (h *hook) set(do func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.do = do
}

func (h *hook) now() time.Time {
	h.mu.Lock()
	do := h.do
	h.mu.Unlock()
	if do != nil {
		do()
	}
	return h.clock.Now()
}

// TestHalfPurged deletes some of the chunks of a batch, as Purge does with a large one. Results must then return
// batch_expired, and not fewer rows.
func TestHalfPurged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q, clock := &queue{}, usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{
			ChunkQueue: q, Now: clock.Now, Batches: batchdesk.Limits{ChunkRows: 5},
		})
		started := start(t, h.Service, h.Caller, lines(20))
		for _, c := range q.take() {
			if err := h.Service.RunChunk(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		results := func(from int64, between func()) (n int, err error) {
			err = h.Service.Batches.Results(t.Context(), h.Caller, started.ID, batchdesk.Window{From: from},
				func(batchdesk.Row) error { n++; return nil }, between)
			return n, err
		}
		if n, err := results(20, func() {}); n != 0 || err != nil {
			t.Errorf("%d rows after the last one, %v", n, err)
		}
		purge := sync.OnceFunc(func() {
			clock.Pass(time.Hour)
			if _, err := db.Jobs().PurgeBatchJobs(t.Context(), clock.Now().UnixMicro(), 2); err != nil {
				t.Fatal(err)
			}
		})
		if n, err := results(0, purge); n != 5 || fault.CodeOf(err) != fault.CodeBatchExpired {
			t.Errorf("%d rows while chunks are deleted, %v", n, err)
		}
		if n, err := results(0, func() {}); n != 0 || fault.CodeOf(err) != fault.CodeBatchExpired {
			t.Errorf("%d rows after two chunks were deleted, %v", n, err)
		}
	})
}

// TestBlankLines starts batches with as many blank lines as are allowed, and with one more.
func TestBlankLines(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		const most = 2_000
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: &queue{}, Batches: batchdesk.Limits{Rows: most}})
		if started := start(
			t, h.Service, h.Caller, lines(2)+strings.Repeat(" \r\n", most)+lines(1),
		); started.Rows != 3 {
			t.Errorf("the batch is %+v", started)
		}
		for _, text := range []string{"", lines(1)} {
			_, err := h.Service.Batches.Start(t.Context(), h.Caller, batchdesk.Request{
				Endpoint: decisioning.EndpointDecisions, MaxLine: 1 << 20,
				Lines: strings.NewReader(text + strings.Repeat("\n", most+1)),
			}, nil)
			if fault.CodeOf(err) != fault.CodeRequestTooLarge {
				t.Errorf("too many blank lines after %d bytes: %v", len(text), err)
			}
		}
	})
}

// TestCancelledInsideChunk cancels a batch while a worker decides a chunk. The worker finishes the chunk, and its rows
// are decided, billed and in the results. No other chunk begins.
func TestCancelledInsideChunk(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		worker := &hook{clock: usecasetest.NewClock()}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Batches: batchdesk.Limits{ChunkRows: 20}})
		other, err := usecase.New(db, usecase.Options{
			ChunkQueue: q, MasterKey: usecasetest.MasterKey, PasswordCost: usecasetest.Cheap, Now: worker.now,
		})
		if err != nil {
			t.Fatal(err)
		}
		started := start(t, h.Service, h.Caller, lines(60))
		chunks := q.take()
		worker.set(func() { // the clock is first read after the chunk was opened
			worker.set(nil)
			batch, err := h.Service.Batches.Cancel(t.Context(), h.Caller, started.ID, nil)
			if err != nil || batch.Status != batchdesk.Cancelling {
				t.Errorf("the batch is %+v, %v", batch, err)
			}
		})
		for _, c := range []operation.Chunk{chunks[1], chunks[0], chunks[2]} {
			if err := other.RunChunk(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
		decided := int64(0)
		all := batchdesk.Window{}
		err = h.Service.Batches.Results(t.Context(), h.Caller, started.ID, all, func(r batchdesk.Row) error {
			inside := r.Index >= 20 && r.Index < 40
			if (r.DecisionID != "") != inside || !inside && r.Err.Code != fault.CodeBatchCancelled {
				t.Errorf("the outcome of row %d is %+v", r.Index, r)
			}
			if r.DecisionID != "" {
				decided++
			}
			return nil
		}, func() {})
		if err != nil {
			t.Fatal(err)
		}
		batch, err := h.Service.Batches.Get(t.Context(), h.Caller, started.ID)
		if err != nil {
			t.Fatal(err)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || decided != 20 || usage.Used != decided || batch.Status != batchdesk.Cancelled {
			t.Errorf("%d rows are decided, %d units are used, the batch is %+v, %v", decided, usage.Used, batch, err)
		}
	})
}

// TestKilledUpload begins an upload whose node is killed. A later process fails the batch with a text that says what to
// do, and frees its rows and its place among the unfinished batches.
func TestKilledUpload(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{
			ChunkQueue: &queue{}, Now: clock.Now, Batches: batchdesk.Limits{ChunkRows: 10, Unfinished: 1},
		})
		scope := db.Scope(h.Caller.TenantID, string(h.Caller.Environment))
		stored := func() int64 {
			t.Helper()
			n, err := scope.StoredBytes(t.Context()).Sum()
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := stored()
		from, to := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			_, err := h.Service.Batches.Start(t.Context(), h.Caller, batchdesk.Request{
				Endpoint: decisioning.EndpointDecisions, Lines: from, MaxLine: 1 << 20,
			}, nil)
			ended <- err
		}()
		if _, err := io.WriteString(to, lines(25)); err != nil { // returns when the first chunks were read
			t.Fatal(err)
		}
		if _, err := io.WriteString(to, lines(25)); err != nil {
			t.Fatal(err)
		}
		page, err := h.Service.Batches.List(t.Context(), h.Caller, batchdesk.Receiving, operation.List{Limit: 10})
		if err != nil || len(page.Data) != 1 || stored() == before {
			t.Fatalf("%+v, %v", page, err)
		}
		id := page.Data[0].ID
		clock.Pass(time.Second)
		if err := h.Service.Batches.FailReceiving(t.Context(), clock.Now()); err != nil {
			t.Fatal(err)
		}
		if err := h.Service.Batches.Purge(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		batch, err := h.Service.Batches.Get(t.Context(), h.Caller, id)
		if err != nil || batch.Status != batchdesk.Failed || batch.ErrorCode != fault.CodeInputIncomplete ||
			!strings.Contains(batch.ErrorDetail, "no row was decided, so send them again") || stored() != before {
			t.Errorf("%d bytes are stored, the batch is %+v, %v", stored()-before, batch, err)
		}
		start(t, h.Service, h.Caller, lines(1)) // the place is free
		_ = to.Close()
		if err := <-ended; fault.CodeOf(err) != fault.CodeInvalidTransition {
			t.Errorf("the upload that was believed dead ended with %v", err)
		}
	})
}
