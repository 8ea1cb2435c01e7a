package store

import (
	"strings"
	"testing"
)

// TestFileURI checks that the path of a database becomes a file URI without a host, even if it has a Windows drive
// letter or characters that have a meaning in a URI.
func TestFileURI(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/var/lib/verdict.db":    "file:///var/lib/verdict.db?",
		"C:/Verdict data/a#?.db": "file:///C:/Verdict%20data/a%23%3F.db?",
	} {
		if got := sqliteName(path, nil, Options{}); !strings.HasPrefix(got, want) {
			t.Errorf("%s becomes %s", path, got)
		}
	}
}
