package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestCorporaAreOfThePureRing checks that every test that "make test" skips
// with the race detector is run without it: each name must be a test of a pure
// package, and of no other package.
func TestCorporaAreOfThePureRing(t *testing.T) {
	t.Parallel()
	arithmetic := map[string]bool{}
	for _, path := range strings.Fields(makeVariable(t, "ARITHMETIC")) {
		arithmetic[strings.TrimPrefix(path, "./internal/")] = true
	}
	for _, r := range house {
		if arithmetic[r.name] && r.kind != pure {
			t.Errorf("%s is not of the pure ring", r.name)
		}
	}
	defined := testsByName(t)
	for _, name := range strings.Fields(makeVariable(t, "CORPORA")) {
		if rooms := defined[name]; len(rooms) != 1 || !arithmetic[rooms[0]] {
			t.Errorf("%s is a test of %v", name, rooms)
		}
	}
}

// TestMakeQuickSaysWhatItLeavesOut checks that every use of testing.Short skips
// with a message that names one of the words that "make quick" prints.
func TestMakeQuickSaysWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	printed := strings.Split(makeVariable(t, "LEFTOUT"), ", ")
	message := regexp.MustCompile(`(?m)^\s*if testing\.Short\(\) \{\n\s*\w+\.Skip\("left out with -short: (.+)"\)$`)
	asked := 0
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != "../.." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || filepath.Base(path) == "makefile_test.go" {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		skips := message.FindAllStringSubmatch(string(source), -1)
		for _, skip := range skips {
			if !slices.Contains(printed, skip[1]) {
				t.Errorf("%s leaves out %q, which the Makefile's LEFTOUT does not list", path, skip[1])
			}
		}
		uses := strings.Count(string(source), "testing.Short()")
		if uses != len(skips) {
			t.Errorf("%s asks testing.Short %d times and skips with the usual message %d times", path, uses, len(skips))
		}
		asked += uses
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked == 0 {
		t.Error("no test asks testing.Short")
	}
}

// makeVariable returns the value of a variable of the Makefile, without line
// continuations.
func makeVariable(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\n"+name+" := ")
	if !found {
		t.Fatalf("the Makefile has no %s", name)
	}
	line, _, _ := strings.Cut(rest, "\n")
	return line
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
