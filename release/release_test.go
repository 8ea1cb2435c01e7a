package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// released clones the repository into a new folder and makes a release of a commit there. The argument "only" names
// the targets; if it is "", all targets are built.
func released(t *testing.T, commit, only string) (folder string) {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	command(t, "git", "clone", "--quiet", "..", clone)
	command(t, "git", "-C", clone, "checkout", "--quiet", commit)
	folder = filepath.Join(t.TempDir(), "dist")
	var progress bytes.Buffer
	args := []string{"-root", clone, "-out", folder, "-only", only}
	if err := run(t.Context(), args, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	return folder
}

// TestRelease makes a release for this machine, and tests the archive, the container image, the chart and the Debian
// package. It then makes the release again, in another folder and with an empty build cache, and compares the files.
// With the usual cache, Go would not compile again, and the test would compare a file with its copy.
func TestRelease(t *testing.T) {
	commit, own := head(t), "linux/"+runtime.GOARCH
	first := released(t, commit, own)
	command(t, "sh", "-c", "cd '"+first+"' && sha256sum --check --quiet --strict SHA256SUMS")

	version := strings.TrimSpace(string(read(t, "../api", "VERSION")))
	name := "verdict_" + version + "_linux_" + runtime.GOARCH
	unpacked := t.TempDir()
	command(t, "tar", "-xzf", filepath.Join(first, name+".tar.gz"), "-C", unpacked)
	binary := filepath.Join(unpacked, name, "verdict")

	t.Run("archive", func(t *testing.T) {
		if out := command(t, binary, "version"); !strings.HasPrefix(out, "verdict "+version+" (commit ") {
			t.Errorf("verdict version: %s", out)
		}
		decides(t, binary)
		accompanied(t, filepath.Join(unpacked, name), binary)
		linksResolve(t, filepath.Join(unpacked, name))
	})
	t.Run("bill of materials", func(t *testing.T) { billIsComplete(t, binary, read(t, first, name+".cdx.json")) })
	t.Run("licences", func(t *testing.T) {
		licencesAreComplete(t, binary, read(t, unpacked, name, "LICENSES-OF-MODULES.txt"))
	})
	image := filepath.Join(first, "verdict_"+version+"_image.tar")
	t.Run("image", func(t *testing.T) { imageRuns(t, image) })
	t.Run("podman", func(t *testing.T) { podmanRuns(t, image, version) })
	t.Run("chart", func(t *testing.T) {
		chartDecides(t, image, binary, filepath.Join(unpacked, name, "deploy", "chart"), version)
	})
	t.Run("debian", func(t *testing.T) {
		debianInstalls(t, filepath.Join(first, "verdict_"+version+"-1_"+runtime.GOARCH+".deb"))
	})
	t.Run("again", func(t *testing.T) {
		t.Setenv("GOCACHE", t.TempDir())
		sameFiles(t, first, released(t, commit, own))
	})
}

// sameFiles compares the files of two releases.
func sameFiles(t *testing.T, first, second string) {
	t.Helper()
	names := namesIn(t, first)
	if !slices.Equal(names, namesIn(t, second)) {
		t.Fatalf("two builds gave other files: %v, %v", names, namesIn(t, second))
	}
	for _, name := range names {
		if !bytes.Equal(read(t, first, name), read(t, second, name)) {
			t.Errorf("%s: two builds gave other bytes", name)
		}
	}
}

// head returns the commit of the working tree. Both builds use it, because somebody may commit between them.
func head(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(command(t, "git", "rev-parse", "HEAD"))
}

// decides runs "verdict decide -sample" with a binary, as a new user does, and checks the decision.
func decides(t *testing.T, program string, args ...string) {
	t.Helper()
	out := []byte(command(t, program, append(args, "decide", "-sample")...))
	var decision struct {
		Status string `json:"status"`
		Hash   string `json:"decision_hash"`
	}
	if err := json.Unmarshal(out, &decision); err != nil || decision.Status == "" || decision.Hash == "" {
		t.Errorf("decide: %v, %s", err, out)
	}
}

// accompanied checks that an archive has the completions and schemas that the binary prints, its manual pages, and
// the files that operators need.
func accompanied(t *testing.T, folder, program string) {
	t.Helper()
	for name, args := range map[string][]string{
		"completions/verdict.bash":   {"completion", "bash"},
		"completions/_verdict":       {"completion", "zsh"},
		"completions/verdict.fish":   {"completion", "fish"},
		"schemas/policy.schema.json": {"schema", "policy"},
		"schemas/tests.schema.json":  {"schema", "tests"},
	} {
		want := strings.TrimSpace(command(t, program, args...))
		if strings.TrimSpace(string(read(t, folder, name))) != want {
			t.Errorf("%s is not what the binary prints", name)
		}
	}
	for _, name := range []string{
		"man/man1/verdict.1", "man/man1/verdict-doctor.1", "docs/INSTALL.md", "deploy/compose.yaml",
		"deploy/chart/Chart.yaml", "deploy/prometheus/verdict.rules.yml", "deploy/grafana/verdict.json",
		"clients/README.md", "clients/python/pyproject.toml", "clients/python/verdict/client.py",
		"clients/typescript/index.ts", "clients/go/verdict.go", "clients/go.mod",
	} {
		if len(read(t, folder, name)) == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// modulesOf returns "path version" of each module that is linked into a binary,
// as Go's own command sees them.
func modulesOf(t *testing.T, binary string) []string {
	t.Helper()
	var modules []string
	for line := range strings.Lines(command(t, "go", "version", "-m", binary)) {
		if f := strings.Fields(line); len(f) >= 3 && f[0] == "dep" {
			modules = append(modules, f[1]+" "+f[2])
		}
	}
	if len(modules) < 10 {
		t.Fatalf("go version -m names only %d modules", len(modules))
	}
	return modules
}

// billIsComplete compares the bill of materials with what Go's own command
// says.
func billIsComplete(t *testing.T, binary string, content []byte) {
	t.Helper()
	var bill struct {
		Format       string `json:"bomFormat"`
		SerialNumber string `json:"serialNumber"`
		Components   []struct{ Name, Version string }
	}
	if err := json.Unmarshal(content, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.Format != "CycloneDX" || !strings.HasPrefix(bill.SerialNumber, "urn:uuid:") {
		t.Errorf("format %q, serial number %q", bill.Format, bill.SerialNumber)
	}
	var named []string
	for _, c := range bill.Components {
		if c.Name != "std" {
			named = append(named, c.Name+" "+c.Version)
		}
	}
	if want := modulesOf(t, binary); !slices.Equal(named, want) {
		t.Errorf("components:\n%v\ngo version -m:\n%v", named, want)
	}
}

// licencesAreComplete checks that the text has the licence of Go and of each module of a binary.
func licencesAreComplete(t *testing.T, binary string, terms []byte) {
	t.Helper()
	for _, m := range append(modulesOf(t, binary), standardLibrary+" "+runtime.Version()) {
		if !bytes.Contains(terms, []byte("================ "+m+": ")) {
			t.Errorf("the licence of %s is missing", m)
		}
	}
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func read(t *testing.T, elements ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// command runs a program and returns its standard output.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	var failure bytes.Buffer
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, failure.String())
	}
	return string(out)
}

// TestUncommittedChanges checks that a working tree with changes is refused, because the release would not be
// the commit that it names.
func TestUncommittedChanges(t *testing.T) {
	clone := filepath.Join(t.TempDir(), "clone")
	command(t, "git", "clone", "--quiet", "..", clone)
	if err := os.WriteFile(filepath.Join(clone, "README.md"), []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := readSource(t.Context(), clone)
	if err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("error %v", err)
	}
}

// TestReleaseNotes checks that the notes say first what they are about, and that the files of which they speak exist.
func TestReleaseNotes(t *testing.T) {
	s := source{version: "1.2.3", at: time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC), notes: "### Added\n\n- first\n"}
	notes := s.releaseNotes()
	if !strings.HasPrefix(notes, "# Verdict 1.2.3, 19 November 2026\n\nVerdict makes credit decisions") ||
		!strings.HasSuffix(notes, "\n## Changes\n\n### Added\n\n- first\n") ||
		!strings.Contains(notes, "\n    sha256sum --ignore-missing -c SHA256SUMS\n") {
		t.Errorf("the notes are\n%s", notes)
	}
	for _, name := range []string{"README.md", "docs/INSTALL.md", "docs/TUTORIAL.md"} {
		if read(t, "..", name); !strings.Contains(notes, name) {
			t.Errorf("the notes do not name %s", name)
		}
	}
	if !bytes.Contains(read(t, "..", "README.md"), []byte("\n## Two minutes to the first decision\n")) {
		t.Error("the README lacks the section that the notes name")
	}
}

func TestNotes(t *testing.T) {
	const changelog = "# Changelog\n\n## [1.1.0] - not released yet\n\nnew\n\n" +
		"## [1.0.0] - 2026-01-01\n\n- first\n\n## [0.9.0]\nold\n"
	for version, want := range map[string]string{"1.1.0": "new\n", "1.0.0": "- first\n", "0.9.0": "old\n"} {
		if got, err := notesOf(changelog, version); err != nil || got != want {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	if _, err := notesOf(changelog, "2.0.0"); err == nil {
		t.Error("a version that the changelog lacks has notes")
	}
}

func TestUnknownTarget(t *testing.T) {
	err := run(context.Background(), []string{"-only", "linux/mips"}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), `no target "linux/mips"`) {
		t.Errorf("error %v", err)
	}
}

// entriesOf calls f for each entry of a tar archive, which may be compressed.
func entriesOf(t *testing.T, content []byte, f func(*tar.Header, []byte)) {
	t.Helper()
	var in io.Reader = bytes.NewReader(content)
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = unpacked
	}
	for r := tar.NewReader(in); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		f(header, body)
	}
}
