package app

import (
	"os"
	"regexp"
	"testing"
)

// TestHarnessRequiresTheSameVersions compares proof/go.mod with go.mod. The
// harness builds and drives the service with its own list of modules, so a
// module in both lists must have the same version. Otherwise the harness would
// not test the released versions.
func TestHarnessRequiresTheSameVersions(t *testing.T) {
	t.Parallel()
	service, harness := required(t, "../../go.mod"), required(t, "../../proof/go.mod")
	if service["verdict/proof"] != "" || harness["verdict"] == "" {
		t.Error("the harness requires the service, and never the other way round")
	}
	for module, version := range harness {
		if released := service[module]; released != "" && released != version {
			t.Errorf("%s is %s in go.mod and %s in proof/go.mod", module, released, version)
		}
	}
}

// required returns the versions that a go.mod file requires, by module.
func required(t *testing.T, file string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
		versions[line[1]] = line[2]
	}
	if len(versions) == 0 {
		t.Fatalf("%s requires nothing", file)
	}
	return versions
}
