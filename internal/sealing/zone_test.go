package sealing

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		salt := Salt(rapid.SliceOfN(rapid.Byte(), SaltSize, SaltSize).Draw(t, "salt"))
		sealer := NewSealer(Secret{7}, "dec_1")
		sealed := sealer.Seal([]byte("before"), hashOf(Applicant, salt, data), data)
		if len(sealed) != len("before")+len(data)+Overhead {
			t.Fatalf("%d bytes become %d", len(data), len(sealed))
		}
		if !bytes.HasPrefix(sealed, []byte("before")) {
			t.Fatal("what was there is gone")
		}
		got, err := sealer.Open(Applicant, sealed[len("before"):])
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("opened %x, %v", got, err)
		}
	})
}

func hashOf(zone Zone, salt Salt, data []byte) ZoneHash {
	return ZoneHash{zone, HashZone(zone, salt, data)}
}

// TestOpenRefuses checks that a ciphertext cannot be opened if any bit is changed,
// if it is cut short, or with another zone, decision or key.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	sealer := NewSealer(Secret{7}, "dec_1")
	income := []byte("income 50,000")
	sealed := sealer.Seal(nil, hashOf(Applicant, Salt{1}, income), income)
	refused := func(what string, s Sealer, zone Zone, sealed []byte) {
		t.Helper()
		if data, err := s.Open(zone, sealed); !errors.Is(err, ErrUnreadable) {
			t.Errorf("%s: opened %q, %v", what, data, err)
		}
	}
	refused("another zone", sealer, Device, sealed)
	refused("another decision", NewSealer(Secret{7}, "dec_2"), Applicant, sealed)
	refused("another person", NewSealer(Secret{8}, "dec_1"), Applicant, sealed)
	refused("nothing", sealer, Applicant, nil)
	for i := range sealed {
		refused("cut", sealer, Applicant, sealed[:i])
		for bit := range 8 {
			bad := bytes.Clone(sealed)
			bad[i] ^= 1 << bit
			refused("changed", sealer, Applicant, bad)
		}
	}
}

// TestNoNonceTwice seals one zone of one decision with many salts and data. It checks
// that no two ciphertexts have the same nonce, and that the same salt and data give
// the same ciphertext.
func TestNoNonceTwice(t *testing.T) {
	t.Parallel()
	sealer := NewSealer(Secret{7}, "dec_1")
	seen := map[string]bool{}
	for salt := range byte(10) {
		for data := range byte(10) {
			hash := hashOf(Applicant, Salt{salt}, []byte{data})
			one := sealer.Seal(nil, hash, []byte{data})
			two := sealer.Seal(nil, hash, []byte{data})
			nonce := string(one[:nonceSize])
			if seen[nonce] || !bytes.Equal(one, two) {
				t.Fatalf("salt %d, data %d: nonce %x", salt, data, nonce)
			}
			seen[nonce] = true
		}
	}
}

// TestHashesTellApart checks that different zones, commitments, lists of texts
// and references have different hashes.
func TestHashesTellApart(t *testing.T) {
	t.Parallel()
	seen := map[Hash]string{}
	add := func(what string, h Hash) {
		t.Helper()
		if seen[h] != "" {
			t.Errorf("%s has the hash of %s", what, seen[h])
		}
		seen[h] = what
	}
	a, b := HashZone(Applicant, Salt{}, []byte("x")), HashZone(Device, Salt{}, []byte("x"))
	add("a zone", a)
	add("another zone", b)
	add("another salt", HashZone(Applicant, Salt{1}, []byte("x")))
	add("other data", HashZone(Applicant, Salt{}, []byte("y")))
	add("the border moved", HashZone(Applicant, Salt{15: 'x'}, nil))
	add("texts", HashTexts("a", "b"))
	add("the texts' border moved", HashTexts("ab", ""))
	add("one text", HashTexts("ab"))
	add("no zone", Commitment(nil))
	add("one zone", Commitment([]ZoneHash{{Applicant, a}}))
	add("the other zone", Commitment([]ZoneHash{{Applicant, b}}))
	add("both", Commitment([]ZoneHash{{Applicant, a}, {Device, b}}))
	add("both, the other way round", Commitment([]ZoneHash{{Device, b}, {Applicant, a}}))
	add("a reference", Reference(Secret{1}, "applicant"))
	add("under another key", Reference(Secret{2}, "applicant"))
	add("another reference", Reference(Secret{1}, "applicant2"))
}

func BenchmarkSeal(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789"), 300)
	var sealed []byte
	for b.Loop() {
		sealed = NewSealer(Secret{7}, "dec_1").Seal(sealed[:0], hashOf(Applicant, Salt{}, data), data)
	}
}
