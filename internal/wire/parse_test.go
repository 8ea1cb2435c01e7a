package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// members returns an object with n members named "m0", "m1" and so on, followed by the text in the parameter
// more.
func members(n int, more string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"m%d":{"x":[%d]},`, i, i)
	}
	return b.String() + more + "}"
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct{ name, in, code, pointer, detail string }{
		{"nothing", "", "malformed_json", "", "line 1, column 1: the document is empty"},
		{"only space", " \n\t\r ", "malformed_json", "", "line 2, column 4: the document is empty"},
		{"two byte order marks", "\ufeff\ufeff{}", "malformed_json", "", "a value was expected"},
		{"byte order mark alone", "\ufeff", "malformed_json", "", "the document is empty"},
		{"byte order mark inside", "{\ufeff}", "malformed_json", "", ""},
		{"NaN", `{"a":NaN}`, "malformed_json", "", "line 1, column 6: a value was expected"},
		{"nan", `nan`, "malformed_json", "", "a value was expected"},
		{"Infinity", `Infinity`, "malformed_json", "", "a value was expected"},
		{"negative infinity", `-Infinity`, "malformed_json", "", "a number must have digits"},
		{"capital literal", `True`, "malformed_json", "", "a value was expected"},
		{"cut literal", `tru`, "malformed_json", "", "a value was expected"},
		{"long literal", `nulls`, "malformed_json", "", "unexpected text after the document"},
		{"trailing text", "{}\n{}", "malformed_json", "", "line 2, column 1: unexpected text after the document"},
		{"trailing NUL", "1\x00", "malformed_json", "", "unexpected text after the document"},
		{"comment", `{} // why`, "malformed_json", "", "unexpected text after the document"},

		{"leading zero", `01`, "malformed_json", "", "no leading zero"},
		{"negative leading zero", `-01`, "malformed_json", "", "no leading zero"},
		{"double zero", `[00]`, "malformed_json", "", "no leading zero"},
		{"plus sign", `+1`, "malformed_json", "", "a value was expected"},
		{"only a minus", `-`, "malformed_json", "", "a number must have digits"},
		{"no digit before the point", `.5`, "malformed_json", "", "a value was expected"},
		{"no digit after the point", `5.`, "malformed_json", "", "a digit was expected after the decimal point"},
		{"no digit in the exponent", `5e+`, "malformed_json", "", "a digit was expected in the exponent"},
		{"hexadecimal", `0x10`, "malformed_json", "", "unexpected text"},
		{"digit group", `1_000`, "malformed_json", "", "unexpected text"},

		{"1e16", `{"a":[0,1e16]}`, "number_out_of_range", "/a/1", "beyond ±1e15"},
		{"1e400", `{"a~/b":1e400}`, "number_out_of_range", "/a~0~1b", "beyond ±1e15"},
		{"-1e400", `-1e400`, "number_out_of_range", "", "beyond ±1e15"},
		{"a very great exponent", `[1e99999999999999999999]`, "number_out_of_range", "/0", "beyond ±1e15"},
		{"just beyond, whole", `1000000000000001`, "number_out_of_range", "", "beyond ±1e15"},
		{"just beyond, by a fraction", `[-1000000000000000.1]`, "number_out_of_range", "/0", "beyond ±1e15"},
		{"many digits", `[` + strings.Repeat("9", 5000) + `]`, "number_out_of_range", "/0", "beyond ±1e15"},

		{"invalid UTF-8 in a string", "\"\xff\"", "malformed_json", "", "not valid UTF-8"},
		{"invalid UTF-8 in a name", "{\"\xc0\xaf\":1}", "malformed_json", "", "not valid UTF-8"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "malformed_json", "", "not valid UTF-8"},
		{"zero character", `"a\u0000b"`, "malformed_json", "", `a zero character`},
		{"lone high surrogate", `"\ud83d"`, "malformed_json", "", `an invalid \u escape`},
		{"high surrogate and text", `"\ud83dabcdef"`, "malformed_json", "", `an invalid \u escape`},
		{"high surrogate and another escape", `"\ud83d\n12345"`, "malformed_json", "", `an invalid \u escape`},
		{"two high surrogates", `"\ud83d\ud83d"`, "malformed_json", "", `an invalid \u escape`},
		{"lone low surrogate", `"\ude00"`, "malformed_json", "", `an invalid \u escape`},
		{"halves in the wrong order", `"\ude00\ud83d"`, "malformed_json", "", `an invalid \u escape`},
		{"lone surrogate in a name", `{"\udfff":1}`, "malformed_json", "", `an invalid \u escape`},
		{"short escape", `"\u12"`, "malformed_json", "", `an invalid \u escape`},
		{"signed escape", `"\u+123"`, "malformed_json", "", `an invalid \u escape`},
		{"grouped escape", `"\u1_23"`, "malformed_json", "", `an invalid \u escape`},
		{"unknown escape", `"\x41"`, "malformed_json", "", "an unknown escape"},
		{"tab in a string", "\"a\tb\"", "malformed_json", "", "a control character"},
		{"newline after an escape", "\"\\n\n\"", "malformed_json", "", "a control character"},
		{"NUL in a string", "\"\x00\"", "malformed_json", "", "a control character"},
		{"unclosed string", `"abc`, "malformed_json", "", "the document ends inside a string"},
		{"unclosed string after an escape", `"a\n`, "malformed_json", "", "the document ends inside a string"},
		{"string ending in a backslash", `"a\`, "malformed_json", "", "the document ends inside a string"},
		{"single quotes", `'a'`, "malformed_json", "", "a value was expected"},

		{"unclosed array", `[1`, "malformed_json", "", "the document ends inside an array"},
		{"open array", `[`, "malformed_json", "", "the document ends where a value was expected"},
		{"comma before ]", `[1,]`, "malformed_json", "", "a value was expected"},
		{"no comma", `[1 2]`, "malformed_json", "", "',' or ']' was expected"},
		{"wrong bracket", `[1}`, "malformed_json", "", "',' or ']' was expected"},
		{"unclosed object", `{"a":1`, "malformed_json", "", "the document ends inside an object"},
		{"open object", `{`, "malformed_json", "", "a member name in double quotes was expected"},
		{"comma before }", `{"a":1,}`, "malformed_json", "", "a member name in double quotes was expected"},
		{"bare name", `{a:1}`, "malformed_json", "", "a member name in double quotes was expected"},
		{"number as name", `{1:1}`, "malformed_json", "", "a member name in double quotes was expected"},
		{"no colon", `{"a" 1}`, "malformed_json", "", "':' was expected"},
		{"no value", `{"a":}`, "malformed_json", "", "a value was expected"},
		{"no comma between members", `{"a":1 "b":2}`, "malformed_json", "", "',' or '}' was expected"},

		{"one level too deep", deep(wire.MaxDepth + 1), "malformed_json", "", "nested more than 128 levels deep"},
		{"depth bomb", strings.Repeat("[", 1<<20), "malformed_json", "", "nested more than 128 levels deep"},
		{"depth bomb of objects", strings.Repeat(`{"a":`, 1<<18), "malformed_json", "",
			"nested more than 128 levels deep"},

		{"duplicate", `{"a":1,"a":1}`, "duplicate_key", "/a", "a member is given twice"},
		{"duplicate null", `{"a":null,"b":2,"a":null}`, "duplicate_key", "/a", "given twice"},
		{"duplicate by escape", `{"a/~":1,"\u0061\/~":2}`, "duplicate_key", "/a~1~0", "given twice"},
		{"duplicate empty name", `{"":1,"":2}`, "duplicate_key", "/", "given twice"},
		{"duplicate deep inside", `{"x":[0,{"y":{"b":[],"b":{}}}]}`, "duplicate_key", "/x/1/y/b", "given twice"},
		{"duplicate at the map's threshold", members(16, `"m15":1`), "duplicate_key", "/m15", "given twice"},
		{"duplicate of the first of many", members(40, `"m0":1`), "duplicate_key", "/m0", "given twice"},
		{"duplicate of a late one of many", members(40, `"m39":1`), "duplicate_key", "/m39", "given twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v, err := wire.Parse([]byte(c.in))
			var refusal *fault.Error
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want a fault", err)
			}
			if v.Kind() != wire.Missing {
				t.Errorf("a refused document has a value of kind %v", v.Kind())
			}
			if refusal.Kind != fault.Malformed || refusal.Code != c.code || !strings.Contains(refusal.Detail,
				c.detail) {
				t.Errorf("got %d, %s, %q; want %s, %q", refusal.Kind, refusal.Code, refusal.Detail, c.code, c.detail)
			}
			if c.code == fault.CodeMalformedJSON {
				if len(refusal.Items) != 0 {
					t.Errorf("a syntax error has items: %v", refusal.Items)
				}
				return
			}
			if len(refusal.Items) != 1 || refusal.Items[0].Pointer != c.pointer || refusal.Items[0].Code != c.code {
				t.Errorf("items are %+v, want one at %q", refusal.Items, c.pointer)
			}
		})
	}
}

// TestParseNeverQuotes checks that errors never quote a submitted value, which
// may be confidential, such as a PAN.
func TestParseNeverQuotes(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"pan":"ABCDE1234F" "x":1}`, `"ABCDE1234F`, `["ABCDE1234F"] x`, `{"a":"ABCDE1234F","a":"ABCDE1234F"}`,
		"\"ABCDE1234F\t\"", `"ABCDE1234F\q"`, `{"a":"ABCDE1234F","b":1e99}`, `ABCDE1234F`,
	} {
		if _, err := wire.Parse([]byte(in)); err == nil || strings.Contains(err.Error(), "ABCDE") {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`1000000000000000`, "1000000000000000"},
		{`-1e15`, "-1e15"},
		{`1E+15`, "1E+15"},
		{`9999999999999999e-1`, "9999999999999999e-1"},
		{`999999999999999.9999`, "999999999999999.9999"},
		{`0e400`, "0e400"},
		{`1e-400`, "1e-400"},
		{`-0`, "-0"},
		{`-0.0`, "-0.0"},
		{` 1.50 `, "1.50"},
		{`""`, ""},
		{`"\u0041\u00e9\u20b9\ud83d\ude00"`, "Aé₹\U0001f600"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\ufffd"`, "\ufffd"},
		{`"\u0001"`, "\x01"},
		{"\"\u2028\x7f\"", "\u2028\x7f"},
		{"0." + strings.Repeat("0", 200_000) + "1e200001", "0." + strings.Repeat("0", 200_000) + "1e200001"},
		{"1" + strings.Repeat("0", 200_000) + "e-200000", "1" + strings.Repeat("0", 200_000) + "e-200000"},
		{"0." + strings.Repeat("123456789", 1000) + "e0015", "0." + strings.Repeat("123456789", 1000) + "e0015"},
	} {
		v, err := wire.Parse([]byte(c.in))
		if err != nil || v.Text() != c.want {
			t.Errorf("%.40s: %.40q, %v", c.in, v.Text(), err)
		}
	}
	deepest := strings.Repeat("[", wire.MaxDepth) + "1" + strings.Repeat("]", wire.MaxDepth)
	if _, err := wire.Parse([]byte(deepest)); err != nil {
		t.Errorf("%d levels: %v", wire.MaxDepth, err)
	}
}

func parse(t *testing.T, in string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValueKinds(t *testing.T) {
	t.Parallel()
	doc := parse(t,
		`{"null":null,"true":true,"false":false,"number":-1.50,"string":"true","array":[1,null],`+
			`"object":{"a":1,"b":{}}}`)
	type seen struct {
		Kind   string
		Given  bool
		Text   string
		IsTrue bool
		Len    int
	}
	look := func(v wire.Value) seen { return seen{v.Kind().String(), v.Given(), v.Text(), v.IsTrue(), v.Len()} }
	got := map[string]seen{"missing": look(doc.Get("missing")), "got null": look(doc.Get("null"))}
	for name, v := range doc.Members() {
		got[name] = look(v)
	}
	want := map[string]seen{
		"missing":  {"nothing", false, "", false, 0},
		"got null": {"nothing", false, "", false, 0},
		"null":     {"null", false, "", false, 0},
		"true":     {"a boolean", true, "", true, 0},
		"false":    {"a boolean", true, "", false, 0},
		"number":   {"a number", true, "-1.50", false, 0},
		"string":   {"a string", true, "true", false, 0},
		"array":    {"an array", true, "", false, 2},
		"object":   {"an object", true, "", false, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMissingIsSafe checks that all methods can be called on a missing value.
func TestMissingIsSafe(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]wire.Value{
		"zero":          {},
		"missing":       parse(t, `{}`).Get("a"),
		"null":          parse(t, `{"a":null}`).Get("a"),
		"of a scalar":   parse(t, `1`).Get("a"),
		"of an array":   parse(t, `[1]`).Get("0"),
		"of nothing":    wire.Value{}.Get("a").Get("b"),
		"after subtree": parse(t, `{"a":{"b":{"c":1}},"d":1}`).Get("c"),
	} {
		if v.Kind() != wire.Missing || v.Given() || v.Text() != "" || v.IsTrue() || v.Len() != 0 || v.Pointer() != "" {
			t.Errorf("%s: %v", name, v)
		}
		for range v.Members() {
			t.Errorf("%s has members", name)
		}
		for range v.Elements() {
			t.Errorf("%s has elements", name)
		}
	}
}

func TestMembersAndElements(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{"z":[[1,2],{"x":3},"four",null],"a":{"b":5},"m":6}`)
	var names []string
	for name, v := range doc.Members() {
		names = append(names, name+" "+v.Kind().String())
	}
	if diff := cmp.Diff([]string{"z an array", "a an object", "m a number"}, names); diff != "" {
		t.Errorf("members keep their order (-want +got):\n%s", diff)
	}
	var elements []string
	for i, v := range doc.Get("z").Elements() {
		elements = append(elements, fmt.Sprint(i, " ", v.Kind(), " ", v.Pointer()))
	}
	want := []string{"0 an array /z/0", "1 an object /z/1", "2 a string /z/2", "3 null /z/3"}
	if diff := cmp.Diff(want, elements); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := doc.Get("a").Get("b").Text() + doc.Get("m").Text(); got != "56" {
		t.Errorf("members behind subtrees: %q", got)
	}
	for range doc.Members() {
		break // the iterator must not yield again after a break
	}
	for range doc.Get("z").Elements() {
		break
	}
	for range doc.Elements() {
		t.Error("an object has elements")
	}
	for range doc.Get("z").Members() {
		t.Error("an array has members")
	}
}

func TestPointers(t *testing.T) {
	t.Parallel()
	doc := parse(t, `{"a/b":{"m~n":[0,[{"":{"~1":1}}]]},"é":"x"," ":2}`)
	inner := doc.Get("a/b").Get("m~n")
	if got := inner.Pointer(); got != "/a~1b/m~0n" {
		t.Errorf("got %s", got)
	}
	for i, v := range inner.Elements() {
		if i != 1 {
			continue
		}
		for _, o := range v.Elements() {
			if got := o.Get("").Get("~1").Pointer(); got != "/a~1b/m~0n/1/0//~01" {
				t.Errorf("got %s", got)
			}
		}
	}
	for name, want := range map[string]string{"é": "/é", " ": "/ "} {
		if got := doc.Get(name).Pointer(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if doc.Pointer() != "" {
		t.Errorf("the document's own pointer is %q", doc.Pointer())
	}
}

// TestManyValues checks that a body with too many tiny values is rejected,
// because parsing it would need many times its size in memory. Documents that were
// stored before are still read.
func TestManyValues(t *testing.T) {
	t.Parallel()
	list := func(element string, values int) []byte {
		return []byte("[" + strings.TrimSuffix(strings.Repeat(element, values-1), ",") + "]")
	}
	const reserve = 1 << 14
	for name, x := range map[string]struct {
		element string
		most    int // the maximum number of values, including the list itself
	}{
		"of four bytes":        {"100,", wire.MaxValues},
		"of two bytes":         {"0,", 2*reserve - 1}, // one value for every four bytes, plus the reserve
		"small, of two bytes":  {"0,", reserve},
		"objects of one digit": {`{"k":1},`, 40_000},
	} {
		if v, err := wire.ParseUntil(list(x.element, x.most), nil); err != nil || v.Len() != x.most-1 {
			t.Errorf("%s, the most values there may be: %d, %v", name, v.Len(), err)
		}
	}
	for name, body := range map[string][]byte{
		"one value more": list("100,", wire.MaxValues+1),
		"tiny values":    list("0,", 2*reserve+2),
		"a padded body":  []byte(`{"padding":` + string(list("0,", 500_000)) + `}`),
	} {
		_, err := wire.ParseUntil(body, nil)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.TooLarge {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v, err := wire.Parse(list("0,", wire.MaxValues)); err != nil || v.Len() != wire.MaxValues-1 {
		t.Errorf("a stored document of tiny values: %d, %v", v.Len(), err)
	}
	if _, err := wire.Parse(list("0,", wire.MaxValues+1)); err == nil {
		t.Error("a stored document may have any number of values")
	}
}

// TestLongNames checks that pointers do not repeat long member names in full.
func TestLongNames(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"`+strings.Repeat("é", 5000)+`":{"a":1}}`)
	for _, member := range v.Members() {
		if got := member.Get("a").Pointer(); len(got) > 200 || !utf8.ValidString(got) || !strings.HasSuffix(got,
			"…/a") {
			t.Errorf("the pointer is %d bytes long: %.40q", len(got), got)
		}
	}
}

// TestByteOrderMark checks that a byte order mark is skipped at the beginning
// of a document and preserved in a text.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte("\ufeff{\"a\":\"\ufeffx\"}"))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Get("a").Text(); got != "\ufeffx" {
		t.Errorf("a is %q", got)
	}
}

// TestParseEndsWithItsCaller checks that parsing a long document calls check
// regularly, and that parsing stops if check returns an error.
func TestParseEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, one := range []string{`1000000000`, `{"name":[1,"x"]}`, `"` + strings.Repeat("long ", 20) + `"`} {
		data := []byte("[" + strings.Repeat(one+",", 1<<20/len(one)) + one + "]")
		checks := 0
		v, err := wire.ParseUntil(data, func() error { checks++; return nil })
		if err != nil || v.Len() == 0 || checks < 20 || checks > 200 {
			t.Errorf("%.10s: %d values, %d checks, %v", one, v.Len(), checks, err)
		}
		asked := 0
		_, err = wire.ParseUntil(data, func() error {
			if asked++; asked == 10 {
				return gone
			}
			return nil
		})
		if !errors.Is(err, gone) || asked != 10 {
			t.Errorf("%.10s: %v after %d", one, err, asked)
		}
	}
}
