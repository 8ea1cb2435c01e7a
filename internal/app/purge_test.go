package app

import (
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestPurge checks that the rows of unsuccessful backtests are deleted after an
// hour, regardless of the retention period. The rows of other backtests must be
// deleted after the retention period, if one is configured.
func TestPurge(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		t.Helper()
		now := time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC)
		scope := db.Scope("ten_1", "sandbox")
		ages := map[string]time.Duration{
			store.BacktestFailed: 2 * time.Hour, store.BacktestCancelled: 2 * time.Hour,
			store.BacktestSucceeded: 40 * 24 * time.Hour, "young": time.Minute,
		}
		for id, age := range ages {
			status := id
			if id == "young" {
				status = store.BacktestFailed
			}
			err := scope.Write(t.Context(), func(tx *store.Tx) error {
				if err := tx.Backtests().Insert(
					store.Backtest{ID: id, Status: status, FinishedMicros: now.Add(-age).UnixMicro()}); err != nil {
					return err
				}
				return tx.Backtests().InsertChunk(id, store.BacktestChunk{Number: 1, Rows: 1})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			days int
			kept []string
			gone []string
		}{
			{0, []string{"young", store.BacktestSucceeded}, []string{store.BacktestFailed, store.BacktestCancelled}},
			{30, []string{"young"}, []string{store.BacktestFailed, store.BacktestCancelled, store.BacktestSucceeded}},
		} {
			a := &App{db: db, config: Config{BacktestDays: c.days, Now: func() time.Time { return now }}}
			if err := a.purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantPurged(t, scope, c.kept, false)
			wantPurged(t, scope, c.gone, true)
		}
	})
}

func wantPurged(t *testing.T, scope *store.Scope, ids []string, want bool) {
	t.Helper()
	for _, id := range ids {
		if got, err := scope.Backtests(t.Context()).Get(id); err != nil || got.Purged != want {
			t.Errorf("%s: purged is %t, want %t; %v", id, got.Purged, want, err)
		}
	}
}
