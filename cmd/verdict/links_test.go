package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock    = regexp.MustCompile("(?s)```.*?```")
	relativeLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageHeading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	linkInside   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInAnchor  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// TestLinks checks that every link from one page to another leads to a file,
// and to a heading in it.
func TestLinks(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/adr/*.md", "../../clients/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text := codeBlock.ReplaceAllString(pageText(t, page), "")
		for _, m := range relativeLink.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") { // another site
				continue
			}
			links++
			file, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, m[1])
			} else if anchor != "" && strings.HasSuffix(target, ".md") &&
				!slices.Contains(anchorsOf(t, target), anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

// anchorsOf returns the anchors of the headings of a page, as code hosts make
// them.
func anchorsOf(t *testing.T, page string) (anchors []string) {
	t.Helper()
	for _, m := range pageHeading.FindAllStringSubmatch(pageText(t, page), -1) {
		title := strings.ToLower(linkInside.ReplaceAllString(strings.TrimSpace(m[1]), "$1"))
		anchors = append(anchors, strings.ReplaceAll(notInAnchor.ReplaceAllString(title, ""), " ", "-"))
	}
	return anchors
}
