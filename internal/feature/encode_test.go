package feature

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// randomVector returns the vector of a random input, in either catalogue.
func randomVector(seed uint64) *Vector {
	r := newSource(seed)
	asOf := r.asOf()
	v := new(Vector)
	Compute(Catalogue1+Catalogue(seed%2), r.history(asOf), r.statement(asOf), asOf, v)
	return v
}

func TestEncodeDecode(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		v := randomVector(seed)
		data := v.Encode(nil)
		back := Vector{known: [len(v.known)]uint64{1}}
		if err := DecodeVector(data, &back); err != nil || back != *v {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestEncodingIsCompact checks the size of a stored vector: one bit for each
// feature and little more than two bytes for each value.
func TestEncodingIsCompact(t *testing.T) {
	t.Parallel()
	h, s := newSource(1).large(asOfDays[11])
	var v Vector
	if n := len(v.Encode(nil)); n != 1+8*len(v.known) {
		t.Errorf("an empty vector takes %d bytes", n)
	}
	Compute(Catalogue1, h, s, asOfDays[11], &v)
	if n := len(v.Encode(nil)); n > 10_000 {
		t.Errorf("a full vector takes %d bytes", n)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	bitmap := make([]byte, 8*len(Vector{}.known))
	first := append([]byte{1}, bitmap...)
	first[1] = 1
	last := append([]byte{1}, bitmap...)
	last[len(last)-1] = 0x80
	huge := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":             {nil, errVersion},
		"another version":     {append([]byte{3}, bitmap...), errVersion},
		"half a bitmap":       {[]byte{1, 0, 0}, errCut},
		"no value":            {first, errCut},
		"half a value":        {append(slices.Clone(first), 0x80), errCut},
		"a long zero":         {append(slices.Clone(first), 0x80, 0), errForm},
		"a huge value":        {append(slices.Clone(first), huge...), errForm},
		"more than is needed": {append(append([]byte{1}, bitmap...), 0), errForm},
		"a bit of no feature": {last, errForm},
	} {
		v := *randomVector(1)
		if err := DecodeVector(c.data, &v); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		} else if v.known != (Vector{}).known {
			t.Errorf("%s: something is known", name)
		}
	}
}

func FuzzDecodeVector(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(randomVector(seed).Encode(nil))
	}
	f.Add([]byte{})
	f.Add([]byte{byte(Catalogue2)})
	f.Fuzz(func(t *testing.T, data []byte) {
		var v Vector
		if DecodeVector(data, &v) != nil {
			return
		}
		if again := v.Encode(nil); !bytes.Equal(again, data) {
			t.Errorf("%x is read, and written as %x", data, again)
		}
		_ = v.Hash()
	})
}
