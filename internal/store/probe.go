package store

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// prober tells whether writes become durable. Writes of callers are the best
// evidence. When there are none, a row of the installation is written. Rows are
// few: nodes choose among probeSlots of them, so that one that is stuck with its
// row locked is hardly ever in another's way.
type prober struct {
	full atomic.Bool // a write found no room, and no large probe found any since

	mu     sync.Mutex
	flight *flight // the probe that is under way
	last   int64   // writes that were committed at the last look
	probes int     // since the last large one
	slot   string
	turn   bool // which of the two large rows is there
}

// flight is a probe whose outcome is there when done is closed.
type flight struct {
	done chan struct{}
	err  error
}

const (
	probeSlots = 64
	// probeBytes is written where room must be found: more than what rows that are
	// replaced leave behind.
	probeBytes = 64 << 10
	// largeEvery is how many small probes follow a large one.
	largeEvery = 60
)

// Writable reports whether writes become durable, as Unavailable if not or if it
// takes longer than ctx lasts. It is cheap while others write; otherwise it
// writes, and waits as long as a commit takes.
func (db *DB) Writable(ctx context.Context) error {
	f := db.prober.join(db)
	if f == nil {
		return nil
	}
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return unavailable("the probe of the database is slow")
	}
}

// join returns the probe that is under way or begins one, and nil when others'
// writes are evidence enough.
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
		f.err = db.probe(context.Background(), large) // bounded as every commit is
		close(f.done)
	}()
	return f
}

// probe writes a small row, or a large one beside the last before that is
// removed, so that room must be found for it.
func (db *DB) probe(ctx context.Context, large bool) error {
	p := &db.prober
	slot, value, stale := p.next(large)
	err := db.System().write(ctx, "readiness", func(s *session) error {
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

// next chooses the row to write and the one to remove.
func (p *prober) next(large bool) (slot string, value []byte, stale string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var random [8]byte
	_, _ = rand.Read(random[:]) // it never fails
	if p.slot == "" {
		p.slot = fmt.Sprintf("probe %02d", binary.BigEndian.Uint64(random[:])%probeSlots)
	}
	if !large {
		return p.slot, random[:], ""
	}
	value = make([]byte, probeBytes)
	_, _ = rand.Read(value) // what can be compressed takes no room
	slot, stale = p.slot+" a", p.slot+" b"
	if p.turn {
		slot, stale = stale, slot
	}
	return slot, value, stale
}
