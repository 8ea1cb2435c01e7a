package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWindows builds the program of this working tree for Windows on amd64, and runs it in Wine.
func TestWindows(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs Wine")
	}
	binary := filepath.Join(t.TempDir(), "verdict.exe")
	command(t, "sh", "-c", "cd .. && GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -trimpath -o '"+binary+
		"' ./cmd/verdict")
	servesInWine(t, binary)
}

// servesInWine makes a decision on the command line with a binary for Windows. Then it starts the service on SQLite,
// makes a decision, kills the service, starts it again and reads the decision. A second service on the same file must
// be refused, and the master key can be replaced while the service runs.
func servesInWine(t *testing.T, binary string) {
	t.Helper()
	w := newWine(t)
	decides(t, "env", append(w.variables, w.program, binary)...)
	port := freePort(t)
	url := "http://127.0.0.1:" + port
	serve := []string{binary, "serve", "-addr", "127.0.0.1:" + port, "-metrics-addr", ""}
	kill := w.start(t, serve...)
	listens(t, port)
	key := signUp(t, url)
	decided := post(t, url+"/v1/decisions", key, oneApplication)
	if out, err := w.run(t, serve...); err == nil || !strings.Contains(out, "another process serves the database") {
		t.Errorf("a second service: %v, %s", err, out)
	}
	if out, err := w.run(t, binary, "keys", "rotate"); err != nil {
		t.Errorf("replace the master key: %v, %s", err, out)
	}
	kill()
	w.start(t, serve...)
	listens(t, port)
	id := fmt.Sprint(decided["decision_id"])
	again := command(t, "curl", "-s", "-H", "Authorization: Bearer "+key, url+"/v1/decisions/"+id)
	if hash := fmt.Sprint(decided["decision_hash"]); !strings.Contains(again, hash) {
		t.Errorf("after the kill, the decision with the hash %s is %s", hash, again)
	}
}

// wine runs programs for Windows.
type wine struct {
	program   string
	variables []string
	folder    string // where the programs run
}

// newWine returns a Wine with a new, empty disk.
func newWine(t *testing.T) *wine {
	t.Helper()
	w := &wine{program: "/usr/lib/wine/wine64", folder: t.TempDir()}
	if _, err := os.Stat(w.program); err != nil { // newer packages have only one program for all binaries
		w.program = "wine"
	}
	disk := filepath.Join(t.TempDir(), "disk")
	w.variables = []string{"WINEPREFIX=" + disk, "WINEDEBUG=-all", "DISPLAY="}
	t.Cleanup(func() { _, _ = w.run(t, "wineboot", "--kill") }) // the programs may have ended
	if out, err := w.run(t, "wineboot", "--init"); err != nil {
		t.Fatalf("Wine does not start (scripts/deps long installs it): %v, %s", err, out)
	}
	library := filepath.Join(disk, "drive_c/windows/system32/bcryptprimitives.dll")
	if _, err := os.Stat(library); err != nil {
		command(t, "x86_64-w64-mingw32-gcc", "-shared", "-o", library, "testdata/processprng.c", "-ladvapi32")
	}
	return w
}

// run runs a program in Wine and returns its output.
func (w *wine) run(t *testing.T, args ...string) (output string, err error) {
	t.Helper()
	// A file and not a pipe, because Wine's server keeps the output open.
	out, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }() // it is read below
	cmd := exec.Command(w.program, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = append(os.Environ(), w.variables...), w.folder, out, out
	err = cmd.Run()
	return string(read(t, out.Name())), err
}

// start starts a program in Wine. The returned function kills it, and so does the end of the test.
func (w *wine) start(t *testing.T, args ...string) (kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, w.program, args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = append(os.Environ(), w.variables...), w.folder, time.Second // as in run
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its error is that of the kill
		close(ended)
	}()
	kill = func() {
		cancel()
		<-ended
	}
	t.Cleanup(func() {
		kill()
		if t.Failed() {
			t.Logf("%v:\n%s", args, log.String())
		}
	})
	return kill
}
