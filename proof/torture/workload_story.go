package torture

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
)

const jsonType = "application/json"

// story is a sequence of related requests of one client, for one lender in one
// environment.
type story struct {
	*Workload
	ctx   context.Context //nolint:containedctx // a story lives no longer than the call that runs it
	n     uint64
	rng   *rand.Rand
	scope *scope
	where func() (string, bool)
	steps int
}

// tales lists the kinds of stories, each with its relative frequency.
var tales = []struct {
	share int
	tell  func(*story)
}{
	{34, (*story).decides},
	{14, (*story).evaluates},
	{8, (*story).findsRing},
	{8, (*story).reviews},
	{6, (*story).changesPolicy},
	{4, (*story).rollsBack},
	{5, (*story).readsActive},
	{6, (*story).previews},
	{5, (*story).underwrites},
	{2, (*story).backtests},
	{4, (*story).browses},
	{6, (*story).readsCheckpoint},
	{2, (*story).handlesKeys},
	{2, (*story).joins},
	{6, (*story).erases},
	{4, (*story).defers},
}

// tale returns the kind of a story that a random source picks.
func (w *Workload) tale(rng *rand.Rand) func(*story) {
	var all int
	for _, t := range tales {
		all += t.share
	}
	if w.batches && rng.IntN(batchShare) == 0 {
		return (*story).sendsBatch
	}
	at := rng.IntN(all)
	for _, t := range tales {
		if at -= t.share; at < 0 {
			return t.tell
		}
	}
	return (*story).decides // not reached: the shares add up to more than the drawn number
}

// story runs story number n.
func (w *Workload) story(ctx context.Context, n uint64, urls func() []string) {
	rng := w.chance(n, streamStory)
	s := &story{
		Workload: w, ctx: ctx, n: n, rng: rng,
		scope: w.lasting[rng.IntN(len(w.lasting))],
		where: somewhere(ctx, urls, w.chance(n, streamAddress)),
	}
	w.tale(rng)(s)
}

// get returns a GET request.
func (s *scope) get(path string) *request {
	return &request{scope: s, key: s.key, method: http.MethodGet, path: path, want: []int{http.StatusOK}}
}

// post returns a POST request with its own Idempotency-Key.
func (s *story) post(path, body string, want int) *request {
	s.steps++
	return &request{
		scope: s.scope, key: s.scope.key, method: http.MethodPost, path: path, contentType: jsonType,
		body: []byte(body), once: fmt.Sprintf("%d-%d", s.n, s.steps), writes: true, want: []int{want},
		patience: s.rng.IntN(4),
	}
}

// do sends a request to any node. Sometimes it sends the request twice
// concurrently. It returns true if the final answer is a success.
func (s *story) do(r *request) (answer, bool) {
	if r.once == "" || s.rng.IntN(6) > 0 {
		return s.deliver(s.ctx, r, s.where)
	}
	var twin sync.WaitGroup
	s.count(func(f *Figures) { f.Duplicates++ })
	twin.Go(func() { s.deliver(s.ctx, r, s.where) })
	a, ok := s.deliver(s.ctx, r, s.where)
	twin.Wait()
	return a, ok
}

// text returns a unique text that contains the scope's word.
func (s *story) text(what string) string { return fmt.Sprintf("%s %s %d", what, s.scope.word, s.n) }

// applicant returns a unique applicant reference.
func (s *story) applicant(i int) string { return fmt.Sprintf("%s-%d-%d", s.scope.word, s.n, i) }
