package wire_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzParse compares Parse with encoding/json. Both must accept the same
// documents, except those that Parse is documented to reject, and must find the
// same values.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":742}}}}`,
		`[null,true,false,0,-1.5e+3,"é\u20b9\ud83d\ude00\n"]`,
		`{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"", `1e16`, `1000000000000000.1`, "\ufeff1", `[01]`, `{"a":[}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		data = bytes.TrimPrefix(data, []byte("\ufeff")) // encoding/json rejects a byte order mark
		if !json.Valid(data) {
			if err == nil {
				t.Fatal("Parse took what encoding/json refuses")
			}
			return
		}
		stricter := stricterThanJSON(t, data)
		if err == nil && len(stricter) > 0 {
			t.Fatalf("Parse took a document with %v", stricter)
		}
		if err == nil {
			decoder := json.NewDecoder(bytes.NewReader(data))
			decoder.UseNumber()
			var want any
			if err := decoder.Decode(&want); err != nil {
				t.Fatal(err)
			}
			if got := plain(t, v, ""); !reflect.DeepEqual(got, want) {
				t.Fatalf("Parse found %v, encoding/json %v", got, want)
			}
			return
		}
		var refusal *fault.Error
		if !errors.As(err, &refusal) || !stricter[refusal.Code] {
			t.Fatalf("Parse says %v, the document has %v", err, stricter)
		}
	})
}

// plain converts a value to the types that encoding/json uses, and checks the
// pointer of each value.
func plain(t *testing.T, v wire.Value, pointer string) any {
	t.Helper()
	if v.Pointer() != pointer {
		t.Fatalf("the value at %s says it is at %s", pointer, v.Pointer())
	}
	switch v.Kind() {
	case wire.Object:
		out := map[string]any{}
		for name, m := range v.Members() {
			token := strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
			out[name] = plain(t, m, pointer+"/"+token)
		}
		return out
	case wire.Array:
		out := []any{}
		for i, e := range v.Elements() {
			out = append(out, plain(t, e, pointer+"/"+strconv.Itoa(i)))
		}
		return out
	case wire.String:
		return v.Text()
	case wire.Number:
		return json.Number(v.Text())
	case wire.Bool:
		return v.IsTrue()
	case wire.Null:
		return nil
	default:
		t.Fatalf("the value at %s is %v", pointer, v.Kind())
		return nil
	}
}

// stricterThanJSON returns the set of codes with which Parse may reject a
// document that encoding/json accepts.
func stricterThanJSON(t *testing.T, data []byte) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	note := func(code string, is bool) {
		if is {
			found[code] = true
		}
	}
	note(fault.CodeMalformedJSON, !utf8.Valid(data) || hasUnfitEscape(data))
	type level struct {
		names  map[string]bool // nil for an array
		isName bool            // whether the next string is a name
	}
	var stack []level
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if token == json.Delim(']') || token == json.Delim('}') {
			stack = stack[:len(stack)-1]
			continue
		}
		if top := len(stack) - 1; top >= 0 && stack[top].names != nil {
			if name, ok := token.(string); ok && stack[top].isName {
				note(fault.CodeDuplicateKey, stack[top].names[name])
				stack[top].names[name], stack[top].isName = true, false
				continue
			}
			stack[top].isName = true
		}
		switch token := token.(type) {
		case json.Number:
			note(fault.CodeNumberOutOfRange, isOutOfRange(token.String()))
		case json.Delim:
			l := level{}
			if token == '{' {
				l = level{names: map[string]bool{}, isName: true}
			}
			stack = append(stack, l)
			note(fault.CodeMalformedJSON, len(stack) > wire.MaxDepth)
		}
	}
}

// hasUnfitEscape reports whether an otherwise valid document has a \u escape of
// a lone surrogate or of the zero character.
func hasUnfitEscape(data []byte) bool {
	unit := func(i int) rune {
		if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
			return -1
		}
		n, err := strconv.ParseUint(string(data[i+2:i+6]), 16, 16)
		if err != nil {
			return -1
		}
		return rune(n)
	}
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		switch r := unit(i); {
		case r < 0:
			i++ // skip the escaped character
		case r == 0:
			return true
		case !utf16.IsSurrogate(r):
			i += 5
		case utf16.DecodeRune(r, unit(i+6)) == utf8.RuneError:
			return true
		default:
			i += 11
		}
	}
	return false
}

// isOutOfRange reports whether the absolute value of a number is greater than
// 1e15. The comparison is exact and does not expand large exponents.
func isOutOfRange(literal string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(literal, "-")), "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if digits == "" {
		return false
	}
	shift := new(big.Int)
	if exponent != "" {
		shift.SetString(exponent, 10)
	}
	// The number is 0.d₁d₂… × 10^place.
	place := shift.Add(shift, big.NewInt(int64(len(whole)-(len(whole+frac)-len(digits)))))
	if place.Cmp(big.NewInt(16)) != 0 {
		return place.Cmp(big.NewInt(16)) > 0
	}
	return strings.TrimRight(digits, "0") != "1"
}

var numberLiteral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// FuzzParseDecimal compares ParseDecimal with math/big.
func FuzzParseDecimal(f *testing.F) {
	for _, seed := range []string{"0", "-0.5", "2.5", "1e15", "1E-7", "4611686018427387904", "0.00000049999",
		"123456789.987654321e-3"} {
		f.Add(seed, uint8(6))
	}
	f.Fuzz(func(t *testing.T, literal string, places uint8) {
		if !numberLiteral.MatchString(literal) {
			t.Skip("not a number, or one that math/big would have to write out")
		}
		checkDecimal(t, literal, int(places%19))
	})
}
