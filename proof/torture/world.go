package torture

import (
	"context"
	secret "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"verdict/internal/logkey"
	"verdict/internal/masterkey"
	"verdict/internal/pgcluster"
)

// The databases that scenarios run on.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// World is the environment of a scenario: everything that the scenario may
// break.
type World struct {
	Workload *Workload
	Nodes    []*Node
	Cluster  *pgcluster.Cluster // nil on SQLite
	Standby  *pgcluster.Cluster // nil unless the scenario needs a synchronous pair
	Proxy    *Proxy             // nil unless the scenario needs a proxy
	Disk     *Disk              // nil unless the scenario needs a small disk
	Clocks   []*Clock           // the clock of each node; nil unless the scenario moves clocks

	retained *retained // nil before the first round of a scenario with retention periods

	played   int  // completed rounds
	shared   bool // whether other scenarios use the cluster too
	binary   string
	folder   string
	diskAt   string // the folder of a disk outside of folder; "" if there is none
	nodeURL  string // URL of the database for the nodes
	adminURL string // URL of the database that bypasses the proxy
	quotas   string // quotas of the plans, for the operator's command

	mu      sync.Mutex
	open    []string // addresses of the nodes that clients may use
	faults  map[string]int
	restart time.Duration // the longest time from the start of a node until it was ready
	follow  time.Duration // the longest time from a promotion to an answered write
	strict  bool          // whether a run that exceeds time limits fails
}

// needs lists the resources that a scenario requires.
type needs struct {
	nodes              int
	cluster            bool // a cluster of its own, which the scenario may stop and kill
	pair               bool // a primary and a synchronous standby
	proxy, disk, clock bool
	batches            bool // clients that send batches as jobs
}

// The sizes of the small disk, in bytes. An empty PostgreSQL server already takes about 60 MiB.
const (
	diskBytes         = 96 << 20
	diskBytesPostgres = 256 << 20
)

// newWorld builds a world and waits until it is healthy. Close removes it.
func newWorld(ctx context.Context, o Order) (_ *World, err error) {
	w := &World{
		Workload: NewWorkload(o.chance(-1).Uint64()),
		binary:   o.Binary,
		faults:   map[string]int{},
		strict:   o.Strict,
	}
	w.Workload.batches = o.Scenario.needs.batches
	if o.Cluster != nil && !o.Scenario.needs.cluster && !o.Scenario.needs.disk {
		w.Cluster, w.shared = o.Cluster, true
	}
	if w.folder, err = os.MkdirTemp("", "torture-"); err != nil {
		return nil, err
	}
	if err = w.createLogKeys(o.Scenario.needs.nodes); err == nil {
		_, err = masterkey.Create(w.masterKey(), secret.Reader)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(w.folder))
	}
	if err := w.build(ctx, o.Database, o.Scenario.needs, o.chance(-2)); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func (w *World) build(ctx context.Context, database string, n needs, rng *rand.Rand) (err error) {
	if n.clock {
		for i := range n.nodes {
			w.Clocks = append(w.Clocks, &Clock{path: filepath.Join(w.folder, fmt.Sprintf("clock%d", i+1))})
			if err := w.Clocks[i].Set(0); err != nil {
				return err
			}
		}
	}
	if database == SQLite {
		err = w.buildSQLite(n)
	} else {
		err = w.buildPostgres(ctx, n, rng)
	}
	if err != nil {
		return err
	}
	flags := w.Workload.Flags()
	w.quotas = flags[slices.Index(flags, "-plan-quotas")+1]
	w.Workload.Operator = w.operate
	for i := range n.nodes {
		log := filepath.Join(w.folder, fmt.Sprintf("node%d.log", i+1))
		node, err := newNode(log, func() *exec.Cmd { return w.nodeCommand(i) })
		if err != nil {
			return err
		}
		w.Nodes = append(w.Nodes, node)
		if err := w.start(ctx, node); err != nil {
			return err
		}
	}
	return w.Workload.SetUp(ctx, w.Nodes[0].URL())
}

func (w *World) buildSQLite(n needs) (err error) {
	path := filepath.Join(w.folder, "verdict.db")
	if n.disk {
		if w.Disk, err = NewDisk(filepath.Join(w.folder, "disk"), diskBytes); err != nil {
			return err
		}
		path = w.Disk.Path("verdict.db")
	}
	w.nodeURL = "sqlite:" + path
	w.adminURL = w.nodeURL
	return nil
}

func (w *World) buildPostgres(ctx context.Context, n needs, rng *rand.Rand) (err error) {
	if !w.shared {
		var options pgcluster.Options
		if n.disk {
			// The server runs as another user, which may not enter w.folder.
			if w.diskAt, err = os.MkdirTemp("", "vd"); err != nil {
				return err
			}
			if w.Disk, err = NewDisk(w.diskAt, diskBytesPostgres); err != nil {
				return err
			}
			options = pgcluster.Options{Parent: w.diskAt, Settings: []string{"min_wal_size=32MB", "max_wal_size=64MB"}}
		}
		if w.Cluster, err = pgcluster.Start(ctx, options); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(filepath.Base(w.folder), "-", "_") // derived from the folder, so it is unique
	if w.adminURL, err = w.Cluster.Create(ctx, name); err != nil {
		return err
	}
	if n.pair {
		if w.Standby, err = w.Cluster.Standby(ctx, standbyName); err != nil {
			return err
		}
		if err := w.Cluster.Synchronous(ctx, standbyName); err != nil {
			return err
		}
		w.adminURL = pgcluster.URLs(name, w.Cluster, w.Standby)
	}
	w.nodeURL = w.adminURL
	if n.proxy {
		if w.Proxy, err = NewProxy(ctx, w.Cluster.Socket(), rng); err != nil {
			return err
		}
		w.nodeURL = w.Proxy.URL(pgcluster.Role, name)
	}
	return nil
}

// nodeCommand returns the command of a node. The program is the real binary, or
// this program if the scenario moves the clock.
func (w *World) nodeCommand(node int) *exec.Cmd {
	args := append([]string{"serve", "-addr", "127.0.0.1:0", "-database-url", w.nodeURL, "-log-format", "json",
		"-log-key", w.logKey(node), "-master-key", "file:" + w.masterKey()}, w.Workload.Flags()...)
	program := w.binary
	if w.Clocks != nil {
		program = "/proc/self/exe"
	}
	cmd := exec.CommandContext(context.Background(), program, args...) //nolint:gosec // the program under test
	cmd.Env = w.environment()
	if w.Clocks != nil {
		cmd.Env = append(cmd.Env, clockVariable+"="+w.Clocks[node].path, "GORACE=atexit_sleep_ms=0")
	}
	return cmd
}

// logKey returns a node's file of the log key. All nodes have the same key, each in a folder of its own with the
// checkpoints that it has signed.
func (w *World) logKey(node int) string {
	return filepath.Join(w.folder, fmt.Sprintf("node%d", node+1), "log-key")
}

// createLogKeys creates the log key of the first node and copies it to the folders of the others.
func (w *World) createLogKeys(nodes int) error {
	var key []byte
	for node := range nodes {
		err := os.Mkdir(filepath.Dir(w.logKey(node)), 0o700)
		if err == nil && node == 0 {
			_, err = logkey.Create(w.logKey(node), secret.Reader)
		}
		if err == nil && node == 0 {
			key, err = os.ReadFile(w.logKey(node))
		}
		if err == nil && node > 0 {
			err = os.WriteFile(w.logKey(node), key, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// masterKey returns the file of the master key, which all nodes share.
func (w *World) masterKey() string { return filepath.Join(w.folder, "master-key") }

// environment returns the environment variables of this process without the
// service's settings, which a developer may have set.
func (w *World) environment() []string {
	return slices.DeleteFunc(os.Environ(), func(line string) bool { return strings.HasPrefix(line, "VERDICT_") })
}

// operate runs a command of the service's binary on the database.
func (w *World) operate(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, w.binary, args...) //nolint:gosec // the program under test
	cmd.Env = append(w.environment(), "VERDICT_DATABASE_URL="+w.adminURL, "VERDICT_PLAN_QUOTAS="+w.quotas,
		"VERDICT_MASTER_KEY=file:"+w.masterKey(), "VERDICT_LOG_KEY="+w.logKey(0))
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("verdict %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// start starts a node, adds it to the clients' addresses and records how long
// the start took.
func (w *World) start(ctx context.Context, n *Node) error {
	began := time.Now()
	if err := n.Start(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	w.join(n)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restart = max(w.restart, took)
	return nil
}

// join adds a node to the clients' addresses.
func (w *World) join(n *Node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(slices.Clone(w.open), n.URL())
}

// leave removes a node from the clients' addresses.
func (w *World) leave(n *Node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = slices.DeleteFunc(slices.Clone(w.open), func(url string) bool { return url == n.URL() })
}

// urls returns the addresses that clients may use.
func (w *World) urls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open
}

// Close stops and removes everything.
func (w *World) Close() error {
	var errs []error
	for _, n := range w.Nodes {
		errs = append(errs, n.close())
	}
	if w.Proxy != nil {
		errs = append(errs, w.Proxy.Close())
	}
	if w.Cluster != nil && !w.shared {
		errs = append(errs, w.Cluster.Close())
	}
	if w.Standby != nil {
		errs = append(errs, w.Standby.Close())
	}
	if w.Disk != nil {
		errs = append(errs, w.Disk.Close())
	}
	if w.diskAt != "" {
		errs = append(errs, os.RemoveAll(w.diskAt))
	}
	return errors.Join(append(errs, os.RemoveAll(w.folder))...)
}

// keep copies the logs of the nodes to a folder.
func (w *World) keep(folder string) error {
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	var errs []error
	for _, n := range w.Nodes {
		n.Kill() // stop the node, so that it no longer writes
		text, err := os.ReadFile(n.log.file.Name())
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, filepath.Base(n.log.file.Name())), text, 0o600)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
