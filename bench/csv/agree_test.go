package main

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All contestants come to the same counts, on one core and on two, and the book
// is one that tells them apart: every rule hits and every grade occurs.
func TestContestantsAgree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "book.csv")
	if err := writeBook(path, 30_000); err != nil {
		t.Fatal(err)
	}
	want, err := ours(t.Context(), path, 1)
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
			got, err := work(t.Context(), path, cores)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s on %d cores (-ours +got):\n%s", name, cores, diff)
			}
		}
	}
}
