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
	"testing"
	"time"

	"verdict/internal/store/storetest"
)

// nodeVariable is the environment variable that makes this test binary a node
// of the service. Its value is the URL of the database.
const nodeVariable = "VERDICT_TEST_NODE"

// nodeKeyVariable is the environment variable with the file of the node's log key.
const nodeKeyVariable = "VERDICT_TEST_NODE_KEY"

// nodeMasterVariable is the environment variable with the source of the node's master key.
const nodeMasterVariable = "VERDICT_TEST_NODE_MASTER"

func TestMain(m *testing.M) {
	if databaseURL := os.Getenv(nodeVariable); databaseURL != "" {
		os.Exit(beNode(databaseURL))
	}
	storetest.Main(m)
}

// beNode serves until it is killed. It prints its address when it is ready.
func beNode(databaseURL string) int {
	fs := flag.NewFlagSet("node", flag.ContinueOnError)
	settings := Bind(fs)
	err := fs.Parse([]string{"-addr", "127.0.0.1:0", "-database-url", databaseURL, "-log-level", "error",
		"-rate-decide", "1000000/s", "-plan-quotas", "free=1000000000", "-webhook-allow", "127.0.0.0/8",
		"-log-key", os.Getenv(nodeKeyVariable),
		"-master-key", os.Getenv(nodeMasterVariable)})
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

// node is a running process of the service.
type node struct {
	url     string
	process *exec.Cmd
}

func startNode(t *testing.T, databaseURL string) *node {
	t.Helper()
	return startNodeWith(t, databaseURL, testMasterKey(t))
}

// startNodeWith starts a node with a source of the master key and further variables of the environment.
func startNodeWith(t *testing.T, databaseURL, masterKey string, environment ...string) *node {
	t.Helper()
	n := &node{process: exec.CommandContext(t.Context(), os.Args[0])}
	n.process.Env = append(os.Environ(), nodeVariable+"="+databaseURL,
		nodeKeyVariable+"="+testLogKey(t), nodeMasterVariable+"="+masterKey, "GORACE=atexit_sleep_ms=0")
	n.process.Env = append(n.process.Env, environment...)
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

// URL returns the base URL of the node.
func (n *node) URL() string { return n.url }

// kill ends the process with SIGKILL.
func (n *node) kill() {
	_ = n.process.Process.Kill() // the process may be dead already
	_ = n.process.Wait()
}

// call sends one request. ok is false if no complete answer came back.
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

// TestActivationReachesOtherNodes activates on one node and decides on another,
// which must use the new version soon.
func TestActivationReachesOtherNodes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	first, second := startNode(t, databaseURL), startNode(t, databaseURL)
	key := signUp(t, first)
	// The other node has the earlier policy in memory.
	if status, answer, _ := second.call("POST", "/v1/decisions", key, "",
		`{"bureau_report":{"score":742}}`); status != http.StatusOK {
		t.Fatalf("decide: %d %v", status, answer)
	}
	_, draft, _ := first.call("POST", "/v1/rule-sets", key, "", `{"name":"next"}`)
	id, _ := draft["id"].(string)
	if status, answer, _ := first.call("POST", "/v1/rule-sets/"+id+"/activate", key, "", ""); status != http.StatusOK {
		t.Fatalf("activate: %d %v", status, answer)
	}
	activated := time.Now()
	for {
		_, answer, _ := second.call("POST", "/v1/decisions", key, "", `{"bureau_report":{"score":742}}`)
		policy, _ := answer["policy"].(map[string]any)
		if policy["id"] == id {
			t.Logf("the other node used it after %s", time.Since(activated).Round(time.Millisecond))
			return
		}
		// Cached policies are valid for half a second, which TestTwoNodes of
		// package httpapi checks; this limit only catches a node that never
		// notices.
		if time.Since(activated) > 2*time.Minute {
			t.Fatalf("after %s the other node still decides by %v", time.Since(activated), policy)
		}
		<-time.After(10 * time.Millisecond)
	}
}
