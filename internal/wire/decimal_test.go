package wire_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"verdict/internal/wire"
)

// referenceDecimal computes the result of ParseDecimal with unlimited
// precision. The exponent of the literal must be small enough to write out the
// number.
func referenceDecimal(t interface{ Fatalf(string, ...any) }, literal string, places int) (coef int64, exact, ok bool) {
	r, valid := new(big.Rat).SetString(literal)
	if !valid {
		t.Fatalf("%s is no number", literal)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	q, rest := new(big.Int).QuoRem(new(big.Int).Abs(r.Num()), r.Denom(), new(big.Int))
	if q.Cmp(big.NewInt(1<<62)) > 0 {
		return 0, false, false
	}
	if rest.Lsh(rest, 1).Cmp(r.Denom()) >= 0 {
		q.Add(q, big.NewInt(1))
	}
	return q.Int64() * int64(r.Sign()), rest.Sign() == 0, true
}

func checkDecimal(t interface{ Fatalf(string, ...any) }, literal string, places int) {
	coef, exact, ok := wire.ParseDecimal(literal, places)
	wantCoef, wantExact, wantOK := referenceDecimal(t, literal, places)
	if coef != wantCoef || exact != wantExact || ok != wantOK {
		t.Fatalf("ParseDecimal(%s, %d) = %d, %t, %t; want %d, %t, %t",
			literal, places, coef, exact, ok, wantCoef, wantExact, wantOK)
	}
}

func TestParseDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		literal string
		places  int
		coef    int64
		exact   bool
		ok      bool
	}{
		{"0.1", 6, 100_000, true, true},
		{"35", 2, 3500, true, true},
		{"-0", 6, 0, true, true},
		{"-0.0000004", 6, 0, false, true},
		{"0.0000005", 6, 1, false, true},
		{"-0.0000005", 6, -1, false, true},
		{"2.5", 0, 3, false, true},
		{"-2.5", 0, -3, false, true},
		{"2.4999999999999999999999999999", 0, 2, false, true},
		{"1.005", 2, 101, false, true}, // 1.00499999999999989… in binary floating point
		{"1.500000", 2, 150, true, true},
		{"15e-1", 0, 2, false, true},
		{"0.15E+1", 1, 15, true, true},
		{"4e-1", 0, 0, false, true},
		{"5e-1", 0, 1, false, true},
		{"9e-2", 0, 0, false, true}, // the digit is below the first decimal, so it does not affect the rounding
		{"1e-99999999999999999999", 6, 0, false, true},
		{"0e99999999999999999999", 6, 0, true, true},
		{"1e99999999999999999999", 6, 0, false, false},
		{"4611686018427387904", 0, 1 << 62, true, true},
		{"4611686018427387905", 0, 0, false, false},
		{"-4611686018427387904", 0, -1 << 62, true, true},
		{"461168601842738790.4", 1, 1 << 62, true, true},
		{"5e18", 0, 0, false, false},
		{"1e18", 0, 1_000_000_000_000_000_000, true, true},
		{"1e13", 6, 0, false, false},
		{"0." + strings.Repeat("0", 200_000) + "1e200001", 0, 1, true, true},
		{"1" + strings.Repeat("0", 200_000) + "e-200000", 2, 100, true, true},
	} {
		coef, exact, ok := wire.ParseDecimal(c.literal, c.places)
		if coef != c.coef || exact != c.exact || ok != c.ok {
			t.Errorf("ParseDecimal(%.40s, %d) = %d, %t, %t; want %d, %t, %t",
				c.literal, c.places, coef, exact, ok, c.coef, c.exact, c.ok)
		}
	}
}

func TestParseDecimalAgainstReference(t *testing.T) {
	t.Parallel()
	literal := rapid.OneOf(
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,21})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})\.[0-9]{0,4}[45]0{0,12}[019]?`), // close to a tie
		rapid.StringMatching(`-?46116860184273879[0-9]{2}(\.[0-9]{1,3})?`),         // close to 2^62
	)
	rapid.Check(t, func(t *rapid.T) {
		checkDecimal(t, literal.Draw(t, "literal"), rapid.IntRange(0, 12).Draw(t, "places"))
	})
}

func TestAppendDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		coef   int64
		places int
		want   string
	}{
		{0, 0, "0"}, {0, 6, "0"}, {1, 6, "0.000001"}, {-1, 2, "-0.01"}, {150, 2, "1.5"}, {-100, 2, "-1"},
		{105, 2, "1.05"}, {math.MaxInt64, 6, "9223372036854.775807"}, {math.MinInt64, 0, "-9223372036854775808"},
		{math.MinInt64, 6, "-9223372036854.775808"}, {math.MinInt64, 19, "-0.9223372036854775808"},
	} {
		if got := string(wire.AppendDecimal([]byte("x"), c.coef, c.places)); got != "x"+c.want {
			t.Errorf("AppendDecimal(%d, %d) = %s, want %s", c.coef, c.places, got, c.want)
		}
	}
}

// TestDecimalRoundTrip checks that AppendDecimal and ParseDecimal are inverse.
// It also compares the text with math/big, so that errors in both functions
// cannot cancel each other out.
func TestDecimalRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		coef, places := rapid.Int64().Draw(t, "coef"), rapid.IntRange(0, 19).Draw(t, "places")
		text := string(wire.AppendDecimal(nil, coef, places))
		unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		want := new(big.Rat).SetFrac(big.NewInt(coef), unit)
		if got, ok := new(big.Rat).SetString(text); !ok || got.Cmp(want) != 0 {
			t.Fatalf("AppendDecimal(%d, %d) = %s", coef, places, text)
		}
		if strings.Contains(text, ".") && strings.HasSuffix(text, "0") || strings.HasSuffix(text, ".") {
			t.Fatalf("%s is not the shortest form", text)
		}
		if coef > 1<<62 || coef < -1<<62 {
			return
		}
		if back, exact, ok := wire.ParseDecimal(text, places); back != coef || !exact || !ok {
			t.Fatalf("%d became %s became %d, %t, %t", coef, text, back, exact, ok)
		}
	})
}

// TestDecimalsAreCanonical checks that decimals of the sizes that occur in
// responses are written in RFC 8785 form.
func TestDecimalsAreCanonical(t *testing.T) {
	t.Parallel()
	const most = 999_999_999_999_999
	rapid.Check(t, func(t *rapid.T) {
		coef, places := rapid.Int64Range(-most, most).Draw(t, "coef"), rapid.IntRange(0, 6).Draw(t, "places")
		text := wire.AppendDecimal(nil, coef, places)
		want, err := jcs.Transform([]byte("[" + string(text) + "]"))
		if err != nil || string(want) != "["+string(text)+"]" {
			t.Fatalf("%s is %s in canonical form (%v)", text, want, err)
		}
		if _, err := strconv.ParseFloat(string(text), 64); err != nil {
			t.Fatal(err)
		}
	})
}
