package reference

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdict/api"
	"verdict/internal/serving"
)

// TestParts checks that every operation, group and schema has a part whose address is its anchor, that every link of a
// part leads to a part and an element that exist, that each part has one heading of the first level, and that each is
// small when it is compressed.
func TestParts(t *testing.T) {
	t.Parallel()
	d, err := New(api.OpenAPI, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	view, err := d.parts.view()
	if err != nil {
		t.Fatal(err)
	}
	anchors := []string{"", "errors", "schemas", "tables"}
	for _, g := range view.Groups {
		anchors = append(anchors, g.ID)
		for _, op := range g.Operations {
			anchors = append(anchors, op.ID)
		}
	}
	for _, s := range view.Schemas {
		anchors = append(anchors, "schema-"+s.Name)
	}
	if len(anchors) < 300 {
		t.Fatalf("there are %d parts", len(anchors))
	}
	shown := map[string]string{}
	for _, anchor := range anchors {
		part, found, err := d.Part(anchor)
		if err != nil || !found {
			t.Fatalf("the part %q: found is %t, %v", anchor, found, err)
		}
		all := string(part.Text + part.Contents)
		shown[anchor] = all
		const most = 80_000 // the layout of the console needs some of the 100,000 that a page may have
		if sent := len(serving.Compressed([]byte(all), func() {})); sent > most {
			t.Errorf("the part %q has %d bytes, compressed", anchor, sent)
		}
		if n := strings.Count(all, "<h1"); n != 1 {
			t.Errorf("the part %q has %d headings of the first level", anchor, n)
		}
		if strings.Contains(all, "<h3") && !strings.Contains(all, "<h2") {
			t.Errorf("the part %q has headings of the third level, and none of the second", anchor)
		}
		n := strings.Count(all, `aria-current="page"`)
		if anchor != "" && !strings.HasPrefix(anchor, "schema-") && n != 1 {
			t.Errorf("the contents mark %d entries on the part %q", n, anchor)
		}
	}
	links := 0
	for anchor, text := range shown {
		for _, found := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if found[1] == "data:," || strings.HasPrefix(found[1], "/") {
				continue
			}
			links++
			to, place, _ := strings.Cut(found[1], "#")
			target := text
			switch {
			case to == "":
			case to == "../reference":
				target = shown[""]
			case anchor == "":
				target = shown[strings.TrimPrefix(to, StartFolder)]
			default:
				target = shown[to]
			}
			if target == "" || place != "" && !strings.Contains(target, ` id="`+place+`"`) {
				t.Errorf("the part %q links to %s, which does not exist", anchor, found[1])
			}
		}
	}
	if links < 1000 {
		t.Errorf("there are %d links", links)
	}
	// Addresses from the time when the reference was one page lead to the entry of the contents.
	if !strings.Contains(shown[""], `<a id="createDecision" href="reference/createDecision"`) {
		t.Error("the first part has no anchor for an operation")
	}
	if _, found, err := d.Part("nothing"); found || err != nil {
		t.Errorf("an unknown part: %t, %v", found, err)
	}
}

// TestSchemasAreSorted checks that the list of schemas is in the order of the alphabet.
func TestSchemasAreSorted(t *testing.T) {
	t.Parallel()
	d, err := New(api.OpenAPI, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	part, found, err := d.Part("schemas")
	if err != nil || !found {
		t.Fatalf("found is %t, %v", found, err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`<li><a href="[^"]*"><code>([^<]+)</code>`).
		FindAllStringSubmatch(string(part.Text), -1) {
		names = append(names, strings.ToLower(m[1]))
	}
	if len(names) < 50 || !slices.IsSorted(names) {
		t.Errorf("%d schemas: %v", len(names), names)
	}
}
