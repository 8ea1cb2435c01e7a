package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"verdict/internal/wire"
)

func TestRaw(t *testing.T) {
	t.Parallel()
	var w wire.Writer
	w.Object().Key("stored").Raw([]byte(`{"b":1,"a":[]}`)).Key("list").Array()
	w.Int(1).Raw([]byte(`"two"`)).Raw([]byte(`[3]`)).EndArray().Key("last").Raw([]byte(`null`)).EndObject()
	want := `{"stored":{"b":1,"a":[]},"list":[1,"two",[3]],"last":null}`
	if got := string(w.Buf); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	var w wire.Writer
	w.Object().Members([]byte(`{}`)).Members([]byte(`{"a":1,"b":{"c":[]}}`)).Members([]byte(`{}`)).Key("d").Int(
		2).EndObject()
	if got, want := string(w.Buf), `{"a":1,"b":{"c":[]},"d":2}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestValueKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ document, want string }{
		{` { "b" : [ 1.50 , -0 , 1E+2 , 1e-7 ] , "a" : null , "" : { } , "c":[ ] } `,
			`{"b":[1.50,-0,1E+2,1e-7],"a":null,"":{},"c":[]}`},
		{`"\u0041\u20b9\ud83d\ude00\/\n\u0001"`, `"A₹😀/\n\u0001"`},
		{`{"\u0022\\":[true,false,null]}`, `{"\"\\":[true,false,null]}`},
		{`null`, `null`}, {`0`, `0`}, {`true`, `true`},
	} {
		v, err := wire.Parse([]byte(c.document))
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		if diff := cmp.Diff(c.want, string(w.Value(v).Buf)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.document, diff)
		}
	}
	var w wire.Writer
	w.Array().Int(1).Value(wire.Value{}).Value(wire.Value{}.Get("x")).EndArray()
	if got := string(w.Buf); got != "[1,null,null]" {
		t.Errorf("values that are missing were written as %s", got)
	}
}

// TestValueKeepsTheMeaning checks that parsing and writing a document does not
// change its canonical form. An independent implementation of RFC 8785 computes
// the canonical form.
func TestValueKeepsTheMeaning(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		document, err := json.MarshalIndent([]any{anything(3).Draw(t, "document")}, "",
			rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := wire.Parse(document)
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		w.Value(v)
		want, err := jcs.Transform(document)
		if err != nil {
			t.Fatal(err)
		}
		got, err := jcs.Transform(w.Buf)
		if err != nil {
			t.Fatalf("%s is not JSON: %v", w.Buf, err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		again, err := wire.Parse(w.Buf)
		if err != nil {
			t.Fatal(err)
		}
		var twice wire.Writer
		if diff := cmp.Diff(string(w.Buf), string(twice.Value(again).Buf)); diff != "" {
			t.Fatalf("written a second time (-want +got):\n%s", diff)
		}
	})
}

// texts generates any text that Parse accepts: any text without the zero character. Each test must call texts itself
// and not share a generator, because a generator stores its name at the first draw.
func texts() *rapid.Generator[string] {
	return rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
}

// anything generates a JSON value as encoding/json decodes it into an interface.
func anything(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(texts(), func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(-1e15, 1e15), func(n int64) any { return n }),
		rapid.Map(rapid.Float64Range(-1e15, 1e15), func(x float64) any { return x }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := anything(depth - 1)
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(inner, 0, 5), func(list []any) any { return list }),
		rapid.Map(rapid.MapOfN(texts(), inner, 0, 5), func(m map[string]any) any { return m }))...)
}
