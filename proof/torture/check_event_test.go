package torture

import (
	"crypto/rand"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
)

// TestNotedCheckpoints compares checkpoints that were read during a run with a log of three leaves.
func TestNotedCheckpoints(t *testing.T) {
	t.Parallel()
	private, public, err := note.GenerateKey(rand.Reader, "log.example")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	var roots evidence.Roots
	var rootAt []tlog.Hash
	for _, leaf := range []string{"a", "b", "c"} {
		roots.Add(tlog.RecordHash([]byte(leaf)))
		rootAt = append(rootAt, roots.Root())
	}
	of := func(size int64, root tlog.Hash) evidence.Checkpoint {
		return evidence.Checkpoint{Origin: "log.example", Size: size, Root: root}
	}
	for _, test := range []struct {
		name, broken string
		noted        evidence.Checkpoint
	}{
		{"of today", "", of(3, rootAt[2])},
		{"of before", "", of(1, rootAt[0])},
		{"of the empty log", "", of(0, tlog.Hash{})},
		{"of another log with as many leaves", "another root", of(2, rootAt[0])},
		{"of a log that was longer", "had answered", of(4, rootAt[2])},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			signed, err := test.noted.Sign(signer)
			if err != nil {
				t.Fatal(err)
			}
			b.one.history = history{
				rootAt: rootAt, signed: of(3, rootAt[2]), verifier: verifier, noted: [][]byte{signed},
			}
			c := &checker{Workload: &Workload{model: b.m}, scope: b.one}
			c.notedAgree()
			if test.broken == "" {
				b.holds()
			} else {
				b.broken("log-grows", test.broken)
			}
			if n := b.m.count.Checkpoints; n != 1 {
				t.Errorf("%d checkpoints were compared", n)
			}
		})
	}
}
