package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/chart"

// everything turns every option of the chart on.
var everything = map[string]any{
	"ingress":        map[string]any{"enabled": true, "className": "nginx", "tlsSecret": "tls"},
	"metrics":        map[string]any{"serviceMonitor": true, "port": 9090},
	"trustedProxies": "10.0.0.0/8",
	"image":          map[string]any{"pullSecrets": []any{map[string]any{"name": "pull"}}},
}

func TestLint(t *testing.T) {
	for name, values := range map[string]map[string]any{"defaults": {}, "everything": everything} {
		for _, m := range lint.AllWithKubeVersion(folder, values, "default", nil).Messages {
			// An icon is only for catalogues of charts.
			if m.Severity >= support.WarningSev && !strings.Contains(m.Error(), "icon") {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}

// rendered returns the objects of the chart by kind and name.
func rendered(t *testing.T, values map[string]any) map[string]map[string]any {
	t.Helper()
	objects, err := Render(folder, "test", values)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestObjects(t *testing.T) {
	for name, c := range map[string]struct {
		values map[string]any
		want   []string
	}{
		"defaults": {nil, []string{
			"StatefulSet/test-verdict", "Service/test-verdict", "Service/test-verdict-nodes",
			"PodDisruptionBudget/test-verdict", "Job/test-verdict-migrate",
		}},
		"everything": {everything, []string{
			"StatefulSet/test-verdict", "Service/test-verdict", "Service/test-verdict-nodes",
			"PodDisruptionBudget/test-verdict", "Job/test-verdict-migrate",
			"Ingress/test-verdict", "ServiceMonitor/test-verdict",
		}},
	} {
		objects := rendered(t, c.values)
		for _, want := range c.want {
			if objects[want] == nil {
				t.Errorf("%s: no %s", name, want)
			}
		}
		if len(objects) != len(c.want) {
			t.Errorf("%s: %d objects", name, len(objects))
		}
	}
}

// TestNames checks that the objects have the name of the release alone, if it contains that of the chart.
func TestNames(t *testing.T) {
	objects, err := Render(folder, "verdict", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"StatefulSet/verdict", "Service/verdict", "Service/verdict-nodes"} {
		if objects[want] == nil {
			t.Errorf("no %s", want)
		}
	}
}

// TestNode checks what a node must have: the keys, its settings, probes, and no
// privileges.
func TestNode(t *testing.T) {
	set := rendered(t, everything)["StatefulSet/test-verdict"]
	text, err := yaml.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"replicas: 2", "path: /readyz", "path: /livez", "runAsNonRoot: true", "readOnlyRootFilesystem: true",
		"value: file:/keys/master.key", "value: /keys/log.key", "key: database-url", "value: 10.0.0.0/8",
		"image: verdict:" + version(t), "name: VERDICT_SIGNUP",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestVersion checks that the chart has the version of the service.
func TestVersion(t *testing.T) {
	c, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	if c.Metadata.AppVersion != version(t) || c.Metadata.Version != version(t) {
		t.Errorf("the chart has the versions %s and %s, the service %s",
			c.Metadata.Version, c.Metadata.AppVersion, version(t))
	}
}

func version(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "api", "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
