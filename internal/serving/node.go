package serving

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"verdict/internal/admission"
	"verdict/internal/tenant"
)

// Limits are the bounds of a node. A zero field takes its default.
type Limits struct {
	// TrustedProxies are the networks whose word on a client's address is
	// taken.
	TrustedProxies Clients
	// MaxReading is the memory that bodies may take while they are read and
	// worked on, all together; 512 MiB. One tenant has at most half of it, as of
	// the exports.
	MaxReading int64
	// MaxExports is how many files are sent at the same time; 4.
	MaxExports int
	// Processors shares processor time among tenants; by default one slot for
	// each processor.
	Processors *admission.Scheduler
	// StrangerRate is how fast an address may send requests without a valid key
	// or session before each of them is delayed; zero is no bound.
	StrangerRate tenant.Rate
}

// Node is what all requests to one process share, however they come in. It is
// safe for concurrent use.
type Node struct {
	Clients    Clients
	Memory     *admission.Pool // bytes, for bodies
	Exports    *admission.Pool // places of files that are sent
	Processors *admission.Scheduler

	strangerRate tenant.Rate
	strangers    tenant.Buckets[string] // by address
	probes       tenant.Buckets[string] // by address
	delayed      *admission.Pool
}

const (
	defaultMaxReading = 512 << 20
	defaultMaxExports = 4

	strangerDelay = time.Second
	maxDelayed    = 4096
)

// NewNode returns a node within the limits.
func NewNode(l Limits) *Node {
	if l.MaxReading == 0 {
		l.MaxReading = defaultMaxReading
	}
	if l.MaxExports == 0 {
		l.MaxExports = defaultMaxExports
	}
	if l.Processors == nil {
		l.Processors = admission.NewScheduler(runtime.GOMAXPROCS(0), time.Now)
	}
	return &Node{
		Clients:      l.TrustedProxies,
		Memory:       admission.NewPool(l.MaxReading),
		Exports:      admission.NewPool(int64(l.MaxExports)),
		Processors:   l.Processors,
		strangerRate: l.StrangerRate,
		delayed:      admission.NewPool(maxDelayed),
	}
}

// SlowStranger delays a request without a valid key or session, if its address
// sends more than Limits.StrangerRate. It reports false if the connection should
// be closed instead, as Delay does.
func (n *Node) SlowStranger(r *http.Request, now time.Time) bool {
	return n.slow(r, now, &n.strangers)
}

// SlowProbe is SlowStranger for probes, which are counted by themselves: other
// requests from a load balancer's address do not delay its probes.
func (n *Node) SlowProbe(r *http.Request, now time.Time) bool {
	return n.slow(r, now, &n.probes)
}

func (n *Node) slow(r *http.Request, now time.Time, buckets *tenant.Buckets[string]) bool {
	if n.strangerRate.Allowance == 0 {
		return true
	}
	from := n.Clients.Address(r)
	if _, _, ok := buckets.Take(from, n.strangerRate, now); ok {
		return true
	}
	return n.Delay(r.Context(), from, strangerDelay)
}

// Delay makes somebody wait who sends more than is answered. Without it one
// sender could keep the processors busy with nothing but refusals: each costs
// about 30 µs, nearly all of it before any code of ours runs. It reports false if
// so many are waiting that this one cannot: its connection should be closed,
// which costs the sender a new one.
func (n *Node) Delay(ctx context.Context, who string, delay time.Duration) bool {
	if !n.delayed.Take(who, 1) {
		return false
	}
	defer n.delayed.Give(who, 1)
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}
