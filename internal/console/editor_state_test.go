package console

import (
	"compress/flate"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestEditStateIsReadBack checks that an encoded edit is decoded unchanged.
func TestEditStateIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{
			"", "{", "}", `  "id": "KO_X",`, "=1,2", "+", "a long line of its own", `"₹": 1`,
		})
		words := rapid.SampledFrom([]string{"", "top", `{"id":"KO_X","message":"₹ \"quoted\" </script>"}`})
		lines := rapid.SliceOfN(line, 0, 30)
		base, text := strings.Join(lines.Draw(t, "base"), "\n"), strings.Join(lines.Draw(t, "text"), "\n")
		want := editState{
			text:  text,
			open:  rapid.SampledFrom([]string{"", "knockouts/3"}).Draw(t, "open"),
			focus: words.Draw(t, "focus"),
			fresh: rapid.Bool().Draw(t, "fresh"),
			was:   words.Draw(t, "was"),
			gone:  "factors/0",
			row:   words.Draw(t, "row"),
		}
		got, err := openState(base, pack(want.encode(base), flate.BestCompression), 1<<20)
		if err != nil || got != want {
			t.Fatalf("%+v is read as %+v: %v", want, got, err)
		}
	})
}

// TestEditStateIsBounded checks that a malformed state is refused, and that decoding a state uses no more memory than a
// form.
func TestEditStateIsBounded(t *testing.T) {
	t.Parallel()
	base := strings.Repeat("line\n", 100)
	for _, sealed := range []string{
		"", "!", "AAAA", packed([]byte(`{`)), packed([]byte(`{}`)), packed([]byte(`{"d":"=0,1"}`)),
		packed([]byte(`{"d":"=0,99999999999999999999","c":0}`)), packed([]byte(`{"d":"=-1,1","c":0}`)),
		packed([]byte(`{"d":"=101,1","c":0}`)),
		packed([]byte(`{"d":"=9223372036854775807,9223372036854775807","c":0}`)), packed([]byte(`{"d":"?","c":0}`)),
		packed([]byte(`{"d":7,"c":0}`)),
		packed([]byte(strings.Repeat("a", 2<<20))),                                      // larger than a form may be
		packed([]byte(`{"d":"` + strings.Repeat(`=0,100\n`, 5_000) + `=0,100","c":0}`)), // copies too many lines
	} {
		if got, err := openState(base, sealed, 1<<20); err == nil {
			t.Errorf("%.40q is read as %.80q", sealed, got.text)
		}
	}
}

func packed(data []byte) string { return pack(data, flate.BestSpeed) }

// FuzzEditState decodes arbitrary states. A state that is accepted must respect the size limit.
func FuzzEditState(f *testing.F) {
	const base = "{\n  \"a\": 1\n}"
	f.Add(pack(editState{text: "{\n  \"a\": 2\n}", open: "knockouts/1"}.encode(base), flate.BestCompression))
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, sealed string) {
		state, err := openState(base, sealed, 1<<16)
		if err == nil && len(state.text) > 1<<16 {
			t.Errorf("%d bytes are read", len(state.text))
		}
	})
}
