package load

import (
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSchedule checks that the number of requests matches the rate, and that
// they are in order and the same for the same seed. Poisson arrivals must have
// the right variance.
func TestSchedule(t *testing.T) {
	t.Parallel()
	const rate, n = 1000, 100_000
	for _, arrivals := range []Arrivals{Even, Poisson} {
		s := newSchedule(arrivals, rate, rand.New(rand.NewPCG(7, 7)))
		again := newSchedule(arrivals, rate, rand.New(rand.NewPCG(7, 7)))
		var last time.Duration
		var squares float64
		for i := range n {
			due := s.next()
			if due != again.next() {
				t.Fatalf("%s: the same seed gives another time", arrivals)
			}
			if due < last {
				t.Fatalf("%s: %s comes after %s", arrivals, due, last)
			}
			if i > 0 {
				gap := (due - last).Seconds() * rate
				squares += (gap - 1) * (gap - 1)
			}
			last = due
		}
		if got := float64(n) / last.Seconds(); math.Abs(got/rate-1) > 0.02 {
			t.Errorf("%s: %f a second", arrivals, got)
		}
		want := map[Arrivals]float64{Even: 0, Poisson: 1}[arrivals]
		if spread := math.Sqrt(squares / n); math.Abs(spread-want) > 0.02 {
			t.Errorf("%s: the gaps have the spread %f, want %f", arrivals, spread, want)
		}
	}
}

// answerWith returns a generator with one key for a test server.
func answerWith(t *testing.T, handler http.HandlerFunc) *Generator {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return New(Target{Addr: strings.TrimPrefix(server.URL, "http://"), Keys: []string{"k"}},
		Options{Mix: Mix{1, 0, 0, 0}, Arrivals: Even, Seed: 1, Connections: 50, Timeout: 2 * time.Minute})
}

// TestStallIsSeen uses a server that answers immediately except for a stall of
// half a second. Half of all requests are due during the stall and must be
// measured as delayed, whether there are few connections or many. Requests that
// could not even be sent have waited too.
func TestStallIsSeen(t *testing.T) {
	t.Parallel()
	for _, connections := range []int{1, 50} {
		var first atomic.Int64
		const from, to = 200 * time.Millisecond, 700 * time.Millisecond
		g := answerWith(t, func(w http.ResponseWriter, _ *http.Request) {
			first.CompareAndSwap(0, time.Now().UnixNano())
			if since := time.Since(time.Unix(0, first.Load())); since >= from && since < to {
				<-time.After(to - since)
			}
			_, _ = w.Write([]byte(`{"decision_id":"dec_1"}`))
		})
		g.options.Connections = connections
		r := g.Open(t.Context(), 200, time.Second)
		if r.Due != 200 || r.Good != r.Due || r.Lost+r.Unsent+r.Overtime+r.Wrong != 0 {
			t.Errorf("%d connections: of %d due %d were answered: %+v", connections, r.Due, r.Good, r)
		}
		// Half of all requests are due during the stall, and wait for half of
		// it on average.
		if got := r.Latency.Quantile(0.85); got < 250*time.Millisecond {
			t.Errorf("%d connections: p85 is %s", connections, got)
		}
		if got := r.Latency.Max(); got < 450*time.Millisecond {
			t.Errorf("%d connections: the longest is %s", connections, got)
		}
		if r.Conns > connections {
			t.Errorf("%d connections were made", r.Conns)
		}
		// A closed loop sends only one request into the stall and does not
		// notice it. A busy machine may delay other requests too, so this check
		// is repeated.
		for begun := time.Now(); ; {
			first.Store(0)
			got := g.Closed(t.Context(), 1, time.Second).Latency.Quantile(0.85)
			if got <= 250*time.Millisecond {
				break
			}
			if time.Since(begun) > 2*time.Minute {
				t.Fatalf("the closed loop has p85 %s", got)
			}
		}
	}
}

// TestRefusalsAndFailuresAreToldApart uses a server that answers in turn with
// success, with a refusal, with a refusal without Retry-After, with an error,
// and not at all. Each result must be counted separately.
func TestRefusalsAndFailuresAreToldApart(t *testing.T) {
	t.Parallel()
	var n atomic.Int64
	g := answerWith(t, func(w http.ResponseWriter, _ *http.Request) {
		switch n.Add(1) % 5 {
		case 0:
			_, _ = w.Write([]byte(`{"decision_id":"dec_1"}`))
		case 1:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.WriteHeader(http.StatusInternalServerError)
		case 4:
			panic(http.ErrAbortHandler)
		}
	})
	r := g.Open(t.Context(), 1000, 500*time.Millisecond)
	if r.Due != 500 || r.Good != 100 || r.Refused != 200 || r.Mute != 100 || r.Wrong != 100 || r.Lost != 100 {
		t.Errorf("due %d, good %d, refused %d, mute %d, wrong %d, lost %d",
			r.Due, r.Good, r.Refused, r.Mute, r.Wrong, r.Lost)
	}
	if stored, doubt := g.Answered(0, Decide); stored != 100 || doubt != 100 {
		t.Errorf("%d were answered, %d are in doubt", stored, doubt)
	}
}

// TestGivenUp checks that a request that finds no connection within the timeout is not sent, and that late answers
// are counted. The times at which the requests are due decide this, so the test sets these times instead of waiting.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	g := answerWith(t, func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write([]byte(`{}`))
	})
	const timeout, hour = 10 * time.Minute, time.Hour
	p := &pool{generator: g, most: 1, record: &recorder{timeout: timeout, begun: time.Now()}}
	random := g.begin()
	now := time.Now()
	p.submit(t.Context(), g.draw(random, now))
	for range 3 {
		p.submit(t.Context(), g.draw(random, now.Add(-hour))) // no connection is free
	}
	p.submit(t.Context(), g.draw(random, now))
	close(release)
	p.finish()
	r := &p.record.result
	if r.Due != 5 || r.Good != 2 || r.Unsent != 3 || r.Overtime != 0 {
		t.Errorf("due %d, good %d, given up %d, late %d", r.Due, r.Good, r.Unsent, r.Overtime)
	}
	p.record.answered(&answer{status: http.StatusOK}, Decide, now, now.Add(timeout))
	p.record.answered(&answer{status: http.StatusOK}, Decide, now, now.Add(timeout+1))
	if r.Good != 4 || r.Overtime != 1 {
		t.Errorf("good %d, late %d", r.Good, r.Overtime)
	}
}
