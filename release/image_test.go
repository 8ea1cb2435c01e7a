package main

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// imageRuns unpacks the image as a container engine does, and starts it with the image's configuration and as the
// image's user. The root folder is not read-only here, so only the owners and modes of the folders limit where the user
// may write; podmanRuns tests the image with a read-only root. It then asks the service for a decision.
func imageRuns(t *testing.T, path string) {
	config, root := unpackImage(t, path, runtime.GOARCH)
	probeImage(t, config, root)
	if config.User == "" || strings.HasPrefix(config.User, "0") {
		t.Errorf("the image runs as %q", config.User)
	}
	port := freePort(t)
	env := append(config.Env, "VERDICT_ADDR=127.0.0.1:"+port)
	start := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Env, cmd.Dir = env, config.WorkingDir
		cmd.SysProcAttr = asImageUser(t, root)
		return cmd
	}
	service := start(append(config.Entrypoint, config.Cmd...)...)
	var logs strings.Builder
	service.Stderr = &logs
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			_ = service.Process.Kill() // the test has failed already
			_ = service.Wait()
		}
	})
	healthy := false
	for begun := time.Now(); !healthy && time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		healthy = start(config.Health[1:]...).Run() == nil
	}
	if !healthy {
		t.Fatalf("the health command of the image did not succeed within a minute\n%s", logs.String())
	}
	url := "http://127.0.0.1:" + port
	signup := `{"email":"a@example.in","org_name":"Acme","password":"a long password"}`
	key := post(t, url+"/api/signup", "", signup)["api_key"]
	body := `{"applicant":{"age":30,"monthly_income":60000},"bureau_report":{"score":780}}`
	decision := post(t, url+"/v1/decisions", fmt.Sprint(key), body)
	if decision["decision_hash"] == nil {
		t.Errorf("decision %v", decision)
	}
	if err := service.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	stopped = true
	if err := service.Wait(); err != nil {
		t.Errorf("the service did not stop cleanly: %v\n%s", err, logs.String())
	}
	if entries, err := os.ReadDir(filepath.Join(root, "data")); err != nil || len(entries) == 0 {
		t.Errorf("nothing was stored in /data: %v", err)
	}
}

// probed is what the probe prints about the image that it runs in.
type probed struct {
	User     int
	Roots    bool // the certificates of authorities could be read
	Offset   int  // of Asia/Kolkata, in seconds; 0 if the zone is not known
	Writable []string
}

// probedFolders are the folders of the image in which the probe tries to write.
var probedFolders = []string{"/", "/etc", "/usr/bin", "/data", "/keys", "/tmp"}

// kolkata is the offset of Asia/Kolkata in seconds.
const kolkata = 19800

// probeImage checks what an unpacked image gives to a program: certificates, time zones and writable folders. The same
// program must find neither certificates nor zones if it looks elsewhere, because then they would not be the image's.
func probeImage(t *testing.T, config imageConfig, root string) {
	t.Helper()
	program := buildProbe(t)
	if err := os.WriteFile(filepath.Join(root, "probe"), read(t, program), 0o755); err != nil {
		t.Fatal(err)
	}
	look := func(env ...string) (saw probed) {
		cmd := exec.CommandContext(t.Context(), "/probe", probedFolders...)
		cmd.Env, cmd.Dir, cmd.SysProcAttr = append(config.Env, env...), config.WorkingDir, asImageUser(t, root)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("the probe: %v", err)
		}
		decode(t, out, &saw)
		return saw
	}
	saw := look()
	if !saw.Roots || saw.Offset != kolkata || fmt.Sprint(saw.User) != imageUser ||
		!slices.Equal(saw.Writable, []string{"/data", "/keys", "/tmp"}) {
		t.Errorf("the image gives a program %+v", saw)
	}
	if saw := look("ZONEINFO=/none", "SSL_CERT_FILE=/none", "SSL_CERT_DIR=/none"); saw.Roots || saw.Offset != 0 {
		t.Errorf("a program that looks elsewhere finds %+v", saw)
	}
	if err := os.Remove(filepath.Join(root, "probe")); err != nil {
		t.Fatal(err)
	}
}

// buildProbe builds the program that looks around in the image.
func buildProbe(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "probe")
	command(t, "env", "CGO_ENABLED=0", "go", "build", "-trimpath", "-o", path, "./testdata/probe")
	return path
}

// asImageUser returns the attributes to start a process as the image's user, in the root folder of the image. If
// the test does not run as root, this needs a user namespace.
func asImageUser(t *testing.T, root string) *syscall.SysProcAttr {
	t.Helper()
	user, err := strconv.Atoi(imageUser)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		return &syscall.SysProcAttr{
			Chroot: root, Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)},
		}
	}
	return &syscall.SysProcAttr{
		Chroot: root, Cloneflags: syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: user, HostID: os.Getgid(), Size: 1}},
	}
}

// imageConfig has the members of the image's configuration that a container engine reads.
type imageConfig struct {
	User, WorkingDir     string
	Env, Entrypoint, Cmd []string
	Health               []string
}

// unpackImage reads an image layout without a library, as the specification describes it. It returns the configuration
// of the image for a processor, and the folder with its files.
func unpackImage(t *testing.T, path, processor string) (imageConfig, string) {
	t.Helper()
	blobs := map[string][]byte{}
	entriesOf(t, read(t, path), func(h *tar.Header, body []byte) { blobs[h.Name] = body })
	if string(blobs["oci-layout"]) == "" {
		t.Fatal("no oci-layout")
	}
	type descriptor struct {
		Digest   string
		Platform struct{ OS, Architecture string }
	}
	blob := func(d descriptor) []byte { return blobs["blobs/"+strings.Replace(d.Digest, ":", "/", 1)] }
	var named, index struct{ Manifests []descriptor }
	decode(t, blobs["index.json"], &named)
	if len(named.Manifests) != 1 {
		t.Fatalf("%d named images", len(named.Manifests))
	}
	decode(t, blob(named.Manifests[0]), &index)
	variant := slices.IndexFunc(index.Manifests, func(d descriptor) bool {
		return d.Platform.OS == "linux" && d.Platform.Architecture == processor
	})
	if variant < 0 {
		t.Fatalf("no image for %s: %+v", processor, index.Manifests)
	}
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	decode(t, blob(index.Manifests[variant]), &manifest)
	var config struct {
		Architecture string
		Config       struct {
			User, WorkingDir     string
			Env, Entrypoint, Cmd []string
			Healthcheck          struct{ Test []string }
		}
	}
	decode(t, blob(manifest.Config), &config)
	if config.Architecture != processor {
		t.Errorf("the image for %s is configured for %q", processor, config.Architecture)
	}
	root := t.TempDir()
	// The image's user must be able to enter root, but t.TempDir creates parent folders that only their owner may
	// enter. So open all of them.
	for folder := root; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, layer := range manifest.Layers {
		entriesOf(t, blob(layer), func(h *tar.Header, body []byte) { unpackEntry(t, root, h, body) })
	}
	c := config.Config
	return imageConfig{c.User, c.WorkingDir, c.Env, c.Entrypoint, c.Cmd, c.Healthcheck.Test}, root
}

// unpackEntry writes one file or folder of a layer.
func unpackEntry(t *testing.T, root string, h *tar.Header, body []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(h.Name))
	var err error
	if h.Typeflag == tar.TypeDir {
		err = os.MkdirAll(path, 0o755)
	} else {
		err = os.WriteFile(path, body, 0o644)
	}
	if err == nil {
		err = os.Chmod(path, os.FileMode(h.Mode).Perm())
	}
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(path, h.Uid, h.Gid)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, content []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("%v: %s", err, content)
	}
}

// post sends a JSON document and returns the members of the answer.
func post(t *testing.T, url, key, body string) map[string]any {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
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
	defer func() { _ = response.Body.Close() }() // only read
	answer := map[string]any{}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		t.Fatalf("%s: %s %v", url, response.Status, answer)
	}
	return answer
}

// freePort returns a port on which nothing listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // so that the service can use the port
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
