package console

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	cssComment = regexp.MustCompile(`(?s)/\*.*?\*/`)
	cssClass   = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
)

// unscoped returns the sorted names of the classes that a stylesheet defines outside of blocks whose selector is scope.
func unscoped(css, scope string) []string {
	found := map[string]bool{}
	css = cssComment.ReplaceAllString(css, "")
	var open []bool // for each open block: whether it is the scope or inside the scope
	begin := 0
	for i := range len(css) {
		switch css[i] {
		case '{':
			selector := strings.TrimSpace(css[begin:i])
			inside := selector == scope || len(open) > 0 && open[len(open)-1]
			if !inside && !strings.HasPrefix(selector, "@") {
				for _, m := range cssClass.FindAllStringSubmatch(selector, -1) {
					found[m[1]] = true
				}
			}
			open, begin = append(open, inside), i+1
		case '}':
			if len(open) == 0 {
				found["} without {"] = true
				return slices.Sorted(maps.Keys(found))
			}
			open, begin = open[:len(open)-1], i+1
		case ';':
			begin = i + 1
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// clashes returns an error text for every class that a stylesheet of a part
// defines outside of its scope. The text says so if two parts define the class.
func clashes(sheets map[string]string) []string {
	var said []string
	owner := map[string]string{}
	for _, part := range slices.Sorted(maps.Keys(sheets)) {
		for _, class := range unscoped(sheets[part], ":where(.of-"+part+")") {
			if other := owner[class]; other != "" {
				said = append(said,
					fmt.Sprintf(".%s is defined unscoped by both %s.css and %s.css", class, other, part))
			} else {
				said = append(said, fmt.Sprintf(".%s is defined unscoped by %s.css", class, part))
			}
			owner[class] = part
		}
	}
	return said
}

// TestStylesAreScoped checks that the stylesheet of one part of the console
// does not style the pages of another. Once, ".open" of the policy pages
// overrode ".open" of the decision pages and broke the queue of referrals.
func TestStylesAreScoped(t *testing.T) {
	t.Parallel()
	sheets := map[string]string{}
	names, err := fs.Glob(assetFiles, "assets/*.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		part := strings.TrimSuffix(strings.TrimPrefix(name, "assets/"), ".css")
		if part+".css" == stylesheet {
			continue
		}
		body, err := assetFiles.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sheets[part] = string(body)
		if len(parts[part]) == 0 {
			t.Errorf("%s is the stylesheet of no part: list its pages in parts", name)
		}
	}
	if len(sheets) != len(parts) {
		t.Errorf("%d stylesheets for %d parts", len(sheets), len(parts))
	}
	for _, c := range clashes(sheets) {
		t.Error(c)
	}
}

// TestClashesAreFound checks that clashes reports the mistake that once broke the queue
// of referrals.
func TestClashesAreFound(t *testing.T) {
	t.Parallel()
	said := strings.Join(clashes(map[string]string{
		"decision": ".open { min-width: 0; } /* .noted {} */ @media (max-width: 60rem) { .queue { display: block; } }",
		"policy": ":where(.of-policy) { .rules { margin: 0; } @media print { .queue { margin: 0; } } } " +
			".open h3 { grid-column: 1 / -1; }",
	}), "\n")
	for _, want := range []string{
		".open is defined unscoped by both decision.css and policy.css",
		".queue is defined unscoped by decision.css",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
	for _, not := range []string{".noted", ".rules", "both decision.css and policy.css\n.queue"} {
		if strings.Contains(said, not) {
			t.Errorf("%q is said:\n%s", not, said)
		}
	}
}

// TestPartsArePages checks that every part has pages and that no page belongs
// to two parts.
func TestPartsArePages(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(templateFiles, "pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range names {
		used[partOf(strings.TrimSuffix(strings.TrimPrefix(name, "pages/"), ".html"))] = true
	}
	seen := map[string]string{}
	for part, words := range parts {
		if !used[part] {
			t.Errorf("no page belongs to the part %s", part)
		}
		for _, word := range words {
			if other := seen[word]; other != "" {
				t.Errorf("%s belongs to %s and to %s", word, other, part)
			}
			seen[word] = part
		}
	}
}
