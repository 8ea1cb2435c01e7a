package httpapi

import (
	"net/http"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// The refusals; one value each, since they are made when there is no time.
var (
	errFull    = fault.New(fault.Unavailable, codeUnavailable, "more requests are being worked on than can be done in time; try again later")
	errExports = fault.New(fault.Unavailable, codeUnavailable, "as many exports are under way as there may be; try again when one is done")
)

// gate is where a request needs a place. Those that only read have places of
// their own: what is stored can be looked at while nothing can be stored.
func (c *call) gate() *admission.Places {
	if c.r.Method == http.MethodGet || c.r.Method == http.MethodHead {
		return c.api.reads
	}
	return c.api.works
}

// probed tells whether a path answers however much there is to do.
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

// exports reports whether the answer is sent piece by piece, at its caller's
// pace.
func (c *call) exports() bool { return c.csv || c.route.only == csvType }

// admit takes a place for the work on a request, when the whole of it is there:
// a caller who sends slowly holds none. An export has one of a few of its own: it
// would keep a place from those who need it for milliseconds, and too many of
// them the database from everybody.
func (c *call) admit() error {
	switch {
	case c.route.public:
		return nil
	case c.exports():
		if c.exporting = c.api.exports.Take(c.caller.TenantID); !c.exporting {
			return errExports
		}
		return nil
	}
	if c.admitted = c.gate().Take(); !c.admitted {
		return errFull
	}
	return nil
}

// leave gives back what the request has taken.
func (c *call) leave() {
	c.buffer.release()
	c.api.reading.Release(c.reserved)
	if c.admitted {
		c.gate().Release()
	}
	if c.exporting {
		c.api.exports.Release(c.caller.TenantID)
	}
}

// turnedAway notes that a request was refused for want of a place.
func (c *call) turnedAway(from *admission.Places) {
	c.shed = true
	if n := from.Refused(c.begun); n > 0 {
		c.api.options.Logger.Warn("refused for want of room", "requests", n, "places", from.Room())
	}
}
