package httpapi

import (
	"net/http"
	"sync/atomic"
	"time"

	"verdict/internal/fault"
)

// admission bounds the requests that are worked on at once. What is beyond it
// is refused at once instead of queued: a caller who hears within milliseconds
// that there is no room can come back or go elsewhere, and one who waits in a
// queue that only grows is answered when nobody listens any more.
//
// A place is taken when the whole request is there and given back with its
// answer, so that a caller who sends slowly holds none. It is looked for
// earlier too, without being taken: refusing must cost next to nothing, or
// the refusals themselves would take the time that the rest needs.
type admission struct {
	room    int64
	taken   atomic.Int64
	refused atomic.Int64 // since the log last told of it
	told    atomic.Int64 // when that was
}

// errFull is the refusal; one value, since it is made when there is no time.
var errFull = fault.New(fault.Unavailable, codeUnavailable, "more requests are being worked on than can be done in time; try again later")

// full tells whether there is no room at the moment.
func (a *admission) full() bool { return a.taken.Load() >= a.room }

// take takes a place if there is one.
func (a *admission) take() bool {
	if a.taken.Add(1) > a.room {
		a.taken.Add(-1)
		return false
	}
	return true
}

func (a *admission) release() { a.taken.Add(-1) }

// tellEvery is how often the log says that requests are being refused.
const tellEvery = time.Second

// count notes a refusal, and returns how many there were when the log should
// tell of them: a line for each would cost more than the refusal.
func (a *admission) count(now time.Time) (tell int64) {
	a.refused.Add(1)
	last := a.told.Load()
	if since := now.UnixNano() - last; since >= 0 && since < int64(tellEvery) || !a.told.CompareAndSwap(last, now.UnixNano()) {
		return 0
	}
	return a.refused.Swap(0)
}

// gate is where a request needs a place. Those that only read have places of
// their own: what is stored can be looked at while nothing can be stored.
func (c *call) gate() *admission {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		return &c.api.reads
	}
	return &c.api.works
}

// probed tells whether a path answers however much there is to do.
func probed(path string) bool { return path == "/livez" || path == "/readyz" }

// crowded refuses a request before anything is done for it.
func (c *call) crowded() error {
	if !c.gate().full() || probed(c.r.URL.Path) {
		return nil
	}
	c.route, _, _ = c.api.routes.find(c.r.Method, c.r.URL.EscapedPath()) // for the metrics
	return errFull
}

// admit takes a place for the work on a request. What is sent or fetched piece
// by piece, at its caller's pace, needs none: it is bounded elsewhere, and would
// keep a place from those who need it for milliseconds.
func (c *call) admit() error {
	if c.route.public || c.route.only != "" || c.csv {
		return nil
	}
	if c.admitted = c.gate().take(); !c.admitted {
		return errFull
	}
	return nil
}

// turnedAway notes that a request was refused for want of a place.
func (c *call) turnedAway() {
	c.shed = true
	if n := c.gate().count(c.begun); n > 0 {
		c.api.options.Logger.Warn("refused for want of room", "requests", n, "max_in_flight", c.gate().room)
	}
}
