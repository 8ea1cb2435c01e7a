package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// engine is podman with a store of its own, so that the images and volumes of this machine do not matter.
type engine struct {
	*testing.T
	store   string
	version string
}

// podmanRuns loads the image into a container engine and runs it with the commands of README: with a read-only root
// folder, a volume and a published port. It asks for a decision, and again after the container was replaced.
func podmanRuns(t *testing.T, path, version string) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs podman")
	}
	e := newEngine(t, path, version)
	e.probe()

	url, stop := e.serve()
	key := signUp(t, url)
	decision := post(t, url+"/v1/decisions", key, oneApplication)
	e.inside()
	stop()
	url, stop = e.serve()
	var again struct {
		ReExplanation struct{ Verified bool } `json:"re_explanation"`
	}
	decode(t, []byte(getWithKey(t, url+"/v1/decisions/"+fmt.Sprint(decision["decision_id"]), key)), &again)
	if !again.ReExplanation.Verified {
		t.Error("a new container with the same volume does not have the decision")
	}
	stop()
}

// newEngine returns an engine that has loaded the image of the release.
func newEngine(t *testing.T, path, version string) *engine {
	t.Helper()
	// A socket is in this folder, and the path of a socket may have at most 108 bytes.
	store, err := os.MkdirTemp("", "podman-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(store); err != nil {
			t.Error(err)
		}
	})
	e := &engine{t, store, version}
	t.Cleanup(func() {
		// A container is left only if the test has failed. The volumes are removed with their containers' store.
		_ = e.podman("rm", "--all", "--force", "--time", "0").Run()
	})
	if out := e.must("load", "-i", path); !strings.Contains(out, "/verdict:"+version) {
		t.Errorf("podman load: %s", out)
	}
	return e
}

// podman returns a command of podman.
func (e *engine) podman(args ...string) *exec.Cmd {
	e.Helper()
	runtime, err := exec.LookPath("runc")
	if err != nil {
		e.Fatalf("runc is not installed (scripts/deps long does that): %v", err)
	}
	global := []string{
		"--root", filepath.Join(e.store, "root"), "--runroot", filepath.Join(e.store, "run"),
		"--tmpdir", filepath.Join(e.store, "tmp"), "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
		"--events-backend", "file", "--runtime", runtime,
	}
	return exec.CommandContext(context.WithoutCancel(e.Context()), "podman", append(global, args...)...)
}

// must runs a command of podman and returns its standard output.
func (e *engine) must(args ...string) string {
	e.Helper()
	var failure bytes.Buffer
	cmd := e.podman(args...)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		e.Fatalf("podman %s: %v\n%s%s", strings.Join(args, " "), err, out, failure.String())
	}
	return string(out)
}

// run returns the arguments of README for a new container.
func (e *engine) run(options ...string) []string {
	e.Helper()
	return slices.Concat([]string{"run", "--rm"}, e.limits(), []string{"--read-only", "-v", "verdict:/data"}, options)
}

// limits returns options for a new container. Podman asks for more open files than some machines allow, so the limit
// of this machine is given.
func (e *engine) limits() []string {
	e.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		e.Fatal(err)
	}
	files := fmt.Sprintf("nofile=%d:%d", min(limit.Max, 1<<20), min(limit.Max, 1<<20))
	return []string{"--ulimit", files, "--ulimit", "nproc=4096:4096"}
}

// network returns the addresses of the containers, such as 10.88.0.0/16, and the address of this machine among them.
func (e *engine) network() (subnet, gateway string) {
	e.Helper()
	var networks []struct {
		Subnets []struct{ Subnet, Gateway string }
	}
	decode(e.T, []byte(e.must("network", "inspect", "podman")), &networks)
	if len(networks) != 1 || len(networks[0].Subnets) == 0 {
		e.Fatalf("the networks of podman are %+v", networks)
	}
	return networks[0].Subnets[0].Subnet, networks[0].Subnets[0].Gateway
}

// probe runs another program in a container of the image.
func (e *engine) probe() {
	e.Helper()
	args := e.run("-v", buildProbe(e.T)+":/probe:ro", "--entrypoint", "/probe", "verdict:"+e.version)
	var saw probed
	decode(e.T, []byte(e.must(append(args, probedFolders...)...)), &saw)
	if !saw.Roots || saw.Offset != kolkata || fmt.Sprint(saw.User) != imageUser ||
		!slices.Equal(saw.Writable, []string{"/data", "/tmp"}) {
		e.Errorf("a container gives a program %+v", saw)
	}
}

// serve runs the service in a container, and returns its address and a function that stops it.
func (e *engine) serve() (url string, stop func()) {
	e.Helper()
	port := freePort(e.T)
	service := e.podman(e.run("--name", "verdict", "-p", "127.0.0.1:"+port+":8080", "verdict:"+e.version)...)
	var logs bytes.Buffer
	service.Stdout, service.Stderr = &logs, &logs
	if err := service.Start(); err != nil {
		e.Fatal(err)
	}
	for begun := time.Now(); e.podman("exec", "verdict", "verdict", "health", "-ready").Run() != nil; {
		if time.Since(begun) > 3*time.Minute {
			_ = e.podman("rm", "--force", "--time", "0", "verdict").Run() // the test has failed already
			_ = service.Wait()
			e.Fatalf("the service in the container is not ready after three minutes\n%s", logs.String())
		}
		time.Sleep(100 * time.Millisecond)
	}
	return "http://127.0.0.1:" + port, func() {
		e.Helper()
		e.must("stop", "--time", "60", "verdict")
		if err := service.Wait(); err != nil {
			e.Errorf("the container did not stop cleanly: %v\n%s", err, logs.String())
		}
	}
}

// inside runs commands in the container of the service, as README does.
func (e *engine) inside() {
	e.Helper()
	e.must("exec", "verdict", "/usr/bin/verdict", "health")
	if out := e.must("exec", "verdict", "verdict", "version"); !strings.HasPrefix(out, "verdict "+e.version) {
		e.Errorf("verdict version in the container: %s", out)
	}
	// The command finds the tenant that has signed up, so it uses the same database as the service.
	if out := e.must("exec", "verdict", "verdict", "tenant", "key", "create", "-env", "live"); !strings.Contains(out,
		"vk_live_") {
		e.Errorf("a key for live: %s", out)
	}
}
