//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// run returns a backtest that is still receiving its input.
func run(id string) store.Backtest {
	return store.Backtest{
		ID: id, Status: store.BacktestReceiving, Source: "csv", RuleSetID: "pol_1", ChallengerID: "pol_2",
		Setup: []byte{0, 1, 0xff}, Request: []byte(`{"lgd":0.65}`), CreatedBy: "key_1", CreatedMicros: 1000,
	}
}

func chunk(number int64) store.BacktestChunk {
	return store.BacktestChunk{
		Number: number,
		First:  100*number - 99,
		Rows:   100,
		Input:  []byte{0x1f, 0x8b, byte(number)},
	}
}

// fillBacktest inserts a row into every table of backtests.
func fillBacktest(tx *store.Tx) error {
	if err := tx.Backtests().Insert(run("bt_fill")); err != nil {
		return err
	}
	return tx.Backtests().InsertChunk("bt_fill", chunk(1))
}

// queued stores a queued run of n chunks.
func queued(t *testing.T, scope *store.Scope, id string, n int64) {
	t.Helper()
	err := scope.Write(t.Context(), func(tx *store.Tx) error {
		if err := tx.Backtests().Insert(run(id)); err != nil {
			return err
		}
		for number := int64(1); number <= n; number++ {
			if err := tx.Backtests().InsertChunk(id, chunk(number)); err != nil {
				return err
			}
		}
		return tx.Backtests().Queue(id, 100*n, n)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func wantRun(t *testing.T, scope *store.Scope, want store.Backtest) {
	t.Helper()
	got, err := scope.Backtests(t.Context()).Get(want.ID)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestBacktest checks a run from its first chunk to its report.
func TestBacktest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		want := run("bt_1")
		wantKind(t, storetest.InsertBacktest(ctx, scope, want,
			store.AuditEntry{ID: "aud_bt", Action: "backtest.created", Object: "bt_1"}), 0, "")
		wantRun(t, scope, want)
		wantKind(t, storetest.InsertBacktest(ctx, scope, want, store.AuditEntry{}), fault.Conflict,
			fault.CodeVersionConflict)
		for number := range int64(2) {
			wantKind(t, storetest.ReceiveBacktestChunk(ctx, scope, "bt_1", chunk(number+1)), 0, "")
		}
		wantKind(t, storetest.ReceiveBacktestChunk(ctx, scope, "bt_1", chunk(2)), fault.Conflict,
			fault.CodeVersionConflict)
		if first, left, err := storetest.FinishChunk(ctx, scope, "bt_1", 1, 100, nil, 2000); first || left != 0 ||
			err != nil {
			t.Errorf("a run with incomplete input accepted a result: %t, %d, %v", first, left, err)
		}
		wantKind(t, storetest.QueueBacktest(ctx, scope, "bt_1", 200, 2), 0, "")
		want.Status, want.Rows, want.Chunks = store.BacktestQueued, 200, 2
		wantRun(t, scope, want)
		wantKind(t, storetest.QueueBacktest(ctx, scope, "bt_1", 200, 2), fault.Conflict, fault.CodeInvalidTransition)
		wantPending(t, scope, "bt_1", 1, 2)

		if first, left, err := storetest.FinishChunk(ctx, scope, "bt_1", 2, 99, []byte{0, 2}, 2000); !first ||
			left != 1 || err != nil {
			t.Errorf("got %t, %d, %v", first, left, err)
		}
		want.Status, want.RowsDone, want.ChunksDone, want.StartedMicros = store.BacktestRunning, 99, 1, 2000
		wantRun(t, scope, want)
		wantPending(t, scope, "bt_1", 1)
		early := store.Backtest{ID: "bt_1", Status: store.BacktestSucceeded, Report: []byte("{}"), FinishedMicros: 3000}
		if finished, err := storetest.FinishBacktest(ctx, scope, early); finished || err != nil {
			t.Errorf("a run with a chunk missing ended: %t, %v", finished, err)
		}
		if first, left, err := storetest.FinishChunk(ctx, scope, "bt_1", 1, 100, []byte{0, 1}, 2500); !first ||
			left != 0 || err != nil {
			t.Errorf("got %t, %d, %v", first, left, err)
		}
		if first, left, err := storetest.FinishChunk(ctx, scope, "bt_1", 1, 100, []byte("another"), 2600); first ||
			left != 0 || err != nil {
			t.Errorf("got %t, %d, %v", first, left, err)
		}
		if finished, err := storetest.FinishBacktest(ctx, scope, early); !finished || err != nil {
			t.Errorf("got %t, %v", finished, err)
		}
		want.Status, want.RowsDone, want.ChunksDone = store.BacktestSucceeded, 199, 2
		want.Report, want.FinishedMicros = early.Report, early.FinishedMicros
		wantRun(t, scope, want)
		late := store.Backtest{ID: "bt_1", Status: store.BacktestFailed, ErrorCode: "late", FinishedMicros: 4000}
		if finished, err := storetest.FinishBacktest(ctx, scope, late); finished || err != nil {
			t.Errorf("a run ended twice: %t, %v", finished, err)
		}
		if b, cancelled, err := storetest.CancelBacktest(ctx, scope, "bt_1", 4000,
			store.AuditEntry{ID: "aud_never"}); cancelled || b.Status != store.BacktestSucceeded || err != nil {
			t.Errorf("got %+v, %t, %v", b, cancelled, err)
		}
		wantRun(t, scope, want)
	})
}

func wantPending(t *testing.T, scope *store.Scope, id string, want ...int64) {
	t.Helper()
	if got, err := scope.Backtests(t.Context()).PendingChunks(id); err != nil || !slices.Equal(got, want) {
		t.Errorf("pending are %v, want %v; %v", got, want, err)
	}
}

// TestChunks checks that chunks can be read one at a time and in their order.
func TestChunks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		queued(t, scope, "bt_1", 3)
		queued(t, scope, "bt_2", 1)
		for _, number := range []int64{3, 1} {
			if _, _, err := storetest.FinishChunk(ctx, scope, "bt_1", number, 100, []byte{byte(number), 0},
				2000); err != nil {
				t.Fatal(err)
			}
		}
		done := func(number int64, input, result []byte) store.BacktestChunk {
			c := chunk(number)
			c.Input, c.Result, c.Done = input, result, number != 2
			return c
		}
		got, err := scope.Backtests(ctx).Chunk("bt_1", 3)
		if diff := cmp.Diff(done(3, chunk(3).Input, nil), got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Backtests(ctx).Chunk("bt_1", 4)
		wantNotFound(t, err)
		last, err := scope.Backtests(ctx).LastChunk("bt_1")
		if diff := cmp.Diff(got, last); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		_, err = scope.Backtests(ctx).LastChunk("bt_none")
		wantNotFound(t, err)
		var inputs, results []store.BacktestChunk
		if err := scope.Backtests(ctx).WalkInputs("bt_1",
			func(c store.BacktestChunk) error { inputs = append(inputs, c); return nil }); err != nil {
			t.Error(err)
		}
		want := []store.BacktestChunk{done(1, chunk(1).Input, nil), done(2, chunk(2).Input, nil),
			done(3, chunk(3).Input, nil)}
		if diff := cmp.Diff(want, inputs, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if err := scope.Backtests(ctx).WalkResults("bt_1",
			func(c store.BacktestChunk) error { results = append(results, c); return nil }); err != nil {
			t.Error(err)
		}
		want = []store.BacktestChunk{done(1, nil, []byte{1, 0}), done(3, nil, []byte{3, 0})}
		if diff := cmp.Diff(want, results, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// fn runs outside any transaction, so it may write, and its error ends the walk.
		stop := fault.New(fault.Conflict, "stop", "enough")
		calls := 0
		err = scope.Backtests(ctx).WalkInputs("bt_1", func(store.BacktestChunk) error {
			calls++
			wantKind(t, storetest.InsertBacktest(ctx, scope, run("bt_3"), store.AuditEntry{ID: "aud_3"}), 0, "")
			return stop
		})
		wantKind(t, err, fault.Conflict, "stop")
		if calls != 1 {
			t.Errorf("the walk went on: %d calls", calls)
		}
	})
}

// TestBacktestIsolation checks that no method works from a scope that must not see the
// run.
func TestBacktestIsolation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		queued(t, scope, "bt_1", 1)
		before, err := scope.Backtests(ctx).Get("bt_1")
		if err != nil {
			t.Fatal(err)
		}
		for who, other := range neighbours(t, db, "ten_A") {
			t.Log(who)
			_, err := other.Backtests(ctx).Get("bt_1")
			wantNotFound(t, err)
			_, err = other.Backtests(ctx).Chunk("bt_1", 1)
			wantNotFound(t, err)
			_, err = other.Backtests(ctx).LastChunk("bt_1")
			wantNotFound(t, err)
			_, _, err = storetest.FinishChunk(ctx, other, "bt_1", 1, 100, nil, 2000)
			wantNotFound(t, err)
			_, err = storetest.FinishBacktest(ctx, other,
				store.Backtest{ID: "bt_1", Status: store.BacktestFailed, FinishedMicros: 2000})
			wantNotFound(t, err)
			_, _, err = storetest.CancelBacktest(ctx, other, "bt_1", 2000, store.AuditEntry{ID: "aud_never"})
			wantNotFound(t, err)
			wantNotFound(t, storetest.QueueBacktest(ctx, other, "bt_1", 1, 1))
			wantPending(t, other, "bt_1")
			if runs, more, err := other.Backtests(ctx).List(store.BacktestFilter{}, store.Page{}); err != nil || more ||
				len(runs) != 0 {
				t.Errorf("got %v, %t, %v", runs, more, err)
			}
			never := func(store.BacktestChunk) error { t.Error("a chunk was handed out"); return nil }
			if err := other.Backtests(ctx).WalkInputs("bt_1", never); err != nil {
				t.Error(err)
			}
			if err := other.Backtests(ctx).WalkResults("bt_1", never); err != nil {
				t.Error(err)
			}
			wantNotFound(t, storetest.ReceiveBacktestChunk(ctx, other, "bt_1", chunk(2)))
		}
		wantRun(t, scope, before)
		wantPending(t, scope, "bt_1", 1)
	})
}

func TestListBacktests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		for i := range 5 {
			b := run(numbered("bt", i))
			b.CreatedMicros = int64(1000 + i/2) // two runs have the same time and differ by id
			wantKind(t, storetest.InsertBacktest(ctx, scope, b, store.AuditEntry{}), 0, "")
		}
		if _, _, err := storetest.CancelBacktest(ctx, scope, "bt_003", 2000, store.AuditEntry{}); err != nil {
			t.Fatal(err)
		}
		var ids []string
		page := store.Page{Limit: 2, Descending: true}
		for more := true; more; {
			var runs []store.Backtest
			var err error
			runs, more, err = scope.Backtests(ctx).List(store.BacktestFilter{Status: store.BacktestReceiving}, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range runs {
				ids = append(ids, b.ID)
				page.AfterMicros, page.AfterID = b.CreatedMicros, b.ID
				if b.Setup != nil || b.Request != nil || b.Report != nil {
					t.Errorf("%s comes with its documents", b.ID)
				}
			}
		}
		if diff := cmp.Diff([]string{"bt_004", "bt_002", "bt_001", "bt_000"}, ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		all, more, err := scope.Backtests(ctx).List(store.BacktestFilter{}, store.Page{Limit: 4})
		if err != nil || !more || len(all) != 4 || all[3].Status != store.BacktestCancelled ||
			all[3].FinishedMicros != 2000 {
			t.Errorf("got %+v, %t, %v", all, more, err)
		}
	})
}

// TestLateChunks checks that a run accepts no input if it is no longer receiving.
func TestLateChunks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, scope := t.Context(), signUp(t, db, "ten_A")
		queued(t, scope, "bt_queued", 1)
		for _, id := range []string{"bt_failed", "bt_cancelled", "bt_abandoned"} {
			wantKind(t, storetest.InsertBacktest(ctx, scope, run(id), store.AuditEntry{ID: "aud_" + id}), 0, "")
			wantKind(t, storetest.ReceiveBacktestChunk(ctx, scope, id, chunk(1)), 0, "")
		}
		_, err := storetest.FinishBacktest(ctx, scope,
			store.Backtest{ID: "bt_failed", Status: store.BacktestFailed, FinishedMicros: 2000})
		wantKind(t, err, 0, "")
		_, _, err = storetest.CancelBacktest(ctx, scope, "bt_cancelled", 2000, store.AuditEntry{ID: "aud_cancel"})
		wantKind(t, err, 0, "")
		_, err = db.Jobs().FailAbandonedBacktests(ctx, 4000, 6000)
		wantKind(t, err, 0, "")
		for _, id := range []string{"bt_queued", "bt_failed", "bt_cancelled", "bt_abandoned"} {
			wantKind(t, storetest.ReceiveBacktestChunk(ctx, scope, id, chunk(2)), fault.Conflict,
				fault.CodeInvalidTransition)
			wantPending(t, scope, id, 1)
		}
		wantNotFound(t, storetest.ReceiveBacktestChunk(ctx, scope, "bt_none", chunk(1)))
	})
}
