package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/transparency-dev/formats/log"
	thirdparty "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const testOrigin = "verdict.example/ten_1/live"

// testLog is a log in memory.
type testLog struct {
	leaves [][]byte
	hashes []tlog.Hash
}

func newTestLog(t *testing.T, size int) *testLog {
	t.Helper()
	l := &testLog{}
	for i := range size {
		leaf := fmt.Appendf(nil, `{"id":"dec_%d"}`, i)
		stored, err := tlog.StoredHashes(int64(i), leaf, l)
		if err != nil {
			t.Fatal(err)
		}
		l.leaves, l.hashes = append(l.leaves, leaf), append(l.hashes, stored...)
	}
	return l
}

func (l *testLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		hashes[i] = l.hashes[at]
	}
	return hashes, nil
}

func (l *testLog) checkpoint(t *testing.T, signer note.Signer) []byte {
	t.Helper()
	root, err := tlog.TreeHash(int64(len(l.leaves)), l)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := Checkpoint{testOrigin, int64(len(l.leaves)), root}.Sign(signer)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

func (l *testLog) prove(t *testing.T, index int, checkpoint []byte) Proof {
	t.Helper()
	path, err := tlog.ProveRecord(int64(len(l.leaves)), int64(index), l)
	if err != nil {
		t.Fatal(err)
	}
	return Proof{int64(index), path, checkpoint}
}

func testSigner(t *testing.T, origin string, seed byte) note.Signer {
	t.Helper()
	signer, err := NewSigner(origin, ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

func verifierOf(t *testing.T, s note.Signer) note.Verifier {
	t.Helper()
	own, ok := s.(signer)
	if !ok {
		t.Fatalf("a %T", s)
	}
	return own.Verifier
}

// TestProofs proves every leaf of logs of many sizes. Our verifier and the
// verifier of transparency.dev must accept each proof for its own leaf, and must
// reject it for another leaf or index.
func TestProofs(t *testing.T) {
	t.Parallel()
	signer := testSigner(t, testOrigin, 1)
	verifier := verifierOf(t, signer)
	for _, size := range []int{1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 64, 100, 255, 256, 257} {
		l := newTestLog(t, size)
		checkpoint := l.checkpoint(t, signer)
		root, _, _, err := log.ParseCheckpoint(checkpoint, testOrigin, verifier)
		if err != nil {
			t.Fatalf("the judge refuses the checkpoint: %v", err)
		}
		for i, leaf := range l.leaves {
			made := l.prove(t, i, checkpoint)
			text := made.Text()
			read, err := ParseProof(text)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := read.Verify(leaf, verifier); err != nil || c.Size != int64(size) {
				t.Fatalf("leaf %d of %d: %+v, %v", i, size, c, err)
			}
			var judge thirdparty.TLogProof
			if err := judge.Unmarshal(text); err != nil {
				t.Fatalf("the judge does not read the proof: %v\n%s", err, text)
			}
			if err := judgeInclusion(&judge, root, leaf); err != nil {
				t.Fatalf("the judge refuses leaf %d of %d: %v", i, size, err)
			}
			other := l.leaves[(i+1)%size]
			if size > 1 {
				if _, err := read.Verify(other, verifier); err == nil {
					t.Fatalf("leaf %d of %d: the proof holds for its neighbour too", i, size)
				}
				read.Index = int64((i + 1) % size)
				if _, err := read.Verify(leaf, verifier); err == nil {
					t.Fatalf("leaf %d of %d: the proof holds for another index too", i, size)
				}
			}
		}
	}
}

func judgeInclusion(p *thirdparty.TLogProof, root *log.Checkpoint, leaf []byte) error {
	path := make([][]byte, len(p.Hashes))
	for i := range p.Hashes {
		path[i] = p.Hashes[i][:]
	}
	hasher := rfc6962.DefaultHasher
	return proof.VerifyInclusion(hasher, p.Index, root.Size, hasher.HashLeaf(leaf), path, root.Hash)
}

// TestEveryByteOfAProofCounts changes each bit of a proof and checks that the
// proof is no longer valid.
func TestEveryByteOfAProofCounts(t *testing.T) {
	t.Parallel()
	signer := testSigner(t, testOrigin, 1)
	l := newTestLog(t, 11)
	made := l.prove(t, 6, l.checkpoint(t, signer))
	text := made.Text()
	for i := range text {
		for bit := range 8 {
			bad := bytes.Clone(text)
			bad[i] ^= 1 << bit
			p, err := ParseProof(bad)
			if err != nil {
				continue
			}
			if c, err := p.Verify(l.leaves[6], verifierOf(t, signer)); err == nil {
				t.Fatalf("bit %d of byte %d changed, and still valid: %+v\n%s", bit, i, c, bad)
			}
		}
	}
}

func TestVerifyRefusesOtherLogs(t *testing.T) {
	t.Parallel()
	signer := testSigner(t, testOrigin, 1)
	l := newTestLog(t, 11)
	p := l.prove(t, 6, l.checkpoint(t, signer))
	for name, other := range map[string]note.Signer{
		"another key":      testSigner(t, testOrigin, 2),
		"another scope":    testSigner(t, "verdict.example/ten_2/live", 1),
		"a reopened log":   testSigner(t, testOrigin+"#2", 1),
		"the same again":   nil,
		"an unsigned note": nil,
	} {
		verifier, proof := verifierOf(t, signer), p
		switch {
		case other != nil:
			verifier = verifierOf(t, other)
		case name == "an unsigned note":
			text, _, _ := bytes.Cut(p.Checkpoint, []byte("\n\n"))
			proof.Checkpoint = append(text, '\n')
		}
		_, err := proof.Verify(l.leaves[6], verifier)
		if (err == nil) != (name == "the same again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// testWitness returns the private key of a witness. raw is the byte of the key type followed by the public key.
func testWitness() (private ed25519.PrivateKey, raw []byte) {
	private = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{5}, ed25519.SeedSize))
	public, _ := private.Public().(ed25519.PublicKey)
	return private, append([]byte{cosignatureV1}, public...)
}

// witnessText returns the form in which a witness publishes a key.
func witnessText(name string, raw []byte) string {
	return fmt.Sprintf("%s+%08x+%s", name, keyID(name, raw), base64.StdEncoding.EncodeToString(raw))
}

// TestCosigned signs a checkpoint as a witness does (C2SP tlog-cosignature). It
// checks that a change of the time, the key, the name or the text makes the
// signature invalid.
func TestCosigned(t *testing.T) {
	t.Parallel()
	private, raw := testWitness()
	const name = "witness.example"
	text := witnessText(name, raw)
	key, err := ParseWitnessKey(text)
	if err != nil {
		t.Fatal(err)
	}

	l := newTestLog(t, 3)
	checkpoint := l.checkpoint(t, testSigner(t, testOrigin, 1))
	signedText, _, _ := bytes.Cut(checkpoint, []byte("\n\n"))
	const at = 1794756394
	line := binary.BigEndian.AppendUint32(nil, key.id)
	line = binary.BigEndian.AppendUint64(line, at)
	line = append(line, ed25519.Sign(private, cosignedText(at, append(bytes.Clone(signedText), '\n')))...)
	cosigned := fmt.Appendf(bytes.Clone(checkpoint), "— %s %s\n", name, base64.StdEncoding.EncodeToString(line))

	if got := Cosigned(cosigned, key); got != at {
		t.Errorf("got %d, want %d", got, at)
	}
	if _, err := OpenCheckpoint(cosigned, verifierOf(t, testSigner(t, testOrigin, 1))); err != nil {
		t.Errorf("a cosigned checkpoint is not read: %v", err)
	}
	if got := Cosigned(checkpoint, key); got != 0 {
		t.Errorf("without a cosignature: %d", got)
	}
	for i := range cosigned {
		if bytes.Contains(checkpoint[len(signedText):], cosigned[i:]) {
			break
		}
		bad := bytes.Clone(cosigned)
		bad[i] ^= 1
		inLogsOwnLine := i >= len(signedText)+2 && i < len(checkpoint)
		if got := Cosigned(bad, key); got != 0 && !inLogsOwnLine {
			t.Fatalf("byte %d changed, and still cosigned at %d", i, got)
		}
	}
	wrongID := name + "+00000000+" + base64.StdEncoding.EncodeToString(raw)
	for _, bad := range []string{"", name, text + "=", "other" + text, wrongID} {
		if _, err := ParseWitnessKey(bad); err == nil {
			t.Errorf("%q was read as a key", bad)
		}
	}
}

func FuzzParseProof(f *testing.F) {
	root := base64.StdEncoding.EncodeToString(make([]byte, tlog.HashSize))
	f.Add([]byte(proofHeader + "index 0\n\n" + testOrigin + "\n1\n" + root + "\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := ParseProof(text); err == nil && !bytes.Equal(p.Text(), text) {
			t.Errorf("%q was read as %q", text, p.Text())
		}
	})
}

func FuzzParseCheckpoint(f *testing.F) {
	f.Add(Checkpoint{Origin: testOrigin, Size: 3}.Text())
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := ParseCheckpoint(text); err == nil && c.Text() != text {
			t.Errorf("%q was read as %q", text, c.Text())
		}
	})
}

// FuzzParseWitnessKey checks that a key that was read is the same after it was written and read
// again. No fuzzer finds the id of a key, which is a hash, so each text is also tried with the
// right id.
func FuzzParseWitnessKey(f *testing.F) {
	_, raw := testWitness()
	f.Add(witnessText("witness.example", raw))
	f.Add(witnessText("w", raw[1:]))
	f.Add("witness.example+00000000+" + base64.StdEncoding.EncodeToString(raw))
	f.Add("+1+")
	f.Fuzz(func(t *testing.T, text string) {
		name, rest, _ := strings.Cut(text, "+")
		_, encoded, _ := strings.Cut(rest, "+")
		texts := []string{text}
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			texts = append(texts, witnessText(name, raw))
		}
		for _, text := range texts {
			key, err := ParseWitnessKey(text)
			if err != nil {
				continue
			}
			if key.Name == "" || strings.Contains(key.Name, "+") || len(key.key) != ed25519.PublicKeySize {
				t.Fatalf("%q was read as %+v", text, key)
			}
			again, err := ParseWitnessKey(witnessText(key.Name, append([]byte{cosignatureV1}, key.key...)))
			if err != nil || again.Name != key.Name || again.id != key.id || !again.key.Equal(key.key) {
				t.Errorf("%q was read as %+v, and that as %+v, %v", text, key, again, err)
			}
			Cosigned([]byte(testOrigin+"\n1\n\n\n— "+text+"\n"), key) // must not panic
		}
	})
}
