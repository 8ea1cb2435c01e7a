package job_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/job"
	"verdict/internal/operation"
	"verdict/internal/store/storetest"
)

func newRiver(tb testing.TB, databaseURL string, workers int) *job.River {
	tb.Helper()
	r, err := job.NewRiver(tb.Context(), databaseURL, workers, quiet)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := r.Close(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

// TestRiver runs the chunks of one run on two nodes, both of which enqueue them.
// It checks that every chunk runs once and that each node runs some chunks.
func TestRiver(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	const n = 60
	counted, both := newTally(n), newBarrier("one", "two")
	nodes := map[string]*job.River{"one": newRiver(t, databaseURL, 2), "two": newRiver(t, databaseURL, 2)}
	for _, r := range nodes {
		spread(t, r, chunksOf("bt_1", n))
	}
	var stops []func()
	for name, r := range nodes {
		stops = append(stops, running(t, r, func(_ context.Context, c operation.Chunk) error {
			both.arrive(name) // neither node continues before the other has begun
			counted.done(name, c)
			return nil
		}, unwanted))
	}
	<-counted.all
	for _, stop := range stops {
		stop()
	}
	counted.wantOnce(t)
	if counted.byWhom["one"] == 0 || counted.byWhom["two"] == 0 {
		t.Errorf("done by %v", counted.byWhom)
	}
}

// barrier opens when every name has arrived.
type barrier struct {
	mu      sync.Mutex
	missing map[string]bool
	open    chan struct{}
}

func newBarrier(names ...string) *barrier {
	b := &barrier{missing: map[string]bool{}, open: make(chan struct{})}
	for _, name := range names {
		b.missing[name] = true
	}
	return b
}

func (b *barrier) arrive(name string) {
	b.mu.Lock()
	if b.missing[name] {
		delete(b.missing, name)
		if len(b.missing) == 0 {
			close(b.open)
		}
	}
	b.mu.Unlock()
	<-b.open
}

// TestRiverUnique enqueues waiting and running chunks several times, and checks
// that the queue holds each chunk once.
func TestRiverUnique(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	r, counted := newRiver(t, databaseURL, 1), newTally(3)
	spread(t, r, chunksOf("bt_1", 3))
	begun, gate := make(chan struct{}, 3), make(chan struct{})
	stop := running(t, r, func(_ context.Context, c operation.Chunk) error {
		begun <- struct{}{}
		<-gate
		counted.done("one", c)
		return nil
	}, unwanted)
	<-begun
	for range 3 {
		spread(t, r, chunksOf("bt_1", 3))
	}
	raw := storetest.Raw(t, databaseURL)
	var jobs, distinct int
	if err := raw.QueryRowContext(t.Context(), "SELECT count(*), count(DISTINCT args) FROM river.river_job").Scan(&jobs,
		&distinct); err != nil || jobs != 3 || distinct != 3 {
		t.Errorf("%d jobs of %d chunks, %v", jobs, distinct, err)
	}
	close(gate)
	<-counted.all
	stop()
	counted.wantOnce(t)
	// Finished chunks are not in the queue any more and can be enqueued again.
	spread(t, r, chunksOf("bt_1", 1))
	var waiting int
	if err := raw.QueryRowContext(t.Context(), "SELECT count(*) FROM river.river_job WHERE state = 'available'").Scan(
		&waiting); err != nil || waiting != 1 {
		t.Errorf("%d jobs wait, %v", waiting, err)
	}
}

// TestRiverStops stops a node while it runs a chunk that does not end. It checks
// that the chunk is immediately available to another node, and that the attempt
// is not counted.
func TestRiverStops(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	one, two, counted := newRiver(t, databaseURL, 1), newRiver(t, databaseURL, 1), newTally(2)
	begun := make(chan struct{}, 2)
	stop := running(t, one, func(ctx context.Context, _ operation.Chunk) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}, unwanted)
	spread(t, one, chunksOf("bt_1", 2))
	<-begun
	stop()
	stop = running(t, two, func(_ context.Context, c operation.Chunk) error {
		counted.done("two", c)
		return nil
	}, unwanted)
	<-counted.all
	stop()
	counted.wantOnce(t)
	var attempts int
	if err := storetest.Raw(t, databaseURL).QueryRowContext(t.Context(),
		"SELECT max(attempt) FROM river.river_job").Scan(&attempts); err != nil || attempts != 1 {
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

// TestRiverStartsAtOnce checks that many nodes can create the tables of the
// queue concurrently.
func TestRiverStartsAtOnce(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	errs := make([]error, 5)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			r, err := job.NewRiver(t.Context(), databaseURL, 1, quiet)
			if errs[i] = err; err == nil {
				errs[i] = r.Close()
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestRiverRefused checks that errors say what is wrong and never contain the
// URL.
func TestRiverRefused(t *testing.T) {
	t.Parallel()
	limited := storetest.Postgres(t)
	parsed, err := url.Parse(limited)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := storetest.Raw(t, limited).ExecContext(t.Context(),
		"REVOKE CREATE ON DATABASE "+strings.TrimPrefix(parsed.Path, "/")+" FROM CURRENT_USER"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, url, want string }{
		{"no right to create", limited, "grant the role CREATE on the database"},
		{"not a URL", "postgres://secret@host:port/x", "cannot be read"},
		{"nobody there", "postgres://secret@localhost:1/secret", "cannot be reached"},
	} {
		r, err := job.NewRiver(t.Context(), c.url, 1, quiet)
		if err == nil {
			t.Errorf("%s: no error", c.name)
			_ = r.Close()
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestAttempts checks which result is reported to River for each attempt.
func TestAttempts(t *testing.T) {
	t.Parallel()
	c := chunksOf("bt_1", 1)[0]
	broken := errors.New("no database")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for _, a := range []struct {
		name      string
		ctx       context.Context
		attempt   int
		err       error
		gaveUp    bool
		uncounted bool
	}{
		{"done", t.Context(), 1, nil, false, false},
		{"failed", t.Context(), 1, broken, false, false},
		{"failed for the last time", t.Context(), job.Attempts, broken, false, false},
		{"no attempt is left", t.Context(), job.Attempts + 1, nil, true, false},
		{"interrupted", stopped, 3, broken, false, true},
		{"done just in time", stopped, 3, nil, false, false},
		{"too slow", late, 3, broken, false, false},
	} {
		gaveUp := false
		uncounted, err := job.Attempt(a.ctx, c, a.attempt,
			func(context.Context, operation.Chunk) error { return a.err },
			func(context.Context, operation.Chunk) error { gaveUp = true; return nil })
		if (err != nil) != (a.err != nil) || gaveUp != a.gaveUp || uncounted != a.uncounted {
			t.Errorf("%s: %v, given up %t, uncounted %t", a.name, err, gaveUp, uncounted)
		}
	}
	if got := job.Pause(job.Attempts); got != 0 {
		t.Errorf("after the last attempt it waits %s", got)
	}
	if a, b := job.SchemaBeside("tenant_a"), job.SchemaBeside("tenant-b"); a == b || a == "river" || len(a) > 40 {
		t.Errorf("schemas %s and %s", a, b)
	}
}
