package httpapi

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"verdict/internal/account"
	"verdict/internal/document"
	"verdict/internal/serving"
	"verdict/internal/wire"
)

func (a *API) signup(c *call) error {
	rules, err := a.service.Access.SignupRules()
	if err != nil {
		return err
	}
	ask, warnings, err := document.ReadSignup(c.body, rules)
	if err != nil {
		return err
	}
	signed, err := a.service.Access.SignupFrom(c.ctx, ask, c.address())
	var throttled *account.Throttled
	if errors.As(err, &throttled) {
		serving.SetRetryAfter(c.w.Header(), throttled.RetryAfter)
	}
	if err != nil {
		return err
	}
	var w wire.Writer
	document.WriteSignedUp(&w, signed, warnings)
	return c.send(http.StatusCreated, w.Buf)
}

func (a *API) usage(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	usage, err := a.service.Decisions.Usage(c.ctx, c.caller)
	return sendValue(c, usage, err, document.WriteUsage)
}

// live says that the process runs; ready, that it can do its work. Both are
// for probes, which have no key, and tell them nothing else.
func (a *API) live(c *call) error { return c.plain(http.StatusOK, "ok\n") }

func (a *API) ready(c *call) error {
	if a.leaving.Load() || !a.probes.ready(c) {
		return c.plain(http.StatusServiceUnavailable, "not ready\n")
	}
	return c.plain(http.StatusOK, "ready\n")
}

// readiness remembers for a moment whether the database answers: probes come
// from anybody, and must not be a way to keep it busy.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	was bool
}

// probeEvery is how long an answer is good for.
const probeEvery = time.Second

func (r *readiness) ready(c *call) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if age := c.begun.Sub(r.at); age < 0 || age >= probeEvery {
		r.was, r.at = c.api.service.Health(c.ctx).Ready, c.begun
	}
	return r.was
}

func (c *call) plain(status int, text string) error {
	c.w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	return c.send(status, []byte(text))
}

func (a *API) health(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	h := a.service.Health(c.ctx)
	ready := h.Ready && !a.leaving.Load()
	status, word, storage := http.StatusOK, "ok", "ok"
	if !h.Ready {
		storage = "unavailable"
	}
	if !ready {
		status, word = http.StatusServiceUnavailable, "unavailable"
		c.w.Header()["Retry-After"] = []string{"1"} // as with every other 503
	}
	var w wire.Writer
	w.Object().Key("status").String(word).Key("live").Bool(true).Key("ready").Bool(ready)
	w.Key("version").String(a.options.Version).Key("engine_version").String(h.EngineVersion).Key("commit").String(a.options.Commit)
	w.Key("uptime_seconds").Int(max(0, int64(a.options.Now().Sub(a.started).Seconds()))) // the clock may be set back
	w.Key("checks").Object().Key("storage").Object().Key("status").String(storage)
	w.Key("latency_ms").Decimal(h.StorageLatency.Microseconds(), 3).EndObject().EndObject()
	w.Key("time").String(h.Time.Format(time.RFC3339)).EndObject()
	return c.send(status, w.Buf)
}
