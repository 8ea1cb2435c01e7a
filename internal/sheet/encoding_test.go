package sheet

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"verdict/internal/fault"
)

// TestEncoding checks that files are decoded in their encoding, with reads of
// any size, and that files that are not text are rejected.
func TestEncoding(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("1,Pune\n", 200)
	for name, c := range map[string]struct {
		file, want string // want is the end of the decoded text
		encoding   Encoding
		replaced   int64
		refused    bool
	}{
		"ASCII":        {file: many, want: "Pune\n"},
		"UTF-8":        {file: many + "2,Málaga €\n", want: "Málaga €\n"},
		"Windows-1252": {file: many + "2,M\xe1laga \x80\n", want: "Málaga €\n", encoding: Windows1252},
		"no line end":  {file: many + "2,caf\xe9", want: "café", encoding: Windows1252},
		"undefined in 1252": {
			file:     many + "2,M\xe1laga \x81\n",
			want:     "Málaga \uFFFD\n",
			encoding: Windows1252,
			replaced: 1,
		},
		"UTF-8, one byte broken": {
			file:     many + "2,Málaga ₹\n3,\xff\n",
			want:     "3,\uFFFD\n",
			encoding: PatchedUTF8,
			replaced: 1,
		},
		"UTF-8, cut at the end": {
			file:     many + "2,Málaga ₹ ₹\n3,\xe2\x82",
			want:     "3,\uFFFD\uFFFD",
			encoding: PatchedUTF8,
			replaced: 1,
		},
		"one NUL":   {file: many + "2,\x00\n", want: "2,\uFFFD\n", encoding: PatchedUTF8, replaced: 1},
		"UTF-16":    {file: "\xff\xfea\x00\n\x00", refused: true},
		"a program": {file: strings.Repeat("\x7fELF\x00\x01\x81\n", 50), refused: true},
		"above 1 %": {file: strings.Repeat("1,₹₹₹₹₹₹\n", 150) + "2,\xff\n3,\xff\n", refused: true},
	} {
		for piece, in := range map[string]io.Reader{
			"whole": strings.NewReader(c.file), "bytes": iotest.OneByteReader(strings.NewReader(c.file)),
			"end": iotest.DataErrReader(strings.NewReader(c.file)),
		} {
			p, err := FindEncoding(in)
			var refusal *fault.Error
			if c.refused {
				if !errors.As(err, &refusal) || refusal.Code != fault.CodeBadUTF8 {
					t.Errorf("%s, %s: %v", name, piece, err)
				}
				continue
			}
			if err != nil || p.Encoding != c.encoding || p.Replaced != c.replaced {
				t.Errorf("%s, %s: %+v, %v", name, piece, p, err)
			}
			got, err := io.ReadAll(p.Encoding.Decode(iotest.HalfReader(strings.NewReader(c.file))))
			if err != nil || !strings.HasSuffix(string(got), c.want) {
				t.Errorf("%s: ends with %q, want %q (%v)", name, got[max(0, len(got)-20):], c.want, err)
			}
		}
	}
}

// TestDecodedIsUTF8 checks that arbitrary bytes are decoded to valid UTF-8, and
// that the result does not depend on the size of the reads.
func TestDecodedIsUTF8(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		file := rapid.SliceOf(rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte("a,\n\xe2\x82\xb9")))).Draw(t, "file")
		for _, e := range []Encoding{Windows1252, PatchedUTF8} {
			whole, err := io.ReadAll(e.Decode(bytes.NewReader(file)))
			if err != nil || !bytes.Equal(whole, bytes.ToValidUTF8(whole, nil)) || bytes.IndexByte(whole, 0) >= 0 {
				t.Fatalf("%v: %q, %v", e, whole, err)
			}
			pieces, err := io.ReadAll(e.Decode(iotest.OneByteReader(bytes.NewReader(file))))
			if err != nil || !bytes.Equal(whole, pieces) {
				t.Fatalf("%v: %q in pieces is %q, %v", e, whole, pieces, err)
			}
		}
	})
}
