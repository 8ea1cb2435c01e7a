package fsck

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// service is a running "verdict serve" with the key of a tenant.
type service struct{ url, key string }

// start builds the service and runs it on an empty SQLite database, where it creates its keys itself.
func start(t *testing.T) *service {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join(folder, "verdict")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", binary, "./cmd/verdict")
	build.Dir, build.Env = "../..", append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the service: %v\n%s", err, out)
	}
	var log bytes.Buffer
	serve := exec.CommandContext(t.Context(), binary, "serve", "-welcome", "-addr", "127.0.0.1:0",
		"-metrics-addr", "127.0.0.1:0", "-database-url", "sqlite:"+filepath.Join(folder, "verdict.db"),
		"-rate-decide", "1000000/s")
	serve.Stderr = &log
	serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
	out, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &service{}
	lines := bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		if _, rest, found := strings.Cut(lines.Text(), "answers at"); found {
			s.url = strings.TrimSpace(rest)
		}
	}
	t.Cleanup(func() {
		_, _ = io.Copy(io.Discard, out) // reads until the service has ended
		_ = serve.Wait()                // returns an error, because the test has stopped the service
	})
	if s.url == "" {
		t.Fatal("the service did not start")
	}
	var signed struct {
		Key string `json:"api_key"`
	}
	s.call(t, http.MethodPost, "/api/signup",
		`{"email":"asha@example.in","org_name":"Asha","password":"a long password"}`, &signed)
	s.key = signed.Key
	return s
}

// call sends a request that must succeed, and decodes the answer, or returns it as a text if into is nil.
func (s *service) call(t *testing.T, method, path, body string, into any) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d %s %v", method, path, response.StatusCode, answer, err)
	}
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			t.Fatal(err)
		}
	}
	return string(answer)
}

// decide makes decisions, and waits until the log with all of them is signed.
func (s *service) decide(t *testing.T, decisions int) {
	t.Helper()
	items := make([]string, decisions)
	for i := range items {
		items[i] = fmt.Sprintf(`{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32,"requested_amount":600000},
			"bureau_report":{"score":742}}`, i)
	}
	s.call(t, http.MethodPost, "/v1/decisions/batch", `{"items":[`+strings.Join(items, ",")+`]}`, nil)
	for begun := time.Now(); ; <-time.After(100 * time.Millisecond) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/log/checkpoint", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+s.key)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		var size int
		if lines := strings.Split(string(text), "\n"); err == nil && len(lines) > 2 {
			_, _ = fmt.Sscan(lines[1], &size) // 0 if there is no checkpoint yet
		}
		if size >= decisions {
			return
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("the checkpoint is still %s", text)
		}
	}
}
