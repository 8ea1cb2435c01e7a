package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestRacedOrNot checks the names that "make test" does not repeat with the race
// detector. The packages and the tests must exist, and a package of the storage must
// be repeated.
func TestRacedOrNot(t *testing.T) {
	t.Parallel()
	unraced := packageSet(t, "PURE", "OUTSIDE")
	defined := testsByName(t)
	for _, name := range strings.Fields(makeVariable(t, "SEQUENTIAL")) {
		if len(defined[name]) == 0 {
			t.Errorf("SEQUENTIAL names %s, which is no test", name)
		}
	}
	for folder := range packageSet(t, "STORAGE") {
		if unraced[folder] {
			t.Errorf("%s is in STORAGE and in UNRACED", folder)
		}
	}
	for folder := range unraced {
		if files, err := filepath.Glob("../../" + folder + "/*.go"); err != nil || len(files) == 0 {
			t.Errorf("%s is not a package", folder)
		}
	}
	for _, name := range strings.Fields(makeVariable(t, "CORPORA")) {
		if folders := defined[name]; len(folders) != 1 || !packageSet(t, "PURE")[folders[0]] {
			t.Errorf("%s is a test of %v, not of the pure ring alone", name, folders)
		}
	}
}

// TestSharedValuesAreRaced checks that the Makefile's list of the pure ring
// equals the list in the table of layers (deps_test.go). Every test of the pure
// ring that starts a goroutine must run with the race detector.
func TestSharedValuesAreRaced(t *testing.T) {
	t.Parallel()
	listed, sharing := packageSet(t, "PURE"), packageSet(t, "SHARED_IN")
	shared := strings.Fields(makeVariable(t, "SHARED"))
	for _, r := range packageRules {
		folder := "internal/" + r.name
		if r.name == "api" {
			folder = r.name
		}
		if listed[folder] != (r.kind == pure) {
			t.Errorf("%s is in PURE: %t, of the pure ring: %t", folder, listed[folder], r.kind == pure)
		}
		if r.kind != pure {
			continue
		}
		for _, name := range testsWithGoroutines(t, folder) {
			if !slices.Contains(shared, name) || !sharing[folder] {
				t.Errorf("%s of %s starts goroutines, and SHARED or SHARED_IN does not name it", name, folder)
			}
		}
	}
	defined := testsByName(t)
	for _, name := range shared {
		if folders := defined[name]; !slices.ContainsFunc(folders, func(f string) bool { return sharing[f] }) {
			t.Errorf("SHARED names %s, a test of %v", name, folders)
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

// packageSet returns the folders that variables of the Makefile list.
func packageSet(t *testing.T, names ...string) map[string]bool {
	t.Helper()
	folders := map[string]bool{}
	for _, name := range names {
		for _, path := range strings.Fields(makeVariable(t, name)) {
			folders[strings.TrimPrefix(path, "./")] = true
		}
	}
	return folders
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)

// testsByName returns, for each test name, the folders of the service and the harness
// that have a test of that name.
func testsByName(t *testing.T) map[string][]string {
	t.Helper()
	byName := map[string][]string{}
	eachSource(t, []string{"api", "cmd", "internal", "proof"}, func(path, source string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, found := range testFunction.FindAllStringSubmatch(source, -1) {
			byName[found[1]] = append(byName[found[1]], filepath.ToSlash(filepath.Dir(path)))
		}
	})
	return byName
}

// eachSource calls visit with the path and the text of every Go file in folders of the repository.
func eachSource(t *testing.T, folders []string, visit func(path, source string)) {
	t.Helper()
	const root = "../../"
	for _, folder := range folders {
		err := filepath.WalkDir(root+folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			visit(strings.TrimPrefix(path, root), string(source))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestLinesFit checks that no line of a Go file is longer than 120 columns, with tabs of 4 columns. Generated files are
// as their generator writes them.
func TestLinesFit(t *testing.T) {
	t.Parallel()
	const columns, tab = 120, 4
	folders := []string{"api", "bench", "clients", "cmd", "internal", "proof", "release"}
	eachSource(t, folders, func(path, source string) {
		if strings.HasSuffix(path, ".gen.go") {
			return
		}
		for i, line := range strings.Split(source, "\n") {
			width := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
			if width > columns {
				t.Errorf("%s:%d has %d columns", path, i+1, width)
			}
		}
	})
}

// testsWithGoroutines lists the tests of a folder that have a go statement or
// call a method Go.
func testsWithGoroutines(t *testing.T, folder string) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../" + folder + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	starts := regexp.MustCompile(`(?m)^\s*go [\w(]|\.Go\(`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		at := testFunction.FindAllSubmatchIndex(source, -1)
		for i, found := range at {
			end := len(source)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			if starts.Match(source[found[0]:end]) {
				names = append(names, string(source[found[2]:found[3]]))
			}
		}
	}
	return names
}
