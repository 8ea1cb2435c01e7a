package app

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestCorporaAreOfThePureRing: what make test leaves out with the race detector
// is run without it. So each of those names is a test of a package that is run so,
// which is of the pure ring, and of no other.
func TestCorporaAreOfThePureRing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	words := func(name string) []string {
		_, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\n"+name+" := ")
		if !found {
			t.Fatalf("the Makefile has no %s", name)
		}
		line, _, _ := strings.Cut(rest, "\n")
		return strings.Fields(line)
	}
	arithmetic := map[string]bool{}
	for _, path := range words("ARITHMETIC") {
		arithmetic[strings.TrimPrefix(path, "./internal/")] = true
	}
	for _, r := range house {
		if arithmetic[r.name] && r.kind != pure {
			t.Errorf("%s is not of the pure ring", r.name)
		}
	}
	defined := testsByName(t)
	for _, name := range words("CORPORA") {
		if rooms := defined[name]; len(rooms) != 1 || !arithmetic[rooms[0]] {
			t.Errorf("%s is a test of %v", name, rooms)
		}
	}
}

// testsByName lists the folders below internal that have a test of each name.
func testsByName(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob("../*/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	test, byName := regexp.MustCompile(`(?m)^func (Test\w+)\(`), map[string][]string{}
	for _, file := range append(files, deeper...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		room := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(file), "../"))
		for _, found := range test.FindAllStringSubmatch(string(source), -1) {
			byName[found[1]] = append(byName[found[1]], room)
		}
	}
	return byName
}
