package main

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// step is a command of a page, and the output that the page shows for it.
type step struct{ command, shown string }

// stepsOf returns the commands of a page in order.
func stepsOf(t *testing.T, page string) (steps []step) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		if m[1] == "sh" {
			steps = append(steps, step{command: m[2]})
		} else if len(steps) > 0 {
			steps[len(steps)-1].shown = m[2]
		}
	}
	return steps
}

// TestTutorial runs the commands of the tutorial as they are written, each in a new shell, all in the same
// folder. Only the port differs, because another program may use 8080.
func TestTutorial(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: corpora")
	}
	steps := stepsOf(t, "../../docs/TUTORIAL.md")
	if len(steps) < 12 {
		t.Fatalf("the tutorial has only %d commands", len(steps))
	}
	folder, port := t.TempDir(), freePort(t)
	environ := append(os.Environ(), "VERDICT_ADDR=127.0.0.1:"+port, "HOME="+folder, "GORACE=atexit_sleep_ms=0")
	serving := false
	for _, s := range steps {
		if s.command == "verdict serve\n" {
			startInBackground(t, folder, environ)
			serving = true
			continue
		}
		// If a step exports VERDICT_KEY, the variable is also set in the later steps.
		script := "set -e\nset -o pipefail\n[ ! -f .exported ] || . ./.exported\n" +
			strings.ReplaceAll(s.command, "localhost:8080", "localhost:"+port) +
			"\nexport -p | grep -E ' VERDICT_KEY=' > .exported || true\n"
		cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
		cmd.Dir, cmd.Env = folder, environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\nprints\n%s", err, s.command, out)
		}
		for line := range strings.Lines(s.shown) {
			line = strings.TrimSpace(line)
			pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*")
			if !regexp.MustCompile(`(?m)^\s*` + pattern).Match(out) {
				t.Errorf("the page shows %q for\n%s\nbut it prints\n%s", line, s.command, out)
			}
		}
	}
	if !serving {
		t.Error("the tutorial does not start the service")
	}
	if _, err := os.Stat(filepath.Join(folder, "report.html")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"signup.json", "live.txt"} { // they contain keys
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v", name, info.Mode())
		}
	}
	// The service ignores an unknown member of a request, with a warning that the tutorial does not show.
	for _, name := range []string{"decision.json", "live.json"} {
		answer, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
		} else if strings.Contains(string(answer), `"unknown_field"`) {
			t.Errorf("the service does not know a member of the tutorial's request: %s", answer)
		}
	}
}

// startInBackground runs "verdict serve" as the tutorial's second terminal does.
func startInBackground(t *testing.T, folder string, environ []string) {
	t.Helper()
	service := exec.CommandContext(context.Background(), "verdict", "serve") // the cleanup stops it after the test
	service.Dir, service.Env = folder, environ
	log := &serviceLog{ready: make(chan struct{})}
	service.Stderr = log
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Signal(syscall.SIGTERM) // Wait reports how the service ended
		if err := service.Wait(); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
	})
	select {
	case <-log.ready:
	case <-time.After(time.Minute):
		t.Fatalf("the service is not ready after a minute\n%s", log)
	}
}

// serviceLog is the log of a service. The channel ready is closed when the log says that the service answers.
type serviceLog struct {
	ready chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

// Write implements io.Writer.
func (l *serviceLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	const answers = "msg=ready" // as the tutorial says
	known := strings.Contains(l.text.String(), answers)
	l.text.Write(p)
	if !known && strings.Contains(l.text.String(), answers) {
		close(l.ready)
	}
	return len(p), nil
}

// String returns the log up to now.
func (l *serviceLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return port
}
