package rule_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestText checks the readable form of conditions. Brackets appear if the
// meaning would change or be unclear without them.
func TestText(t *testing.T) {
	t.Parallel()
	const (
		a = `{"op":"lt","field":"age","value":21}`
		b = `{"op":"gte","field":"foir","value":0.5}`
		c = `{"op":"eq","field":"bureau_is_ntc","value":true}`
		d = `{"op":"exists","field":"bureau"}`
	)
	and := func(args string) string { return `{"op":"and","args":[` + args + `]}` }
	or := func(args string) string { return `{"op":"or","args":[` + args + `]}` }
	not := func(arg string) string { return `{"op":"not","arg":` + arg + `}` }

	// x, y and z are operands. positive returns a condition that compares an
	// operand with zero.
	const (
		x = `{"field":"age"}`
		y = `{"field":"foir"}`
		z = `{"field":"monthly_income"}`
	)
	positive := func(operand string) string { return `{"op":"gt","left":` + operand + `,"right":{"value":0}}` }
	do := func(op, args string) string { return `{"op":"` + op + `","args":[` + args + `]}` }

	for _, c := range []struct{ condition, want string }{
		// Predicates.
		{`{"op":"eq","field":"bureau","value":"cibil"}`, `bureau = "cibil"`},
		{`{"op":"ne","field":"bureau","value":"a \"b\" \\ é\n"}`, `bureau != "a \"b\" \\ é\n"`},
		{`{"op":"lt","field":"age","value":-1}`, `age < -1`},
		{`{"op":"lte","field":"foir","value":5e-1}`, `foir <= 0.5`},
		{`{"op":"gt","field":"monthly_income","value":25000.00}`, `monthly_income > 25000`},
		{`{"op":"gte","field":"monthly_income","value":1e12}`, `monthly_income >= 1000000000000`},
		{`{"op":"eq","field":"device_is_emulator","value":true}`, `device_is_emulator = true`},
		{`{"op":"ne","field":"device_is_emulator","value":false}`, `device_is_emulator != false`},
		{`{"op":"in","field":"age","values":[3,1,2,1]}`, `age in (3, 1, 2, 1)`},
		{`{"op":"not_in","field":"employment_type","values":["SALARIED","OTHER"]}`,
			`employment_type not in ("SALARIED", "OTHER")`},
		{`{"op":"between","field":"age","min":21,"max":60}`, `age between 21 and 60`},
		{`{"op":"starts_with","field":"bureau","value":"ci"}`, `bureau starts with "ci"`},
		{`{"op":"ends_with","field":"bureau","value":"il"}`, `bureau ends with "il"`},
		{`{"op":"contains","field":"bureau","value":"bi"}`, `bureau contains "bi"`},
		{`{"op":"exists","field":"applicant.bonus"}`, `applicant.bonus is given`},
		{`{"op":"absent","field":"applicant.bonus"}`, `applicant.bonus is absent`},
		{`{"op":"true"}`, `always`},
		{`{"op":"false"}`, `never`},
		{`{"op":"lt","left":{"value":21},"right":{"field":"age"}}`, `21 < age`},
		{`{"op":"lt","left":{"field":"age"},"right":{"field":"foir"}}`, `age < foir`},

		// Connectives.
		{and(a), `age < 21`},
		{and(a + "," + b + "," + c), `age < 21 and foir >= 0.5 and bureau_is_ntc = true`},
		{or(a + "," + b), `age < 21 or foir >= 0.5`},
		{and(a + "," + or(b+","+c)), `age < 21 and (foir >= 0.5 or bureau_is_ntc = true)`},
		{or(and(a+","+b) + "," + and(c+","+d)), `age < 21 and foir >= 0.5 or bureau_is_ntc = true and bureau is given`},
		{and(and(a+","+b) + "," + c), `(age < 21 and foir >= 0.5) and bureau_is_ntc = true`},
		{or(a + "," + or(b+","+c)), `age < 21 or (foir >= 0.5 or bureau_is_ntc = true)`},
		{not(a), `not (age < 21)`},
		{not(not(a)), `not (not (age < 21))`},
		{not(and(a + "," + b)), `not (age < 21 and foir >= 0.5)`},
		{and(not(or(a+","+b)) + "," + c), `not (age < 21 or foir >= 0.5) and bureau_is_ntc = true`},
		{or(not(a) + "," + and(b+","+or(c+","+d))),
			`not (age < 21) or foir >= 0.5 and (bureau_is_ntc = true or bureau is given)`},

		// Arithmetic.
		{positive(do("add", x+","+y+","+z)), `age + foir + monthly_income > 0`},
		{positive(do("sub", x+","+do("sub", y+","+z))), `age - (foir - monthly_income) > 0`},
		{positive(do("sub", do("sub", x+","+y)+","+z)), `(age - foir) - monthly_income > 0`},
		{positive(do("sub", x+","+do("add", y+","+z))), `age - (foir + monthly_income) > 0`},
		{positive(do("div", do("add", x+","+y)+","+z)), `(age + foir) / monthly_income > 0`},
		{positive(do("div", x+","+do("mul", y+","+z))), `age / (foir * monthly_income) > 0`},
		{positive(do("div", x+","+do("div", y+","+z))), `age / (foir / monthly_income) > 0`},
		{positive(do("add", do("mul", x+","+y)+","+z)), `age * foir + monthly_income > 0`},
		{positive(do("sub", x+","+do("div", y+","+z))), `age - foir / monthly_income > 0`},
		{positive(do("mul", do("sub", x+","+y)+","+do("sub", y+","+z))), `(age - foir) * (foir - monthly_income) > 0`},
		{positive(do("abs", do("sub", x+","+y))), `abs(age - foir) > 0`},
		{positive(do("mul", do("max", x+","+do("min", y+`,{"value":-0.25}`))+","+z)),
			`max(age, min(foir, -0.25)) * monthly_income > 0`},
		{`{"op":"lte","left":` + do("mul", x+`,{"value":12}`) + `,"right":` + do("add", y+","+z) + `}`,
			`age * 12 <= foir + monthly_income`},
	} {
		if got := readCondition(t, c.condition).Text(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.condition, got, c.want)
		}
	}
}

// TestWriteIsCanonical checks that different spellings of the same condition
// have one canonical form.
func TestWriteIsCanonical(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ condition, want string }{
		{`{ "value" : 2.10e1, "op":"lt", "field":"age" }`, `{"field":"age","op":"lt","value":21}`},
		{`{"op":"lt","left":{"field":"age"},"right":{"value":21.000}}`, `{"field":"age","op":"lt","value":21}`},
		{`{"op":"gt","left":{"value":-0},"right":{"field":"age"}}`,
			`{"left":{"value":0},"op":"gt","right":{"field":"age"}}`},
		{`{"op":"between","min":1,"max":2,"field":"age"}`, `{"field":"age","max":2,"min":1,"op":"between"}`},
		{`{"op":"in","values":["\u0061","é","\u00e9"],"field":"bureau"}`,
			`{"field":"bureau","op":"in","values":["a","é","é"]}`},
		{`{"op":"not","arg":{"op":"true"}}`, `{"arg":{"op":"true"},"op":"not"}`},
		{`{"op":"eq","left":{"op":"add","args":[{"value":1},{"field":"age"}]},"right":{"value":3}}`,
			`{"left":{"args":[{"value":1},{"field":"age"}],"op":"add"},"op":"eq","right":{"value":3}}`},
		{`{"op":"or","args":[{"op":"false"},{"op":"absent","field":"age"}]}`,
			`{"args":[{"op":"false"},{"field":"age","op":"absent"}],"op":"or"}`},
	} {
		if got := canonical(readCondition(t, c.condition)); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.condition, got, c.want)
		}
	}
}

// TestWriteReadRoundTrip checks that reading a written condition gives the same
// condition and writing it again gives the same bytes. The members of every
// object must be in name order.
func TestWriteReadRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := grower{pick: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }}
		document := g.condition(6)
		once := readCondition(t, document)
		written := canonical(once)
		twice := readCondition(t, written)
		if !reflect.DeepEqual(once, twice) {
			t.Fatalf("%s\nreads back differently: %s", document, written)
		}
		if again := canonical(twice); again != written {
			t.Fatalf("written %s\n  again %s", written, again)
		}
		if sorted := sortedJSON(t, written); sorted != written {
			t.Fatalf("written %s\n sorted %s", written, sorted)
		}
	})
}

// sortedJSON formats a document as encoding/json does: members sorted by name,
// no spaces.
func sortedJSON(t tb, document string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(decode(t, document)); err != nil {
		t.Fatalf("%v", err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}
