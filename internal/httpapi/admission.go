package httpapi

import (
	"net/http"
	"time"

	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// capacityTexts are the messages with which requests beyond the capacity are refused.
var capacityTexts = serving.Texts{
	Full: "too many requests are in progress; try again later",
	Share: "this organisation has reached its limit of concurrent requests on this node; " +
		"send fewer at a time, or try again later",
	Exports: "too many exports are running; try again when one has finished",
	Memory: "the request bodies in progress use all the memory available to this organisation; " +
		"send fewer at a time, or try again later",
}

// gate returns the gate that counts the requests in progress with the given method. Requests that only read have their
// own gate, so that stored decisions can be read while writes are blocked.
func (a *API) gate(method string) *serving.Gate {
	if method == http.MethodGet || method == http.MethodHead {
		return a.reads
	}
	return a.writes
}

// isProbe reports whether a path is a probe. Probes are answered at any load.
func isProbe(path string) bool { return path == "/livez" || path == "/readyz" }

// checkCapacity refuses a request if all places are taken, before any work is done
// for it. Refusals must cost next to nothing; otherwise a flood of them would use
// the processor time of other requests.
func (c *call) checkCapacity() error {
	err := c.resources.CheckFull()
	if err == nil || isProbe(c.r.URL.Path) {
		return nil
	}
	c.route, _, _ = c.api.routes.find(c.r.Method, c.r.URL.EscapedPath()) // the metrics name the route
	return err
}

// checkShare refuses a request if its tenant's share of the places is used up,
// before the body is read.
func (c *call) checkShare() error {
	if c.route.public || c.isExport() {
		return nil
	}
	return c.resources.CheckShare()
}

// isExport reports whether the answer is a file that is sent in parts, as fast as
// the client reads it.
func (c *call) isExport() bool {
	return c.csv || c.route != nil && (c.route.only == csvType || c.route.only == linesType)
}

// admit takes a place for the work on a request and then waits for a slot on a
// processor. It is called after the body has arrived, so that a slow sender holds
// no place. An export takes one of a few places for exports instead, and gives up
// its slot while its client reads.
func (c *call) admit() (err error) {
	switch {
	case c.route.public:
	case c.isExport():
		c.ctx, err = c.resources.EnterExports(c.ctx)
	default:
		c.ctx, err = c.resources.Enter(c.ctx)
	}
	return err
}

// These are the delays of refusals beyond Options.RefusalRate.
const (
	refusalDelay = 500 * time.Millisecond
	// capacityDelay is for a refusal because of a lack of capacity, which may end soon. The places for exports are an
	// exception: an export takes long.
	capacityDelay = 100 * time.Millisecond
)

// slowStranger delays requests without a key from an address that exceeds its rate.
func (c *call) slowStranger() {
	slow := c.api.node.DelayUnauthenticated
	if isProbe(c.r.URL.Path) {
		slow = c.api.node.DelayProbe
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
	c.resources.StopWork()
	delay := refusalDelay
	switch {
	case c.r.ContentLength > longBody: // receiving part of the body has already cost much more than the refusal
		rate = tenant.Rate{}
	case status == http.StatusServiceUnavailable && c.isExport():
		// Only a few exports run at a time, so the refused ones show whether the tenant floods.
		defer c.api.node.Processors.Refused(c.caller.TenantID)()
	case status == http.StatusServiceUnavailable:
		delay = capacityDelay
	}
	if c.api.tooManyRefusals(c.caller.TenantID, rate, c.started) &&
		!c.api.node.Delay(c.r.Context(), c.caller.TenantID, delay) {
		c.closeConnection()
	}
}

// tooManyRefusals counts a refusal to a tenant, and reports whether its refusals exceed
// the rate. A rate of zero is always exceeded.
func (a *API) tooManyRefusals(tenantID string, rate tenant.Rate, now time.Time) bool {
	if rate.Allowance == 0 {
		return true
	}
	_, _, ok := a.buckets.Take(bucketOwner{bucketRefusal, tenantID}, rate, now)
	return !ok
}

// closeConnection makes the server close the connection after the answer.
func (c *call) closeConnection() { c.response.header()["Connection"] = []string{"close"} }
