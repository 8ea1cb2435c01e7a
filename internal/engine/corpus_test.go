package engine_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/golden"
)

// TestCorpusHashes decides two fixed corpora of more than 10,000 applications
// each, one for each semantics. It uses the default policy of that semantics
// and 40 generated policies. It compares the hashes with the committed hashes,
// which must be the same on every machine, with every version of Go and in
// every release.
//
// The corpus of a published semantics never changes. The corpus of the newest
// semantics may change only until that semantics is released.
//
// The test depends on no other test, so it also runs as a cross-compiled binary
// from this directory:
//
//	GOARCH=arm64 go test -c -o engine.arm64.test . && qemu-aarch64 ./engine.arm64.test -test.run TestCorpusHashes
func TestCorpusHashes(t *testing.T) {
	t.Parallel()
	first, err := os.ReadFile("testdata/default_policy_1.json")
	if err != nil {
		t.Fatal(err)
	}
	corpusHashes(t, 1, "testdata/corpus.golden", first, generatePolicy)
	corpusHashes(t, 2, "testdata/corpus_2.golden", engine.DefaultPolicyJSON(), generateNewest)
}

func corpusHashes(t *testing.T, semantics int, path string, starting []byte, generate func(seed uint64) *generated) {
	t.Helper()
	const (
		policies   = 41
		applicants = 256
		perLine    = 500
	)
	var b strings.Builder
	fmt.Fprintf(&b, "semantics %d\n", semantics)
	fold, count := sha256.New(), 0
	flush := func() {
		first := (count - 1) / perLine * perLine
		fmt.Fprintf(&b, "%05d-%05d %x\n", first, count-1, fold.Sum(nil))
		fold.Reset()
	}
	var decision engine.Decision
	for p := range uint64(policies) {
		g := &generated{document: starting, fields: coreFields}
		if p > 0 {
			g = generate(p << 40)
		}
		plan := compile(t, g.document)
		d := newDice(p<<40 | 1)
		for i := range applicants {
			facts := g.facts(d)
			if p == 0 && i%4 != 0 { // for the default policy, three in four applicants are realistic
				facts = applicant(d)
				if semantics > 1 {
					ownAccounts(d, facts)
				}
			}
			plan.Decide(decodeFacts(t, encode(t, facts)), &decision)
			fold.Write([]byte(decision.Hash()))
			if count++; count%perLine == 0 {
				flush()
			}
		}
	}
	flush()
	compareCorpus(t, path, b.String())
}

func compareCorpus(t *testing.T, path, text string) {
	t.Helper()
	if golden.Update() {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(text, "\n")
	for i, line := range strings.Split(string(want), "\n") {
		if i >= len(got) || got[i] != line {
			t.Errorf("line %d of %s is no longer true: decisions of a published semantics have changed", i+1, path)
		}
	}
	if len(want) != len(text) {
		t.Errorf("%s has another length", path)
	}
}
