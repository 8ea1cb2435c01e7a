package torture

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// recorder is a service that refuses everything and records the requests.
type recorder struct {
	mu    sync.Mutex
	asked map[string]struct{}
}

func (rec *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	rec.mu.Lock()
	rec.asked[fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Idempotency-Key"), body)] = struct{}{}
	rec.mu.Unlock()
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"code":"unavailable","status":503}`)
}

// askedBy returns the sorted requests of the first 60 stories of a seed.
func askedBy(t *testing.T, seed uint64) []string {
	t.Helper()
	rec := &recorder{asked: map[string]struct{}{}}
	server := httptest.NewServer(rec)
	t.Cleanup(server.Close)
	w := newIdle(seed)
	w.MarkFault("out of order", true)
	var busy sync.WaitGroup
	for n := range uint64(60) {
		busy.Go(func() { w.story(t.Context(), n, func() []string { return []string{server.URL} }) })
	}
	busy.Wait()
	if err := w.model.verdict(); err != nil {
		t.Error(err)
	}
	list := make([]string, 0, len(rec.asked))
	for text := range rec.asked {
		list = append(list, text)
	}
	slices.Sort(list)
	return list
}

// newIdle returns a workload whose lenders are marked as signed up.
func newIdle(seed uint64) *Workload {
	w := NewWorkload(seed)
	for i := range uint64(lenders) {
		l := w.newLender("lender", i)
		for _, env := range []string{"sandbox", "live"} {
			s := newScope(l, env, w.secrets.word(env, i), "key")
			s.beginWith("pol_first", time.Now(), time.Now())
			w.lasting = append(w.lasting, s)
		}
	}
	w.model.scopes = slices.Clone(w.lasting)
	return w
}

func TestWhatIsAskedFollowsFromTheSeed(t *testing.T) {
	t.Parallel()
	first := askedBy(t, 5)
	if len(first) < 40 {
		t.Errorf("60 stories ask for %d things", len(first))
	}
	if diff := cmp.Diff(first, askedBy(t, 5)); diff != "" {
		t.Errorf("the same seed asks for something else:\n%s", diff)
	}
	if cmp.Equal(first, askedBy(t, 6)) {
		t.Error("another seed asks for the same")
	}
}

// TestSettleSendsTheSameAgain loses the first answer of every request, and
// checks that Settle sends the same request again.
func TestSettleSendsTheSameAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	bodies := map[string][]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		key := r.Header.Get("Idempotency-Key")
		mu.Lock()
		bodies[key] = append(bodies[key], string(body))
		first := len(bodies[key]) == 1
		mu.Unlock()
		if first {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, decisionBody("dec_"+key, "h", "pol_first"))
	}))
	t.Cleanup(server.Close)
	w := newIdle(1)
	w.MarkFault("lossy", true)
	s := &story{
		Workload: w,
		ctx:      t.Context(),
		n:        1,
		rng:      w.chance(1, streamStory),
		scope:    w.lasting[0],
		where:    at(t.Context(), server.URL),
	}
	r := s.post("/v1/decisions", profileOf(1).decision("A"), http.StatusOK)
	r.patience, r.learn = 0, learnDecision(r, "POST /v1/decisions", "profile", "")
	if _, ok := w.deliver(t.Context(), r, s.where); ok {
		t.Fatal("a lost answer was heard")
	}
	w.MarkFault("lossy", false)
	if err := w.Settle(t.Context(), server.URL); err != nil {
		t.Fatal(err)
	}
	if sent := bodies[r.once]; len(sent) != 2 || sent[0] != sent[1] {
		t.Errorf("it was sent as %q", sent)
	}
	got := w.Figures()
	got.LongestRecovery, got.SlowestAfter = 0, ""
	want := Figures{Requests: 2, Answered: 1, Unanswered: 1, Retried: 1}
	if diff := cmp.Diff(want, got); diff != "" || len(w.lasting[0].decisions) != 1 || w.lasting[0].totalBilled() != 1 {
		t.Errorf("%s\ndecisions %v", diff, w.lasting[0].decisions)
	}
	if err := w.model.verdict(); err != nil {
		t.Error(err)
	}
}
