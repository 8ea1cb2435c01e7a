package app

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityNamesTests checks that the tests and the scenarios of the torture suite that SECURITY.md names exist.
func TestSecurityNamesTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := regexp.MustCompile("`(Test[A-Za-z0-9]+)(…?)`").FindAllStringSubmatch(string(page), -1)
	if len(tests) < 50 {
		t.Errorf("SECURITY.md names only %d tests", len(tests))
	}
	defined := testsByName(t)
	eachSource(t, []string{"clients"}, func(path, source string) {
		for _, found := range testFunction.FindAllStringSubmatch(source, -1) {
			defined[found[1]] = append(defined[found[1]], path)
		}
	})
	for _, named := range tests {
		name, family := named[1], named[2] != ""
		found := len(defined[name]) > 0
		for other := range defined {
			found = found || family && strings.HasPrefix(other, name)
		}
		if !found {
			t.Errorf("SECURITY.md names %s, which is no test", name)
		}
	}
	scenarios, err := os.ReadFile("../../proof/torture/scenario.go")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("[,|] `([a-z]+-[a-z]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 5 {
		t.Errorf("SECURITY.md names only %d scenarios", len(named))
	}
	for _, scenario := range named {
		if !strings.Contains(string(scenarios), `"`+scenario[1]+`"`) {
			t.Errorf("SECURITY.md names %s, which is no scenario", scenario[1])
		}
	}
}
