//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package usecase_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// changeable is a document that is changed by a function. change increments a number in the document.
// Before the result is stored, change calls meanwhile, which may fail. number returns how often the
// number was incremented.
type changeable struct {
	name   string
	change func(s *usecase.Set, p tenant.Principal, meanwhile func() error, expected int64) (version int64, err error)
	number func(s *usecase.Set, p tenant.Principal) (number int64, err error)
}

func changeables(ctx context.Context) []changeable {
	return []changeable{
		{
			name: "fraud settings",
			change: func(s *usecase.Set, p tenant.Principal, meanwhile func() error, expected int64) (int64, error) {
				config, err := s.Fraud.ChangeConfig(ctx, p, func(c signal.Config) (signal.Config, error) {
					c.Fraud.MuteDays++
					return c, meanwhile()
				}, expected)
				return config.Version, err
			},
			number: func(s *usecase.Set, p tenant.Principal) (int64, error) {
				config, err := s.Fraud.Config(ctx, p)
				return config.Values.Fraud.MuteDays - signal.DefaultConfig().Fraud.MuteDays, err
			},
		},
		{
			name: "collections strategy",
			change: func(s *usecase.Set, p tenant.Principal, meanwhile func() error, expected int64) (int64, error) {
				strategy, err := s.Agents.ChangeCollectionsStrategy(ctx, p,
					func(r recovery.Strategy) (recovery.Strategy, error) {
						r.MaxPromiseDays++
						return r, meanwhile()
					}, expected)
				return strategy.Version, err
			},
			number: func(s *usecase.Set, p tenant.Principal) (int64, error) {
				strategy, err := s.Agents.CollectionsStrategy(ctx, p)
				return int64(strategy.Recovery.MaxPromiseDays - recovery.DefaultStrategy().MaxPromiseDays), err
			},
		},
	}
}

func nothing() error { return nil }

// TestChangeHoldsUpNobody writes for another tenant while a change is computed. If the change
// were computed inside a transaction, that write would wait forever.
func TestChangeHoldsUpNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		_, other := h.Signup("ravi@example.in")
		for _, c := range changeables(t.Context()) {
			if version, err := c.change(h.Service, h.Caller, func() error {
				_, err := c.change(h.Service, other, nothing, 0)
				return err
			}, 0); err != nil || version != 1 {
				t.Errorf("%s: version %d, %v", c.name, version, err)
			}
		}
	})
}

// TestChangeLosesTheRace changes a document while another change of it is computed. A caller
// that expects no particular version has its change applied to the new version. A caller that
// expects the old version is refused.
func TestChangeLosesTheRace(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{})
		for _, c := range changeables(t.Context()) {
			calls := 0
			overtaken := func() error {
				if calls++; calls > 1 {
					return nil
				}
				_, err := c.change(h.Service, h.Caller, nothing, operation.AnyVersion)
				return err
			}
			if version, err := c.change(h.Service, h.Caller, overtaken, operation.AnyVersion); err != nil ||
				version != 2 || calls != 2 {
				t.Errorf("%s: version %d after %d calls, %v", c.name, version, calls, err)
			}
			calls = 0
			_, err := c.change(h.Service, h.Caller, overtaken, 2)
			if usecasetest.CodeOf(err) != fault.CodePreconditionFailed || calls != 1 {
				t.Errorf("%s: after %d calls %v", c.name, calls, err)
			}
			if _, err := c.change(h.Service, h.Caller, nothing, 2); usecasetest.CodeOf(err) !=
				fault.CodePreconditionFailed {
				t.Errorf("%s: an old version was accepted: %v", c.name, err)
			}
			broken := errors.New("the change cannot be made")
			if _, err := c.change(h.Service, h.Caller, func() error { return broken }, 3); !errors.Is(err, broken) {
				t.Errorf("%s: %v", c.name, err)
			}
			if n, err := c.number(h.Service, h.Caller); err != nil || n != 3 {
				t.Errorf("%s: %d of 3 changes, %v", c.name, n, err)
			}
		}
	})
}

// TestChangeGivesUp stores another version each time a change is computed. The number of
// attempts must be limited.
func TestChangeGivesUp(t *testing.T) {
	t.Parallel()
	h := usecasetest.Open(t, storetest.Open(t, storetest.MigratedSQLite(t), store.Options{}), usecase.Options{})
	c, calls := changeables(t.Context())[0], 0
	_, err := c.change(h.Service, h.Caller, func() error {
		calls++
		_, err := h.Service.Fraud.ChangeConfig(t.Context(), h.Caller, func(c signal.Config) (signal.Config, error) {
			return c, nil
		}, operation.AnyVersion)
		return err
	}, operation.AnyVersion)
	if usecasetest.CodeOf(err) != fault.CodePreconditionFailed || calls < 10 || calls > 1000 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

// TestChangesAddUp lets many callers on two nodes change a document at the same time. No caller
// expects a particular version, so every change must be stored.
func TestChangesAddUp(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		const callers = 12
		for _, c := range changeables(t.Context()) {
			var all sync.WaitGroup
			for i := range callers {
				all.Go(func() {
					if _, err := c.change(h.nodes[i%2], h.Caller, nothing, operation.AnyVersion); err != nil {
						t.Errorf("%s: %v", c.name, err)
					}
				})
			}
			all.Wait()
			if n, err := c.number(h.Service, h.Caller); err != nil || n != callers {
				t.Errorf("%s: %d changes of %d, %v", c.name, n, callers, err)
			}
		}
	})
}
