package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verdict/api"
)

// versionCopies lists the files that repeat the version of api/VERSION outside names of files and images, with the
// patterns of the repetitions. A release must change all of them.
var versionCopies = map[string][]string{
	"api/openapi.yaml":                   {`(?m)^  version: (\S+)$`},
	"deploy/compose.yaml":                {`\$\{VERDICT_VERSION:-([^}]+)\}`},
	"deploy/chart/Chart.yaml":            {`(?m)^version: (\S+)$`, `(?m)^appVersion: (\S+)$`},
	"clients/python/pyproject.toml":      {`(?m)^version = "([^"]+)"$`},
	"clients/python/verdict/__init__.py": {`(?m)^__version__ = "([^"]+)"$`},
	"clients/typescript/package.json":    {`"version": "([^"]+)"`},
	"docs/OPERATIONS.md":                 {"`service.version` \\| `verdict`, `([^`]+)`"},
	"CHANGELOG.md":                       {`\A# Changelog[^#]*\n## \[([^\]]+)\]`},
}

// versionInName matches the version in a name such as verdict_1.0.0_image.tar, verdict:1.0.0 or verdict-python/1.0.0.
var versionInName = regexp.MustCompile(`\bverdict(?:_|:|-[a-z]+/)v?(\d+\.\d+\.\d+(?:-[a-z][0-9a-z.]*)?)`)

// TestVersionIsTheSameEverywhere compares every repetition of the version with api/VERSION.
func TestVersionIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	check := func(name, text string, pattern *regexp.Regexp) (found int) {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			found++
			if m[1] != api.Version {
				t.Errorf("%s: %q has the version %s, api/VERSION has %s", name, m[0], m[1], api.Version)
			}
		}
		return found
	}
	for name, patterns := range versionCopies {
		text := pageText(t, filepath.Join("../..", name))
		for _, pattern := range patterns {
			if check(name, text, regexp.MustCompile(pattern)) == 0 {
				t.Errorf("%s has nothing like %s", name, pattern)
			}
		}
	}
	inNames := map[string]int{}
	for _, folder := range []string{"README.md", "docs", "deploy", "clients"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, ".png") {
				return err
			}
			text, err := os.ReadFile(path)
			if err == nil {
				name, _ := filepath.Rel("../..", path)
				inNames[name] = check(name, string(text), versionInName)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{
		"README.md", "docs/INSTALL.md", "docs/TUTORIAL.md", "deploy/compose.yaml", "deploy/ci/github.yml",
		"deploy/ci/gitlab.yml", "clients/python/verdict/transport.py",
	} {
		if inNames[name] == 0 {
			t.Errorf("%s names no file of a release", name)
		}
	}
}
