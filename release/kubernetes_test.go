package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// The types below have every member of the rendered objects, and an object with any other member is refused. So the
// test fails if the chart gets a member whose effect the test does not imitate. Members of the type "elsewhere" are
// instructions for parts of Kubernetes that this test does not replace.
type elsewhere = any

type metadata struct {
	Name        string
	Labels      map[string]string
	Annotations map[string]string
}

type selector struct{ MatchLabels map[string]string }

type job struct {
	APIVersion, Kind string
	Metadata         metadata
	Spec             struct {
		BackoffLimit int
		Template     struct {
			Metadata metadata
			Spec     podSpec
		}
	}
}

type statefulSet struct {
	APIVersion, Kind string
	Metadata         metadata
	Spec             struct {
		Replicas                         int
		ServiceName, PodManagementPolicy string
		Selector                         selector
		Template                         struct {
			Metadata metadata
			Spec     podSpec
		}
		VolumeClaimTemplates []struct {
			Metadata metadata
			Spec     elsewhere
		}
	}
}

type service struct {
	APIVersion, Kind string
	Metadata         metadata
	Spec             struct {
		Type, ClusterIP          string
		PublishNotReadyAddresses bool
		Selector                 map[string]string
		Ports                    []struct {
			Name       string
			Port       int
			TargetPort string
		}
	}
}

type podSpec struct {
	AutomountServiceAccountToken  *bool
	RestartPolicy                 string
	TerminationGracePeriodSeconds int
	TopologySpreadConstraints     elsewhere
	SecurityContext               struct {
		RunAsNonRoot                   bool
		RunAsUser, RunAsGroup, FSGroup int
		SeccompProfile                 struct{ Type string }
	}
	Containers []containerSpec
	Volumes    []struct {
		Name     string
		EmptyDir *struct{}
		Secret   *struct {
			SecretName  string
			DefaultMode os.FileMode
			Items       []struct{ Key, Path string }
		}
	}
}

type containerSpec struct {
	Name, Image, ImagePullPolicy string
	Args                         []string
	SecurityContext              struct {
		AllowPrivilegeEscalation *bool
		ReadOnlyRootFilesystem   bool
		Capabilities             struct{ Drop []string }
	}
	Env []struct {
		Name, Value string
		ValueFrom   *struct{ SecretKeyRef struct{ Name, Key string } }
	}
	Ports []struct {
		Name          string
		ContainerPort int
	}
	StartupProbe, LivenessProbe, ReadinessProbe *probeSpec
	Resources                                   struct {
		Requests elsewhere
		Limits   struct{ Memory string }
	}
	VolumeMounts []struct {
		Name, MountPath string
		ReadOnly        bool
	}
}

type probeSpec struct {
	HTTPGet                                         struct{ Path, Port string }
	PeriodSeconds, TimeoutSeconds, FailureThreshold int
}

// cluster does with the objects of the chart what Kubernetes would do, with podman: it starts containers with their
// users, variables, volumes, limits and ports, asks their probes, and sends requests to the pods that are ready.
type cluster struct {
	*engine
	folder string
	secret map[string]string // the secret of the operator, by key

	mu    sync.Mutex
	nodes []*pod // by number
}

// pod is a running container of the StatefulSet.
type pod struct {
	name    string
	spec    podSpec
	process *exec.Cmd
	logs    bytes.Buffer
	address string
	ready   atomic.Bool // the readiness probe succeeds
	leaving atomic.Bool // Kubernetes has taken the pod out of the services, because it stops
	ended   chan struct{}
	watched sync.WaitGroup
}

// chartDecides runs the chart of the release as INSTALL describes it: with PostgreSQL, a secret, the job that migrates
// the schema, and two nodes behind the service. It makes decisions through the service while a node is replaced.
func chartDecides(t *testing.T, image, binary, folder, version string) {
	if os.Getenv("VERDICT_LONG") == "" {
		t.Skip("part of make long, which installs podman")
	}
	e := newEngine(t, image, version)
	network, host := e.network()
	values := map[string]any{
		"metrics":        map[string]any{"serviceMonitor": true},
		"trustedProxies": network,
	}
	objects := renderChart(t, folder, values)
	var migration job
	var set statefulSet
	var front, each service
	strictly(t, objects["Job/verdict-migrate"], &migration)
	strictly(t, objects["StatefulSet/verdict"], &set)
	strictly(t, objects["Service/verdict"], &front)
	strictly(t, objects["Service/verdict-nodes"], &each)

	c := &cluster{engine: e, folder: t.TempDir()}
	database := startPostgres(t, network)
	_, port, _ := strings.Cut(database, ":")
	c.secret = operatorsSecret(t, binary,
		"postgres://verdict@"+host+":"+port+"/verdict?sslmode=disable")
	c.migrate(migration)
	for i := range set.Spec.Replicas {
		c.nodes = append(c.nodes, c.startNode(set, i))
	}
	if len(c.nodes) != 2 {
		t.Fatalf("%d nodes", len(c.nodes))
	}
	proxy := c.front(front, set)
	key := c.firstTenant(c.nodes[0])
	decision := post(t, proxy+"/v1/decisions", key, oneApplication)
	c.agree(front, key, decision)
	c.monitored(each, set)
	c.replaced(set, proxy, key)
}

// renderChart renders the chart in a folder with Helm.
func renderChart(t *testing.T, folder string, values map[string]any) map[string]json.RawMessage {
	t.Helper()
	given, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]json.RawMessage{}
	decode(t, []byte(command(t, "go", "run", "./chart/render", folder, string(given))), &objects)
	return objects
}

// strictly reads an object, and fails if the object has a member that its type lacks.
func strictly(t *testing.T, object json.RawMessage, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict(object, into); err != nil {
		t.Fatalf("%v\n%s", err, object)
	}
}

// operatorsSecret creates the secret with the commands of INSTALL, apart from kubectl.
func operatorsSecret(t *testing.T, binary, database string) map[string]string {
	t.Helper()
	folder := t.TempDir()
	secret := map[string]string{"database-url": database}
	for name, args := range map[string][]string{"master.key": {"keys", "create"}, "log.key": {"log", "create-key"}} {
		path := filepath.Join(folder, name)
		command(t, binary, append(args, path)...)
		secret[name] = string(read(t, path))
	}
	return secret
}

// migrate runs the job as a hook, before the nodes. Kubernetes would repeat a job that fails; here it must succeed.
func (c *cluster) migrate(m job) {
	c.Helper()
	if hook := m.Metadata.Annotations["helm.sh/hook"]; hook != "pre-install,pre-upgrade" {
		c.Fatalf("the job is the hook %q", hook)
	}
	spec := m.Spec.Template.Spec
	args := c.containerArgs("verdict-migrate", spec, nil)
	if out := c.must(append([]string{"run", "--rm"}, args...)...); !strings.Contains(out, "schema") {
		c.Errorf("the job prints %q", out)
	}
}

// startNode starts one pod of the set, and returns when the pod is ready.
func (c *cluster) startNode(set statefulSet, number int) *pod {
	c.Helper()
	claims := map[string]string{}
	name := set.Metadata.Name + "-" + strconv.Itoa(number)
	for _, claim := range set.Spec.VolumeClaimTemplates {
		claims[claim.Metadata.Name] = filepath.Join(c.folder, "claims", claim.Metadata.Name+"-"+name)
	}
	n := &pod{name: name, spec: set.Spec.Template.Spec, ended: make(chan struct{})}
	args := c.containerArgs(name, n.spec, claims)
	n.process = c.podman(append([]string{"run", "--rm"}, args...)...)
	n.process.Stdout, n.process.Stderr = &n.logs, &n.logs
	if err := n.process.Start(); err != nil {
		c.Fatal(err)
	}
	go func() {
		_ = n.process.Wait() // the state of the process has the exit code
		close(n.ended)
	}()
	c.Cleanup(func() {
		_ = c.podman("rm", "--force", "--time", "0", name).Run() // it exists only if the test has failed
		<-n.ended
		n.watched.Wait()
		if c.Failed() {
			c.Logf("%s:\n%s", name, n.logs.String())
		}
	})
	c.startup(n)
	n.watched.Go(func() { n.watch(c.T) })
	for begun := time.Now(); !n.ready.Load(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			c.Fatalf("%s is not ready within a minute", name)
		}
	}
	return n
}

// containerArgs returns the arguments of "podman run" for the only container of a pod. The folders of the volumes have
// the owners and modes that a node of Kubernetes gives them.
func (c *cluster) containerArgs(name string, spec podSpec, claims map[string]string) []string {
	c.Helper()
	if len(spec.Containers) != 1 {
		c.Fatalf("%d containers", len(spec.Containers))
	}
	container, security := spec.Containers[0], spec.SecurityContext
	args := append(c.limits(), "--name", name, "--hostname", name,
		"--user", fmt.Sprintf("%d:%d", security.RunAsUser, security.RunAsGroup),
		"--group-add", strconv.Itoa(security.FSGroup))
	if !security.RunAsNonRoot || security.RunAsUser == 0 || security.SeccompProfile.Type != "RuntimeDefault" {
		c.Errorf("the pod has the security context %+v", security)
	}
	if container.SecurityContext.ReadOnlyRootFilesystem {
		args = append(args, "--read-only", "--read-only-tmpfs=false")
	}
	for _, capability := range container.SecurityContext.Capabilities.Drop {
		args = append(args, "--cap-drop", capability)
	}
	if allowed := container.SecurityContext.AllowPrivilegeEscalation; allowed != nil && !*allowed {
		args = append(args, "--security-opt", "no-new-privileges")
	}
	if memory := container.Resources.Limits.Memory; memory != "" {
		args = append(args, "--memory", strings.ToLower(strings.TrimSuffix(memory, "i"))) // 1Gi is 1g of podman
	}
	for _, variable := range container.Env {
		value := variable.Value
		if from := variable.ValueFrom; from != nil {
			value = c.secretValue(from.SecretKeyRef.Name, from.SecretKeyRef.Key)
		}
		args = append(args, "--env", variable.Name+"="+value)
	}
	volumes := c.volumes(name, spec, claims)
	for _, mount := range container.VolumeMounts {
		folder, found := volumes[mount.Name]
		if !found {
			c.Fatalf("there is no volume %q", mount.Name)
		}
		mode := "rw"
		if mount.ReadOnly {
			mode = "ro"
		}
		args = append(args, "--volume", folder+":"+mount.MountPath+":"+mode)
	}
	return append(append(args, container.Image), container.Args...)
}

// secretValue returns a value of the operator's secret.
func (c *cluster) secretValue(secret, key string) string {
	c.Helper()
	value, found := c.secret[key]
	if secret != "verdict" || !found {
		c.Fatalf("there is no %s in a secret %q", key, secret)
	}
	return value
}

// volumes creates the folders of a pod's volumes, and returns their paths by the volumes' names.
func (c *cluster) volumes(name string, spec podSpec, claims map[string]string) map[string]string {
	c.Helper()
	group, folders := spec.SecurityContext.FSGroup, map[string]string{}
	for volume, folder := range claims {
		folders[volume] = c.volumeFolder(folder, 0o2775, group)
	}
	for _, volume := range spec.Volumes {
		path := filepath.Join(c.folder, name, volume.Name)
		switch {
		case volume.EmptyDir != nil:
			folders[volume.Name] = c.volumeFolder(path, 0o2777, group)
		case volume.Secret != nil:
			folders[volume.Name] = c.volumeFolder(path, 0o2775, group)
			paths := map[string]string{}
			for _, item := range volume.Secret.Items {
				paths[item.Key] = item.Path
			}
			for key := range c.secret {
				if len(volume.Secret.Items) == 0 {
					paths[key] = key
				}
			}
			for key, file := range paths {
				file = filepath.Join(path, file)
				content := c.secretValue(volume.Secret.SecretName, key)
				if err := os.WriteFile(file, []byte(content), volume.Secret.DefaultMode); err != nil {
					c.Fatal(err)
				}
				if err := os.Chown(file, 0, group); err != nil {
					c.Fatal(err)
				}
			}
		default:
			c.Fatalf("volume %s is of no kind that the test knows", volume.Name)
		}
	}
	return folders
}

// volumeFolder creates a folder with a mode, of root and of a group, unless it exists.
func (c *cluster) volumeFolder(path string, mode uint32, group int) string {
	c.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.Chown(path, 0, group); err != nil {
		c.Fatal(err)
	}
	special := os.FileMode(mode&0o777) | os.ModeSetgid
	if err := os.Chmod(path, special); err != nil {
		c.Fatal(err)
	}
	return path
}

// startup waits for the pod's address, and asks the startup probe as often as the chart allows.
func (c *cluster) startup(n *pod) {
	c.Helper()
	for begun := time.Now(); n.address == ""; time.Sleep(100 * time.Millisecond) {
		out, _ := c.podman("inspect", "--format", "{{.NetworkSettings.IPAddress}}", n.name).Output() // not yet started
		n.address = strings.TrimSpace(string(out))
		if time.Since(begun) > 2*time.Minute {
			c.Fatalf("%s has no address", n.name)
		}
	}
	probe := n.spec.Containers[0].StartupProbe
	for range probe.FailureThreshold {
		if n.asks(c.T, probe) {
			return
		}
		time.Sleep(time.Duration(probe.PeriodSeconds) * time.Second)
	}
	c.Fatalf("%s did not start\n%s", n.name, n.logs.String())
}

// watch asks the readiness probe until the container has ended, and the liveness probe with it.
func (n *pod) watch(t *testing.T) {
	ready, live := n.spec.Containers[0].ReadinessProbe, n.spec.Containers[0].LivenessProbe
	failures, dead := 0, 0
	tick := time.NewTicker(time.Duration(ready.PeriodSeconds) * time.Second)
	defer tick.Stop()
	for round := 0; ; round++ {
		if n.asks(t, ready) {
			failures = 0
			n.ready.Store(true)
		} else if failures++; failures >= ready.FailureThreshold {
			n.ready.Store(false)
		}
		if round%(live.PeriodSeconds/ready.PeriodSeconds) == 0 {
			if dead++; n.asks(t, live) {
				dead = 0
			}
		}
		if dead >= live.FailureThreshold {
			t.Errorf("%s: the liveness probe failed %d times, and Kubernetes would kill the container", n.name, dead)
		}
		select {
		case <-n.ended:
			n.ready.Store(false)
			return
		case <-tick.C:
		}
	}
}

// asks sends one request of a probe.
func (n *pod) asks(t *testing.T, probe *probeSpec) bool {
	t.Helper()
	timeout := time.Duration(max(probe.TimeoutSeconds, 1)) * time.Second
	client := http.Client{Timeout: timeout}
	response, err := client.Get("http://" + n.at(t, probe.HTTPGet.Port) + probe.HTTPGet.Path)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // only the status matters
	return response.StatusCode >= 200 && response.StatusCode < 400
}

// at returns the address of a named port of the pod.
func (n *pod) at(t *testing.T, port string) string {
	t.Helper()
	for _, p := range n.spec.Containers[0].Ports {
		if p.Name == port {
			return n.address + ":" + strconv.Itoa(p.ContainerPort)
		}
	}
	t.Errorf("the container has no port %q", port)
	return ""
}

// selects checks that a service selects the pods of the set.
func (c *cluster) selects(s service, set statefulSet) {
	c.Helper()
	if len(s.Spec.Selector) == 0 {
		c.Errorf("service %s selects nothing", s.Metadata.Name)
	}
	for label, value := range s.Spec.Selector {
		if set.Spec.Template.Metadata.Labels[label] != value || set.Spec.Selector.MatchLabels[label] != value {
			c.Errorf("service %s selects %s=%s, which the nodes are not", s.Metadata.Name, label, value)
		}
	}
}

// front starts a proxy that sends each request to the next ready pod, as a service does, and returns its URL.
func (c *cluster) front(s service, set statefulSet) string {
	c.Helper()
	c.selects(s, set)
	var next atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		nodes := slices.Clone(c.nodes)
		c.mu.Unlock()
		for first, i := int(next.Add(1)), 0; i < len(nodes); i++ {
			n := nodes[(first+i)%len(nodes)]
			if n.ready.Load() && !n.leaving.Load() {
				to := &url.URL{Scheme: "http", Host: n.at(c.T, s.Spec.Ports[0].TargetPort)}
				httputil.NewSingleHostReverseProxy(to).ServeHTTP(w, r)
				return
			}
		}
		http.Error(w, `{"code":"no node is ready"}`, http.StatusBadGateway)
	}))
	c.Cleanup(proxy.Close)
	return proxy.URL
}

// firstTenant creates a tenant with the command of the chart's notes, and returns its key.
func (c *cluster) firstTenant(n *pod) (key string) {
	c.Helper()
	noted := "/usr/bin/verdict tenant create -email you@example.in -org 'Asha Finance'"
	if notes := read(c.T, "../deploy/chart/templates/NOTES.txt"); !bytes.Contains(notes, []byte(" -- "+noted+"\n")) {
		c.Errorf("the notes of the chart do not have the command %s", noted)
	}
	create := c.podman("exec", "--interactive", n.name, "/usr/bin/verdict", "tenant", "create",
		"-email", "you@example.in", "-org", "Asha Finance")
	create.Stdin = strings.NewReader("a long password\n")
	out, err := create.Output()
	if err != nil {
		c.Fatalf("tenant create: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "key" {
			return f[1]
		}
	}
	c.Fatalf("tenant create prints no key: %s", out)
	return ""
}

// agree lets each node decide and explain again what was decided through the service.
func (c *cluster) agree(s service, key string, decision map[string]any) {
	c.Helper()
	if decision["decision_hash"] == nil {
		c.Fatalf("decision %v", decision)
	}
	for _, n := range c.nodes {
		node := "http://" + n.at(c.T, s.Spec.Ports[0].TargetPort)
		own := post(c.T, node+"/v1/decisions", key, oneApplication)
		if own["decision_hash"] != decision["decision_hash"] {
			c.Errorf("%s decides %v, and the service %v", n.name, own["decision_hash"], decision["decision_hash"])
		}
		var stored struct {
			ReExplanation struct{ Verified bool } `json:"re_explanation"`
		}
		path := "/v1/decisions/" + fmt.Sprint(decision["decision_id"])
		decode(c.T, []byte(getWithKey(c.T, node+path, key)), &stored)
		if !stored.ReExplanation.Verified {
			c.Errorf("%s does not reproduce the decision", n.name)
		}
	}
}

// monitored reads the metrics of each node from the port that the service for Prometheus names.
func (c *cluster) monitored(s service, set statefulSet) {
	c.Helper()
	c.selects(s, set)
	for _, n := range c.nodes {
		metrics := get(c.T, "http://"+n.at(c.T, s.Spec.Ports[0].TargetPort)+"/metrics")
		if !strings.Contains(metrics, "\nverdict_decisions_total{") {
			c.Errorf("%s has no metrics of decisions", n.name)
		}
	}
}

// replaced stops a node as Kubernetes does when a machine is drained, and starts it again with its volume, while
// decisions are made through the service. Not one may fail.
func (c *cluster) replaced(set statefulSet, proxy, key string) {
	c.Helper()
	decided := c.keepDeciding(proxy, key)
	c.stopNode(c.nodes[1])
	n := c.startNode(set, 1)
	c.mu.Lock()
	c.nodes[1] = n
	c.mu.Unlock()
	if n := decided(); n < 50 {
		c.Errorf("only %d decisions were made while a node was replaced", n)
	}
	for _, n := range c.nodes {
		c.stopNode(n)
	}
}

// keepDeciding makes decisions through the service until the returned function is called, which returns their number.
func (c *cluster) keepDeciding(proxy, key string) (end func() int) {
	c.Helper()
	stop, decided := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				decided <- n
				return
			case <-time.After(20 * time.Millisecond):
			}
			if status := postStatus(proxy+"/v1/decisions", key, oneApplication); status/100 != 2 {
				c.Errorf("while a node is replaced, a decision is answered with status %d", status)
			}
		}
	}()
	end = sync.OnceValue(func() int { close(stop); return <-decided })
	c.Cleanup(func() { end() })
	return end
}

// stopNode stops a pod. Kubernetes takes it out of the services at the same time, which the proxies of all machines
// learn a little later.
func (c *cluster) stopNode(n *pod) {
	c.Helper()
	learn := time.AfterFunc(time.Second, func() { n.leaving.Store(true) })
	defer learn.Stop()
	c.must("stop", "--time", strconv.Itoa(n.spec.TerminationGracePeriodSeconds), n.name)
	<-n.ended
	n.watched.Wait()
	if code := n.process.ProcessState.ExitCode(); code != 0 {
		c.Errorf("%s ended with %d\n%s", n.name, code, n.logs.String())
	}
}

// postStatus sends a document and returns the status of the answer, or 0 if there is none.
func postStatus(address, key, body string) int {
	request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close() // only the status matters
	return response.StatusCode
}
