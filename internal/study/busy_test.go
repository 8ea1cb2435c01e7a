//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package study_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestBacktestsAndFitsOfATenantAreFew checks that a tenant can have only a few
// synchronous backtests and one fit running. Another tenant that runs as many as it can
// must leave capacity for this tenant.
func TestBacktestsAndFitsOfATenantAreFew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		book := bookOf(100)
		refused := func(err error, code string) bool {
			var refusal *fault.Error
			return errors.As(err, &refusal) && refusal.Kind == fault.Unavailable && refusal.Code == code
		}
		if taken, _ := h.Service.Backtests.Hold("ten_other", 4); !taken {
			t.Fatal("another tenant got no places")
		}
		if _, err := h.Service.Backtests.RunBook(t.Context(), h.Caller, book); err != nil {
			t.Errorf("beside another tenant: %v", err)
		}
		for range 2 {
			if taken, _ := h.Service.Backtests.Hold(h.Caller.TenantID, 1); !taken {
				t.Fatal("got no place")
			}
		}
		if _, err := h.Service.Backtests.RunBook(t.Context(), h.Caller, book); !refused(err, fault.CodeBacktestBusy) {
			t.Errorf("beside its own: %v", err)
		}

		if taken, _ := h.Service.Fitting.Hold("ten_other"); !taken {
			t.Fatal("another tenant got no fit")
		}
		if err := h.Service.Fitting.Free(h.Caller); err != nil {
			t.Errorf("beside another tenant's: %v", err)
		}
		if taken, _ := h.Service.Fitting.Hold(h.Caller.TenantID); !taken {
			t.Fatal("got no fit")
		}
		if err := h.Service.Fitting.Free(h.Caller); !refused(err, fault.CodeFittingBusy) {
			t.Errorf("beside its own: %v", err)
		}
	})
}

// TestBacktestsEndWithTheirCaller checks that a synchronous backtest ends when its
// caller is cancelled, and stores nothing.
func TestBacktestsEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		ctx := &ending{Context: t.Context()}
		if _, err := h.Service.Backtests.RunBook(ctx, h.Caller, bookOf(20_000)); err != nil {
			t.Fatal(err)
		}
		asked := ctx.asked.Load()
		for _, last := range []int64{asked / 4, asked / 2, asked * 3 / 4} {
			ctx := &ending{Context: t.Context(), last: last}
			if _, err := h.Service.Backtests.RunBook(ctx, h.Caller, bookOf(20_000)); !errors.Is(err, context.Canceled) {
				t.Errorf("ended at %d of %d: %v", last, asked, err)
			}
		}
		list, err := h.Service.Backtests.List(t.Context(), h.Caller, "", operation.List{})
		if err != nil || len(list.Data) != 1 {
			t.Errorf("%d backtests are stored, %v", len(list.Data), err)
		}
	})
}

// bookOf returns a request for a synthetic book with this number of rows.
func bookOf(rows int64) study.BookRequest {
	return study.BookRequest{Book: study.Book{Rows: rows, Book: backtest.Book{Seed: 1}}}
}

// ending is a context that ends at a certain call of Err: call number last and all later calls return
// context.Canceled. If last is 0, only the parent context can end it.
type ending struct {
	context.Context //nolint:containedctx // it is one

	asked atomic.Int64
	last  int64
}

func (e *ending) Err() error {
	if n := e.asked.Add(1); e.last > 0 && n >= e.last {
		return context.Canceled
	}
	return e.Context.Err()
}
