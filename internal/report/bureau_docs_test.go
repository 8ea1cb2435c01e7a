package report

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestBureausPageIsComplete checks that docs/BUREAUS.md names every member that is read and every
// warning.
func TestBureausPageIsComplete(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/BUREAUS.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for i, part := range strings.Split(string(page), "`") {
		if i%2 == 1 {
			for name := range strings.FieldsFuncSeq(part,
				func(r rune) bool { return strings.ContainsRune(". ,[]/", r) }) {
				var buf [maxName]byte
				named[string(squash(buf[:0], name))] = true
			}
		}
	}
	for _, of := range []map[string]slot{accountMembers.squashed, enquiryMembers.squashed} {
		for name := range of {
			if !named[name] {
				t.Errorf("the page does not name %s", name)
			}
		}
	}
	for _, l := range layouts {
		for _, path := range slices.Concat([]string{l.none}, l.accounts, l.enquiries, l.dates) {
			for name := range strings.SplitSeq(path, ".") {
				if name != "" && !named[name] {
					t.Errorf("the page does not name %s of %s", name, path)
				}
			}
		}
	}
	for _, gap := range gapTexts {
		if !strings.Contains(string(page), "`"+gap.code+"`") {
			t.Errorf("the page does not name the warning %s", gap.code)
		}
	}
	for _, n := range noticeTexts {
		if !strings.Contains(string(page), "`"+n.code+"`") {
			t.Errorf("the page does not name the warning %s", n.code)
		}
	}
}
