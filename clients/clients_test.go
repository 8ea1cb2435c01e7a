package clients

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

const (
	contract = "../api/openapi.yaml"
	// packages is the folder into which scripts/deps installs the packages of
	// package.json.
	packages = "../.tools/clients/node_modules"
)

// TestGeneratedClients generates both clients, compiles them, lets them call
// the same running service, and compares the answers that they read. A value
// that one client misreads would differ.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	url := serve(t)
	answers := map[string]map[string]any{}
	for name, client := range map[string]func(*testing.T, string) []byte{
		"oapi-codegen":       callGo,
		"openapi-typescript": callTypeScript,
	} {
		var answer map[string]any
		printed := client(t, url)
		if err := json.Unmarshal(printed, &answer); err != nil {
			t.Fatalf("%s prints %q: %v", name, printed, err)
		}
		answers[name] = answer
	}
	first, second := answers["oapi-codegen"], answers["openapi-typescript"]
	if !reflect.DeepEqual(first, second) {
		t.Errorf("the clients were answered differently:\n%v\n%v", first, second)
	}
	for _, call := range []string{"decisions", "evaluate", "backtest", "refused"} {
		if members, _ := first[call].(map[string]any); len(members) < 2 {
			t.Errorf("%s was answered with %v", call, first[call])
		}
		for name, value := range first[call].(map[string]any) {
			if value == nil || value == "" {
				t.Errorf("%s has no %s", call, name)
			}
		}
	}
}

// callGo generates a client with oapi-codegen, compiles it in a module with the
// same requirements as this module, runs the program that uses it, and returns
// its output.
func callGo(t *testing.T, url string) []byte {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		copyFile(t, name, filepath.Join(dir, name))
	}
	copyFile(t, "testdata/go/main.go", filepath.Join(dir, "main.go"))
	if err := os.Mkdir(filepath.Join(dir, "verdictapi"), 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, ".", nil, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "verdictapi",
		"-o", filepath.Join(dir, "verdictapi", "client.go"), contract)
	run(t, dir, nil, "go", "vet", ".")
	return run(t, dir, []string{"VERDICT_URL=" + url}, "go", "run", ".")
}

// callTypeScript generates types with openapi-typescript, compiles the program that uses them with strict options of
// the compiler, runs it, and returns its output.
func callTypeScript(t *testing.T, url string) []byte {
	t.Helper()
	dir := typeScriptFolder(t, "testdata/ts/call.ts")
	tool := func(name string) string { return filepath.Join(dir, "node_modules", ".bin", name) }
	run(t, ".", nil, tool("openapi-typescript"), contract, "-o", filepath.Join(dir, "verdict.d.ts"))
	run(t, dir, nil, tool("tsc"), "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess",
		"--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "call.ts")
	return run(t, dir, []string{"VERDICT_URL=" + url}, "node", "call.js")
}

// typeScriptFolder returns a new folder with a program and the npm packages.
func typeScriptFolder(t *testing.T, program string) (dir string) {
	t.Helper()
	modules, err := filepath.Abs(packages)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"openapi-typescript", "standardwebhooks"} {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Fatalf("the npm packages are not installed (scripts/deps test does that): %v", err)
		}
	}
	dir = t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"module"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	copyFile(t, program, filepath.Join(dir, filepath.Base(program)))
	return dir
}

// serve builds the service, starts it on a free port and returns its URL.
func serve(t *testing.T, settings ...string) (url string) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "verdict")
	run(t, "..", nil, "go", "build", "-o", binary, "./cmd/verdict")
	service := exec.CommandContext(t.Context(), binary, append([]string{"serve", "-welcome", "-addr", "127.0.0.1:0",
		"-database-url", "sqlite:" + filepath.Join(t.TempDir(), "verdict.db")}, settings...)...)
	var log bytes.Buffer
	service.Stderr = &log
	out, err := service.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = service.Process.Kill()
		_ = service.Wait() // the error only says that it was killed
	})
	address := regexp.MustCompile(`answers at +(\S+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			go func() {
				for lines.Scan() { // drain the output, or the service would block on its writes
				}
			}()
			return found[1]
		}
	}
	t.Fatalf("the service does not say where it answers: %s", &log)
	return ""
}

// run runs a program in the folder dir, with variables added to the environment
// of the test, and returns its output.
func run(t *testing.T, dir string, variables []string, name string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), variables...)
	var out, errs bytes.Buffer
	command.Stdout, command.Stderr = &out, &errs
	if err := command.Run(); err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, &out, &errs)
	}
	return out.Bytes()
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
