//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// batchJob returns a job that is still receiving its rows.
func batchJob(id string) store.BatchJob {
	return store.BatchJob{
		ID: id, Status: store.BatchJobReceiving, Endpoint: "POST /v1/decisions", Strict: true,
		RequestID: "req_1", CreatedBy: "key_1", CreatedMicros: 1000,
	}
}

// change runs fn in a transaction.
func change(t *testing.T, scope *store.Scope, fn func(*store.Tx) error) {
	t.Helper()
	if err := scope.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// batchChunk returns a chunk of ten rows.
func batchChunk(number int64) store.BatchChunk {
	return store.BatchChunk{Number: number, First: 10 * (number - 1), Rows: 10, Input: []byte{0x1f, 0x8b, byte(number)}}
}

// fillBatchJob inserts a row into every table of batch jobs.
func fillBatchJob(tx *store.Tx) error {
	if err := tx.BatchJobs().Insert(batchJob("bat_fill")); err != nil {
		return err
	}
	if err := tx.BatchJobs().ReceiveChunk("bat_fill", batchChunk(1)); err != nil {
		return err
	}
	return tx.BatchJobs().Exclude("hmac:1")
}

// queueBatch stores a queued job of n chunks.
func queueBatch(t *testing.T, scope *store.Scope, id string, n int64) {
	t.Helper()
	change(t, scope, func(tx *store.Tx) error {
		if err := tx.BatchJobs().Insert(batchJob(id)); err != nil {
			return err
		}
		for number := int64(1); number <= n; number++ {
			if err := tx.BatchJobs().ReceiveChunk(id, batchChunk(number)); err != nil {
				return err
			}
		}
		return tx.BatchJobs().Queue(id, 10*n, n)
	})
}

// plusOne adds a "+" to counts. It is the count function of FinishChunk in tests.
func plusOne(counts []byte) ([]byte, error) { return append(counts, '+'), nil }

func finishBatchChunk(t *testing.T, scope *store.Scope, id string, number, now int64) (first bool) {
	t.Helper()
	c := batchChunk(number)
	c.Result = []byte{byte(number)}
	change(t, scope, func(tx *store.Tx) (err error) {
		first, err = tx.BatchJobs().FinishChunk(id, c, now, plusOne)
		return err
	})
	return first
}

// TestBatchJob checks a job from its first chunk to its end.
func TestBatchJob(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_1")
		want := batchJob("bat_1")
		change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Insert(want) })
		wantBatch := func() {
			t.Helper()
			got, err := scope.BatchJobs(ctx).Get("bat_1")
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		}
		wantBatch()
		if n, err := scope.BatchJobs(ctx).Unfinished(); err != nil || n != 1 {
			t.Errorf("%d jobs are unfinished, %v", n, err)
		}
		for number := range int64(2) {
			change(t, scope, func(tx *store.Tx) error {
				return tx.BatchJobs().ReceiveChunk("bat_1", batchChunk(number+1))
			})
		}
		change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Queue("bat_1", 20, 2) })
		want.Status, want.Rows, want.Chunks = store.BatchJobQueued, 20, 2
		wantBatch()
		err := scope.Write(ctx, func(tx *store.Tx) error { return tx.BatchJobs().ReceiveChunk("bat_1", batchChunk(3)) })
		if fault.CodeOf(err) != fault.CodeInvalidTransition {
			t.Errorf("a chunk after the last one: %v", err)
		}

		got, err := scope.BatchJobs(ctx).Chunk("bat_1", 2)
		if diff := cmp.Diff(batchChunk(2), got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if !finishBatchChunk(t, scope, "bat_1", 2, 5000) || finishBatchChunk(t, scope, "bat_1", 2, 6000) {
			t.Error("a chunk is not done once")
		}
		want.Status, want.RowsDone, want.ChunksDone, want.StartedMicros = store.BatchJobRunning, 10, 1, 5000
		want.Counts = []byte("+")
		wantBatch()
		if pending, err := scope.BatchJobs(ctx).PendingChunks("bat_1"); err != nil || !cmp.Equal(pending, []int64{1}) {
			t.Errorf("chunks %v are pending, %v", pending, err)
		}
		if c, err := scope.BatchJobs(ctx).Chunk("bat_1", 2); err != nil || len(c.Input) > 0 || !c.Done {
			t.Errorf("a chunk that is done: %+v, %v", c, err)
		}
		c, found, err := scope.BatchJobs(ctx).ChunkAt("bat_1", 19)
		if err != nil || !found || c.Number != 2 || !cmp.Equal(c.Result, []byte{2}) {
			t.Errorf("the chunk with row 19: %+v, %t, %v", c, found, err)
		}
		if _, found, err = scope.BatchJobs(ctx).ChunkAt("bat_1", 20); found || err != nil {
			t.Errorf("there is a chunk with row 20: %t, %v", found, err)
		}
		change(t, scope, func(tx *store.Tx) error {
			return errors.Join(tx.BatchJobs().Exclude("hmac:a"), tx.BatchJobs().Exclude("hmac:a"))
		})
		if people, err := scope.BatchJobs(ctx).Excluded("bat_1"); err != nil || !cmp.Equal(people, []string{"hmac:a"}) {
			t.Errorf("excluded: %v, %v", people, err)
		}
		finishBatchChunk(t, scope, "bat_1", 1, 7000)
		want.Status, want.RowsDone, want.ChunksDone = store.BatchJobCompleted, 20, 2
		want.FinishedMicros, want.Counts = 7000, []byte("++")
		wantBatch()
		if n, err := scope.BatchJobs(ctx).Unfinished(); err != nil || n != 0 {
			t.Errorf("%d jobs are unfinished, %v", n, err)
		}
		change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Exclude("hmac:b") })
		if people, err := scope.BatchJobs(ctx).Excluded("bat_1"); err != nil || len(people) != 1 {
			t.Errorf("excluded from a job that is over: %v, %v", people, err)
		}
		if _, err := signUp(t, db, "ten_2").BatchJobs(ctx).Get("bat_1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant: %v", err)
		}
	})
}

// TestBatchJobEnds checks cancelled, failed and abandoned jobs, and the purge.
func TestBatchJobEnds(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope, jobs := t.Context(), signUp(t, db, "ten_1"), db.Jobs()
		status := func(id, want string) {
			t.Helper()
			if got, err := scope.BatchJobs(ctx).Get(id); err != nil || got.Status != want {
				t.Errorf("%s is %s, want %s, %v", id, got.Status, want, err)
			}
		}
		cancel := func(id string) (changed bool) {
			t.Helper()
			change(t, scope, func(tx *store.Tx) (err error) {
				_, changed, err = tx.BatchJobs().Cancel(id, 4000)
				return err
			})
			return changed
		}
		queueBatch(t, scope, "bat_1", 2)
		if !cancel("bat_1") || cancel("bat_1") {
			t.Error("a job is not cancelled once")
		}
		status("bat_1", store.BatchJobCancelling)
		finishBatchChunk(t, scope, "bat_1", 1, 5000)
		status("bat_1", store.BatchJobCancelling)
		finishBatchChunk(t, scope, "bat_1", 2, 5000)
		status("bat_1", store.BatchJobCancelled)

		for _, id := range []string{"bat_2", "bat_3", "bat_4"} {
			change(t, scope, func(tx *store.Tx) error {
				return errors.Join(tx.BatchJobs().Insert(batchJob(id)), tx.BatchJobs().ReceiveChunk(id, batchChunk(1)))
			})
		}
		cancel("bat_2")
		status("bat_2", store.BatchJobCancelled)
		change(t, scope, func(tx *store.Tx) error { return tx.BatchJobs().Fail("bat_3", "c", "d", 4000) })
		status("bat_3", store.BatchJobFailed)
		queueBatch(t, scope, "bat_5", 1)
		if n, err := jobs.FailAbandonedBatchJobs(ctx, 1001, 4000); err != nil || n != 1 {
			t.Errorf("%d jobs were abandoned, %v", n, err)
		}
		status("bat_4", store.BatchJobFailed)
		status("bat_5", store.BatchJobQueued)
		refs, err := jobs.UnfinishedBatchJobs(ctx, 10)
		if want := []store.BatchJobRef{{TenantID: "ten_1", Environment: "sandbox", ID: "bat_5"}}; err != nil ||
			!cmp.Equal(refs, want) {
			t.Errorf("unfinished: %v, %v", refs, err)
		}

		wantEvents(t, scope, "batch.",
			`batch.finished {"batch_id":"bat_1","endpoint":"`+batchJob("").Endpoint+`","rows":20,"status":"cancelled"}`,
			`batch.finished {"batch_id":"bat_2","endpoint":"`+batchJob("").Endpoint+`","rows":0,"status":"cancelled"}`,
			`batch.finished {"batch_id":"bat_3","endpoint":"`+batchJob("").Endpoint+
				`","error_code":"c","rows":0,"status":"failed"}`,
			`batch.finished {"batch_id":"bat_4","endpoint":"`+batchJob("").Endpoint+
				`","error_code":"input_incomplete","rows":0,"status":"failed"}`)

		purged := func(before, want int64) {
			t.Helper()
			all := int64(0)
			for n := int64(1); n > 0; all += n {
				if n, err = jobs.PurgeBatchJobs(ctx, before, 2); err != nil {
					t.Fatal(err)
				}
			}
			if all != want {
				t.Errorf("purge before %d: %d steps, want %d", before, all, want)
			}
		}
		purged(0, 6)    // the chunks of the three jobs that never received all rows
		purged(5001, 3) // the cancelled job with its results
		if c, found, err := scope.BatchJobs(ctx).ChunkAt("bat_1", 0); found || err != nil {
			t.Errorf("a purged chunk: %+v, %v", c, err)
		}
	})
}

// TestBatchJobDeleted deletes jobs. A node that stops before all chunks are deleted leaves the rest to the purge.
func TestBatchJobDeleted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_1")
		other := signUp(t, db, "ten_2")
		before, err := scope.StoredBytes(ctx).Sum()
		if err != nil {
			t.Fatal(err)
		}
		remove := func(scope *store.Scope, id string) error {
			return scope.Write(ctx, func(tx *store.Tx) error { return tx.BatchJobs().Delete(id) })
		}
		queueBatch(t, scope, "bat_1", 3)
		if err := remove(scope, "bat_1"); fault.CodeOf(err) != fault.CodeInvalidTransition {
			t.Errorf("deleting a job that is not over: %v", err)
		}
		for number := range int64(3) {
			finishBatchChunk(t, scope, "bat_1", number+1, 5000)
		}
		if err := remove(other, "bat_1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("another tenant deletes the job: %v", err)
		}
		change(t, scope, func(tx *store.Tx) error {
			if more, err := tx.BatchJobs().DeleteChunks("bat_1", 1); more || err != nil {
				t.Errorf("the chunks of a job that was not deleted: %t, %v", more, err)
			}
			return tx.BatchJobs().Delete("bat_1")
		})
		change(t, scope, func(tx *store.Tx) error {
			more, err := tx.BatchJobs().DeleteChunks("bat_1", 1)
			if !more {
				t.Error("one of three chunks was deleted, and none is left")
			}
			return err
		})
		if _, err := scope.BatchJobs(ctx).Get("bat_1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a deleted job is found: %v", err)
		}
		if rows, _, err := scope.BatchJobs(ctx).List("", store.Page{}); len(rows) > 0 || err != nil {
			t.Errorf("a deleted job is listed: %v, %v", rows, err)
		}
		if finishBatchChunk(t, scope, "bat_1", 2, 6000) {
			t.Error("a chunk of a deleted job was finished")
		}
		if n, err := db.Jobs().PurgeBatchJobs(ctx, 0, 10); n != 3 || err != nil { // two chunks and the job
			t.Errorf("the purge did %d steps, %v", n, err)
		}
		if err := remove(scope, "bat_1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("deleting a job twice: %v", err)
		}
		if sum, err := scope.StoredBytes(ctx).Sum(); sum != before || err != nil {
			t.Errorf("%d bytes are counted instead of %d, %v", sum, before, err)
		}

		queueBatch(t, scope, "bat_2", 1)
		finishBatchChunk(t, scope, "bat_2", 1, 5000)
		if _, err := db.Jobs().PurgeBatchJobs(ctx, 9000, 10); err != nil {
			t.Fatal(err)
		}
		if err := remove(scope, "bat_2"); err != nil {
			t.Errorf("deleting a job whose results were purged: %v", err)
		}
		if _, err := scope.BatchJobs(ctx).Get("bat_2"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a deleted job is found: %v", err)
		}
	})
}

// TestBatchJobRace finishes the chunks of a job from many goroutines, each chunk twice.
func TestBatchJobRace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_1")
		const n = 8
		queueBatch(t, scope, "bat_1", n)
		var all sync.WaitGroup
		errs := make([]error, 2*n)
		for i := range errs {
			all.Go(func() {
				errs[i] = scope.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.BatchJobs().FinishChunk("bat_1", batchChunk(int64(i%n)+1), 5000, plusOne)
					return err
				})
			})
		}
		all.Wait()
		got, err := scope.BatchJobs(t.Context()).Get("bat_1")
		if err = errors.Join(append(errs, err)...); err != nil || got.Status != store.BatchJobCompleted ||
			got.RowsDone != 10*n || len(got.Counts) != n {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// TestBatchJobDecidedRows checks that the rows that were decided are found by their idempotency keys.
func TestBatchJobDecidedRows(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		scope := signUp(t, db, "ten_1")
		for _, row := range []int64{9, 10, 12, 20} {
			w := decision(fmt.Sprintf("dec_%02d", row), store.Unmetered)
			w.Answer = &store.IdempotencyAnswer{
				Key: store.BatchRowKey("bat_1", row), Subject: w.Decision.ID, NowMicros: 1, ExpiresMicros: 2,
			}
			if err := scope.InsertDecision(t.Context(), w); err != nil {
				t.Fatal(err)
			}
		}
		got, err := scope.BatchJobs(t.Context()).DecidedRows("bat_1", batchChunk(2))
		if err != nil || len(got) != 2 || got[0].Row != 10 || got[1].Row != 12 || got[1].DecisionID != "dec_12" ||
			got[0].Status == "" || got[0].PolicyID == "" || got[0].PolicyVersion == 0 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
