package field

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/feature"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

func TestFieldsPageIsCurrent(t *testing.T) {
	t.Parallel()
	const page = "../../docs/FIELDS.md"
	var want bytes.Buffer
	if err := WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	golden.File(t, page, want.String())
}

// TestMarkdownNamesEverything checks that the page names every field that is
// not a feature. It also counts the cells, because a "|" in a text would shift
// the columns of a table.
func TestMarkdownNamesEverything(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for f := range withPrefix("") {
		if _, ok := feature.Parse(f.Name); !ok && !strings.Contains(page.String(), "| `"+f.Name+"` |") {
			t.Errorf("%s is not on the page", f.Name)
		}
	}
	cells := 0
	for line := range strings.Lines(page.String()) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells != 0 && n != cells {
			t.Errorf("%d bars where the table has %d: %s", n, cells, line)
		}
		cells = n
	}
}

func TestWriteText(t *testing.T) {
	t.Parallel()
	var all, some bytes.Buffer
	if err := errors.Join(WriteText(&all, ""), WriteText(&some, "device_is_")); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(all.String(), "\n"), Catalogue().Len(); got != want {
		t.Errorf("%d lines for %d fields", got, want)
	}
	want := "device_is_emulator  boolean      The application came from an emulated phone.\n" +
		"device_is_rooted    boolean      The phone's protections have been removed.\n"
	if diff := cmp.Diff(want, some.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	var all, one, none bytes.Buffer
	if err := errors.Join(WriteJSON(&all, ""), WriteJSON(&one, "requested_amount"),
		WriteJSON(&none, "nothing")); err != nil {
		t.Fatal(err)
	}
	doc, err := wire.Parse(all.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if doc.Len() != Catalogue().Len() {
		t.Errorf("%d objects for %d fields", doc.Len(), Catalogue().Len())
	}
	want := `[
{"name":"requested_amount","type":"number","group":"applicant","unit":"₹","min":0.01,` +
		`"supply":["decisions","evaluate"],"reason_code":"AMT_MIN","meaning":"Loan amount the applicant asks for."}
]
`
	if diff := cmp.Diff(want, one.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if doc, err := wire.Parse(none.Bytes()); err != nil || doc.Len() != 0 {
		t.Errorf("no field: %v, %d", err, doc.Len())
	}
}

// brokenWriter is a writer that fails like a closed pipe.
type brokenWriter struct{}

var errBroken = errors.New("broken pipe")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWritersReportErrors(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"markdown": WriteMarkdown(brokenWriter{}),
		"text":     WriteText(brokenWriter{}, ""),
		"json":     WriteJSON(brokenWriter{}, ""),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
