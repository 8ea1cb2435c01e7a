package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContestantsAgree checks that all contestants compute the same counts, on
// one core and on two. The book must be able to show a difference, so every
// rule must hit and every grade must occur.
func TestContestantsAgree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book.csv")
	if err := writeBook(path, 30_000); err != nil {
		t.Fatal(err)
	}
	want, err := ours(t.Context(), input{path: path, cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n := want.rows(); n != 30_000 {
		t.Errorf("%d rows", n)
	}
	for i, hits := range want.Hits {
		if hits == 0 {
			t.Errorf("rule %d hits nobody", i)
		}
	}
	for i, g := range want.Grades {
		if g.Rows == 0 || g.Bad == 0 || i < 4 && g.LimitRupees == 0 || i > 0 && i < 5 && g.Referred == 0 {
			t.Errorf("grade %c: %+v", gradeNames[i], g)
		}
	}
	for name, work := range contestants {
		if name == nameDuck && !hasDuck {
			continue
		}
		for cores := 1; cores <= 2; cores++ {
			got, err := work(t.Context(), input{path: path, cores: cores})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s on %d cores (-ours +got):\n%s", name, cores, diff)
			}
		}
	}
}

// TestRepeated checks that reading a file three times gives three times the
// counts of one reading.
func TestRepeated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book.csv")
	if err := writeBook(path, 2_000); err != nil {
		t.Fatal(err)
	}
	once, err := ours(t.Context(), input{path: path, cores: 1})
	if err != nil {
		t.Fatal(err)
	}
	thrice, err := ours(t.Context(), input{path: path, cores: 2, times: 3})
	if err != nil {
		t.Fatal(err)
	}
	want := *once
	want.merge(once)
	want.merge(once)
	if diff := cmp.Diff(&want, thrice); diff != "" {
		t.Errorf("three times over (-want +got):\n%s", diff)
	}
}
