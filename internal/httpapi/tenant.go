package httpapi

import (
	"net/http"
	"time"

	"verdict/internal/wire"
)

func (a *API) signup(c *call) error {
	signed, err := a.service.Signup(c.r.Context(), c.body)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusCreated, signed)
}

func (a *API) usage(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	usage, err := a.service.Usage(c.r.Context(), c.caller)
	if err != nil {
		return err
	}
	return c.sendResult(http.StatusOK, usage)
}

// live says that the process runs; ready, that it can do its work. Both are
// for probes, which have no key, and tell them nothing else.
func (a *API) live(c *call) error { return c.plain(http.StatusOK, "ok\n") }

func (a *API) ready(c *call) error {
	if a.leaving.Load() || !a.service.Health(c.r.Context()).Ready {
		return c.plain(http.StatusServiceUnavailable, "not ready\n")
	}
	return c.plain(http.StatusOK, "ready\n")
}

func (c *call) plain(status int, text string) error {
	c.w.Header()["Content-Type"] = []string{"text/plain; charset=utf-8"}
	return c.send(status, []byte(text))
}

func (a *API) health(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	h := a.service.Health(c.r.Context())
	ready := h.Ready && !a.leaving.Load()
	status, word, storage := http.StatusOK, "ok", "ok"
	if !h.Ready {
		storage = "unavailable"
	}
	if !ready {
		status, word = http.StatusServiceUnavailable, "unavailable"
	}
	var w wire.Writer
	w.Object().Key("status").String(word).Key("live").Bool(true).Key("ready").Bool(ready)
	w.Key("version").String(a.options.Version).Key("engine_version").String(h.EngineVersion).Key("commit").String(a.options.Commit)
	w.Key("uptime_seconds").Int(int64(a.options.Now().Sub(a.started).Seconds()))
	w.Key("checks").Object().Key("storage").Object().Key("status").String(storage)
	w.Key("latency_ms").Decimal(h.StorageLatency.Microseconds(), 3).EndObject().EndObject()
	w.Key("time").String(h.Time.Format(time.RFC3339)).EndObject()
	return c.send(status, w.Buf)
}
