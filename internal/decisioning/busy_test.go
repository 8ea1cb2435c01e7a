//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// A tenant has a few backtests running at a time whose callers wait, and one
// fit; another tenant's do not count.
func TestBacktestsAndFitsOfATenantAreFew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		book := parse(t, `{"n":100,"seed":1}`)
		refused := func(err error, code string) bool {
			var refusal *fault.Error
			return errors.As(err, &refusal) && refusal.Kind == fault.Unavailable && refusal.Code == code
		}
		if taken, _ := h.service.HoldBacktests("ten_other", 4); !taken {
			t.Fatal("another tenant got no places")
		}
		if _, err := h.service.RunBook(t.Context(), h.caller, book); err != nil {
			t.Errorf("beside another tenant: %v", err)
		}
		for range 2 {
			if taken, _ := h.service.HoldBacktests(h.caller.TenantID, 1); !taken {
				t.Fatal("got no place")
			}
		}
		if _, err := h.service.RunBook(t.Context(), h.caller, book); !refused(err, decisioning.CodeBacktestBusy) {
			t.Errorf("beside its own: %v", err)
		}

		if taken, _ := h.service.HoldFits("ten_other"); !taken {
			t.Fatal("another tenant got no fit")
		}
		if err := h.service.FittingFree(h.caller); err != nil {
			t.Errorf("beside another tenant's: %v", err)
		}
		if taken, _ := h.service.HoldFits(h.caller.TenantID); !taken {
			t.Fatal("got no fit")
		}
		if err := h.service.FittingFree(h.caller); !refused(err, decisioning.CodeFittingBusy) {
			t.Errorf("beside its own: %v", err)
		}
	})
}

// What a caller waits for ends with the caller, and nothing of it is stored.
func TestBacktestsEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{})
		ctx := &ending{Context: t.Context()}
		if _, err := h.service.RunBook(ctx, h.caller, parse(t, `{"n":20000,"seed":1}`)); err != nil {
			t.Fatal(err)
		}
		asked := ctx.asked.Load()
		for _, last := range []int64{asked / 4, asked / 2, asked * 3 / 4} {
			ctx := &ending{Context: t.Context(), last: last}
			if _, err := h.service.RunBook(ctx, h.caller, parse(t, `{"n":20000,"seed":1}`)); !errors.Is(err, context.Canceled) {
				t.Errorf("ended at %d of %d: %v", last, asked, err)
			}
		}
		list, err := h.service.Backtests(t.Context(), h.caller, "", operation.List{})
		if err != nil || len(list.Data) != 1 {
			t.Errorf("%d backtests are stored, %v", len(list.Data), err)
		}
	})
}

// ending is a context that ends when it was asked so often.
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
