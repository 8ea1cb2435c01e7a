package httpapi

import (
	"net/http"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// The refusals; one value each, since they are made when there is no time.
var (
	errFull = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many requests are in progress; try again later")
	errShare = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"this organisation has reached its limit of concurrent requests on this node; send fewer at a time, or try again later")
	errExports = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many exports are running; try again when one has finished")
)

// owner returns whose share of the node a request uses: the tenant's once the
// key is known, the network address's before.
func (c *call) owner() string {
	if c.caller.TenantID != "" {
		return c.caller.TenantID
	}
	return c.address()
}

func (c *call) address() string { return c.api.node.Clients.Address(c.r) }

// gate returns the places that a request needs one of. Requests that only read
// have places of their own: stored decisions can be read while nothing can be
// stored.
func (c *call) gate() *admission.Pool {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		return c.api.reads
	}
	return c.api.works
}

// probed reports whether a path answers however much there is to do.
func probed(path string) bool { return path == "/livez" || path == "/readyz" }

// crowded refuses a request before anything is done for it, without taking a
// place: refusing must cost next to nothing, or the refusals themselves would
// take the time that the rest needs.
func (c *call) crowded() error {
	if !c.gate().Full() || probed(c.r.URL.Path) {
		return nil
	}
	c.route, _, _ = c.api.routes.find(c.r.Method, c.r.URL.EscapedPath()) // for the metrics
	return errFull
}

// crowdedOut refuses a request of a tenant that uses its share already, before
// its body is read.
func (c *call) crowdedOut() error {
	if c.route.public || c.exports() || !c.gate().FullFor(c.owner()) {
		return nil
	}
	return errShare
}

// exports reports whether the answer is sent piece by piece, at its caller's
// pace.
func (c *call) exports() bool { return c.csv || c.route.only == csvType }

// admit takes a place for the work on a request once its body has arrived (a
// slow sender holds none), and then waits for a slot on a processor. An export
// has one of a few places of its own, and gives the slot up while its caller reads.
func (c *call) admit() error {
	switch {
	case c.route.public:
		return nil
	case c.exports():
		if c.exporting = c.api.node.Exports.Take(c.owner(), 1); !c.exporting {
			return errExports
		}
	default:
		if c.admitted = c.gate().Take(c.owner(), 1); !c.admitted {
			return errShare
		}
	}
	c.ctx, c.slot = c.api.node.Processors.Enter(c.ctx, c.owner())
	return nil
}

// leave gives back what the request has taken.
func (c *call) leave() {
	c.slot.Leave()
	c.buffer.release()
	c.api.node.Memory.Give(c.owner(), c.reserved)
	c.giveUpPlace()
	if c.exporting {
		c.api.node.Exports.Give(c.owner(), 1)
	}
}

// giveUpPlace returns the slot and the place among those that are worked on.
func (c *call) giveUpPlace() {
	c.slot.Leave()
	if c.admitted {
		c.admitted = false
		c.gate().Give(c.owner(), 1)
	}
}

// shedded notes that a request was refused because there was no place.
func (c *call) shedded(from *admission.Pool) {
	c.shed = true
	if n := from.Refused(c.begun); n > 0 {
		c.api.options.Logger.Warn("refused requests: too many in progress", "requests", n, "places", from.Room())
	}
}

// The delays of those who are refused more than the rate.
const (
	faultDelay = 500 * time.Millisecond // of a request that cannot be answered otherwise
	crowdDelay = 100 * time.Millisecond // of one that there is no room for now
)

// slowStranger delays requests without a key beyond the rate of an address.
func (c *call) slowStranger() {
	slow := c.api.node.SlowStranger
	if probed(c.r.URL.Path) {
		slow = c.api.node.SlowProbe
	}
	if !slow(c.r, c.begun) {
		c.w.Header()["Connection"] = []string{"close"}
	}
}

// slowRefused delays what is refused to a tenant beyond a rate, whatever the
// reason: nobody can use thousands of refusals a second. The refusal of a large
// body is always delayed.
func (c *call) slowRefused(status int) {
	rate := c.api.options.RefusalRate
	if c.caller.TenantID == "" || rate.Allowance == 0 {
		return
	}
	c.giveUpPlace() // it is not worked on any more
	who, delay := owner{bucketRefusal, c.caller.TenantID}, faultDelay
	switch {
	case c.r.ContentLength > longBody: // to receive a part of it cost much more than the refusal
		rate = tenant.Rate{}
	case status == http.StatusServiceUnavailable:
		delay = crowdDelay
	}
	if rate.Allowance > 0 {
		if _, _, ok := c.api.buckets.Take(who, rate, c.begun); ok {
			return
		}
	}
	if !c.api.node.Delay(c.r.Context(), who.who, delay) {
		c.w.Header()["Connection"] = []string{"close"}
	}
}
