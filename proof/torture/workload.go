package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// clients is how many of them there are at once.
const clients = 12

// Workload is the clients: lenders whose programs and people use the service
// in every way at once, and who remember what they were told.
//
// What is sent follows from the seed alone: the story with the number n is the
// same in every run, however the service answers, as far as it gets. Which
// stories are told at the same moment is up to the machine.
type Workload struct {
	// Operator runs a command of the binary against the world's database, as in
	// tenant plan ID NAME. Without it no quota is raced.
	Operator func(ctx context.Context, args ...string) error

	seed     uint64
	client   *http.Client
	model    *model
	secrets  *secrets
	answered atomic.Int64
	written  atomic.Int64  // of those, the ones that change something
	next     atomic.Uint64 // the number of the next story
	checks   int
	raised   int      // how often the small quota was raised
	lasting  []*scope // those of the lenders that are there from the beginning
}

// NewWorkload makes the clients of a seed.
func NewWorkload(seed uint64) *Workload {
	return &Workload{seed: seed, client: newClient(), model: newModel(), secrets: newSecrets(seed)}
}

const (
	smallStep  = 15  // units of each small plan more than of the one before
	smallPlans = 400 // a raise for every round, and some
	enough     = 1_000_000_000
)

func smallPlan(n int) string { return fmt.Sprintf("small-%d", n) }

// Flags are those that a node needs for this workload.
func (w *Workload) Flags() []string {
	quotas := fmt.Sprintf("free=%d", enough)
	for n := 1; n <= smallPlans; n++ {
		quotas += fmt.Sprintf(",%s=%d", smallPlan(n), n*smallStep)
	}
	const never = "1000000/s"
	return []string{
		"-rate-decide", never, "-rate-write", never, "-rate-backtest", never, "-rate-signup", never, "-signups-each-day", "0", "-max-drafts", "1000000", "-plan-quotas", quotas,
	}
}

// Answered is how many requests were answered with success. It grows while Run
// works.
func (w *Workload) Answered() int64 { return w.answered.Load() }

// Figures are what happened so far.
func (w *Workload) Figures() Figures {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	return w.model.count
}

// Run has the clients tell stories until ctx ends. A story that is under way is
// then broken off, but not a request.
func (w *Workload) Run(ctx context.Context, urls func() []string) {
	var busy sync.WaitGroup
	for range clients {
		busy.Go(func() {
			for ctx.Err() == nil {
				w.story(ctx, w.next.Add(1), urls)
			}
		})
	}
	busy.Wait()
}

// chance is the random source of a story. Each use has a stream of its own, so
// that what one draws does not change what another does.
func (w *Workload) chance(n, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, n<<4|stream)) //nolint:gosec // a test must be repeatable, not secret
}

const (
	streamStory = iota
	streamAddress
)

// somewhere picks an address for each sending, and waits while there is none.
func somewhere(ctx context.Context, urls func() []string, rng *rand.Rand) func() (string, bool) {
	var mu sync.Mutex // a request that is sent twice at once asks twice at once
	return func() (string, bool) {
		for ctx.Err() == nil {
			if list := urls(); len(list) > 0 {
				mu.Lock()
				drawn := rng.IntN(len(list))
				mu.Unlock()
				return list[drawn], true
			}
			wait(ctx, pause)
		}
		return "", false
	}
}

// at is one address, until ctx ends.
func at(ctx context.Context, url string) func() (string, bool) {
	return func() (string, bool) { return url, ctx.Err() == nil }
}

// settling is how long a request may take to be answered in a world that is
// whole again.
const settling = time.Minute

// Settle sends again what had no answer, so that nothing is in doubt, and
// raises the quota that is raced.
func (w *Workload) Settle(ctx context.Context, url string) error {
	open := w.model.takeOpen()
	work := make(chan *request)
	var busy sync.WaitGroup
	for range clients {
		busy.Go(func() {
			for r := range work {
				w.resolve(ctx, url, r)
			}
		})
	}
	for _, r := range open {
		work <- r
	}
	close(work)
	busy.Wait()
	if left := len(w.model.takeOpen()); left > 0 {
		return fmt.Errorf("%d requests have no answer in a world that is whole again: %w", left, errors.Join(ctx.Err(), w.model.verdict()))
	}
	w.learn(w.model.faults.atRest)
	return w.raise(ctx, url)
}

// resolve sends a request until it is answered.
func (w *Workload) resolve(ctx context.Context, url string, r *request) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	r.patience = int(settling / pause)
	w.count(func(f *Figures) { f.Retried++ })
	w.deliver(ctx, r, at(ctx, url))
}

// raise gives the lender whose quota is raced some more once it is used up, and
// waits until the node knows: a plan that has not arrived yet would be a quota
// that nobody set.
func (w *Workload) raise(ctx context.Context, url string) error {
	usedUp := w.raised == 0
	for _, s := range w.lasting {
		usedUp = usedUp || s.usedUp
		s.usedUp = false
	}
	if w.Operator == nil || w.raised >= smallPlans || !usedUp {
		return nil
	}
	w.raised++
	plan := smallPlan(w.raised)
	for _, s := range w.lasting {
		if !s.small {
			continue
		}
		if s.env == "sandbox" {
			if err := w.Operator(ctx, "tenant", "plan", s.lender.id, plan); err != nil {
				return fmt.Errorf("raise the quota: %w", err)
			}
		}
		if err := w.awaitPlan(ctx, url, s, plan); err != nil {
			return err
		}
	}
	return nil
}

// reaches is how long a change may take to reach a node. A second is promised;
// the rest is for a busy machine.
const reaches = 5 * time.Second

// awaitPlan asks until the node knows of a plan.
func (w *Workload) awaitPlan(ctx context.Context, url string, s *scope, plan string) error {
	for until := time.Now().Add(reaches); ; wait(ctx, pause) {
		a, _ := w.deliver(ctx, s.get("/v1/usage"), at(ctx, url))
		var told struct {
			Plan string `json:"plan"`
		}
		if a.read(&told) && told.Plan == plan {
			return nil
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return fmt.Errorf("after %s the node says that %s has the plan %q instead of %s", reaches, s, told.Plan, plan)
		}
	}
}
