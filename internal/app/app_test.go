package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/logkey"
	"verdict/internal/masterkey"
)

// safeBuffer is a log that can be read while it is written.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// testLogKey writes the log key of the tests to a new file. All nodes of a test have the
// same key, and each has its own record of the checkpoints it has signed.
func testLogKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log-key")
	if _, err := logkey.Create(path, strings.NewReader(strings.Repeat("k", 32))); err != nil {
		t.Fatal(err)
	}
	return path
}

// testMasterKey writes the master key of the tests to a new file, and returns its source.
// All nodes of a test have the same key.
func testMasterKey(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "master-key")
	if _, err := masterkey.Create(path, strings.NewReader(strings.Repeat("m", 32))); err != nil {
		t.Fatal(err)
	}
	return "file:" + path
}

// startApp runs a service on free ports with its own database. The returned
// function stop ends the service as a signal would, and closes it.
func startApp(t *testing.T, args ...string) (a *App, log *safeBuffer, stop func() error) {
	t.Helper()
	c, err := load(t, append([]string{
		"-addr", "127.0.0.1:0", "-metrics-addr", "127.0.0.1:0", "-log-level", "debug",
		"-database-url", "sqlite:" + filepath.Join(t.TempDir(), "verdict.db"), "-log-key", testLogKey(t),
		"-master-key", testMasterKey(t),
	}, args...), nil)
	if err != nil {
		t.Fatal(err)
	}
	log = &safeBuffer{}
	a, err = New(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-done, a.Close())
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	return a, log, stop
}

// post sends a JSON body and reads the answer.
func post(ctx context.Context, url, key, body string) (status int, answer map[string]any, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil, err
	}
	err = json.Unmarshal(data, &answer)
	return response.StatusCode, answer, err
}

const (
	signupBody   = `{"email":"asha@example.in","org_name":"Asha Finance","password":"a long password"}`
	decisionBody = `{
		"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
		"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}
	}`
)

// signUp creates a tenant and returns its key.
func signUp(t *testing.T, at interface{ URL() string }) string {
	t.Helper()
	status, answer, err := post(t.Context(), at.URL()+"/api/signup", "", signupBody)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("signup: %d %v (%v)", status, answer, err)
	}
	key, _ := answer["api_key"].(string)
	return key
}

// TestApp starts the service, signs up, decides, reads the metrics and stops.
func TestApp(t *testing.T) {
	t.Parallel()
	a, log, stop := startApp(t)
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/v1/health": 401, "/metrics": 404} {
		if status, _, err := fetch(t.Context(), a.URL()+path); err != nil || status != want {
			t.Errorf("%s is %d (%v), want %d", path, status, err, want)
		}
	}
	key := signUp(t, a)
	status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", key, decisionBody)
	if err != nil || status != http.StatusOK || answer["status"] != "APPROVED" {
		t.Fatalf("decide: %d %v (%v)", status, answer, err)
	}
	status, page, err := fetch(t.Context(), "http://"+a.MetricsAddr()+"/metrics")
	if err != nil || status != http.StatusOK {
		t.Fatalf("metrics: %d (%v)", status, err)
	}
	for _, want := range []string{
		`verdict_http_requests_total{method="POST",route="POST /v1/decisions",status="2xx"} 1`,
		`verdict_decisions_total{status="APPROVED"} 1`,
		`verdict_refusals_total{code="unauthenticated"} 1`,
		"verdict_store_writes_total ",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the metrics have no %s", want)
		}
	}
	if status, _, err := fetch(t.Context(), "http://"+a.MetricsAddr()+"/v1/decisions"); err != nil ||
		status != http.StatusNotFound {
		t.Errorf("the metrics' listener answers for the API: %d (%v)", status, err)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := fetch(t.Context(), a.URL()+"/livez"); err == nil {
		t.Error("the service still answers after its end")
	}
	said := log.String()
	for _, want := range []string{"msg=ready", `msg="shutting down"`, "msg=stopped", `route="POST /v1/decisions"`} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not say %s", want)
		}
	}
	for _, never := range []string{key, "asha@example.in", "a long password", "85000"} {
		if strings.Contains(said, never) {
			t.Errorf("the log says %q", never)
		}
	}
}

// TestShutdownUnderLoad checks that every decision that a caller received during a shutdown is
// in the database when the service starts again, and that no answer is cut short.
func TestShutdownUnderLoad(t *testing.T) {
	t.Parallel()
	args := []string{
		"-rate-decide", "1000000/s", "-database-url", "sqlite:" + filepath.Join(t.TempDir(), "verdict.db"),
		"-master-key", testMasterKey(t),
	}
	a, _, stop := startApp(t, args...)
	key := signUp(t, a)
	var mu sync.Mutex
	answered := map[string]bool{}
	enough := make(chan struct{})
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for {
				status, answer, err := post(context.Background(), a.URL()+"/v1/decisions", key, decisionBody)
				if wrong := new(json.SyntaxError); errors.As(err, &wrong) || errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("an answer was cut short: %v", err)
				}
				if err != nil {
					return // the listener is closed
				}
				if status != http.StatusOK {
					t.Errorf("a request got %d %v", status, answer)
					return
				}
				id, _ := answer["decision_id"].(string)
				mu.Lock()
				answered[id] = true
				if len(answered) == 100 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	if err := stop(); err != nil {
		t.Error(err)
	}
	clients.Wait()
	again, _, _ := startApp(t, args...)
	verified, err := again.service.Decisions.Audit.Verify(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if verified.Failed > 0 || verified.Checked < int64(len(answered)) {
		t.Errorf("%d decisions were answered; %d are stored, %d of them wrong",
			len(answered), verified.Checked, verified.Failed)
	}
}

// TestStopEndsLongWork stops the service while the underwriting agent works with a policy of more than half a
// megabyte, on more requests than can finish in the grace period. The work must end with the service.
func TestStopEndsLongWork(t *testing.T) {
	t.Parallel()
	c, err := load(t, []string{
		"-addr", "127.0.0.1:0", "-database-url", "sqlite:" + filepath.Join(t.TempDir(), "verdict.db"),
		"-rate-decide", "1000000/s", "-shutdown-grace", "1ms",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(t.Context(), c, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = a.Run(ctx) // the error for cancelled requests is expected here
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	key := signUp(t, a)
	const perRule = 8
	rules := make([]string, engine.MaxRules)
	for i := range rules {
		ranges := make([]string, perRule)
		for k := range ranges {
			from := 100 * (perRule*i + k)
			ranges[k] = fmt.Sprintf(`{"op":"between","field":"requested_amount","min":%d,"max":%d}`, from+1, from+100)
		}
		rules[i] = fmt.Sprintf(`{"id":"K%d","reason_code":"R","condition_ast":{"op":"or","args":[%s]}}`,
			i, strings.Join(ranges, ","))
	}
	status, made, err := post(t.Context(), a.URL()+"/v1/rule-sets", key,
		`{"name":"hostile","knockouts":[`+strings.Join(rules, ",")+`]}`)
	if err != nil || status != http.StatusCreated {
		t.Fatalf("%d %v (%v)", status, made["detail"], err)
	}
	id, _ := made["id"].(string)
	if status, made, err = post(t.Context(), a.URL()+"/v1/rule-sets/"+id+"/activate", key, `{}`); err != nil ||
		status != http.StatusOK {
		t.Fatalf("%d %v (%v)", status, made["detail"], err)
	}
	body := `{"applicant":{"monthly_income":85000,"foir":0.3,"requested_amount":880000},"bureau_report":{"score":760}}`
	first := make(chan struct{}, 200)
	var clients sync.WaitGroup
	for range 12 {
		clients.Go(func() {
			for {
				status, _, err := post(context.Background(), a.URL()+"/v1/agents/underwrite", key, body)
				if err != nil {
					return // the service has stopped
				}
				if status == http.StatusOK {
					first <- struct{}{}
				}
			}
		})
	}
	<-first
	go func() { // drain the channel, so that no client blocks
		for range first {
		}
	}()
	stop()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the stop takes longer than a minute")
	}
	clients.Wait()
	close(first)
}

// TestReadinessGoesFirst checks that during the shutdown delay the service
// still answers and reports that it is not ready.
func TestReadinessGoesFirst(t *testing.T) {
	t.Parallel()
	a, _, stop := startApp(t, "-shutdown-delay", "1s")
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for status := 200; status != http.StatusServiceUnavailable; {
		var err error
		if status, _, err = fetch(t.Context(), a.URL()+"/readyz"); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, err := fetch(t.Context(), a.URL()+"/livez"); err != nil || status != http.StatusOK {
		t.Errorf("liveness is %d (%v)", status, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestTraces checks that a collector of traces receives the path pattern of a request and none of the request's
// content.
func TestTraces(t *testing.T) {
	t.Parallel()
	received := make(chan string, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		received <- string(body)
	}))
	t.Cleanup(collector.Close)
	a, _, stop := startApp(t, "-otlp-endpoint", collector.URL)
	key := signUp(t, a)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		a.URL()+"/v1/decisions/ABCDE1234F?pan=ABCDE1234F", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if err := errors.Join(stop(), a.Close()); err != nil {
		t.Fatal(err)
	}
	spans := <-received
	for _, want := range []string{"GET /v1/decisions/{id}", "POST /api/signup", "sandbox", "req_"} {
		if !strings.Contains(spans, want) {
			t.Errorf("the spans do not say %s", want)
		}
	}
	for _, never := range []string{"ABCDE1234F", "127.0.0.1", "Go-http-client", key} {
		if strings.Contains(spans, never) {
			t.Errorf("the spans say %s", never)
		}
	}
}

// TestNewTellsMistakesAtOnce checks that New reports configuration errors
// before anything runs, and releases the resources that it has opened.
func TestNewTellsMistakesAtOnce(t *testing.T) {
	t.Parallel()
	a, _, _ := startApp(t)
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no folder for the database",
			[]string{"-database-url", "sqlite:" + filepath.Join(dir, "none", "verdict.db")}, "does not exist"},
		{"address taken", []string{"-addr", a.Addr()}, "address already in use; stop the " +
			"program that uses it, or choose another port with -addr or VERDICT_ADDR"},
		{"metrics address taken", []string{"-metrics-addr", a.Addr()}, "with -metrics-addr or VERDICT_METRICS_ADDR"},
		{"no certificate", []string{"-tls-cert", filepath.Join(dir, "none"), "-tls-key", filepath.Join(dir, "none")},
			"certificate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config, err := load(t, append([]string{"-addr", "127.0.0.1:0", "-database-url",
				"sqlite:" + filepath.Join(t.TempDir(), "verdict.db")}, c.args...), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := New(t.Context(), config, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestStartIsQuick starts the service with a new database and waits for the
// first answer. The time is logged; the limit only catches a start that hangs.
func TestStartIsQuick(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	a, _, _ := startApp(t)
	if status, _, err := fetch(t.Context(), a.URL()+"/readyz"); err != nil || status != http.StatusOK {
		t.Fatalf("readiness is %d (%v)", status, err)
	}
	took := time.Since(begun)
	t.Logf("ready after %s", took)
	if took > time.Minute {
		t.Errorf("ready after %s", took)
	}
}
