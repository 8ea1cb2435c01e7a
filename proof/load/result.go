package load

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// window is the interval for which latencies are counted separately, to measure recovery.
const window = 250 * time.Millisecond

// Result is the result of one stage. Latencies are measured from the time when a request
// was due. In a closed loop, that is the time when it was sent.
type Result struct {
	Offered  float64       // requests per second; 0 in a closed loop
	Lasted   time.Duration // the time in which requests were due
	Due      int64         // requests that were due
	Good     int64         // requests answered with 200
	GoodIn   int64         // good answers before the end of the stage
	Refused  int64         // requests answered with 429 or 503
	Mute     int64         // refusals without a Retry-After header
	Wrong    int64         // requests answered with another status
	Lost     int64         // requests that were sent and got no complete answer
	Unsent   int64         // requests abandoned because no connection was free within the timeout
	Overtime int64         // answers that arrived after the timeout
	Conns    int           // largest number of connections

	Latency Histogram        // latency of good answers
	ByKind  [kinds]Histogram // latency of good answers, by kind of request
	Refusal Histogram        // latency of refusals
	Behind  Histogram        // how late the generator sent requests because it was busy
	Windows []Histogram      // latency of all answers, by the window in which they were due

	FirstWrong string // the first answer with an unexpected status
}

// Rate returns the number of good answers per second.
func (r *Result) Rate() float64 { return float64(r.GoodIn) / r.Lasted.Seconds() }

// recorder is a Result to which many connections write.
type recorder struct {
	mu      sync.Mutex
	result  Result
	timeout time.Duration
	begun   time.Time
}

// answered counts an answer. due is the time when the request was due, and at is the time when the answer was
// received.
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

// slowest returns the p99 of each kind of request, as a text.
func (r *Result) slowest() string {
	var parts []string
	for kind := range r.ByKind {
		if h := &r.ByKind[kind]; h.Count() > 0 {
			parts = append(parts, kindNames[kind]+" "+short(h.Quantile(0.99)))
		}
	}
	return strings.Join(parts, ", ")
}

// window returns the histogram of the window that contains a point in time. The parameter since is the time from
// the start to that point.
func (r *Result) window(since time.Duration) *Histogram {
	i := max(0, int(since/window))
	for len(r.Windows) <= i {
		r.Windows = append(r.Windows, Histogram{})
	}
	return &r.Windows[i]
}

// note locks the recorder and calls the function change with the result.
func (r *recorder) note(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}
