package app

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestLayersAreDrawn checks that the picture of the architecture names every package in the
// table packageRules (deps_test.go). The name of a package also covers the packages in its subfolders.
func TestLayersAreDrawn(t *testing.T) {
	t.Parallel()
	picture, err := os.ReadFile("../../docs/architecture.svg")
	if err != nil {
		t.Fatal(err)
	}
	// The contract is drawn as a part of httpapi; golden and pgcluster are for tests only.
	drawn := map[string]bool{"api": true, "golden": true, "pgcluster": true}
	for _, text := range regexp.MustCompile(`>([^<>]+)</text>`).FindAllStringSubmatch(string(picture), -1) {
		for name := range strings.SplitSeq(text[1], " · ") {
			drawn[name] = true
		}
	}
	for _, r := range packageRules {
		outer, inner, _ := strings.Cut(r.name, "/")
		if !drawn[r.name] && !drawn[outer] && !drawn[inner] && outer != "proof" {
			t.Errorf("%s is not in docs/architecture.svg", r.name)
		}
	}
}
