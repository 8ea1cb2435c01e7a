package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReopening checks the form of the first leaf of a reopened log, and that no other form
// is accepted.
func TestReopening(t *testing.T) {
	t.Parallel()
	leaf := Reopening{
		Origin:     "verdict/ten_A/live#2",
		At:         "2026-11-17T02:00:00.000Z",
		Checkpoint: "verdict/ten_A/live\n5\nAA==\n\n— s\n",
		Kept:       2,
		Reason:     "the disk of node 1 failed",
	}
	const want = `{"at":"2026-11-17T02:00:00.000Z","checkpoint":"verdict/ten_A/live\n5\nAA==\n\n— s\n",` +
		`"id":"verdict/ten_A/live#2","kept":2,"kind":"reopened","reason":"the disk of node 1 failed","v":1}`
	text := leaf.Append(nil)
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	again, err := ParseReopening(text)
	if diff := cmp.Diff(leaf, again); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := ParseLeaf(text); err == nil {
		t.Error("it is taken for another leaf")
	}
	for i := range text {
		altered := []byte(want)
		altered[i] ^= 1
		if again, err := ParseReopening(altered); err == nil && again == leaf {
			t.Errorf("with another byte %d it is read as the same leaf", i)
		}
	}
	for _, text := range []string{"", "{}", " " + want, want + "\n", `{"kept":-1}`} {
		if _, err := ParseReopening([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
