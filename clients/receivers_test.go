package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReceivers lets the service send events to the example of a receiver in each language. Each
// receiver accepts what the service signs, even while the secret is being replaced, and refuses a
// body that was altered, an old timestamp and another secret.
func TestReceivers(t *testing.T) {
	t.Parallel()
	url := serve(t, "-webhook-allow", "127.0.0.0/8")
	for name, command := range map[string]func(*testing.T) []string{
		"go":         goReceiver,
		"python":     func(*testing.T) []string { return []string{"python3", "receivers/receiver.py"} },
		"typescript": typeScriptReceiver,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkReceiver(t, url, name, command(t))
		})
	}
}

func goReceiver(t *testing.T) []string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "receiver")
	run(t, ".", nil, "go", "vet", "receivers/receiver.go")
	run(t, ".", nil, "go", "build", "-o", binary, "receivers/receiver.go")
	return []string{binary}
}

func typeScriptReceiver(t *testing.T) []string {
	t.Helper()
	dir := typeScriptFolder(t, "receivers/receiver.ts")
	run(t, dir, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"), "--strict", "--exactOptionalPropertyTypes",
		"--noUncheckedIndexedAccess", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "receiver.ts")
	return []string{"node", filepath.Join(dir, "receiver.js")}
}

// checkReceiver starts a receiver and lets the service send to it.
func checkReceiver(t *testing.T, service, name string, command []string) {
	t.Helper()
	key := text(t, call(t, http.MethodPost, service+"/api/signup", "", map[string]any{
		"email": name + "@example.in", "org_name": "Receiver", "password": "a long password",
	}), "api_key")
	address := freeAddress(t)
	hook := call(t, http.MethodPost, service+"/v1/webhooks", key,
		map[string]any{"url": "http://" + address + "/events"})
	at := service + "/v1/webhooks/" + text(t, hook, "id")
	before, _ := hook["last_sequence"].(float64) // the number of the last event of the signup
	lines := startReceiver(t, address, text(t, hook, "secret"), command)

	if got := call(t, http.MethodPost, at+"/test", key, nil); got["outcome"] != "delivered" {
		t.Fatalf("a test event: %v", got)
	}
	expect(t, lines, "webhook.test 0 evt_")
	decide(t, service, key)
	expect(t, lines, fmt.Sprintf("decision.created %.0f evt_", before+1))
	call(t, http.MethodPost, at+"/secret", key, map[string]any{"overlap_hours": 1})
	decide(t, service, key)
	expect(t, lines, fmt.Sprintf("decision.created %.0f evt_", before+2))
	call(t, http.MethodPost, at+"/secret", key, map[string]any{"overlap_hours": 0})
	got := call(t, http.MethodPost, at+"/test", key, nil)
	if status, _ := got["status"].(float64); status != http.StatusUnauthorized || got["outcome"] != "failed" {
		t.Errorf("an event with another secret: %v", got)
	}

	// The test vector of Standard Webhooks has an old timestamp, so every receiver refuses it, whatever its
	// secret is.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/events",
		strings.NewReader(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
	request.Header.Set("webhook-timestamp", "1614265330")
	request.Header.Set("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("an old request is answered with %d", response.StatusCode)
	}
}

// startReceiver runs a receiver and returns the lines that it prints.
func startReceiver(t *testing.T, address, secret string, command []string) <-chan string {
	t.Helper()
	receiver := exec.CommandContext(t.Context(), command[0], command[1:]...)
	receiver.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret, "RECEIVER_ADDR="+address)
	var log bytes.Buffer
	receiver.Stderr = &log
	out, err := receiver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := receiver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait() // the error only says that it was killed
		if t.Failed() {
			t.Logf("the receiver says: %s", &log)
		}
	})
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	for {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = conn.Close()
			return lines
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the receiver does not listen")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// expect waits for a line that begins with a text.
func expect(t *testing.T, lines <-chan string, begin string) {
	t.Helper()
	line, ok := <-lines
	if !ok || !strings.HasPrefix(line, begin) {
		t.Fatalf("the receiver printed %q, want %q", line, begin)
	}
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func decide(t *testing.T, service, key string) {
	t.Helper()
	call(t, http.MethodPost, service+"/v1/decisions", key, map[string]any{
		"applicant":     map[string]any{"monthly_income": 85000, "foir": 0.32, "requested_amount": 600000},
		"bureau_report": map[string]any{"score": 742, "enquiries_6m": 2, "active_tradelines": 4, "max_dpd_12m": 0},
	})
}

// call sends a request to the service and returns its answer.
func call(t *testing.T, method, url, key string, body map[string]any) map[string]any {
	t.Helper()
	var document []byte
	if body != nil {
		var err error
		if document, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(document))
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
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %d, %v: %s", method, url, response.StatusCode, err, got)
	}
	var answer map[string]any
	if err := json.Unmarshal(got, &answer); err != nil {
		t.Fatalf("%s %s: %v: %s", method, url, err, got)
	}
	return answer
}

func text(t *testing.T, answer map[string]any, member string) string {
	t.Helper()
	if text, ok := answer[member].(string); ok {
		return text
	}
	t.Fatal(fmt.Sprintf("the answer has no %s: %v", member, answer))
	return ""
}
