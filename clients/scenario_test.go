package clients

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestClients runs the same scenario with each client against the same service: sign up, decide, repeat with an
// idempotency key, be refused with a reason, page through a list, survive a service that is busy and an answer that is
// lost, and check webhooks. All clients must get the same correct results.
func TestClients(t *testing.T) {
	t.Parallel()
	service := serve(t)
	want := map[string]any{
		"same":     true,
		"refused":  map[string]any{"status": 422.0, "code": "invalid_field", "pointers": []any{"/bureau_report/score"}},
		"stranger": map[string]any{"status": 401.0, "code": "unauthenticated", "pointers": []any{}},
		"placeholder": "character 12 of the key is not a letter, digit or _: " +
			"use the whole key as it was shown when it was created",
		"listed": 5.0, "distinct": 5.0,
		"survived": "APPROVED",
		"closed":   map[string]any{"status": 429.0, "code": "quota_exceeded", "pointers": []any{}},
		"used":     6.0, // the scores 742 and 760 (its repetition is free), three more, and one through the proxy
		"webhook":  []any{"right", "wrong", "wrong"},
	}
	var decided any
	for name, client := range map[string]func(*testing.T, []string) []byte{
		"go": scenarioGo, "python": scenarioPython, "typescript": scenarioTypeScript,
	} {
		busy, _ := refusing(t, service, "30", 1)
		closed, asked := refusing(t, service, "31", math.MaxInt64)
		variables := append(signedEvent(t), "VERDICT_URL="+service, "UNRELIABLE_URL="+unreliable(t, service),
			"BUSY_URL="+busy, "CLOSED_URL="+closed)
		var saw map[string]any
		printed := client(t, variables)
		if err := json.Unmarshal(printed, &saw); err != nil {
			t.Fatalf("%s prints %q: %v", name, printed, err)
		}
		if decided == nil {
			decided = saw["decided"]
		}
		if !reflect.DeepEqual(saw["decided"], decided) || decided == nil {
			t.Errorf("%s was decided %v, another client %v", name, saw["decided"], decided)
		}
		delete(saw, "decided")
		// After each refusal the client waits for as long as the proxy asks. After the lost answer it may wait, or
		// repeat the request immediately on a new connection.
		if waits, ok := saw["waits"].([]any); ok && len(waits) == 3 {
			saw["waits"] = waits[:2]
		}
		waited(t, name, saw, "waits", 1, 1)
		waited(t, name, saw, "longest", 30)
		waited(t, name, saw, "closed_waits")
		if n := asked.Load(); n != 1 {
			t.Errorf("%s sent %d requests to a service that asked it to wait for 31 seconds", name, n)
		}
		if !reflect.DeepEqual(saw, want) {
			t.Errorf("%s saw\n%v, want\n%v", name, saw, want)
		}
	}
}

// waited removes a list of waits from what a client saw, and checks them. A wait is at least the wanted number of
// seconds, and at most a second longer, so that clients do not return at the same moment.
func waited(t *testing.T, client string, saw map[string]any, list string, want ...float64) {
	t.Helper()
	waits, ok := saw[list].([]any)
	delete(saw, list)
	if !ok || len(waits) != len(want) {
		t.Errorf("%s: %s are %v, want about %v", client, list, waits, want)
		return
	}
	for i, w := range waits {
		if seconds, _ := w.(float64); seconds < want[i] || seconds > want[i]+1 {
			t.Errorf("%s: %s are %v, want about %v", client, list, waits, want)
		}
	}
}

func scenarioGo(t *testing.T, variables []string) []byte {
	t.Helper()
	return run(t, ".", variables, "go", "run", "./scenario/go")
}

func scenarioPython(t *testing.T, variables []string) []byte {
	t.Helper()
	folder, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	variables = append(variables, "PYTHONPATH="+folder, "MYPYPATH="+folder, "PYTHONDONTWRITEBYTECODE=1")
	run(t, ".", variables, "mypy", "--strict", "--cache-dir", t.TempDir(), "scenario/scenario.py")
	return run(t, ".", variables, "python3", "scenario/scenario.py")
}

func scenarioTypeScript(t *testing.T, variables []string) []byte {
	t.Helper()
	dir := typeScriptFolder(t, "scenario/scenario.ts")
	for _, name := range []string{"index.ts", "schema.d.ts"} {
		copyFile(t, filepath.Join("typescript", name), filepath.Join(dir, name))
	}
	run(t, dir, nil, filepath.Join(dir, "node_modules", ".bin", "tsc"), "--strict", "--exactOptionalPropertyTypes",
		"--noUncheckedIndexedAccess", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable",
		"scenario.ts", "index.ts")
	return run(t, dir, variables, "node", "scenario.js")
}

// unreliable returns the URL of a proxy in front of the service. The proxy refuses the first two requests with
// 503. It forwards the third request, but drops the answer.
func unreliable(t *testing.T, service string) string {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch requests.Add(1) {
		case 1, 2:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// refusing returns the URL of a proxy that refuses the first requests with 429 and Retry-After, and the number of
// requests that it got.
func refusing(t *testing.T, service, retryAfter string, times int64) (address string, requests *atomic.Int64) {
	t.Helper()
	target, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	proxy, requests := httputil.NewSingleHostReverseProxy(target), new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) > times {
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", retryAfter)
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"status":429,"code":"quota_exceeded","errors":[]}`)) // fails only if the client is gone
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

// signedEvent returns environment variables with the headers and the secret of an event that was signed by the
// rules of Standard Webhooks.
func signedEvent(t *testing.T) []string {
	t.Helper()
	key, at := []byte("0123456789abcdef01234567"), strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("evt_1." + at + `.{"type":"decision.created"}`))
	headers, err := json.Marshal(map[string]string{
		"webhook-id": "evt_1", "webhook-timestamp": at,
		// While a secret is being replaced, an event has two signatures. Here only the second one is right.
		"webhook-signature": "v1,AAAA v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"WEBHOOK_HEADERS=" + string(headers), "WEBHOOK_SECRET=whsec_" + base64.StdEncoding.EncodeToString(key),
	}
}

// TestGeneratedFiles generates the typed parts of the clients again, and checks that the committed files are the same.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	for _, folder := range []string{"python/verdict", "go/api", "typescript"} {
		if err := os.MkdirAll(filepath.Join(out, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	generator, err := filepath.Abs(filepath.Join(packages, ".bin", "openapi-typescript"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, ".", nil, "go", "run", "./generate", "-out", out)
	run(t, ".", nil, "go", "tool", "oapi-codegen", "-generate", "types,skip-prune", "-package", "api",
		"-o", filepath.Join(out, "go/api/types.gen.go"), contract)
	run(t, ".", nil, generator, contract, "-o", filepath.Join(out, "typescript/schema.d.ts"))
	for _, name := range []string{
		"python/verdict/types.py", "python/verdict/operations.py", "go/operations.gen.go", "go/api/types.gen.go",
		"typescript/schema.d.ts",
	} {
		made, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made, committed) {
			t.Errorf("%s is not that of api/openapi.yaml; run make clients", name)
		}
	}
}

// TestScorecardExample runs the whole Python example, which begins with a book of loans and ends with the
// backtest of a draft.
func TestScorecardExample(t *testing.T) {
	t.Parallel()
	service := serve(t)
	key := signUp(t, service)
	book, fresh := filepath.Join(t.TempDir(), "book.csv"), filepath.Join(t.TempDir(), "new.csv")
	for file, args := range map[string][]string{
		book: {"-n", "2000", "-seed", "7"}, fresh: {"-n", "1500", "-seed", "8"}, // the backtest decides the second file
	} {
		rows := run(t, "..", nil, "go", append([]string{"run", "./cmd/verdict", "book"}, args...)...)
		if err := os.WriteFile(file, rows, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	variables := []string{
		"PYTHONPATH=" + folder, "MYPYPATH=" + folder, "PYTHONDONTWRITEBYTECODE=1", "VERDICT_URL=" + service,
		"VERDICT_KEY=" + key,
	}
	run(t, ".", variables, "mypy", "--strict", "--cache-dir", t.TempDir(), "python/examples/scorecard.py")
	out := string(run(t, ".", variables, "python3", "python/examples/scorecard.py", book, fresh))
	for _, want := range []string{
		"AUC on ", "\ndraft pol_", "\n1500 rows decided, 0 not\n", "\napproved with the active policy: ",
		"\napproved with the draft: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, c := range []struct {
		missing, variable string
		files             []string
	}{
		{"file", key, nil}, {"second file", key, []string{book}}, {"key", "", []string{book, fresh}},
	} {
		command := exec.CommandContext(t.Context(), "python3", "python/examples/scorecard.py")
		command.Args = append(command.Args, c.files...)
		command.Env = append(append(os.Environ(), variables...), "VERDICT_KEY="+c.variable)
		said, err := command.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.HasPrefix(string(said), "usage: VERDICT_URL=") {
			t.Errorf("without a %s the example ends with %v and says %s", c.missing, err, said)
		}
	}
}
