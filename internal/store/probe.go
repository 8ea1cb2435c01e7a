package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// prober finds out whether writes become durable. Recent writes of callers are
// the best evidence; if there are none, the prober writes a row of the table
// installation. Each node chooses one of probeSlots rows, so that a stuck node
// that holds the lock on its row rarely blocks another node's probe.
type prober struct {
	full atomic.Bool // a write found the disk full, and no large probe has succeeded since

	mu     sync.Mutex
	flight *flight // the running probe
	last   int64   // committed writes at the last check
	probes int     // the number of probes since the last large probe, which counts as the first
	slot   string
	turn   bool // the name of the next large row ends in " b" if true, in " a" if false
}

// flight is a probe. err is valid after done is closed.
type flight struct {
	done chan struct{}
	err  error
}

const (
	probeSlots = 64
	// probeBytes is the size of a large probe. It must be larger than the space that
	// replaced rows leave free, so that the probe needs new disk space.
	probeBytes = 64 << 10
	// largeEvery says how often a probe is large: one in largeEvery probes.
	largeEvery = 60
)

// Writable returns nil if writes become durable, and Unavailable if they do not
// or if ctx ends first. While callers write, it is cheap; otherwise it writes a
// row and waits for the commit.
func (db *DB) Writable(ctx context.Context) error {
	f := db.prober.join(db)
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return unavailable("the test write to the database has not finished yet")
	}
}

// join returns the running probe or starts one. It returns nil if recent writes
// of callers are evidence enough.
func (p *prober) join(db *DB) *flight {
	p.mu.Lock()
	defer p.mu.Unlock()
	writes := db.commits.writes.Load()
	switch {
	case p.flight != nil:
		return p.flight
	case writes != p.last && !p.full.Load():
		p.last = writes
		return nil
	}
	f := &flight{done: make(chan struct{})}
	p.flight = f
	large := p.full.Load() || p.probes%largeEvery == 0
	go func() {
		f.err = db.probe(context.Background(), large) // not the caller's context, because other callers may wait too
		close(f.done)
	}()
	return f
}

// probe writes a small row, or a large one. The previous large row is removed
// after the new one is written, so that the new row needs more disk space.
func (db *DB) probe(ctx context.Context, large bool) error {
	p := &db.prober
	slot, value, stale := p.next(large)
	err := db.System().write(ctx, "readiness", func(s *transaction) error {
		if _, err := s.exec(`INSERT INTO installation (name, value) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, slot, value); err != nil {
			return err
		}
		if stale == "" {
			return nil
		}
		_, err := s.exec("DELETE FROM installation WHERE name = $1", stale)
		return err
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flight, p.last = nil, db.commits.writes.Load()
	switch {
	case err != nil:
	case large:
		p.full.Store(false)
		p.turn, p.probes = !p.turn, 1
	default:
		p.probes++
	}
	return err
}

// next returns the row to write and the name of the row to remove.
func (p *prober) next(large bool) (slot string, value []byte, stale string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var random [8]byte
	_, _ = rand.Read(random[:]) // rand.Read never fails
	if p.slot == "" {
		p.slot = fmt.Sprintf("probe %02d", binary.BigEndian.Uint64(random[:])%probeSlots)
	}
	if !large {
		return p.slot, random[:], ""
	}
	value = make([]byte, probeBytes)
	_, _ = rand.Read(value) // random bytes cannot be compressed
	slot, stale = p.slot+" a", p.slot+" b"
	if p.turn {
		slot, stale = stale, slot
	}
	return slot, value, stale
}
