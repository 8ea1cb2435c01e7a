package compress

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDictionary fails if the dictionary is changed, because then no stored document could be read any more.
func TestDictionary(t *testing.T) {
	t.Parallel()
	const want = "b65db90b51a16ecc4a43bf3abfe2272d649090999798ef8f91cc1234b994e442"
	sum := sha256.Sum256([]byte(dictionary))
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("the dictionary has the hash %s, want %s; it must never change", got, want)
	}
	if len(dictionary) > window/2 {
		t.Errorf("the dictionary has %d bytes; at most half of the window lets documents use all of it",
			len(dictionary))
	}
}

func samples() map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return map[string][]byte{
		"nothing":             {},
		"one byte":            {'{'},
		"seven bytes":         []byte("verdict"),
		"a run":               bytes.Repeat([]byte{'a'}, 70_000),
		"two bytes in turn":   bytes.Repeat([]byte("ab"), 1000),
		"the dictionary":      []byte(dictionary),
		"its end, twice":      []byte(dictionary[len(dictionary)-9:] + dictionary[len(dictionary)-9:]),
		"noise":               noise,
		"noise, twice":        append(bytes.Clone(noise[:60_000]), noise[:60_000]...),
		"beyond the window":   append(bytes.Clone(noise), noise...),
		"a run in noise":      append(bytes.Clone(noise[:300]), bytes.Repeat([]byte{'7'}, 300)...),
		"literals of 15, 270": append(append(bytes.Clone(noise[:15]), strings.Repeat("x", 19)...), noise[15:285]...),
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, document := range samples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := []byte("before")
			compressed := Append(before, document)
			if !bytes.HasPrefix(compressed, before) {
				t.Fatal("the bytes before were changed")
			}
			got, err := Expand(compressed[len(before):], len(document))
			if err != nil || !bytes.Equal(got, document) {
				t.Errorf("%d bytes became %d and then %d, %v", len(document), len(compressed), len(got), err)
			}
			if len(document) > 0 {
				if _, err := Expand(compressed[len(before):], len(document)-1); !errors.Is(err, ErrDamaged) {
					t.Errorf("a document that is too long: %v", err)
				}
			}
		})
	}
}

// TestReusedTable compresses documents in turn with the same table. Earlier documents must not change the result.
func TestReusedTable(t *testing.T) {
	t.Parallel()
	for _, base := range []uint32{0, 1 << 31, math.MaxUint32 - 150_000, math.MaxUint32} {
		reused := &table{base: base}
		for range 3 {
			for name, document := range samples() {
				if len(document) == 0 {
					continue
				}
				got, want := reused.compress(nil, document), new(table).compress(nil, document)
				if !bytes.Equal(got, want) {
					t.Errorf("%s after other documents, base %d: other bytes than with a new table", name, reused.base)
				}
			}
		}
	}
}

// TestDamaged expands truncated and altered bytes. They are refused or become another document of bounded size.
func TestDamaged(t *testing.T) {
	t.Parallel()
	document := []byte(dictionary[100:900] + "4711" + dictionary[300:700])
	compressed := Append(nil, document)
	for i := range compressed {
		if got, err := Expand(compressed[:i], len(document)); err == nil {
			t.Errorf("the first %d of %d bytes became %d bytes", i, len(compressed), len(got))
		}
	}
	for i := range compressed {
		for bit := range 8 {
			altered := bytes.Clone(compressed)
			altered[i] ^= 1 << bit
			if got, err := Expand(altered, len(document)); err == nil && len(got) > len(document) {
				t.Errorf("bit %d of byte %d altered: %d bytes", bit, i, len(got))
			}
		}
	}
	if _, err := Expand(append(bytes.Clone(compressed), 0), len(document)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a further byte: %v", err)
	}
}

func TestAllocations(t *testing.T) {
	document := []byte(dictionary[:3000])
	buffer := make([]byte, 0, 2*len(document))
	compressed := Append(nil, document)
	if n := testing.AllocsPerRun(100, func() { Append(buffer, document) }); n > 0 {
		t.Errorf("compressing allocates %v times", n)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = Expand(compressed, len(document)) }); n > 2 {
		t.Errorf("expanding allocates %v times", n)
	}
}

func FuzzRoundTrip(f *testing.F) {
	for _, document := range samples() {
		f.Add(document[:min(len(document), 4000)])
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		got, err := Expand(Append(nil, document), len(document))
		if err != nil || !bytes.Equal(got, document) {
			t.Errorf("%d bytes became %d, %v", len(document), len(got), err)
		}
		// Expand must also limit its result for bytes that Append has not written.
		if got, err := Expand(document, 1<<16); err == nil && len(got) > 1<<16 {
			t.Errorf("%d bytes became %d", len(document), len(got))
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	document := []byte(dictionary[len(dictionary)-2500:])
	buffer := make([]byte, 0, 2*len(document))
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		Append(buffer, document)
	}
}

func BenchmarkExpand(b *testing.B) {
	document := []byte(dictionary[len(dictionary)-2500:])
	compressed := Append(nil, document)
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		if _, err := Expand(compressed, len(document)); err != nil {
			b.Fatal(err)
		}
	}
}
