package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, want, refusal string }{
		{"a new document", "", "<!-- load -->\nnew\n<!-- /load -->\n", ""},
		{"appended", "# Proof\n", "# Proof\n\n<!-- load -->\nnew\n<!-- /load -->\n", ""},
		{"appended after a line without an end", "# Proof", "# Proof\n\n<!-- load -->\nnew\n<!-- /load -->\n", ""},
		{
			"replaced, and the rest kept",
			"a\n<!-- load -->\nold\nold\n<!-- /load -->\nb\n<!-- fuzz -->\nc\n<!-- /fuzz -->\n",
			"a\n<!-- load -->\nnew\n<!-- /load -->\nb\n<!-- fuzz -->\nc\n<!-- /fuzz -->\n", "",
		},
		{"never closed", "<!-- load -->\nold\n", "", "opened and not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "PROOF.md")
			if c.before != "" {
				if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			err := Write(path, "load", "\nnew\n\n")
			if c.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), c.refusal) {
					t.Fatalf("got %v, want %q", err, c.refusal)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWriteAtOnce writes many sections concurrently, and checks that no section
// overwrites another.
func TestWriteAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "PROOF.md")
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for range 5 {
				if err := Write(path, fmt.Sprint("s", i), fmt.Sprint("text ", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if n := strings.Count(string(got), fmt.Sprintf("<!-- s%d -->\ntext %d\n<!-- /s%d -->\n", i, i, i)); n != 1 {
			t.Errorf("section %d is there %d times", i, n)
		}
	}
}

func TestWriteNowhere(t *testing.T) {
	t.Parallel()
	if err := Write("", "load", "text"); err != nil {
		t.Error(err)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	line := Origin(t.Context(), time.Date(2026, 11, 15, 12, 30, 0, 0, time.UTC), "make load")
	for _, want := range []string{"2026-11-15 12:30 UTC", "commit ", "cores, go1", "`make load`"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q lacks %q", line, want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	want := "| a | b |\n|---|---|\n| 1 | 2 |\n"
	if diff := cmp.Diff(want, Table([][]string{{"a", "b"}, {"1", "2"}})); diff != "" {
		t.Error(diff)
	}
}

// TestUpdate adds lines to a section, one after the other, and checks that the rest of the document stays.
func TestUpdate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "PROOF.md")
	if err := os.WriteFile(path, []byte("a\n<!-- judges -->\n<!-- /judges -->\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"one", "two"} {
		err := Update(path, "judges", func(before string) string { return before + "\n" + line })
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("a\n<!-- judges -->\none\ntwo\n<!-- /judges -->\nb\n", string(got)); diff != "" {
		t.Error(diff)
	}
}
