package rule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestTruthsKeepAll checks that At returns the stored results, and that Next
// returns exactly the conditions that do not fail, in order.
func TestTruthsKeepAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.SampledFrom([]Truth{Unknown, Fails, Fails, Fails, Holds}), 0, 200).Draw(t,
			"truths")
		var truths Truths
		truths.reset(rapid.IntRange(0, 300).Draw(t, "before"))
		for i := range truths.words {
			truths.words[i] = truthWord{holds: ^uint64(0), unknown: ^uint64(0)}
		}
		words := truths.reset(len(want))
		var visits []int
		for i, truth := range want {
			words[i>>6].put(1<<(i&63), truth)
			if truth != Fails {
				visits = append(visits, i)
			}
		}
		var got []Truth
		var visited []int
		for i := range want {
			got = append(got, truths.At(i))
		}
		for i := truths.Next(0); i >= 0; i = truths.Next(i + 1) {
			visited = append(visited, i)
		}
		if diff := cmp.Diff(append([]Truth(nil), want...), got); diff != "" {
			t.Fatalf("truths (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(visits, visited); diff != "" {
			t.Fatalf("visits (-want +got):\n%s", diff)
		}
	})
}

// TestTextsAreFound checks that a text is found under its own number even if
// other texts share its hash bucket.
func TestTextsAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab]{0,4}|[A-D]{8}`), 0, 60, rapid.ID[string]).Draw(t,
			"texts")
		var numbered texts
		for i, text := range list {
			if n := numbered.intern(text); n != Number(i) {
				t.Fatalf("text %d is numbered %d", i, n)
			}
		}
		for i, text := range list {
			if n := numbered.find(text); n != Number(i) {
				t.Fatalf("text %d is found as %d", i, n)
			}
		}
		other := rapid.StringMatching(`[ab]{5}|[A-E]{9}`).Draw(t, "other")
		if n := numbered.find(other); n != noText {
			t.Fatalf("a text that is not there is found as %d", n)
		}
	})
}
