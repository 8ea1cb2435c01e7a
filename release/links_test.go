package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchiveLinks checks the links of the pages of an archive without building a release.
func TestArchiveLinks(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{source: source{root: root}}
	kit, err := m.kitFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	documents, err := m.documents(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	archive := t.TempDir()
	for _, f := range slices.Concat(documents, kit) {
		path := filepath.Join(archive, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	linksResolve(t, archive)
}

var (
	codeBlock    = regexp.MustCompile("(?s)```.*?```")
	relativeLink = regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)\s]*)?\)`)
)

// linksResolve checks that every relative link of a page in an unpacked archive leads to a file or folder of the
// archive.
func linksResolve(t *testing.T, archive string) {
	t.Helper()
	links := 0
	err := filepath.WalkDir(archive, func(page string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(page, ".md") {
			return err
		}
		text := codeBlock.ReplaceAll(read(t, page), nil)
		for _, m := range relativeLink.FindAllSubmatch(text, -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(string(m[1])))); err != nil {
				t.Errorf("%s links to %s, which is not in the archive", strings.TrimPrefix(page, archive), m[1])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}
