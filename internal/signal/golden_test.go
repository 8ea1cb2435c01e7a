package signal

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/golden"
)

// archives checks every golden file of a folder. The parameter given is a function that reports whether a section is
// input. The parameter answer computes the other sections.
func archives(
	t *testing.T, folder string, given func(name string) bool, answer func(*testing.T, *txtar.Archive) []txtar.File,
) {
	t.Helper()
	answered := func(section string) bool { return !given(section) }
	golden.Archives(t, "testdata/"+folder+"/*.txtar", answered,
		func(t *testing.T, given, _ *txtar.Archive) []txtar.File {
			t.Helper()
			return answer(t, given)
		})
}
