package httpapi

import (
	"net/http"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// These are the refusals of requests that exceed the capacity. Each refusal is
// created once, because refusing a request under load must cost as little as
// possible.
var (
	errFull = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many requests are in progress; try again later")
	errShare = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"this organisation has reached its limit of concurrent requests on this node; "+
			"send fewer at a time, or try again later")
	errExports = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"too many exports are running; try again when one has finished")
	errMemory = fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the request bodies in progress use all the memory available to this organisation; "+
			"send fewer at a time, or try again later")
)

// pool returns the pool in which the request counts as in progress. Requests that
// only read have their own pool, so that stored decisions can be read while writes
// are blocked.
func (c *call) pool() *admission.Pool {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		return c.api.reads
	}
	return c.api.writes
}

// isProbe reports whether a path is a probe. Probes are answered at any load.
func isProbe(path string) bool { return path == "/livez" || path == "/readyz" }

// checkCapacity refuses a request if the pool is full, before any work is done for
// it. It takes no place in the pool. Refusals must cost next to nothing; otherwise
// a flood of them would use the processor time of other requests.
func (c *call) checkCapacity() error {
	if !c.pool().Full() || isProbe(c.r.URL.Path) {
		return nil
	}
	c.route, _, _ = c.api.routes.find(c.r.Method, c.r.URL.EscapedPath()) // for the metrics
	return errFull
}

// checkShare refuses a request if its tenant's share of the pool is used up,
// before the body is read.
func (c *call) checkShare() error {
	if c.route.public || c.isExport() || !c.pool().FullFor(c.resources.owner) {
		return nil
	}
	return errShare
}

// isExport reports whether the answer is a file that is sent in parts, as fast as
// the client reads it.
func (c *call) isExport() bool { return c.csv || c.route.only == csvType }

// admit takes a place in the pool for the work on a request and then waits for a
// slot on a processor. It is called after the body has arrived, so that a slow
// sender holds no place. An export takes one of a few places for exports instead,
// and gives up its slot while its client reads.
func (c *call) admit() error {
	if c.route.public {
		return nil
	}
	var err error
	if c.isExport() {
		err = c.resources.enterExports()
	} else {
		err = c.resources.enter(c.pool())
	}
	if err != nil {
		return err
	}
	c.ctx, c.resources.slot = c.api.node.Processors.Enter(c.ctx, c.resources.owner)
	return c.ctx.Err() // the client has disconnected, or the deadline has passed
}

// countShed counts a request that was refused because a pool was full, and logs
// the count at intervals.
func (c *call) countShed(from *admission.Pool) {
	c.shed = true
	if n := from.Refused(c.started); n > 0 {
		c.api.options.Logger.Warn("API requests were refused: a capacity limit is reached",
			"refused", n, "capacity", from.Room())
	}
}

// These are the delays of refusals beyond Options.RefusalRate.
const (
	refusalDelay  = 500 * time.Millisecond
	capacityDelay = 100 * time.Millisecond // if the reason is a lack of capacity, which may end soon
)

// slowStranger delays requests without a key from an address that exceeds its rate.
func (c *call) slowStranger() {
	slow := c.api.node.SlowStranger
	if isProbe(c.r.URL.Path) {
		slow = c.api.node.SlowProbe
	}
	if !slow(c.r, c.started) {
		c.closeConnection()
	}
}

// slowRefused delays refusals to a tenant beyond Options.RefusalRate, whatever the
// reasons for the refusals: no client needs thousands of refusals a second. The
// refusal of a large body is always delayed.
func (c *call) slowRefused(status int) {
	rate := c.api.options.RefusalRate
	if c.caller.TenantID == "" || rate.Allowance == 0 {
		return
	}
	c.resources.stopWork()
	who, delay := bucketOwner{bucketRefusal, c.caller.TenantID}, refusalDelay
	switch {
	case c.r.ContentLength > longBody: // receiving a part of the body cost much more than the refusal
		rate = tenant.Rate{}
	case status == http.StatusServiceUnavailable:
		delay = capacityDelay
	}
	if rate.Allowance > 0 {
		if _, _, ok := c.api.buckets.Take(who, rate, c.started); ok {
			return
		}
	}
	if !c.api.node.Delay(c.r.Context(), who.id, delay) {
		c.closeConnection()
	}
}

// closeConnection makes the server close the connection after the answer.
func (c *call) closeConnection() { c.response.header()["Connection"] = []string{"close"} }
