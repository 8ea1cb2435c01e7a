package study

import "testing"

// TestReadReplayed checks that the stored input of a chunk can be read,
// including inputs stored by earlier releases.
func TestReadReplayed(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]replayed{
		"dec_1 dec_5":       {"dec_1", "dec_5", "dec_5"},
		" dec_5":            {"", "dec_5", "dec_5"},
		"dec_1 dec_5 dec_7": {"dec_1", "dec_5", "dec_7"},
		" dec_5 dec_5":      {"", "dec_5", "dec_5"},
		"dec_1  dec_7":      {"dec_1", "", "dec_7"},
		"dec_1 dec_5 ":      {"dec_1", "dec_5", ""},
	} {
		if got := readReplayed([]byte(input)); got != want {
			t.Errorf("%q is %+v", input, got)
		}
	}
	r := replayed{"dec_1", "dec_5", "dec_7"}
	if got := readReplayed(r.input()); got != r {
		t.Errorf("%+v comes back as %+v", r, got)
	}
}
