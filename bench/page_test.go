package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdict/bench/board"
)

// TestWrite checks that a complete run writes the scoreboard and every section.
// A partial run notes when its section was measured. It leaves the scoreboard
// unchanged, because a scoreboard always comes from one run.
func TestWrite(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(page, []byte("# Page\n\n<!-- scoreboard -->\nold\n<!-- /scoreboard -->\n\nwords\n\n"+
		"<!-- csv -->\nold\n<!-- /csv -->\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	has := func(wanted bool, texts ...string) {
		t.Helper()
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if strings.Contains(string(data), text) != wanted {
				t.Errorf("%q in the page: %v, want %v\n%s", text, !wanted, wanted, data)
			}
		}
	}
	s := board.Section{Name: "csv", Title: "Files", Note: "note"}
	s.AtMost("work", "1", board.Of(2), 1, board.Plain)
	if err := write(page, []board.Section{s}, false, "ORIGIN 1\n"); err != nil {
		t.Fatal(err)
	}
	has(true, "<!-- scoreboard -->\nold\n", "words", "### Files", "ORIGIN 1")
	if err := write(page, []board.Section{s}, true, "ORIGIN 2\n"); err != nil {
		t.Fatal(err)
	}
	has(true, "words", "ORIGIN 2", "| work | at most 1 | 2.00 | **MISSED** |")
	has(false, "old", "ORIGIN 1")
}

// TestSettings checks that only the named sections are measured, and all
// sections if none is named.
func TestSettings(t *testing.T) {
	t.Parallel()
	all, err := read([]string{"-quick"})
	if err != nil {
		t.Fatal(err)
	}
	one, err := read([]string{"-csv", "-fraud", "-rounds", "9"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections() {
		if !all.asked(s.name) || one.asked(s.name) != (s.name == "csv" || s.name == "fraud") {
			t.Errorf("%s: %v of all, %v of two", s.name, all.asked(s.name), one.asked(s.name))
		}
	}
	if all.rounds != quickScale().rounds || one.rounds != 9 || one.budget != normalScale().budget {
		t.Errorf("rounds %d and %d, budget %s", all.rounds, one.rounds, one.budget)
	}
	if _, err := read([]string{"-quick", "-long"}); err == nil {
		t.Error("a run is quick and long")
	}
}
