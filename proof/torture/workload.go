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

// clients is the number of concurrent clients.
const clients = 12

// Workload is the set of clients: lenders whose programs and people use all
// parts of the service concurrently and remember every answer.
//
// The requests depend only on the seed: story n sends the same requests in
// every run, until it stops because a request fails. Which stories run at the
// same time depends on the machine.
type Workload struct {
	// Operator runs a command of the binary on the world's database, such as
	// "tenant plan ID NAME". If Operator is nil, no lender has the small quota.
	Operator func(ctx context.Context, args ...string) error

	seed     uint64
	batches  bool // whether stories send batches as jobs
	client   *http.Client
	model    *model
	secrets  *secrets
	answered atomic.Int64
	written  atomic.Int64  // answered requests that change data
	next     atomic.Uint64 // the number of the next story
	checks   int
	raised   int      // how often the small quota was raised
	lasting  []*scope // scopes of the lenders that exist from the beginning
}

// NewWorkload returns the clients for a seed.
func NewWorkload(seed uint64) *Workload {
	return &Workload{seed: seed, client: newClient(), model: newModel(), secrets: newSecrets(seed)}
}

const (
	smallStep  = 15  // units by which each small plan exceeds the previous one
	smallPlans = 400 // enough to raise the quota in every round
	enough     = 1_000_000_000
)

func smallPlan(n int) string { return fmt.Sprintf("small-%d", n) }

// Flags returns the flags of a node for this workload.
func (w *Workload) Flags() []string {
	quotas := fmt.Sprintf("free=%d", enough)
	for n := 1; n <= smallPlans; n++ {
		quotas += fmt.Sprintf(",%s=%d", smallPlan(n), n*smallStep)
	}
	const never = "1000000/s"
	return []string{
		"-rate-decide", never, "-rate-write", never, "-rate-backtest", never, "-rate-signup", never,
		"-signups-each-day", "0", "-max-drafts", "1000000", "-plan-quotas", quotas,
	}
}

// Answered returns the number of requests answered with success. It grows
// during Run.
func (w *Workload) Answered() int64 { return w.answered.Load() }

// Figures returns the counts of the run so far.
func (w *Workload) Figures() Figures {
	w.model.mu.Lock()
	defer w.model.mu.Unlock()
	return w.model.count
}

// Run runs stories until ctx ends. It then stops the running stories, but
// completes requests in progress.
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

// chance returns the random source of a story. Each purpose has its own stream,
// so that the choices for one purpose do not change the choices for other
// purposes.
func (w *Workload) chance(n, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, n<<4|stream)) //nolint:gosec // repeatable, not secret
}

const (
	streamStory = iota
	streamAddress
)

// somewhere returns a function that picks an address for each request, and
// waits while there is no address. The function returns false when ctx ends.
func somewhere(ctx context.Context, urls func() []string, rng *rand.Rand) func() (string, bool) {
	var mu sync.Mutex // a request that is sent twice concurrently calls the function twice
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

// at returns a function that always returns the same address. After ctx has ended, the function also returns false.
func at(ctx context.Context, url string) func() (string, bool) {
	return func() (string, bool) { return url, ctx.Err() == nil }
}

// settling is how long a request may take after the fault has ended.
const settling = time.Minute

// Settle repeats the requests that had no answer until every outcome is known,
// and raises the small quota if it is used up.
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
		return fmt.Errorf("%d requests have no answer in a world that is healthy again: %w",
			left, errors.Join(ctx.Err(), w.model.verdict()))
	}
	w.learn(w.model.faults.atRest)
	return w.raise(ctx, url)
}

// resolve repeats a request until it is answered.
func (w *Workload) resolve(ctx context.Context, url string, r *request) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	r.patience = int(settling / pause)
	w.count(func(f *Figures) { f.Retried++ })
	w.deliver(ctx, r, at(ctx, url))
}

// raise moves the lender with the small quota to a larger plan, on the first call and whenever the quota is used
// up. It then waits until the node uses the new plan. Without this wait, it would be unknown which quota is in
// effect.
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

// reaches is how long a change may take to reach a node. The service guarantees
// one second, which tests with a clock of their own check; the rest is for a busy machine.
const reaches = time.Minute

// awaitPlan waits until the node uses a plan.
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
			return fmt.Errorf("after %s the node says that %s has the plan %q instead of %s",
				reaches, s, told.Plan, plan)
		}
	}
}
