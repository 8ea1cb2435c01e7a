//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestFinishChunkOnce finishes every chunk several times concurrently on two nodes. It
// checks that each chunk is counted once, that exactly one caller learns that no chunk
// is left, and that the run ends once.
func TestFinishChunkOnce(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const chunks, times = 12, 4
		db := storetest.Open(t, databaseURL, store.Options{})
		scopes := []*store.Scope{signUp(t, db, "ten_A"), secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
		queued(t, scopes[0], "bt_1", chunks)
		var firsts, lasts, ends atomic.Int64
		errs := race(chunks*times, func(i int) error {
			scope, number := scopes[i%2], int64(i/times+1)
			first, left, err := storetest.FinishChunk(t.Context(), scope, "bt_1", number, 100, []byte{byte(i)}, 2000)
			if first {
				firsts.Add(1)
				if left == 0 {
					lasts.Add(1)
				}
			}
			if err != nil || left > 0 {
				return err
			}
			finished, err := storetest.FinishBacktest(t.Context(), scope,
				store.Backtest{ID: "bt_1", Status: store.BacktestSucceeded, FinishedMicros: 3000})
			if finished {
				ends.Add(1)
			}
			return err
		})
		succeeded(t, errs, 0, "")
		if firsts.Load() != chunks || lasts.Load() != 1 || ends.Load() != 1 {
			t.Errorf("%d chunks were first of their number, %d last, and the run ended %d times",
				firsts.Load(), lasts.Load(), ends.Load())
		}
		got, err := scopes[1].Backtests(t.Context()).Get("bt_1")
		if err != nil || got.Status != store.BacktestSucceeded || got.RowsDone != 100*chunks ||
			got.ChunksDone != chunks {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// TestCancelRaces cancels a run while its chunks are being finished. It checks that
// chunks counted before the cancellation stay counted, and that no chunk is counted
// afterwards.
func TestCancelRaces(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		const chunks = 12
		db := storetest.Open(t, databaseURL, store.Options{})
		scopes := []*store.Scope{signUp(t, db, "ten_A"), secondNode(t, db, databaseURL).Scope("ten_A", sandbox)}
		queued(t, scopes[0], "bt_1", chunks)
		var firsts, cancels atomic.Int64
		errs := race(2*chunks, func(i int) error {
			if i%6 == 5 {
				b, cancelled, err := storetest.CancelBacktest(t.Context(), scopes[i%2], "bt_1", 3000,
					store.AuditEntry{ID: numbered("aud_cancel", i), Action: "backtest.cancelled"})
				if cancelled {
					cancels.Add(1)
				}
				if err == nil && b.Status != store.BacktestCancelled {
					err = errors.New("it is " + b.Status)
				}
				return err
			}
			first, _, err := storetest.FinishChunk(t.Context(), scopes[i%2], "bt_1", int64(i/2+1), 100, nil, 2000)
			if first {
				firsts.Add(1)
			}
			return err
		})
		succeeded(t, errs, 0, "")
		got, err := scopes[0].Backtests(t.Context()).Get("bt_1")
		if err != nil || got.Status != store.BacktestCancelled || got.ChunksDone != firsts.Load() ||
			got.RowsDone != 100*firsts.Load() || cancels.Load() != 1 {
			t.Errorf("got %+v with %d chunks and %d cancellations, %v", got, firsts.Load(), cancels.Load(), err)
		}
		entries, _, err := scopes[0].Audit(t.Context()).List(store.AuditFilter{Action: "backtest.cancelled"},
			store.Page{})
		if err != nil || len(entries) != 1 {
			t.Errorf("%d audit entries, %v", len(entries), err)
		}
		if first, _, err := storetest.FinishChunk(t.Context(), scopes[0], "bt_1", chunks, 100, nil, 2000); first ||
			err != nil {
			t.Errorf("a cancelled run took a result: %t, %v", first, err)
		}
	})
}

// TestSweepBacktests checks that UnfinishedBacktests and FailAbandonedBacktests
// find the runs of all tenants.
func TestSweepBacktests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, jobs := t.Context(), db.Jobs()
		a, b := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		queued(t, a, "bt_queued", 2)
		queued(t, b, "bt_running", 3)
		queued(t, b, "bt_over", 3)
		if _, _, err := storetest.FinishChunk(ctx, b, "bt_running", 1, 100, nil, 2000); err != nil {
			t.Fatal(err)
		}
		if finished, err := storetest.FinishBacktest(ctx, b, store.Backtest{
			ID:             "bt_over",
			Status:         store.BacktestFailed,
			ErrorCode:      "why",
			FinishedMicros: 2000,
		}); err != nil || !finished {
			t.Fatal(finished, err)
		}
		young := run("bt_young")
		young.CreatedMicros = 5000
		for _, r := range []store.Backtest{run("bt_left"), young} {
			wantKind(t, storetest.InsertBacktest(ctx, a, r, store.AuditEntry{}), 0, "")
		}
		cutting := run("bt_cutting")
		cutting.CreatedMicros, cutting.Source = 3500, "decisions"
		wantKind(t, storetest.InsertBacktest(ctx, b, cutting, store.AuditEntry{}), 0, "")
		wantKind(t, storetest.ReceiveBacktestChunk(ctx, b, "bt_cutting", chunk(7)), 0, "")
		refs, err := jobs.UnfinishedBacktests(ctx, 10)
		want := []store.BacktestRef{
			{TenantID: "ten_A", Environment: sandbox, ID: "bt_queued", Status: store.BacktestQueued},
			{TenantID: "ten_B", Environment: sandbox, ID: "bt_running", Status: store.BacktestRunning, ChunksDone: 1},
			{TenantID: "ten_B", Environment: sandbox, ID: "bt_cutting", Status: store.BacktestReceiving, ChunksDone: 7},
		}
		if diff := cmp.Diff(want, refs); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if n, err := jobs.FailAbandonedBacktests(ctx, 4000, 6000); n != 1 || err != nil {
			t.Errorf("got %d, %v", n, err)
		}
		left := run("bt_left")
		left.Status, left.ErrorCode, left.ErrorDetail, left.FinishedMicros = store.BacktestFailed,
			fault.CodeInputIncomplete, "the input did not arrive completely, because "+
				"the client or the service stopped while it was sent; send it again", 6000
		wantRun(t, a, left)
		wantRun(t, a, young)
	})
}

// TestPurgeBacktests checks that the chunks of old runs are deleted, a few at a time,
// and that the records of the runs are kept.
func TestPurgeBacktests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, jobs := t.Context(), db.Jobs()
		a, b := signUp(t, db, "ten_A"), signUp(t, db, "ten_B")
		end := func(scope *store.Scope, id string, chunks, micros int64) {
			queued(t, scope, id, chunks)
			if _, err := storetest.FinishBacktest(ctx, scope,
				store.Backtest{ID: id, Status: store.BacktestFailed, FinishedMicros: micros}); err != nil {
				t.Fatal(err)
			}
		}
		end(a, "bt_1", 5, 2000)
		end(b, "bt_2", 2, 3000)
		end(b, "bt_none", 0, 3500)
		end(a, "bt_late", 1, 4000)
		queued(t, a, "bt_going", 1)
		var steps []int64
		for {
			n, err := jobs.PurgeBacktests(ctx, 4000, 3)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			steps = append(steps, n)
		}
		if want := []int64{3, 3, 3, 1}; !slices.Equal(steps, want) { // chunks and record: 5 + 1, 2 + 1, 0 + 1
			t.Errorf("steps were %v, want %v", steps, want)
		}
		for _, c := range []struct {
			scope  *store.Scope
			id     string
			purged bool
			chunks int
		}{
			{a, "bt_1", true, 0},
			{b, "bt_2", true, 0},
			{b, "bt_none", true, 0},
			{a, "bt_late", false, 1},
			{a, "bt_going", false, 1},
		} {
			got, err := c.scope.Backtests(ctx).Get(c.id)
			pending, errPending := c.scope.Backtests(ctx).PendingChunks(c.id)
			if err := errors.Join(err, errPending); err != nil || got.Purged != c.purged || len(pending) != c.chunks {
				t.Errorf("%s: purged %t with %d chunks, %v", c.id, got.Purged, len(pending), err)
			}
		}
	})
}

// TestPurgeVainBacktests checks that PurgeFailedBacktests deletes only the chunks of failed and cancelled runs.
func TestPurgeVainBacktests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for _, id := range []string{"bt_failed", "bt_late", "bt_cancelled", "bt_succeeded", "bt_going"} {
			queued(t, scope, id, 2)
		}
		for number := range int64(2) {
			_, _, err := storetest.FinishChunk(ctx, scope, "bt_succeeded", number+1, 100, nil, 2000)
			wantKind(t, err, 0, "")
		}
		for _, b := range []store.Backtest{
			{ID: "bt_failed", Status: store.BacktestFailed, FinishedMicros: 2000},
			{ID: "bt_late", Status: store.BacktestFailed, FinishedMicros: 4000},
			{ID: "bt_succeeded", Status: store.BacktestSucceeded, FinishedMicros: 2000},
		} {
			if finished, err := storetest.FinishBacktest(ctx, scope, b); err != nil || !finished {
				t.Fatal(finished, err)
			}
		}
		_, _, err := storetest.CancelBacktest(ctx, scope, "bt_cancelled", 3000, store.AuditEntry{ID: "aud_cancel"})
		wantKind(t, err, 0, "")
		for _, want := range []int64{6, 0} { // two chunks and a record, twice
			if n, err := db.Jobs().PurgeFailedBacktests(ctx, 4000, 10); n != want || err != nil {
				t.Errorf("%d steps, want %d; %v", n, want, err)
			}
		}
		for id, want := range map[string]int{
			"bt_failed":    0,
			"bt_cancelled": 0,
			"bt_late":      2,
			"bt_succeeded": 2,
			"bt_going":     2,
		} {
			got, err := scope.Backtests(ctx).Get(id)
			kept := 0
			err = errors.Join(err,
				scope.Backtests(ctx).WalkInputs(id, func(store.BacktestChunk) error { kept++; return nil }))
			if err != nil || kept != want || got.Purged != (want == 0) {
				t.Errorf("%s: %d chunks are kept, purged %t, %v", id, kept, got.Purged, err)
			}
		}
	})
}
