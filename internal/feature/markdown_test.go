package feature

import (
	"bytes"
	"strings"
	"testing"

	"verdict/internal/golden"
)

func TestFeaturesPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../docs/FEATURES.md"
	var want bytes.Buffer
	if err := WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, want.String())
}

// TestPageNamesEverything checks that the page names every part of every feature
// name. It also counts the cells, because a "|" in a text would shift the columns
// of a table.
func TestPageNamesEverything(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for n := range All() {
		for _, part := range []string{n.Metric, n.Product, n.Aggregation} {
			if !strings.Contains(page.String(), "| `"+part+"` |") {
				t.Errorf("%s is not on the page", part)
			}
		}
	}
	cells := 0
	for line := range strings.Lines(page.String()) {
		n := strings.Count(line, "|")
		if n > 0 && cells > 0 && n != cells {
			t.Errorf("%d bars where the table has %d: %s", n, cells, line)
		}
		cells = n
	}
}
