package torture

import (
	"crypto/rand"
	seeded "math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/logkey"
	"verdict/internal/masterkey"
)

// oldBackup is a backup from before decisions had journal entries and encryption.
const oldBackup = "../../internal/replay/testdata/0001.backup"

// oldDecisions is the number of decisions in oldBackup.
const oldDecisions = 10200

// mostKills limits the time that the test takes.
const mostKills = 6

// TestMigrationKilled restores a database of a version without a journal. The service adds the entries and encrypts
// what is stored while it serves, and is killed again and again meanwhile. In the end, every decision must reproduce
// and have exactly one entry, and the signed logs must agree with the entries.
func TestMigrationKilled(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: faults")
	}
	for _, database := range []string{SQLite, Postgres} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			m := newMigrated(t, database)
			chance := seeded.New(seeded.NewPCG(1, 1)) //nolint:gosec // repeatable, not secret
			begun := m.verify(t).without
			if begun == 0 {
				t.Fatal("the old backup has entries already")
			}
			interrupted := 0
			for left, kills := begun, 0; left > 0 && kills < mostKills; kills++ {
				m.start(t)
				wait(t.Context(), between(chance, 0, time.Second))
				m.node.Kill()
				before := left
				if left = m.verify(t).without; left > before {
					t.Fatalf("%d objects have no entry after %d", left, before)
				}
				if left > 0 && left < begun {
					interrupted++
				}
			}
			if interrupted == 0 {
				t.Error("no kill met the work half-way")
			}
			m.start(t)
			for unchanged := (stall{}); ; wait(t.Context(), logPause) {
				now := m.verify(t)
				if now.without == 0 && now.signed == oldDecisions+now.others {
					break
				} else if unchanged.lasts(logTimeout, int64(now.signed-now.without)) {
					t.Fatalf("unchanged for %s: %+v", logTimeout, now)
				}
			}
			m.node.Kill()
			t.Logf("%d objects; %d kills met the work half-way", begun, interrupted)
		})
	}
}

// migrated is a restored database with a node that can be killed.
type migrated struct {
	node   *Node
	binary string
	env    []string
}

func newMigrated(t *testing.T, database string) *migrated {
	t.Helper()
	var o Order
	stage.set(t, &o)
	folder := t.TempDir()
	url := "sqlite:" + filepath.Join(folder, "verdict.db")
	if database == Postgres {
		var err error
		if url, err = o.Cluster.Create(t.Context(), "migration_killed"); err != nil {
			t.Fatal(err)
		}
	}
	log, master := filepath.Join(folder, "log-key"), filepath.Join(folder, "master-key")
	if _, err := logkey.Create(log, rand.Reader); err != nil {
		t.Fatal(err)
	}
	if _, err := masterkey.Create(master, rand.Reader); err != nil {
		t.Fatal(err)
	}
	m := &migrated{binary: o.Binary, env: append((&World{}).environment(), "VERDICT_DATABASE_URL="+url,
		"VERDICT_LOG_KEY="+log, "VERDICT_MASTER_KEY=file:"+master)}
	var err error
	m.node, err = newNode(filepath.Join(folder, "node.log"), func() *exec.Cmd {
		return m.command("serve", "-addr", "127.0.0.1:0", "-log-format", "json")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.node.close(); err != nil {
			t.Error(err)
		}
	})
	m.run(t, "restore", "-i", oldBackup)
	return m
}

func (m *migrated) command(args ...string) *exec.Cmd {
	cmd := exec.Command(m.binary, args...) //nolint:gosec,noctx // the program under test, which the test ends
	cmd.Env = m.env
	return cmd
}

// run runs a command of the service's binary and returns its output.
func (m *migrated) run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := m.command(args...).CombinedOutput()
	if err != nil {
		t.Fatalf("verdict %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

func (m *migrated) start(t *testing.T) {
	t.Helper()
	if err := m.node.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// verified is what "verdict verify" has counted.
type verified struct {
	without int // objects that have no entry in the journal
	others  int // entries of other objects than decisions
	signed  int // entries that match the signed logs
}

// verify verifies the database. Every decision must reproduce.
func (m *migrated) verify(t *testing.T) verified {
	t.Helper()
	told := m.run(t, "verify")
	number := func(pattern string) int {
		found := regexp.MustCompile(`(?m)^(\d+) ` + pattern).FindStringSubmatch(told)
		if found == nil {
			return 0
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := number("decisions reproduce"); n != oldDecisions {
		t.Fatalf("%d of %d decisions reproduce:\n%s", n, oldDecisions, told)
	}
	return verified{
		without: number("objects were made before the journal existed"),
		others:  number("other entries of the journal match what is stored"),
		signed:  number("entries of the journal match the signed logs"),
	}
}
