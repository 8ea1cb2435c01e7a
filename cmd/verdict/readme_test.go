package main

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reader is somebody who follows a page: each block of commands runs in a new shell, in the same folder, and knows
// the variables of the blocks before.
type reader struct {
	*testing.T
	folder, port string
	environ      []string
}

// readerVariables are the variables that one block of the README sets and a later block uses.
const readerVariables = "KEY LIVE_KEY POLICIES ID"

// follow runs commands as they are written, except for the port, and returns what they print.
func (r *reader) follow(commands string) string {
	r.Helper()
	script := "set -e -o pipefail\n[ ! -f .variables ] || . ./.variables\n" +
		strings.ReplaceAll(commands, "localhost:8080", "localhost:"+r.port) +
		"\ndeclare -p " + readerVariables + " >.variables 2>/dev/null || true\n"
	cmd := exec.CommandContext(r.Context(), "bash", "-c", script)
	cmd.Dir, cmd.Env = r.folder, r.environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("%v\n%s\nprints\n%s", err, commands, out)
	}
	return string(out)
}

// TestReadmeCommands runs the commands of the README that call the service, in order, as they are written.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: corpora")
	}
	r := &reader{T: t, folder: t.TempDir(), port: freePort(t)}
	r.environ = append(os.Environ(), "VERDICT_ADDR=127.0.0.1:"+r.port, "HOME="+r.folder, "GORACE=atexit_sleep_ms=0")
	startInBackground(t, r.folder, r.environ)

	seen := map[string]bool{}
	listed := "" // what the commands that create a live key print
	for _, block := range fenced(t, "../../README.md", "sh") {
		switch {
		case strings.Contains(block, "/api/signup"):
			seen["signup"] = true
			r.prints(block, `"api_key":"vk_sandbox_`, `"status":"APPROVED"`, `"decision_hash":"sha256:`)
		case strings.Contains(block, "/v1/fraud/alerts"):
			seen["fraud"] = true
			r.prints(block, `"status":"APPROVED"`, `"status":"DECLINED"`, `"status":"open"`)
		case strings.Contains(block, "/v1/evaluate"):
			seen["evaluate"] = true
			r.prints(block, `"status":"APPROVED"`, `"features":`)
		case strings.Contains(block, "LIVE_KEY="):
			listed = r.follow(block)
		case strings.Contains(block, "/activate"):
			seen["live"] = true
			r.activate(listed, block)
		case strings.Contains(block, "localhost:8080"):
			t.Errorf("no test runs the commands\n%s", block)
		}
	}
	if len(seen) != 4 {
		t.Errorf("the README shows only %v", seen)
	}
}

// TestReadmeFindsTheCommand checks that each way to start the service says how the shell finds the command verdict, and
// that no other command depends on the way.
func TestReadmeFindsTheCommand(t *testing.T) {
	t.Parallel()
	finds := regexp.MustCompile(`^(export PATH="\$PWD/.*:\$PATH"|verdict\(\) \{ podman exec verdict verdict .*\})\n$`)
	found := 0
	for _, block := range fenced(t, "../../README.md", "sh") {
		for line := range strings.Lines(block) {
			switch {
			case finds.MatchString(line):
				found++
			case strings.Contains(line, "bin/verdict"), strings.Contains(line, "amd64/verdict"):
				t.Errorf("the command is not found by its name: %s", line)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d of 3 ways to start the service say how the command is found", found)
	}
}

// prints runs commands and checks what they print.
func (r *reader) prints(commands string, wanted ...string) {
	r.Helper()
	out := r.follow(commands)
	for _, want := range wanted {
		if !strings.Contains(out, want) {
			r.Errorf("no %s in what\n%s\nprints:\n%s", want, commands, out)
		}
	}
}

// activate activates the default policy, which is one of the listed policies, in live, and decides with the live key.
func (r *reader) activate(listed, block string) {
	r.Helper()
	policies := regexp.MustCompile(`"id":"(pol_\w+)"\n"name":"(.*)"\n`).FindAllStringSubmatch(listed, -1)
	if len(policies) != 2 || strings.Count(listed, `"name"`) != 2 || !strings.Contains(listed, "vk_live_") {
		r.Fatalf("the key and the list of policies are %s", listed)
	}
	i := slices.IndexFunc(policies, func(p []string) bool { return p[2] != "SAFE_MODE" })
	if i < 0 {
		r.Fatalf("the default policy is not in the list %s", listed)
	}
	const decide = `curl -sS localhost:8080/v1/decisions -H "Authorization: Bearer $LIVE_KEY" ` +
		`-H 'Content-Type: application/json' -d '{"bureau_report":{"score":780}}'`
	r.prints(decide, `"code":"no_active_policy"`)
	r.prints(block, `"status":"active"`, policies[i][1])
	r.prints(decide, `"decision_hash":"sha256:`)
}
