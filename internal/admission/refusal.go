package admission

import (
	"sync/atomic"
	"time"
)

// Refusals counts refusals for the log. Not every refusal is logged, because a
// log line would cost more than the refusal itself.
type Refusals struct {
	count  atomic.Int64 // since the last log line
	logged atomic.Int64 // time of the last log line, in nanoseconds
}

// logEvery is the shortest time between two log lines.
const logEvery = time.Second

// Refused counts a refusal. If a log line is due, it returns the number of
// refusals since the last log line; otherwise it returns 0.
func (r *Refusals) Refused(now time.Time) (due int64) {
	r.count.Add(1)
	last := r.logged.Load()
	since := now.UnixNano() - last
	if since >= 0 && since < int64(logEvery) || !r.logged.CompareAndSwap(last, now.UnixNano()) {
		return 0
	}
	return r.count.Swap(0)
}
