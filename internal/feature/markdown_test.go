package feature

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/FEATURES.md")

func TestFeaturesPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../docs/FEATURES.md"
	var want bytes.Buffer
	if err := WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/FEATURES.md is not what the catalogue says; run go test ./internal/feature -update (-want +got):\n%s", diff)
	}
}

// TestPageNamesEverything also counts the cells, because a stray bar in a text
// would shift a table's columns.
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
