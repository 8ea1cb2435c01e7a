package evidence

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"verdict/internal/sealing"
)

func TestLeafText(t *testing.T) {
	t.Parallel()
	l := Leaf{
		Kind:       Decision,
		ID:         "dec_1",
		At:         "2026-11-16T15:30:00.123456Z",
		Reference:  sealing.Hash{0xab},
		Row:        sealing.Hash{0xcd},
		Commitment: sealing.Hash{0xef},
		Backfilled: true,
	}
	zeros := string(bytes.Repeat([]byte("00"), 31))
	want := `{"at":"2026-11-16T15:30:00.123456Z","backfilled":true,"commit":"ef` + zeros + `","hash":"cd` + zeros +
		`","id":"dec_1","kind":"decision","ref":"ab` + zeros + `","v":1}`
	if got := string(l.Append(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	l = Leaf{Kind: Config, ID: "c", At: "then", Row: sealing.Hash{0xcd}}
	want = `{"at":"then","hash":"cd` + zeros + `","id":"c","kind":"config","v":1}`
	if got := string(l.Append(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestLeafIsCanonical checks for random leaves that the text is canonical JSON,
// and that ParseLeaf returns the same leaf.
func TestLeafIsCanonical(t *testing.T) {
	t.Parallel()
	hash := rapid.Custom(func(t *rapid.T) sealing.Hash {
		return sealing.Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "hash"))
	})
	rapid.Check(t, func(t *rapid.T) {
		l := Leaf{
			Kind:       rapid.SampledFrom([]Kind{Decision, Review, RuleSet, Erasure, Reopened}).Draw(t, "kind"),
			ID:         rapid.StringMatching(`[ -~é₹]*`).Draw(t, "id"),
			At:         rapid.StringMatching(`[ -~]*`).Draw(t, "at"),
			Reference:  hash.Draw(t, "reference"),
			Row:        sealing.Hash(append([]byte{1}, make([]byte, 31)...)),
			Commitment: hash.Draw(t, "commitment"),
			Backfilled: rapid.Bool().Draw(t, "backfilled"),
		}
		text := l.Append(nil)
		canonical, err := jcs.Transform(text)
		if err != nil || !bytes.Equal(canonical, text) {
			t.Fatalf("%s is not canonical: %s, %v", text, canonical, err)
		}
		if got, err := ParseLeaf(text); err != nil || got != l {
			t.Fatalf("read %+v, %v", got, err)
		}
		if max(len(l.ID), len(l.At)) > 255 {
			return
		}
		packed := l.Pack(nil)
		if got, err := UnpackLeaf(packed); err != nil || got != l {
			t.Fatalf("unpacked %+v, %v", got, err)
		}
		cut := rapid.IntRange(0, len(packed)-1).Draw(t, "cut")
		if got, err := UnpackLeaf(packed[:cut]); err == nil {
			t.Fatalf("unpacked %d of %d bytes as %+v", cut, len(packed), got)
		}
	})
}

func TestParseLeafRefuses(t *testing.T) {
	t.Parallel()
	l := Leaf{Kind: Decision, ID: "dec_1", At: "now", Row: sealing.Hash{1}}
	good := l.Append(nil)
	for i := range good {
		for _, bad := range [][]byte{
			good[:i],
			append(append(bytes.Clone(good[:i]), ' '), good[i:]...),
			append(bytes.Clone(good[:i]), good[i+1:]...),
		} {
			got, err := ParseLeaf(bad)
			if err == nil && !bytes.Equal(got.Append(nil), bad) {
				t.Errorf("%s was read as %s", bad, got.Append(nil))
			}
		}
	}
	for name, bad := range map[string]string{
		"another kind":       `{"at":"now","hash":"` + hex64 + `","id":"x","kind":"other","v":1}`,
		"another version":    `{"at":"now","hash":"` + hex64 + `","id":"x","kind":"config","v":2}`,
		"another member":     `{"at":"now","hash":"` + hex64 + `","id":"x","kind":"config","more":1,"v":1}`,
		"a member twice":     `{"at":"now","at":"now","hash":"` + hex64 + `","id":"x","kind":"config","v":1}`,
		"not backfilled":     `{"at":"now","backfilled":false,"hash":"` + hex64 + `","id":"x","kind":"config","v":1}`,
		"a time as a number": `{"at":1,"hash":"` + hex64 + `","id":"x","kind":"config","v":1}`,
		"no hash":            `{"at":"now","id":"x","kind":"config","v":1}`,
		"a hash too short":   `{"at":"now","hash":"00","id":"x","kind":"config","v":1}`,
		"upper case digits":  `{"at":"now","hash":"AB` + hex64[2:] + `","id":"x","kind":"config","v":1}`,
		"two documents":      string(good) + string(good),
	} {
		if got, err := ParseLeaf([]byte(bad)); err == nil {
			t.Errorf("%s was read: %+v", name, got)
		}
	}
}

const hex64 = "cd00000000000000000000000000000000000000000000000000000000000000"

func FuzzParseLeaf(f *testing.F) {
	l := Leaf{Kind: Decision, ID: "dec_1", At: "now", Row: sealing.Hash{1}, Commitment: sealing.Hash{2}}
	f.Add(l.Append(nil))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := ParseLeaf(text); err == nil && !bytes.Equal(got.Append(nil), text) {
			t.Errorf("%q was read as %q", text, got.Append(nil))
		}
	})
}

// TestUnpackLeafRefuses checks that bytes that Pack does not write are no leaf.
func TestUnpackLeafRefuses(t *testing.T) {
	t.Parallel()
	l := Leaf{Kind: Decision, ID: "dec_1", At: "then", Row: sealing.Hash{1}, Reference: sealing.Hash{2}}
	packed := l.Pack(nil)
	if got, err := UnpackLeaf(packed); err != nil || got != l {
		t.Fatalf("got %v, %v", got, err)
	}
	hash := len(sealing.Hash{})
	for name, from := range map[string][]byte{
		"an unknown flag":      append([]byte{packed[0], packed[1], packed[2] | 8}, packed[3:]...),
		"a reference of zeros": append(bytes.Clone(packed[:len(packed)-hash]), make([]byte, hash)...),
		"a row of zeros": append(append(bytes.Clone(packed[:len(packed)-2*hash]), make([]byte, hash)...),
			bytes.Repeat([]byte{2}, hash)...),
		"a further byte":          append(bytes.Clone(packed), 0),
		"a byte less":             packed[:len(packed)-1],
		"no reference":            packed[:len(packed)-hash],
		"a flag and no such hash": append([]byte{packed[0], packed[1], packed[2] | hasCommitment}, packed[3:]...),
		"nothing":                 nil,
	} {
		if got, err := UnpackLeaf(from); !errors.Is(err, ErrNotALeaf) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// FuzzUnpackLeaf checks that every leaf has only one packed form, and that no bytes make
// UnpackLeaf panic.
func FuzzUnpackLeaf(f *testing.F) {
	l := Leaf{Kind: Decision, ID: "dec_1", At: "then", Row: sealing.Hash{1}, Reference: sealing.Hash{2}}
	f.Add(l.Pack(nil))
	l = Leaf{Kind: Config, ID: "c", At: "", Row: sealing.Hash{1}, Commitment: sealing.Hash{3}, Backfilled: true}
	f.Add(l.Pack(nil))
	l.ID, l.At = strings.Repeat("i", 255), strings.Repeat("t", 255)
	f.Add(l.Pack(nil))
	f.Fuzz(func(t *testing.T, from []byte) {
		l, err := UnpackLeaf(from)
		if err == nil && !bytes.Equal(l.Pack(nil), from) {
			t.Errorf("%x is packed as %x", from, l.Pack(nil))
		}
	})
}
