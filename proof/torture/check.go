package torture

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
)

// everySoOften is the interval, counted in checks, at which a check covers everything.
const everySoOften = 16

// fewEnough is a number of decisions. If a scope does not have more decisions, each of its checks covers
// everything.
const fewEnough = 300

// Check reads back what was answered since the last check and compares it with
// the model, together with the lists, the usage and the audit trail. Every
// everySoOften-th check covers everything that was ever answered.
func (w *Workload) Check(ctx context.Context, url string) error {
	w.checks++
	return w.check(ctx, url, w.checks%everySoOften == int(w.seed%everySoOften))
}

// CheckAll checks everything that was ever answered.
func (w *Workload) CheckAll(ctx context.Context, url string) error { return w.check(ctx, url, true) }

func (w *Workload) check(ctx context.Context, url string, whole bool) error {
	var errs []error
	for _, s := range w.due(whole) {
		c := &checker{
			Workload: w, ctx: ctx, url: url, scope: s, whole: whole || len(s.decisions) <= fewEnough, patient: whole,
		}
		if err := c.everything(); err != nil {
			errs = append(errs, fmt.Errorf("check %s: %w", s, err))
		}
	}
	return errors.Join(append(errs, w.model.verdict())...)
}

// due returns the scopes to check. A scope of a tenant that only one story uses
// is checked again only if whole is set or the scope has data that was not
// checked yet.
func (w *Workload) due(whole bool) []*scope {
	var list []*scope
	for _, s := range w.model.scopes {
		if whole || !s.brief || len(s.unseen.decisions)+len(s.unseen.deeds) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// checker checks one scope. All nodes must be healthy and no client may be
// sending.
type checker struct {
	*Workload
	ctx   context.Context //nolint:containedctx // a checker lives no longer than the check
	url   string
	scope *scope
	whole bool
	// patient means that the check waits until the signed log contains all events.
	patient bool
}

// everything checks every guarantee that is visible through the API.
func (c *checker) everything() error {
	if c.whole {
		c.scope.lookAgain()
	}
	for _, one := range []struct {
		promise string
		look    func() error
	}{
		{"batches-complete", c.batchesAreComplete},
		{"nothing-lost", c.decisionsAreThere},
		{"nothing-twice", c.decisionsAreListed},
		{"runs-repeat", c.runsAreThere},
		{"backtests-kept", c.backtestsAreThere},
		{"usage-exact", c.usageIsExact},
		{"one-active-policy", c.onePolicyIsActive},
		{"policies-kept", c.ruleSetsAreThere},
		{"alerts-legal", c.alertsAreLegal},
		{"audit-complete", c.auditIsComplete},
		{"fraud-counted", c.countersAreExact},
		{"keys-revoked", c.revokedKeysAreShut},
		{"one-event", c.eventsAreExact},
		{"log-grows", c.logOnlyGrows},
	} {
		if err := one.look(); err != nil {
			return fmt.Errorf("%s: %w", one.promise, err)
		}
	}
	return nil
}

// lookAgain marks everything as not yet checked.
func (s *scope) lookAgain() {
	for id := range s.decisions {
		s.unseen.decisions[id] = struct{}{}
	}
	for d := range s.deeds {
		s.unseen.deeds[d] = struct{}{}
	}
	for id := range s.runs {
		s.unseen.others[id] = struct{}{}
	}
	for id := range s.backtests {
		s.unseen.others[id] = struct{}{}
	}
	for id := range s.batches {
		s.unseen.others[id] = struct{}{}
	}
	for id := range s.ruleSets {
		s.unseen.others[id] = struct{}{}
	}
	for id := range s.alerts {
		s.unseen.others[id] = struct{}{}
	}
	s.passed = newLooked()
}

// read sends a request and returns the body. No fault is in progress, so the
// request must be answered.
func (c *checker) read(r *request) ([]byte, error) {
	r.patience = int(settling / pause)
	ctx, cancel := context.WithTimeout(c.ctx, settling)
	defer cancel()
	a, ok := c.deliver(ctx, r, at(ctx, c.url))
	if !ok {
		return nil, fmt.Errorf("%s: %d %s", r, a.status, short(a.body))
	}
	c.count(func(f *Figures) { f.Checked++ })
	return a.body, nil
}

// each calls the function do for every item of the list, with several calls at the same time.
func each[T any](list []T, do func(T) error) error {
	const hands = 6
	work := make(chan T)
	errs := make([]error, hands)
	var busy sync.WaitGroup
	for i := range hands {
		busy.Go(func() {
			for one := range work {
				if err := do(one); err != nil {
					errs[i] = errors.Join(errs[i], err)
				}
			}
		})
	}
	for _, one := range list {
		work <- one
	}
	close(work)
	busy.Wait()
	return errors.Join(errs...)
}

// pages reads a list page by page, newest first, until it ends or visit returns
// false.
func (c *checker) pages(path string, visit func(listed) (more bool)) error {
	cursor := ""
	for {
		at := path
		if cursor != "" {
			at += "&cursor=" + url.QueryEscape(cursor)
		}
		body, err := c.read(c.scope.get(at))
		if err != nil {
			return err
		}
		var page listed
		if err := unmarshal(body, &page); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		more := visit(page)
		if !more || !page.Pagination.HasNext {
			return nil
		}
		if page.Pagination.Next == "" || page.Pagination.Next == cursor {
			return fmt.Errorf("%s: there is a next page but no new cursor", at)
		}
		cursor = page.Pagination.Next
	}
}
