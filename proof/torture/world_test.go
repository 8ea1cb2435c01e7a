package torture

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDisk checks that a disk can be filled and freed again.
func TestDisk(t *testing.T) {
	t.Parallel()
	mountable(t)
	d, err := NewDisk(filepath.Join(t.TempDir(), "disk"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	write := func() error { return os.WriteFile(d.Path("file"), make([]byte, 64<<10), 0o600) }
	if err := write(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(d.Path("file")); err != nil {
		t.Fatal(err)
	}
	if err := d.Fill(0); err != nil {
		t.Fatal(err)
	}
	if err := write(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	if err := d.Free(); err != nil {
		t.Fatal(err)
	}
	if err := write(); err != nil {
		t.Errorf("a disk with room again: %v", err)
	}
}

// TestInject checks that a fault can be injected into a process that writes,
// and removed again.
func TestInject(t *testing.T) {
	t.Parallel()
	traceable(t)
	path := filepath.Join(t.TempDir(), "written")
	writer, err := start(io.Discard, exec.CommandContext(t.Context(), "sh", "-c",
		`while :; do printf x >> "$1" || printf e >> "$1.failed"; done`, "sh", path))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.kill()
	i, err := Inject(t.Context(), writer.pid(), filepath.Join(t.TempDir(), "trace"), "write:error=EIO:when=1+2")
	if err != nil {
		t.Fatal(err)
	}
	for i.Hits() < 3 {
		<-time.After(time.Millisecond)
	}
	if err := i.Remove(); err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	for before := size(); size() <= before; {
		<-time.After(time.Millisecond)
	}
	if _, err := os.Stat(path + ".failed"); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
}

// TestClock checks that a node notices when its clock is moved.
func TestClock(t *testing.T) {
	t.Parallel()
	c := &Clock{path: filepath.Join(t.TempDir(), "clock")}
	if err := c.Set(3 * time.Hour); err != nil {
		t.Fatal(err)
	}
	var ahead atomic.Int64
	go watchClock(t.Context(), c.path, &ahead)
	for _, to := range []time.Duration{3 * time.Hour, -time.Minute, 0} {
		if err := c.Set(to); err != nil {
			t.Fatal(err)
		}
		for !c.Noticed() {
			<-time.After(time.Millisecond)
		}
		if got := time.Duration(ahead.Load()); got != to {
			t.Errorf("the clock is %s ahead, want %s", got, to)
		}
	}
}

// TestNodeThatDoesNotStart checks that the error of Start contains the output
// of the process.
func TestNodeThatDoesNotStart(t *testing.T) {
	t.Parallel()
	n, err := newNode(filepath.Join(t.TempDir(), "log"), func() *exec.Cmd {
		return exec.CommandContext(context.Background(), "sh", "-c", "echo no such database >&2; exit 3")
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.close() }()
	if err := n.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no such database") {
		t.Errorf("got %v", err)
	}
	if n.Alive() {
		t.Error("it is said to be alive")
	}
}

// TestLogFile checks that the ready line is found however the log is split into
// writes.
func TestLogFile(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	l := &logFile{file: file, ready: make(chan string, 1)}
	text := "verdict: hello\n" +
		"{\"msg\":\"other\"}\n" +
		"{\"level\":\"INFO\",\"msg\":\"ready\",\"address\":\"127.0.0.1:1\"}\n" +
		"{\"msg\":\"ready\",\"address\":\"x\"}\n"
	for _, b := range []byte(text) {
		if _, err := l.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if got := <-l.ready; got != "127.0.0.1:1" {
		t.Errorf("got %q", got)
	}
	kept, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(kept)); diff != "" {
		t.Error(diff)
	}
}
