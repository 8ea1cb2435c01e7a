package torture

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"verdict/internal/pgcluster"
)

// Scenario is a fault that is repeated in every round.
type Scenario struct {
	Name      string
	Databases []string
	Rounds    int // number of rounds in a long run
	needs     needs
	round     act // runs while the clients send requests
	before    act // runs before the clients start; may be nil
	after     act // runs after the check; may be nil
}

// act is a part of a round. It takes all its random choices from rng.
type act func(ctx context.Context, w *World, rng *rand.Rand) error

// Mounts reports whether the scenario mounts a disk, which needs privileges.
func (s Scenario) Mounts() bool { return s.needs.disk }

// Scenarios returns all scenarios in the order in which they run.
func Scenarios() []Scenario {
	both, postgres, sqlite := []string{SQLite, Postgres}, []string{Postgres}, []string{SQLite}
	return []Scenario{
		{Name: "kill", Databases: both, Rounds: 200, needs: needs{nodes: 1}, round: killed},
		{Name: "term", Databases: both, Rounds: 30, needs: needs{nodes: 1}, round: asked},
		{Name: "nodes", Databases: postgres, Rounds: 40, needs: needs{nodes: 3}, round: oneDies},
		{Name: "batch-kill", Databases: both, Rounds: 20, needs: needs{nodes: 1, batches: true}, round: killedAtWork},
		{Name: "batch-nodes", Databases: postgres, Rounds: 20, needs: needs{nodes: 3, batches: true},
			round: killedAtWork},
		{
			Name:      "retention-kill",
			Databases: both,
			Rounds:    15,
			needs:     needs{nodes: 1, clock: true},
			before:    passDays,
			round:     killedAtRetention,
			after:     seeRetention,
		},
		{
			Name:      "retention-nodes",
			Databases: postgres,
			Rounds:    15,
			needs:     needs{nodes: 3, clock: true},
			before:    passDays,
			round:     killedAtRetention,
			after:     seeRetention,
		},
		{
			Name:      "postgres-restart",
			Databases: postgres,
			Rounds:    20,
			needs:     needs{nodes: 2, cluster: true},
			round:     restarted,
		},
		{Name: "postgres-kill", Databases: postgres, Rounds: 20, needs: needs{nodes: 2, cluster: true}, round: crashed},
		{Name: "network", Databases: postgres, Rounds: 60, needs: needs{nodes: 2, proxy: true}, round: broken},
		{
			Name:      "standby-away",
			Databases: postgres,
			Rounds:    10,
			needs:     needs{nodes: 2, cluster: true, pair: true},
			round:     standbyAway,
		},
		{
			Name:      "primary-lost",
			Databases: postgres,
			Rounds:    10,
			needs:     needs{nodes: 2, cluster: true, pair: true},
			round:     primaryLost,
		},
		{
			Name:      "primary-frozen",
			Databases: postgres,
			Rounds:    10,
			needs:     needs{nodes: 2, cluster: true, pair: true},
			round:     primaryFrozen,
		},
		{Name: "node-paused", Databases: postgres, Rounds: 20, needs: needs{nodes: 2}, round: paused},
		{Name: "locked-scope", Databases: postgres, Rounds: 20, needs: needs{nodes: 2}, round: locked},
		{Name: "disk-full", Databases: both, Rounds: 20, needs: needs{nodes: 1, disk: true}, round: filled},
		{Name: "disk-slow", Databases: sqlite, Rounds: 15, needs: needs{nodes: 1}, round: slowed},
		{Name: "disk-error", Databases: sqlite, Rounds: 30, needs: needs{nodes: 1}, round: failing},
		{
			Name:      "clock",
			Databases: both,
			Rounds:    20,
			needs:     needs{nodes: 1, clock: true},
			before:    setClock,
			round:     moved,
			after:     seeMonths,
		},
		{
			Name:      "clock-nodes",
			Databases: postgres,
			Rounds:    20,
			needs:     needs{nodes: 2, clock: true},
			before:    setClock,
			round:     moved,
			after:     seeMonths,
		},
	}
}

// Order selects a scenario and says how to run it.
type Order struct {
	Scenario Scenario
	Database string
	Seed     uint64
	Rounds   int
	Only     int    // number of the only round to run; 0 runs all
	Binary   string // path of the service's binary
	Keep     string // folder for the logs of a failed run; "" for none
	// Cluster is a PostgreSQL server for the scenarios that do not disturb it.
	// If Cluster is nil, each scenario starts its own server.
	Cluster *pgcluster.Cluster
	// Strict makes the run fail if a failover takes too long, or if the other
	// lenders wait too long while one lender is locked. Set Strict only on a
	// machine without other load.
	Strict bool
	// Told is called after every round.
	Told func(round int)
}

// Result is the result of a run.
type Result struct {
	Scenario, Database string
	Rounds             int
	Figures            Figures
	Faults             map[string]int
	Restart            time.Duration // the longest time from the start of a node until it is ready
	Follow             time.Duration // the longest time from a promotion to an answered write
	Took               time.Duration
}

// Run runs a scenario to its end or until its first failure. The error says how
// to repeat the failed round.
func (o Order) Run(ctx context.Context) (r Result, err error) {
	began := time.Now()
	round := 0
	w, err := newWorld(ctx, o)
	if err == nil {
		round, err = o.rounds(ctx, w)
		r = Result{
			Rounds:  w.played,
			Figures: w.Workload.Figures(),
			Faults:  w.faults,
			Restart: w.restart,
			Follow:  w.follow,
		}
		if err != nil && o.Keep != "" {
			err = errors.Join(err, w.keep(o.Keep))
		}
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		err = fmt.Errorf("torture -seed %d -db %s -scenario %s -round %d: %w",
			o.Seed, o.Database, o.Scenario.Name, round, err)
	}
	r.Scenario, r.Database, r.Took = o.Scenario.Name, o.Database, time.Since(began)
	return r, err
}

// chance returns the random source of a round. The source does not depend on
// earlier rounds.
func (o Order) chance(round int) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s %s %d", o.Scenario.Name, o.Database, round) // a hash never returns an error
	return rand.New(rand.NewPCG(o.Seed, h.Sum64()))                       //nolint:gosec // repeatable, not secret
}

// rounds runs all rounds and returns the number of the last round.
func (o Order) rounds(ctx context.Context, w *World) (round int, err error) {
	first, last := 1, o.Rounds
	if o.Only > 0 {
		first, last = o.Only, o.Only
	}
	for round = first; round <= last; round++ {
		if err := w.play(ctx, o.chance(round), o.Scenario); err != nil {
			return round, err
		}
		w.played++
		if o.Told != nil {
			o.Told(round)
		}
	}
	return last, w.conclude(ctx)
}

// play runs one round: the clients send requests while a fault begins and ends,
// and then all answers are checked.
func (w *World) play(ctx context.Context, rng *rand.Rand, s Scenario) error {
	if s.before != nil {
		if err := s.before(ctx, w, rng); err != nil {
			return err
		}
	}
	if err := w.work(ctx, rng, s.round); err != nil {
		return err
	}
	url := w.Nodes[rng.IntN(len(w.Nodes))].URL()
	if err := w.Workload.Settle(ctx, url); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	if err := w.Workload.Check(ctx, url); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if s.after != nil {
		return s.after(ctx, w, rng)
	}
	return nil
}

// work runs the clients during the fault and until the service has answered
// again.
func (w *World) work(ctx context.Context, rng *rand.Rand, breaks act) error {
	working, stop := context.WithCancel(ctx)
	var clients sync.WaitGroup
	clients.Go(func() { w.Workload.Run(working, w.urls) })
	err := w.until(ctx, 1+rng.Int64N(120))
	if err == nil {
		err = breaks(ctx, w, rng)
	}
	if err == nil {
		err = w.until(ctx, 10) // the service recovers without help
	}
	stop()
	clients.Wait()
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	for i, n := range w.Nodes {
		if !n.Alive() {
			return fmt.Errorf("node %d has ended by itself:\n%s", i+1, n.log.last())
		}
	}
	return nil
}

// conclude checks everything once more: through the API, with the operator's
// command, and in the logs of the nodes.
func (w *World) conclude(ctx context.Context) error {
	if err := w.Workload.CheckAll(ctx, w.Nodes[0].URL()); err != nil {
		return fmt.Errorf("check all: %w", err)
	}
	if err := w.operate(ctx, "verify"); err != nil {
		return err
	}
	for i, n := range w.Nodes {
		if err := n.Term(); err != nil {
			return err
		}
		log, err := os.Open(n.log.file.Name())
		if err != nil {
			return err
		}
		if err := errors.Join(w.Workload.Scan(log), log.Close()); err != nil {
			return fmt.Errorf("log of node %d: %w", i+1, err)
		}
	}
	return nil
}

// recoveryTimeout is how long a scenario waits for something that must happen,
// such as further answers. It is longer than the database timeout, to allow for
// a busy machine.
const recoveryTimeout = 60 * time.Second

// until waits for the given number of further answers.
func (w *World) until(ctx context.Context, more int64) error {
	enough := w.Workload.Answered() + more
	return w.await(ctx, fmt.Sprintf("%d more answers", more), func() bool { return w.Workload.Answered() >= enough })
}

// await waits until happened returns true.
func (w *World) await(ctx context.Context, what string, happened func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, recoveryTimeout)
	defer cancel()
	for !happened() {
		if ctx.Err() != nil {
			return errors.Join(fmt.Errorf("timeout after %s while waiting for %s", recoveryTimeout, what),
				w.Workload.model.verdict())
		}
		wait(ctx, 2*time.Millisecond)
	}
	return nil
}

// fault calls inject and counts the fault. While inject runs, the fault is marked in the model.
func (w *World) fault(kind string, inject func() error) error {
	w.Workload.MarkFault(kind, true)
	defer w.Workload.MarkFault(kind, false)
	w.mu.Lock()
	w.faults[kind]++
	w.mu.Unlock()
	if err := inject(); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	return nil
}

// between returns a random duration d with least <= d < most.
func between(rng *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(rng.Int64N(int64(most-least)))
}
