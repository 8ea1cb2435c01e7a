package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestCorpusHashes decides a fixed corpus of more than 10,000 applications,
// under the default policy and 40 generated ones, and compares the hashes with
// the committed ones: they are the same on every machine, with every version of
// Go and in every release of one engine.Version.
//
// A change of testdata/corpus.golden means that some decision has changed, and
// then engine.Version must change with it. Rewrite it with -update.
//
// The test stands alone, so that it also runs as a cross-compiled binary from
// this directory:
//
//	GOARCH=arm64 go test -c -o engine.arm64.test . && qemu-aarch64 ./engine.arm64.test -test.run TestCorpusHashes
func TestCorpusHashes(t *testing.T) {
	t.Parallel()
	const (
		golden     = "testdata/corpus.golden"
		policies   = 41
		applicants = 256
		perLine    = 500
	)
	var b strings.Builder
	fmt.Fprintf(&b, "engine %s\n", engine.Version)
	fold, count := sha256.New(), 0
	flush := func() {
		first := (count - 1) / perLine * perLine
		fmt.Fprintf(&b, "%05d-%05d %x\n", first, count-1, fold.Sum(nil))
		fold.Reset()
	}
	var decision engine.Decision
	for p := range uint64(policies) {
		g := &generated{document: engine.DefaultPolicyJSON(), fields: coreFields}
		if p > 0 {
			g = generatePolicy(p << 40)
		}
		plan := compile(t, g.document)
		d := newDice(p<<40 | 1)
		for i := range applicants {
			facts := g.facts(d)
			if p == 0 && i%4 != 0 { // most applicants of the default policy are believable ones
				facts = applicant(d)
			}
			plan.Decide(decodeFacts(t, encode(t, facts)), &decision)
			fold.Write([]byte(decision.Hash()))
			if count++; count%perLine == 0 {
				flush()
			}
		}
	}
	flush()

	if *engine.UpdateGolden {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(b.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Errorf("line %d of %s is no longer true: decisions have changed, so engine.Version must change", i+1, golden)
		}
	}
	if len(want) != b.Len() {
		t.Errorf("%s has another length", golden)
	}
}
