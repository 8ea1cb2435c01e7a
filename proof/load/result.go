package load

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// window is how finely recovery is looked at.
const window = 250 * time.Millisecond

// Result is what came of one stage. Latencies count from the time a request was
// due; in a closed loop that is the time it was sent.
type Result struct {
	Offered  float64       // requests a second; 0 in a closed loop
	Lasted   time.Duration // the time over which requests were due
	Due      int64         // requests
	Good     int64         // answered with 200
	GoodIn   int64         // of these, before the stage was over
	Refused  int64         // answered with 429 or 503
	Mute     int64         // of these, without Retry-After
	Wrong    int64         // answered with anything else
	Lost     int64         // sent, and no whole answer came
	Unsent   int64         // given up: no connection was free within the timeout
	Overtime int64         // answers that came after the timeout
	Conns    int           // connections at most

	Latency Histogram        // of good answers
	ByKind  [kinds]Histogram // the same, by what was asked for
	Refusal Histogram        // of refusals
	Behind  Histogram        // how late requests were sent for want of the generator's own time
	Windows []Histogram      // of all answers, by the time they were due

	FirstWrong string // the first answer that nobody expects
}

// Rate is how many good answers came in a second.
func (r *Result) Rate() float64 { return float64(r.GoodIn) / r.Lasted.Seconds() }

// recorder is a Result that many connections write to.
type recorder struct {
	mu      sync.Mutex
	result  Result
	timeout time.Duration
	begun   time.Time
}

// answered counts one answer to a request that was due at a time and was answered
// at another.
func (r *recorder) answered(a *answer, kind Kind, due, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	took := at.Sub(due)
	if took > r.timeout {
		r.result.Overtime++
	}
	r.result.window(due.Sub(r.begun)).Add(took)
	switch a.status {
	case http.StatusOK:
		r.result.Good++
		if at.Sub(r.begun) <= r.result.Lasted {
			r.result.GoodIn++
		}
		r.result.Latency.Add(took)
		r.result.ByKind[kind].Add(took)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		r.result.Refused++
		if !a.retryAfter {
			r.result.Mute++
		}
		r.result.Refusal.Add(took)
	default:
		r.result.Wrong++
		if r.result.FirstWrong == "" {
			r.result.FirstWrong = string(a.body)
		}
	}
}

// slowest says how long the slowest hundredth of each kind of request took.
func (r *Result) slowest() string {
	var parts []string
	for kind := range r.ByKind {
		if h := &r.ByKind[kind]; h.Count() > 0 {
			parts = append(parts, kindNames[kind]+" "+short(h.Quantile(0.99)))
		}
	}
	return strings.Join(parts, ", ")
}

// window is the histogram of the time since the start.
func (r *Result) window(since time.Duration) *Histogram {
	i := max(0, int(since/window))
	for len(r.Windows) <= i {
		r.Windows = append(r.Windows, Histogram{})
	}
	return &r.Windows[i]
}

// note changes the result by other means.
func (r *recorder) note(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}
