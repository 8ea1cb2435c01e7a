package wire_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"verdict/internal/wire"
)

// checkString compares AppendString with an independent implementation of RFC
// 8785 and parses the string back.
func checkString(t interface{ Fatalf(string, ...any) }, s string) {
	got := wire.AppendString(nil, s)
	plain, err := json.Marshal([]string{s})
	if err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	want, err := jcs.Transform(plain)
	if err != nil || "["+string(got)+"]" != string(want) {
		t.Fatalf("AppendString(%q) = %s, want %s inside the brackets (%v)", s, got, want, err)
	}
	if v, err := wire.Parse(got); err != nil || v.Text() != s {
		t.Fatalf("%q came back as %q (%v)", s, v.Text(), err)
	}
}

func TestAppendStringEveryLowCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(1); r < 0x180; r++ { // Parse rejects the zero character
		checkString(t, "a"+string(r)+"b"+string(r))
	}
	for _, s := range []string{"", "\u2028\u2029", "₹ 50,000", "\U0001f600", "\ufffd", "</script>&", `\"`, "\x7f",
		"\ufeff"} {
		checkString(t, s)
	}
}

func TestAppendStringIsCanonical(t *testing.T) {
	t.Parallel()
	texts := texts()
	rapid.Check(t, func(t *rapid.T) { checkString(t, texts.Draw(t, "s")) })
}

func TestWriter(t *testing.T) {
	t.Parallel()
	var w wire.Writer
	w.Object()
	w.Key("array").Array().Int(-1).Decimal(150, 2).String("x").Bool(true).Null().EndArray()
	w.Key("empty").Object().EndObject()
	w.Key("nested").Array().Array().EndArray().Object().Key("a").Bool(false).Key(
		"b").Array().EndArray().EndObject().EndArray()
	w.Name("\"").Null()
	w.EndObject()
	want := `{"array":[-1,1.5,"x",true,null],"empty":{},"nested":[[],{"a":false,"b":[]}],"\"":null}`
	if got := string(w.Buf); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWriterReusesItsBuffer(t *testing.T) {
	t.Parallel()
	buf := make([]byte, 0, 64)
	w := wire.Writer{Buf: buf}
	w.Array().Int(1).EndArray()
	if &w.Buf[0] != &buf[:1][0] {
		t.Error("the buffer was not used")
	}
}

// write writes a parsed document back to text.
func write(w *wire.Writer, v wire.Value) {
	switch v.Kind() {
	case wire.Object:
		w.Object()
		for name, m := range v.Members() {
			w.Name(name)
			write(w, m)
		}
		w.EndObject()
	case wire.Array:
		w.Array()
		for _, e := range v.Elements() {
			write(w, e)
		}
		w.EndArray()
	case wire.String:
		w.String(v.Text())
	case wire.Number:
		coef, _, _ := wire.ParseDecimal(v.Text(), 3)
		w.Decimal(coef, 3)
	case wire.Bool:
		w.Bool(v.IsTrue())
	case wire.Missing, wire.Null:
		w.Null()
	}
}

func TestWriteAfterParse(t *testing.T) {
	t.Parallel()
	const doc = `{"b":[1.125,-0.5,0,"é\n",true,false,null,[],{}],"a":{"b":{"c":[[[1]]]}}}`
	v, err := wire.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	var w wire.Writer
	write(&w, v)
	if diff := cmp.Diff(doc, string(w.Buf)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
