package serving

import (
	"context"
	"errors"

	"verdict/internal/admission"
	"verdict/internal/fault"
)

// Gate limits how many requests of one kind are in progress, such as all requests to the console. It also holds the
// errors with which requests are refused if the node has no capacity left. It is safe for concurrent use.
type Gate struct {
	node    *Node
	places  *admission.Pool
	full    *Shortage
	share   *Shortage
	exports *Shortage
	memory  *Shortage
}

// Texts holds the messages with which a Gate refuses requests.
type Texts struct {
	Full    string // all places are taken
	Share   string // the owner's share of the places is used up
	Exports string // the owner's share of the places for exports is used up
	Memory  string // the owner's share of the memory for bodies is used up
}

// NewGate returns a gate. The argument places is the maximum number of requests in progress.
func (n *Node) NewGate(places int, texts Texts) *Gate {
	pool := admission.NewPool(int64(places))
	return &Gate{
		node:    n,
		places:  pool,
		full:    newShortage(pool, texts.Full),
		share:   newShortage(pool, texts.Share),
		exports: newShortage(n.Exports, texts.Exports),
		memory:  newShortage(n.Memory, texts.Memory),
	}
}

// Shortage is the refusal of a request for which the node, or the owner's share of it,
// has no capacity left. A Gate creates its shortages only once, because refusing a
// request under load must cost as little as possible.
type Shortage struct {
	refusal *fault.Error
	pool    *admission.Pool // the pool that is used up
}

func newShortage(pool *admission.Pool, text string) *Shortage {
	return &Shortage{fault.New(fault.Unavailable, fault.CodeUnavailable, "%s", text), pool}
}

func (s *Shortage) Error() string { return s.refusal.Error() }

// Unwrap returns the *fault.Error of the refusal.
func (s *Shortage) Unwrap() error { return s.refusal }

// IsShortage reports whether a request was refused because the node has no
// capacity left.
func IsShortage(err error) bool {
	_, is := errors.AsType[*Shortage](err)
	return is
}

// Tight reports whether any owner could be refused a place now. It takes no lock.
func (g *Gate) Tight() bool { return g.places.Tight() }

// Shortage returns the refusal that a new request of the owner would get now, or nil if the owner can take a place.
func (g *Gate) Shortage(owner string) *Shortage {
	switch {
	case g.places.Full():
		return g.full
	case g.places.FullFor(owner):
		return g.share
	}
	return nil
}

// Request returns the resources of a new request, which holds none yet.
func (g *Gate) Request() Resources { return Resources{gate: g} }

// Resources are the parts of a node that one request holds until it is answered.
// Only one goroutine may use them.
type Resources struct {
	// Owner is the owner whose shares are used: a tenant id, or an address if there
	// is no key or session. It must not change while the request holds anything.
	Owner string
	// Slot is the request's right to compute, nil until the request has entered.
	Slot *admission.Slot

	gate      *Gate
	inside    bool  // the request holds a place among the requests in progress
	exporting bool  // the request holds a place among the exports
	memory    int64 // reserved for the body, in bytes
}

// CheckFull refuses a request if all places are taken. It takes no place.
func (r *Resources) CheckFull() error {
	if r.gate.places.Full() {
		return r.gate.full
	}
	return nil
}

// CheckShare refuses a request if the owner's share of the places is used up. It
// takes no place.
func (r *Resources) CheckShare() error {
	if r.gate.places.FullFor(r.Owner) {
		return r.gate.share
	}
	return nil
}

// Enter takes a place among the requests in progress and then waits for a slot on a processor. It returns the
// context of the work, even if it fails.
func (r *Resources) Enter(ctx context.Context) (context.Context, error) {
	if !r.gate.places.Take(r.Owner, 1) {
		return ctx, r.gate.share
	}
	r.inside = true
	return r.Compute(ctx)
}

// EnterExports takes one of the few places for files that are sent, and then waits
// for a slot on a processor, like Enter.
func (r *Resources) EnterExports(ctx context.Context) (context.Context, error) {
	if !r.gate.node.Exports.Take(r.Owner, 1) {
		return ctx, r.gate.exports
	}
	r.exporting = true
	ctx, err := r.Compute(ctx)
	r.Slot.Background()
	return ctx, err
}

// Compute waits for a slot on a processor without taking a place. Callers may use it
// only for requests that are limited by their memory, such as uploads. It fails if ctx
// ends: the client has disconnected, or the wait was too long.
func (r *Resources) Compute(ctx context.Context) (context.Context, error) {
	ctx, r.Slot = r.gate.node.Processors.Enter(ctx, r.Owner)
	return ctx, ctx.Err()
}

// Pace waits for the owner's turn to receive the next part of a large body.
func (r *Resources) Pace(ctx context.Context) error {
	return r.gate.node.Processors.Pace(ctx, r.Owner)
}

// Reserve takes memory for a body from the owner's share.
func (r *Resources) Reserve(bytes int64) error {
	if !r.gate.node.Memory.Take(r.Owner, bytes) {
		return r.gate.memory
	}
	r.memory += bytes
	return nil
}

// Return gives back a part of the reserved memory.
func (r *Resources) Return(bytes int64) {
	r.gate.node.Memory.Give(r.Owner, bytes)
	r.memory -= bytes
}

// ReleaseMemory gives back the reserved memory.
func (r *Resources) ReleaseMemory() {
	r.gate.node.Memory.Give(r.Owner, r.memory)
	r.memory = 0
}

// StopWork gives up the slot and the place among the requests in progress.
func (r *Resources) StopWork() {
	r.Slot.Leave()
	if r.inside {
		r.gate.places.Give(r.Owner, 1)
		r.inside = false
	}
}

// Release gives back all resources that the request still holds.
func (r *Resources) Release() {
	r.StopWork()
	r.ReleaseMemory()
	if r.exporting {
		r.gate.node.Exports.Give(r.Owner, 1)
		r.exporting = false
	}
}
