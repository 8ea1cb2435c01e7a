package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// composition has the members of compose.yaml that the test reads.
type composition struct {
	Services map[string]struct {
		Environment map[string]string
		Command     []string
		Volumes     []string
	}
	Configs map[string]struct{ Content string }
}

// TestCompose starts the services of compose.yaml without a container engine: it runs their commands as processes,
// with the same settings. PostgreSQL and the proxy are among them. The names of containers become ports of this
// machine, and volumes become folders. The test requests decisions through the proxy while a node is stopped, and one
// after it has ended.
func TestCompose(t *testing.T) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs the proxy")
	}
	program := buildService(t)
	var c composition
	if err := yaml.Unmarshal(read(t, "../deploy/compose.yaml"), &c); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	database := startPostgres(t)
	ports := map[string]string{"node-1": freePort(t), "node-2": freePort(t), "proxy": freePort(t)}
	for _, name := range []string{"master-key", "keys"} {
		args := c.Services[name].Command
		for i := range args {
			args[i] = inFolders(t, root, c.Services[name].Volumes, args[i])
		}
		command(t, program, args...)
	}
	nodes, ended := map[string]*exec.Cmd{}, map[string]<-chan struct{}{}
	for _, name := range []string{"node-1", "node-2"} {
		service := c.Services[name]
		if len(service.Environment) < 5 || len(service.Volumes) != 2 {
			t.Fatalf("%s: %+v", name, service)
		}
		node := exec.CommandContext(context.Background(), program, "serve")
		node.Dir = root
		for variable, value := range service.Environment {
			switch variable {
			case "VERDICT_ADDR":
				value = "127.0.0.1:" + ports[name]
			case "VERDICT_METRICS_ADDR":
				value = "127.0.0.1:" + freePort(t)
			case "VERDICT_DATABASE_URL":
				value = strings.NewReplacer("${POSTGRES_PASSWORD:-verdict}", "verdict",
					"postgres:5432", database).Replace(value)
			case "VERDICT_TRUSTED_PROXIES":
				value = "127.0.0.0/8"
			default:
				value = inFolders(t, root, service.Volumes, value)
			}
			node.Env = append(node.Env, variable+"="+value)
		}
		nodes[name] = node
		ended[name] = background(t, name, node)
	}
	config := strings.NewReplacer("bind :8080", "bind 127.0.0.1:"+ports["proxy"],
		"node-1:8080", "127.0.0.1:"+ports["node-1"], "node-2:8080", "127.0.0.1:"+ports["node-2"]).
		Replace(c.Configs["proxy"].Content)
	path := filepath.Join(root, "haproxy.cfg")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	background(t, "proxy", exec.CommandContext(context.Background(), "haproxy", "-db", "-f", path))
	for _, port := range []string{ports["node-1"], ports["node-2"]} {
		listens(t, port)
	}
	url := "http://127.0.0.1:" + ports["proxy"]
	for begun := time.Now(); !strings.Contains(text(url+"/readyz"), "ready"); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("no node is ready behind the proxy after a minute")
		}
	}
	key := signUp(t, url)
	first := post(t, url+"/v1/decisions", key, oneApplication)
	if err := nodes["node-1"].Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// The proxy checks each node once a second, and the node serves until the proxy has noticed, so no request fails.
	for running := true; running; {
		select {
		case <-ended["node-1"]:
			running = false // decide once more
		case <-time.After(50 * time.Millisecond):
		}
		again := post(t, url+"/v1/decisions", key, oneApplication)
		if first["decision_hash"] == nil || first["decision_hash"] != again["decision_hash"] {
			t.Fatalf("the nodes decided %v and %v", first["decision_hash"], again["decision_hash"])
		}
	}
}

// inFolders replaces the path of a volume in a container by the path of a folder of this machine,
// which it creates.
func inFolders(t *testing.T, root string, volumes []string, value string) string {
	t.Helper()
	for _, volume := range volumes {
		parts := strings.Split(volume, ":")
		folder := filepath.Join(root, parts[0])
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		value = strings.Replace(value, parts[1], folder, 1)
	}
	return value
}

// background starts a process, and ends the process at the end of the test. The returned channel is closed when the
// process has ended.
func background(t *testing.T, name string, cmd *exec.Cmd) <-chan struct{} {
	t.Helper()
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its error is that of the signal that ends it
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s", name, log.String())
		}
	})
	return ended
}

// listens waits until somebody listens on a port.
func listens(t *testing.T, port string) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
		if connection, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			_ = connection.Close() // the connection only shows that somebody listens
			return
		}
	}
	t.Fatalf("nobody listens on port %s after a minute", port)
}

// text returns what an address answers, or "" if it does not answer.
func text(url string) string {
	out, err := exec.Command("curl", "-s", url).Output()
	if err != nil {
		return ""
	}
	return string(out)
}

// startPostgres starts a server with the user and the database of compose.yaml, and returns its address. Besides
// programs of this machine, only those in the given networks may connect. PostgreSQL refuses to run as root. If the
// test runs as root, the server runs as the user that the package created.
func startPostgres(t *testing.T, networks ...string) (address string) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		t.Fatalf("PostgreSQL is not installed (scripts/deps test does that): %v", err)
	}
	bin := filepath.Dir(found[len(found)-1])
	folder, err := os.MkdirTemp("", "verdict-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // a temporary folder
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 {
		owner, err := user.Lookup("postgres")
		if err != nil {
			t.Fatal(err)
		}
		id, _ := strconv.ParseUint(owner.Uid, 10, 32)
		group, _ := strconv.ParseUint(owner.Gid, 10, 32)
		if err := os.Chown(folder, int(id), int(group)); err != nil {
			t.Fatal(err)
		}
		as.Credential = &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}
	}
	server := func(name string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.Background(), filepath.Join(bin, name), args...)
		cmd.Dir, cmd.SysProcAttr = folder, as
		return cmd
	}
	data := filepath.Join(folder, "data")
	if out, err := server("initdb", "--username=verdict", "--auth=trust", "--no-sync", data).
		CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port, listen := freePort(t), "127.0.0.1"
	for _, network := range networks {
		// The address of this machine in the network may not exist yet.
		listen = "*"
		access := filepath.Join(data, "pg_hba.conf")
		rules := append(read(t, access), "host all all "+network+" trust\n"...)
		if err := os.WriteFile(access, rules, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	background(t, "postgres", server("postgres", "-D", data, "-p", port, "-k", folder, "-h", listen))
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		out, err := server("createdb", "-h", "127.0.0.1", "-p", port, "-U", "verdict", "verdict").CombinedOutput()
		if err == nil {
			return fmt.Sprintf("127.0.0.1:%s", port)
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("createdb: %v\n%s", err, out)
		}
	}
}
