package serving

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"verdict/internal/admission"
	"verdict/internal/tenant"
)

// Limits are the limits of a node. A zero field gets its default.
type Limits struct {
	// TrustedProxies are the networks whose forwarding headers are trusted.
	TrustedProxies Clients
	// MaxReading limits the total memory of request bodies in progress, in
	// bytes (default 512 MiB). One tenant can use at most about half of it.
	MaxReading int64
	// MaxExports limits how many files are sent at the same time (default 4).
	// One tenant can have at most about half of them.
	MaxExports int
	// Processors shares processor time among tenants (default one slot for each
	// processor).
	Processors *admission.Scheduler
	// StrangerRate is the rate at which an address may send requests without a
	// valid key or session. Requests beyond the rate are delayed. Zero means no
	// limit.
	StrangerRate tenant.Rate
}

// Node holds the resources that all requests to one process share, both of the
// API and of the console. It is safe for concurrent use.
type Node struct {
	Clients    Clients
	Memory     *admission.Pool // bytes of request bodies
	Exports    *admission.Pool // slots for files that are sent
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

// NewNode returns a node with the limits.
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

// DelayUnauthenticated delays a request without a valid key or session if its address
// exceeds Limits.StrangerRate. Like Delay, it returns false if the connection
// should be closed instead.
func (n *Node) DelayUnauthenticated(r *http.Request, now time.Time) bool {
	return n.slow(r, now, &n.strangers)
}

// DelayProbe delays probes like DelayUnauthenticated. Probes are counted separately, so
// that other requests from a load balancer's address do not delay its probes.
func (n *Node) DelayProbe(r *http.Request, now time.Time) bool {
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

// Delay delays a request of a sender that exceeds its rate. Without the delay
// one sender could keep the processors busy with refusals: each refusal costs
// about 30 µs, nearly all of it before our own code runs. Delay returns false
// if too many requests are delayed already. The caller should then close the
// connection, so that the sender must open a new connection.
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
