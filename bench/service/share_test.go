package service

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"
)

// TestItemOf checks that a sample is counted once, for the first item that has
// a function anywhere on the sample's stack.
func TestItemOf(t *testing.T) {
	t.Parallel()
	for want, functions := range map[string][]string{
		"SQLite: fsync": {
			"syscall.Syscall",
			"modernc.org/sqlite/lib._unixSync",
			"modernc.org/sqlite/lib._walFrames",
			"verdict/internal/store.(*committer).loop",
		},
		"garbage collection": {
			"runtime.gcAssistAlloc",
			"verdict/internal/engine.(*Decision).Write",
			"net/http.(*conn).serve",
		},
		"answer as JSON": {
			"runtime.memmove",
			"verdict/internal/engine.(*Decision).Write",
			"verdict/internal/decisioning.render",
			"net/http.(*conn).serve",
		},
		elsewhere:   {"runtime.goexit"},
		before.name: {"verdict/internal/store.Open", "main.main", "runtime.main"},
	} {
		s := &profile.Sample{}
		for _, name := range functions {
			s.Location = append(s.Location,
				&profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
		}
		if got := itemOf(s); got != want {
			t.Errorf("%q is of %q, want %q", functions, got, want)
		}
	}
}

func TestShareTable(t *testing.T) {
	t.Parallel()
	got := shareTable(map[string]float64{"deciding": 0.2, elsewhere: 0.001},
		map[string]float64{"deciding": 0.1, "garbage collection": 0.4})
	want := [][]string{{"garbage collection", "", "40 %"}, {"deciding", "20 %", "10 %"}}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Error(diff)
	}
}
