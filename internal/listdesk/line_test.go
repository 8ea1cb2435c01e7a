package listdesk_test

import (
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
)

// TestFaultsNameTheLine checks that every fault of a file names its line, which blank lines and the header move away
// from the number of the entry.
func TestFaultsNameTheLine(t *testing.T) {
	t.Parallel()
	file := "value,expires_at\n\n1,\n\n\nx,\n2,2020-13-01\n3\n\ny,\n"
	u := listdesk.Upload{CSV: strings.NewReader(file)}
	_, err := u.Read(t.Context(), &list.Keyer{Type: list.Number})
	refusal := fault.Of(err)
	if refusal == nil {
		t.Fatal(err)
	}
	want := []struct{ pointer, line string }{
		{"/entries/1/value", "(line 6 of the file)"},
		{"/entries/2/expires_at", "(line 7 of the file)"},
		{"/entries/3", "(line 8 of the file)"},
		{"/entries/4/value", "(line 10 of the file)"},
	}
	if len(refusal.Items) != len(want) {
		t.Fatalf("the faults are %v", err)
	}
	for i, item := range refusal.Items {
		if item.Pointer != want[i].pointer || !strings.HasSuffix(item.Detail, want[i].line) {
			t.Errorf("fault %d is %+v, want %v", i, item, want[i])
		}
	}
	u = listdesk.Upload{Entries: []listdesk.NewEntry{{Value: "x", Form: listdesk.AsText}}}
	if _, err := u.Read(t.Context(), &list.Keyer{Type: list.Number}); strings.Contains(err.Error(), "line") {
		t.Errorf("an entry that is in no file: %v", err)
	}
}
