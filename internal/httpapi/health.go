package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// healthHandlers serve the probes and the health of the node.
type healthHandlers struct {
	check           func(context.Context) usecase.Health
	notSigned       func() int // the number of logs that cannot be signed
	now             func() time.Time
	version, commit string
	started         time.Time
	leaving         atomic.Bool
	probes          readiness
}

func (h *healthHandlers) routes() []route {
	return []route{
		{pattern: "GET /livez", handle: h.live, public: true},
		{pattern: "GET /readyz", handle: h.ready, public: true},
		{pattern: "GET /v1/health", handle: h.health, bucket: bucketRead},
	}
}

// live answers "ok" as long as the process runs. Probes call live and ready without a key, so their answers contain no
// details.
func (h *healthHandlers) live(c *call) error {
	return c.response.sendText(c.ctx, http.StatusOK, "ok\n")
}

// ready answers whether the node can accept requests, and how many logs are not signed.
func (h *healthHandlers) ready(c *call) error {
	found := h.lastCheck(c.ctx, c.started)
	switch {
	case found.KeyLost:
		return c.response.sendText(c.ctx, http.StatusServiceUnavailable, "not ready: the master key was replaced, and "+
			"this node does not have the new one\n")
	case h.leaving.Load() || !found.Ready:
		return c.response.sendText(c.ctx, http.StatusServiceUnavailable, "not ready\n")
	}
	text := "ready\n"
	switch n := h.notSigned(); n {
	case 0:
	case 1:
		text += "1 log is not signed\n"
	default:
		text += fmt.Sprintf("%d logs are not signed\n", n)
	}
	return c.response.sendText(c.ctx, http.StatusOK, text)
}

// readiness caches the last check. Anybody can send probes, and without the cache they could
// keep the database busy.
type readiness struct {
	mu   sync.Mutex
	at   time.Time // the time of the last check
	last usecase.Health
}

// probeInterval is how long the result of a check is used.
const probeInterval = time.Second

// lastCheck returns the result of a check. If the cached result is recent enough, it returns that result.
func (h *healthHandlers) lastCheck(ctx context.Context, now time.Time) usecase.Health {
	p := &h.probes
	p.mu.Lock()
	defer p.mu.Unlock()
	if age := now.Sub(p.at); age < 0 || age >= probeInterval {
		p.last, p.at = h.check(ctx), now
	}
	return p.last
}

func (h *healthHandlers) health(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	found := h.check(c.ctx)
	ready := found.Ready && !h.leaving.Load()
	status, word, storage := http.StatusOK, "ok", "ok"
	if !found.Ready && !found.KeyLost {
		storage = "unavailable"
	}
	if !ready {
		status, word = http.StatusServiceUnavailable, "unavailable"
		c.response.header()["Retry-After"] = []string{"1"} // every other 503 has this header too
	}

	var w wire.Writer
	w.Object().Key("status").String(word).Key("live").Bool(true).Key("ready").Bool(ready)
	w.Key("version").String(h.version).Key("engine_version").String(found.EngineVersion)
	w.Key("commit").String(h.commit)
	w.Key("uptime_seconds").Int(max(0, int64(h.now().Sub(h.started).Seconds()))) // the clock may be set back
	w.Key("checks").Object().Key("storage").Object().Key("status").String(storage)
	w.Key("latency_ms").Decimal(found.StorageLatency.Microseconds(), 3).EndObject().EndObject()
	w.Key("time").String(found.Time.Format(time.RFC3339)).EndObject()
	return c.response.send(c.ctx, status, w.Buf)
}
