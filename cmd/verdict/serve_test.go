package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// process is a running "verdict serve".
type process struct {
	*exec.Cmd
	welcome string
	url     string
	log     *bytes.Buffer
}

// startServe runs "verdict serve" and waits until it has printed its address.
func startServe(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{log: &bytes.Buffer{}}
	p.Cmd = exec.CommandContext(t.Context(), "verdict",
		append([]string{"serve", "-welcome", "-addr", "127.0.0.1:0"}, args...)...)
	p.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	p.Stderr = p.log
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Process.Kill() })
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.Contains(lines.Text(), "Ctrl-C") {
		p.welcome += lines.Text() + "\n"
	}
	if m := regexp.MustCompile(`answers at +(\S+)`).FindStringSubmatch(p.welcome); m != nil {
		p.url = m[1]
		return p
	}
	_ = p.Wait()
	t.Fatalf("it says %q and %q", p.welcome, p.log)
	return nil
}

// TestServe checks that the commands of the greeting work as pasted, that
// verify finds the decision, that a signal ends the process, and that verify
// detects an altered decision.
func TestServe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "verdict.db")
	p := startServe(t, "-database-url", "sqlite:"+file)
	if !strings.Contains(p.welcome, p.url+"/console") {
		t.Errorf("the welcome does not say where the console is:\n%s", p.welcome)
	}
	bodies := regexp.MustCompile(`-d '(\{.*\})'`).FindAllStringSubmatch(p.welcome, -1)
	if len(bodies) != 2 {
		t.Fatalf("the welcome shows %d requests", len(bodies))
	}
	signup := ask(t, p.url+"/api/signup", "", bodies[0][1])
	key, _ := signup["api_key"].(string)
	decision := ask(t, p.url+"/v1/decisions", key, bodies[1][1])
	if decision["status"] != "APPROVED" {
		t.Errorf("the welcome's application gets %v", decision)
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("it ends with %v: %s", err, p.log)
	}

	verified := func(want int) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run([]string{"verify", "-database-url", "sqlite:" + file}, strings.NewReader(""), &out,
			&errs); code != want {
			t.Errorf("verify exits with %d: %s%s", code, &out, &errs)
		}
		return out.String()
	}
	// The signup has added entries for rule sets, their activation, a scorecard and the key.
	whole := regexp.MustCompile(`^1 decisions reproduce
\d+ other entries of the journal match what is stored
\d+ entries of the journal match the signed logs
$`)
	if got := verified(exitOK); !whole.MatchString(got) {
		t.Errorf("verify says %q", got)
	}
	alter(t, file)
	id, _ := decision["decision_id"].(string)
	if got := verified(exitRefused); !strings.Contains(got, id) || !strings.Contains(got,
		"\n1 objects are wrong or missing; 1 decisions and ") {
		t.Errorf("verify says %q of an altered decision", got)
	}
}

// alter changes the hash of the stored decision directly in the database file.
func alter(t *testing.T, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{"DROP TRIGGER decisions_unchanged", "UPDATE decisions SET hash = 'sha256:00'"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// ask posts JSON and returns the answer, which must be a success.
func ask(t *testing.T, url, key, body string) (answer map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %d %s (%v)", url, response.StatusCode, data, err)
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestSecondSignal checks that a second signal ends the process immediately
// while the shutdown that the first signal started is still waiting.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(t.TempDir(), "verdict.db"), "-shutdown-delay", "5m")
	ended := make(chan error, 1)
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for status := 200; status != http.StatusServiceUnavailable; { // until the first signal has taken effect
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/readyz", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		status = response.StatusCode
	}
	go func() { ended <- p.Wait() }()
	// Repeat the signal, because a signal that arrives before the handler is
	// reset counts as the first signal.
	for {
		_ = p.Process.Signal(os.Interrupt) // the process may have ended in the meantime
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "interrupt") {
				t.Errorf("the second signal ends it with %v", err)
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}
