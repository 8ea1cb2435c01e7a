package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// corpus is the path of a backup file. The database restored from it has ten thousand
// decisions, enough to interrupt a backup of that database half-way.
const corpus = "../../internal/replay/testdata/0001.backup"

// runVerdict runs a command to its end.
func runVerdict(t *testing.T, args ...string) (stderr string, err error) {
	t.Helper()
	var said bytes.Buffer
	c := exec.CommandContext(t.Context(), "verdict", args...)
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	c.Stderr = &said
	err = c.Run()
	return said.String(), err
}

// parts returns the temporary files of interrupted backups.
func parts(t *testing.T, name string) []string {
	t.Helper()
	list, err := filepath.Glob(name + ".*.part")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// endHalfWay starts a backup and sends it a signal when part of it is written.
// It returns how much was written, and whether the backup was still running.
func endHalfWay(t *testing.T, databaseURL, name string, with syscall.Signal) (written int64, caught bool) {
	t.Helper()
	before := len(parts(t, name))
	c := exec.CommandContext(t.Context(), "verdict", "backup", "-database-url", databaseURL, "-o", name)
	c.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return written, err != nil
		case <-tick.C:
		}
		list := parts(t, name)
		if len(list) == before {
			continue
		}
		for _, part := range list {
			if info, err := os.Stat(part); err == nil {
				written = max(written, info.Size())
			}
		}
		if written > 64<<10 {
			_ = c.Process.Signal(with) // the process may have ended in the meantime
			return written, <-ended != nil
		}
	}
}

// TestBackupEndedHalfWay checks that an interrupted or killed backup creates no
// file under its name, keeps the earlier file, and leaves no file that a
// restore would accept.
func TestBackupEndedHalfWay(t *testing.T) {
	t.Parallel()
	yesterday, err := os.ReadFile(corpus)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	databaseURL := "sqlite:" + filepath.Join(folder, "verdict.db")
	if said, err := runVerdict(t, "restore", "-i", corpus, "-database-url", databaseURL); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, c := range []struct {
		name string
		with syscall.Signal
		left int // leftover files
	}{{"killed", syscall.SIGKILL, 1}, {"told to end", syscall.SIGTERM, 0}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			name := filepath.Join(t.TempDir(), "nightly.backup")
			if err := os.WriteFile(name, yesterday, 0o600); err != nil {
				t.Fatal(err)
			}
			written, caught := endHalfWay(t, databaseURL, name, c.with)
			if !caught {
				t.Fatalf("the backup was done before it was caught; %d bytes were seen", written)
			}
			if data, err := os.ReadFile(name); err != nil || !bytes.Equal(data, yesterday) {
				t.Errorf("what was there before is %d bytes, %v", len(data), err)
			}
			left := parts(t, name)
			if len(left) != c.left {
				t.Errorf("%d files are left over, want %d", len(left), c.left)
			}
			for _, part := range left {
				said, err := runVerdict(t, "restore", "-i", part, "-database-url",
					"sqlite:"+filepath.Join(t.TempDir(), "new.db"))
				if err == nil || !strings.Contains(said, "the backup cannot be restored: it ends too early") {
					t.Errorf("restoring what is left over: %v, %q", err, said)
				}
			}
			// Leftover files do not prevent another backup.
			if said, err := runVerdict(t, "backup", "-database-url", databaseURL, "-o", name); err != nil {
				t.Errorf("another backup: %v, %s", err, said)
			}
		})
	}
}
