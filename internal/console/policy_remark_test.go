package console

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFindingsOrder checks the order of the findings: errors first, new ones before inherited ones; then new findings
// before inherited ones.
func TestFindingsOrder(t *testing.T) {
	t.Parallel()
	r := remarks{
		{Label: "Warning", Origin: "inherited", Detail: "inherited warning"},
		{Label: "Error", Origin: "inherited", Detail: "inherited error"},
		{Label: "Note", Origin: "inherited", Detail: "inherited note"},
		{Label: "Warning", Origin: "new", Detail: "new warning"},
		{Label: "Error", Origin: "new", Detail: "new error"},
		{Label: "Warning", Detail: "warning"},
		{Label: faultLabel, Detail: "fault"},
		{Label: "Note", Origin: "new", Detail: "new note"},
	}
	var got []string
	for _, g := range r.Groups() {
		title := g.Title
		if g.Folded {
			title += " (folded)"
		}
		got = append(got, "= "+title)
		for i := range g.List {
			got = append(got, g.List[i].Detail)
		}
	}
	want := []string{
		"= Errors", "fault", "new error", "inherited error",
		"= New in this version", "new warning", "new note",
		"= About the whole policy", "warning",
		"= Inherited from the version it was made from (folded)", "inherited warning",
		"= Notes (folded)", "inherited note",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
