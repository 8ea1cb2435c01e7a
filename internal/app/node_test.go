package app

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/store/storetest"
)

// nodeVariable makes this test binary a node of the service on the database it
// names.
const nodeVariable = "VERDICT_TEST_NODE"

func TestMain(m *testing.M) {
	if databaseURL := os.Getenv(nodeVariable); databaseURL != "" {
		os.Exit(beNode(databaseURL))
	}
	storetest.Main(m)
}

// beNode serves until it is killed, and prints its address when it is ready.
func beNode(databaseURL string) int {
	fs := flag.NewFlagSet("node", flag.ContinueOnError)
	settings := Bind(fs)
	err := fs.Parse([]string{"-addr", "127.0.0.1:0", "-database-url", databaseURL, "-log-level", "error", "-rate-decide", "1000000/s"})
	if err == nil {
		var c Config
		if c, err = settings.Load(func(string) string { return "" }); err == nil {
			err = serveNode(c)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func serveNode(c Config) error {
	a, err := New(context.Background(), c, os.Stderr)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(os.Stdout, a.URL())
	return a.Run(context.Background())
}

// node is a process of the service.
type node struct {
	url     string
	process *exec.Cmd
}

func startNode(t *testing.T, databaseURL string) *node {
	t.Helper()
	n := &node{process: exec.CommandContext(t.Context(), os.Args[0])}
	n.process.Env = append(os.Environ(), nodeVariable+"="+databaseURL, "GORACE=atexit_sleep_ms=0")
	var complaint strings.Builder
	n.process.Stderr = &complaint
	out, err := n.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		_ = n.process.Wait()
		t.Fatalf("the node did not start: %s", &complaint)
	}
	n.url = lines.Text()
	t.Cleanup(n.kill)
	return n
}

// kill is kill -9.
func (n *node) kill() {
	_ = n.process.Process.Kill() // it may be dead already
	_ = n.process.Wait()
}

// call makes one request; ok is false when no whole answer came back.
func (n *node) call(method, path, key, once, body string) (status int, answer map[string]any, ok bool) {
	request, err := http.NewRequestWithContext(context.Background(), method, n.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, false
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	if once != "" {
		request.Header.Set("Idempotency-Key", once)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, false
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil || json.Unmarshal(data, &answer) != nil {
		return 0, nil, false
	}
	return response.StatusCode, answer, true
}

// lender is a tenant that sends applications and remembers every answer.
type lender struct {
	key  string
	next atomic.Int64

	mu       sync.Mutex
	answered map[string]string // decision hashes by decision id
	open     []string          // applicants whose request had no answer
	byKey    map[string]string // decision ids by applicant
	wrong    []string
}

func newLender(t *testing.T, n *node) *lender {
	t.Helper()
	status, answer, ok := n.call("POST", "/api/signup", "", "", `{"email":"asha@example.in","org_name":"Asha Finance","password":"correct horse"}`)
	if !ok || status != http.StatusCreated {
		t.Fatalf("signup: %d %v", status, answer)
	}
	key, _ := answer["api_key"].(string)
	return &lender{key: key, answered: map[string]string{}, byKey: map[string]string{}}
}

// apply sends one application until it is answered or the node is gone.
func (l *lender) apply(n *node, applicant string) bool {
	status, answer, ok := n.call("POST", "/v1/decisions", l.key, applicant, fmt.Sprintf(
		`{"applicant":{"id":%q,"monthly_income":85000,"foir":0.32},"bureau_report":{"score":742,"enquiries_6m":2}}`, applicant))
	l.mu.Lock()
	defer l.mu.Unlock()
	if !ok {
		l.open = append(l.open, applicant)
		return false
	}
	id, _ := answer["decision_id"].(string)
	hash, _ := answer["decision_hash"].(string)
	if before := l.byKey[applicant]; status != http.StatusOK || before != "" && before != id {
		l.wrong = append(l.wrong, fmt.Sprintf("%s: %d %v, before %q", applicant, status, answer, before))
		return true
	}
	l.answered[id], l.byKey[applicant] = hash, id
	return true
}

// load sends applications over many connections until the nodes are gone, or
// until enough were answered.
func (l *lender) load(t *testing.T, enough int64, nodes ...*node) *sync.WaitGroup {
	t.Helper()
	var busy sync.WaitGroup
	var done atomic.Int64
	for i := range 16 {
		busy.Go(func() {
			for turn := i; done.Load() < enough; turn++ {
				applicant := fmt.Sprintf("A-%d", l.next.Add(1))
				if l.apply(nodes[turn%len(nodes)], applicant) {
					done.Add(1)
				} else if len(nodes) == 1 {
					return
				}
			}
		})
	}
	return &busy
}

// until waits for enough answers beyond those there were.
func (l *lender) until(enough func(answered int) bool, before int) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !enough(l.count() - before) {
		<-tick.C
	}
}

func (l *lender) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.answered)
}

// settle sends again what had no answer: it is decided once, then or now.
func (l *lender) settle(n *node) {
	again := l.open
	l.open = nil
	for _, applicant := range again {
		l.apply(n, applicant)
	}
}

// check fetches decisions that were answered and counts the bill.
func (l *lender) check(t *testing.T, n *node, skip map[string]bool) {
	t.Helper()
	for _, wrong := range l.wrong {
		t.Error(wrong)
	}
	for id, hash := range l.answered {
		if skip[id] {
			continue
		}
		skip[id] = true
		status, answer, _ := n.call("GET", "/v1/decisions/"+id, l.key, "", "")
		again, _ := answer["re_explanation"].(map[string]any)
		if status != http.StatusOK || answer["decision_hash"] != hash || again["verified"] != true {
			t.Errorf("%s was answered: %d %v", id, status, answer)
		}
	}
	_, usage, _ := n.call("GET", "/v1/usage", l.key, "", "")
	if used, _ := usage["used"].(float64); int(used) != len(l.answered) {
		t.Errorf("%d decisions were answered, %v were billed", len(l.answered), usage["used"])
	}
}

// TestKilledUnderLoad kills the service at random moments under load: every
// answered decision is there and verifies, what had no answer is decided once
// when it is sent again, and the bill is exact.
func TestKilledUnderLoad(t *testing.T) {
	t.Parallel()
	rounds := 3
	if os.Getenv("VERDICT_LONG") != "" {
		rounds = 200
	}
	//nolint:thelper // what EachURL runs is the test itself
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		n := startNode(t, databaseURL)
		l := newLender(t, n)
		seen := map[string]bool{}
		retried := 0
		for round := range rounds {
			busy := l.load(t, 1<<40, n)
			// Not a fixed time: a slow machine must have answered something.
			l.until(func(answered int) bool { return answered >= 1+13*round%40 }, l.count())
			n.kill()
			busy.Wait()
			n = startNode(t, databaseURL)
			retried += len(l.open)
			l.settle(n)
			l.check(t, n, seen)
			if t.Failed() {
				return
			}
		}
		t.Logf("%d rounds, %d decisions answered, %d of them sent again after the kill", rounds, len(l.answered), retried)
	})
}

// TestTwoNodes lets two processes serve one tenant from one PostgreSQL and
// kills one of them under load.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first, second := startNode(t, databaseURL), startNode(t, databaseURL)
	l := newLender(t, first)
	const before, after = 200, 600
	l.load(t, before, first, second).Wait()
	if len(l.open) > 0 {
		t.Fatalf("%d requests had no answer while both nodes were up", len(l.open))
	}
	busy := l.load(t, after, first, second)
	l.until(func(answered int) bool { return answered >= before+after/3 }, 0)
	second.kill()
	busy.Wait()
	l.settle(first)
	l.check(t, first, map[string]bool{})
	t.Logf("%d decisions answered", len(l.answered))
}

// TestActivationReachesOtherNodes activates on one node and decides on
// another, which must use the new version within a second.
func TestActivationReachesOtherNodes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first, second := startNode(t, databaseURL), startNode(t, databaseURL)
	l := newLender(t, first)
	if !l.apply(second, "A-0") {
		t.Fatal("no answer")
	}
	_, draft, _ := first.call("POST", "/v1/rule-sets", l.key, "", `{"name":"next"}`)
	id, _ := draft["id"].(string)
	if status, answer, _ := first.call("POST", "/v1/rule-sets/"+id+"/activate", l.key, "", ""); status != http.StatusOK {
		t.Fatalf("activate: %d %v", status, answer)
	}
	activated := time.Now()
	for {
		_, answer, _ := second.call("POST", "/v1/decisions", l.key, "", `{"bureau_report":{"score":742}}`)
		policy, _ := answer["policy"].(map[string]any)
		if policy["id"] == id {
			t.Logf("the other node used it after %s", time.Since(activated).Round(time.Millisecond))
			return
		}
		// Generous for a busy machine; the cache itself is bounded to half a second.
		if time.Since(activated) > 3*time.Second {
			t.Fatalf("after %s the other node still decides by %v", time.Since(activated), policy)
		}
		<-time.After(10 * time.Millisecond)
	}
}
