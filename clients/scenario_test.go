package clients

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
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
		"listed":   5.0, "distinct": 5.0,
		"survived": "APPROVED",
		"used":     6.0, // 742, 760 once, three more, and one through the proxy
		"webhook":  []any{"right", "wrong", "wrong"},
	}
	var decided any
	for name, client := range map[string]func(*testing.T, []string) []byte{
		"go": scenarioGo, "python": scenarioPython, "typescript": scenarioTypeScript,
	} {
		variables := append(signedEvent(t), "VERDICT_URL="+service, "UNRELIABLE_URL="+unreliable(t, service))
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
		if !reflect.DeepEqual(saw, want) {
			t.Errorf("%s saw\n%v, want\n%v", name, saw, want)
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

// unreliable returns the URL of a proxy before the service that refuses the
// first two requests with 503, and passes the third one on but loses its
// answer.
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

// signedEvent returns an event that was signed by the rules of Standard
// Webhooks, as variables.
func signedEvent(t *testing.T) []string {
	t.Helper()
	key, at := []byte("0123456789abcdef01234567"), strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("evt_1." + at + `.{"type":"decision.created"}`))
	headers, err := json.Marshal(map[string]string{
		"webhook-id": "evt_1", "webhook-timestamp": at,
		// Two secrets while one replaces the other: the second signature is the right one.
		"webhook-signature": "v1,AAAA v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"WEBHOOK_HEADERS=" + string(headers), "WEBHOOK_SECRET=whsec_" + base64.StdEncoding.EncodeToString(key),
	}
}

// TestGeneratedFiles generates the typed parts of the clients again: the
// committed files must be those of the API description.
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

// TestScorecardExample runs the Python example from a book of loans to the
// backtest of a draft.
func TestScorecardExample(t *testing.T) {
	t.Parallel()
	service := serve(t)
	response, err := http.Post(service+"/api/signup", "application/json",
		strings.NewReader(`{"email":"a@example.in","org_name":"Acme","password":"a long password"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	var signup struct {
		Key string `json:"api_key"`
	}
	if err := json.NewDecoder(response.Body).Decode(&signup); err != nil || signup.Key == "" {
		t.Fatalf("%s, %v", response.Status, err)
	}
	book := filepath.Join(t.TempDir(), "book.csv")
	rows := run(t, "..", nil, "go", "run", "./cmd/verdict", "book", "-n", "2000", "-seed", "7")
	if err := os.WriteFile(book, rows, 0o644); err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	variables := []string{
		"PYTHONPATH=" + folder, "MYPYPATH=" + folder, "PYTHONDONTWRITEBYTECODE=1", "VERDICT_URL=" + service,
		"VERDICT_KEY=" + signup.Key,
	}
	run(t, ".", variables, "mypy", "--strict", "--cache-dir", t.TempDir(), "python/examples/scorecard.py")
	out := string(run(t, ".", variables, "python3", "python/examples/scorecard.py", book))
	for _, want := range []string{"AUC on ", "\ndraft pol_", "\n2000 rows decided, 0 not\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
