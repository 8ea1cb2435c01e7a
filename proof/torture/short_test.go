package torture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"verdict/internal/pgcluster"
)

func TestMain(m *testing.M) {
	ServeIfAsked()
	code := m.Run()
	stage.close()
	os.Exit(code)
}

// shortRounds is the number of rounds of each scenario in TestShort. A scenario that is not listed
// has one round. cmd/torture runs more rounds.
var shortRounds = map[string]int{"kill": 5, "network": 3, "disk-error": 3, "retention-kill": 2}

// seedVariable is the environment variable that replaces the default seed.
const seedVariable = "VERDICT_TORTURE_SEED"

// TestShort runs some rounds of every scenario on each of its databases.
func TestShort(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: faults")
	}
	seed := uint64(1)
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range Scenarios() {
		for _, database := range s.Databases {
			t.Run(s.Name+" "+database, func(t *testing.T) {
				t.Parallel()
				allowed(t, s)
				o := Order{Scenario: s, Database: database, Seed: seed, Rounds: max(1, shortRounds[s.Name])}
				stage.set(t, &o)
				r, err := o.Run(t.Context())
				t.Logf("%+v", r)
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// allowed skips the test, with a message, if this machine does not permit the
// scenario. cmd/torture fails in that case.
func allowed(t *testing.T, s Scenario) {
	t.Helper()
	switch {
	case s.Mounts():
		mountable(t)
	case s.Name == "disk-slow" || s.Name == "disk-error":
		traceable(t)
	}
}

func mountable(t *testing.T) {
	t.Helper()
	disk, err := NewDisk(filepath.Join(t.TempDir(), "disk"), 1<<20)
	if err != nil {
		t.Skipf("no disk was filled, since none can be mounted here: %v", err)
	}
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
}

func traceable(t *testing.T) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), "strace", "-o", os.DevNull,
		"true").CombinedOutput(); err != nil {
		t.Skipf("no disk was made to fail, since nothing can be traced here: %v %s", err, output)
	}
}

// stage holds the parts that all scenarios share: the binary, and a server for the
// scenarios that do not disturb it.
var stage theatre

type theatre struct {
	once    sync.Once
	err     error
	folder  string
	cluster *pgcluster.Cluster
}

// set sets the binary and the server of an order to the shared ones.
func (s *theatre) set(t *testing.T, o *Order) {
	t.Helper()
	s.once.Do(func() { s.err = s.open() })
	if s.err != nil {
		t.Fatal(s.err)
	}
	o.Binary, o.Cluster = filepath.Join(s.folder, "verdict"), s.cluster
}

func (s *theatre) open() (err error) {
	if s.folder, err = os.MkdirTemp("", "torture-stage-"); err != nil {
		return err
	}
	// The flags are those of "make build" without the commit, so that packages
	// compiled for bench or for a clone in another folder are not compiled again.
	build := exec.CommandContext(context.Background(), "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w", "-o", s.folder, "verdict/cmd/verdict")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build the binary: %w\n%s", err, output)
	}
	s.cluster, err = pgcluster.Start(context.Background(), pgcluster.Options{})
	return err
}

func (s *theatre) close() {
	if s.cluster != nil {
		_ = s.cluster.Close() // a leftover folder must not fail a test
	}
	_ = os.RemoveAll(s.folder)
}
