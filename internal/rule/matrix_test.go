package rule_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"verdict/internal/rule"
)

// matrix defines the result of every predicate in five situations:
//
//	yes      every field is given, and the predicate is satisfied
//	no       every field is given, and the predicate is not satisfied
//	absent   a field of the predicate is left out
//	null     a field of the predicate is null, which means the same
//	wrong    a field of the predicate does not have its catalogue type
//
// The last column has the expected results: H for holds, F for fails, U for
// unknown, and a dash if the situation does not exist. If a predicate names
// several fields, the situation "absent" covers every combination of absent
// fields. The situations "null" and "wrong" cover each field alone and all
// fields together.
var matrix = []struct {
	operator  string
	condition string
	yes, no   string
	want      string // yes no absent null wrong
}{
	// A field compared with a constant.
	{"eq", `{"op":"eq","field":"age","value":21}`, `{"age":21}`, `{"age":20}`, "H F U U U"},
	{"ne", `{"op":"ne","field":"age","value":21}`, `{"age":20}`, `{"age":21}`, "H F U U U"},
	{"lt", `{"op":"lt","field":"age","value":21}`, `{"age":20}`, `{"age":21}`, "H F U U U"},
	{"lte", `{"op":"lte","field":"age","value":21}`, `{"age":21}`, `{"age":22}`, "H F U U U"},
	{"gt", `{"op":"gt","field":"age","value":21}`, `{"age":22}`, `{"age":21}`, "H F U U U"},
	{"gte", `{"op":"gte","field":"age","value":21}`, `{"age":21}`, `{"age":20}`, "H F U U U"},
	{"eq", `{"op":"eq","field":"bureau","value":"cibil"}`, `{"bureau":"cibil"}`, `{"bureau":"crif"}`, "H F U U U"},
	{"ne", `{"op":"ne","field":"bureau","value":"cibil"}`, `{"bureau":"crif"}`, `{"bureau":"cibil"}`, "H F U U U"},
	{"eq", `{"op":"eq","field":"bureau","value":""}`, `{"bureau":""}`, `{"bureau":"crif"}`, "H F U U U"},
	{"eq", `{"op":"eq","field":"bureau_is_ntc","value":true}`,
		`{"bureau_is_ntc":true}`, `{"bureau_is_ntc":false}`, "H F U U U"},
	{"eq", `{"op":"eq","field":"bureau_is_ntc","value":false}`,
		`{"bureau_is_ntc":false}`, `{"bureau_is_ntc":true}`, "H F U U U"},
	{"ne", `{"op":"ne","field":"bureau_is_ntc","value":true}`,
		`{"bureau_is_ntc":false}`, `{"bureau_is_ntc":true}`, "H F U U U"},
	{"ne", `{"op":"ne","field":"bureau_is_ntc","value":false}`,
		`{"bureau_is_ntc":true}`, `{"bureau_is_ntc":false}`, "H F U U U"},

	// Inputs that the policy declares behave like catalogue fields.
	{"lt", `{"op":"lt","field":"applicant.bonus","value":0}`,
		`{"applicant.bonus":-1}`, `{"applicant.bonus":0}`, "H F U U U"},
	{"ne", `{"op":"ne","field":"applicant.employer_category","value":"A"}`, `{"applicant.employer_category":"B"}`,
		`{"applicant.employer_category":"A"}`, "H F U U U"},
	{"eq", `{"op":"eq","field":"applicant.is_staff","value":false}`, `{"applicant.is_staff":false}`,
		`{"applicant.is_staff":true}`, "H F U U U"},

	// A constant compared with a field.
	{"eq", `{"op":"eq","left":{"value":21},"right":{"field":"age"}}`, `{"age":21}`, `{"age":20}`, "H F U U U"},
	{"ne", `{"op":"ne","left":{"value":"cibil"},"right":{"field":"bureau"}}`,
		`{"bureau":"crif"}`, `{"bureau":"cibil"}`, "H F U U U"},
	{"lt", `{"op":"lt","left":{"value":21},"right":{"field":"age"}}`, `{"age":22}`, `{"age":21}`, "H F U U U"},
	{"lte", `{"op":"lte","left":{"value":21},"right":{"field":"age"}}`, `{"age":21}`, `{"age":20}`, "H F U U U"},
	{"gt", `{"op":"gt","left":{"value":21},"right":{"field":"age"}}`, `{"age":20}`, `{"age":21}`, "H F U U U"},
	{"gte", `{"op":"gte","left":{"value":21},"right":{"field":"age"}}`, `{"age":21}`, `{"age":22}`, "H F U U U"},

	// Two fields. One of them or both may be absent.
	{"eq", `{"op":"eq","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":0,"foir":0}`, `{"age":0,"foir":1}`, "H F U U U"},
	{"ne", `{"op":"ne","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":0,"foir":1}`, `{"age":0,"foir":0}`, "H F U U U"},
	{"lt", `{"op":"lt","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":-1,"foir":0}`, `{"age":0,"foir":0}`, "H F U U U"},
	{"lte", `{"op":"lte","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":0,"foir":0}`, `{"age":0,"foir":-1}`, "H F U U U"},
	{"gt", `{"op":"gt","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":0,"foir":-1}`, `{"age":0,"foir":0}`, "H F U U U"},
	{"gte", `{"op":"gte","left":{"field":"age"},"right":{"field":"foir"}}`,
		`{"age":0,"foir":0}`, `{"age":-1,"foir":0}`, "H F U U U"},
	{"eq", `{"op":"eq","left":{"field":"bureau"},"right":{"field":"device_os"}}`, `{"bureau":"x","device_os":"x"}`,
		`{"bureau":"x","device_os":"y"}`, "H F U U U"},
	{"ne", `{"op":"ne","left":{"field":"bureau"},"right":{"field":"device_os"}}`, `{"bureau":"x","device_os":"y"}`,
		`{"bureau":"x","device_os":"x"}`, "H F U U U"},
	{"eq", `{"op":"eq","left":{"field":"bureau_is_ntc"},"right":{"field":"device_is_emulator"}}`,
		`{"bureau_is_ntc":false,"device_is_emulator":false}`,
		`{"bureau_is_ntc":false,"device_is_emulator":true}`, "H F U U U"},
	{"ne", `{"op":"ne","left":{"field":"bureau_is_ntc"},"right":{"field":"device_is_emulator"}}`,
		`{"bureau_is_ntc":false,"device_is_emulator":true}`,
		`{"bureau_is_ntc":false,"device_is_emulator":false}`, "H F U U U"},

	// A field compared with itself: equal if given, unknown if absent.
	{"eq", `{"op":"eq","left":{"field":"age"},"right":{"field":"age"}}`, `{"age":0}`, "", "H - U U U"},
	{"ne", `{"op":"ne","left":{"field":"age"},"right":{"field":"age"}}`, "", `{"age":0}`, "- F U U U"},
	{"eq", `{"op":"eq","left":{"field":"bureau"},"right":{"field":"bureau"}}`, `{"bureau":""}`, "", "H - U U U"},

	// Small sets, and sets large enough for binary search.
	{"in", `{"op":"in","field":"age","values":[-1,0,3]}`, `{"age":0}`, `{"age":1}`, "H F U U U"},
	{"not_in", `{"op":"not_in","field":"age","values":[-1,0,3]}`, `{"age":1}`, `{"age":-1}`, "H F U U U"},
	{"in", `{"op":"in","field":"age","values":[9,8,7,6,5,4,3,2,1,0,-1]}`, `{"age":-1}`, `{"age":10}`, "H F U U U"},
	{"not_in", `{"op":"not_in","field":"age","values":[9,8,7,6,5,4,3,2,1,0,-1]}`,
		`{"age":-2}`, `{"age":9}`, "H F U U U"},
	{"in", `{"op":"in","field":"bureau","values":["cibil","crif"]}`,
		`{"bureau":"crif"}`, `{"bureau":"equifax"}`, "H F U U U"},
	{"not_in", `{"op":"not_in","field":"bureau","values":["cibil","crif"]}`,
		`{"bureau":"equifax"}`, `{"bureau":"crif"}`, "H F U U U"},
	{"in", `{"op":"in","field":"bureau_is_ntc","values":[true]}`,
		`{"bureau_is_ntc":true}`, `{"bureau_is_ntc":false}`, "H F U U U"},
	{"not_in", `{"op":"not_in","field":"bureau_is_ntc","values":[true]}`,
		`{"bureau_is_ntc":false}`, `{"bureau_is_ntc":true}`, "H F U U U"},
	{"in", `{"op":"in","field":"bureau_is_ntc","values":[true,false]}`, `{"bureau_is_ntc":false}`, "", "H - U U U"},

	// The result of a list lookup is a fact.
	{"in_list", `{"op":"in_list","field":"bureau","list":"cat_a"}`,
		`{"list.cat_a.bureau":true}`, `{"list.cat_a.bureau":false}`, "H F U U U"},
	{"not_in_list", `{"op":"not_in_list","field":"age","list":"cat_a"}`,
		`{"list.cat_a.age":false}`, `{"list.cat_a.age":true}`, "H F U U U"},
	{"in_list", `{"op":"in_list","field":"applicant.employer_category","list":"cat_a"}`,
		`{"list.cat_a.applicant.employer_category":true}`,
		`{"list.cat_a.applicant.employer_category":false}`, "H F U U U"},

	// Ranges include both ends.
	{"between", `{"op":"between","field":"age","min":21,"max":60}`, `{"age":21}`, `{"age":20.999999}`, "H F U U U"},
	{"between", `{"op":"between","field":"age","min":21,"max":60}`, `{"age":60}`, `{"age":60.000001}`, "H F U U U"},

	// Substrings.
	{"starts_with", `{"op":"starts_with","field":"bureau","value":"ci"}`,
		`{"bureau":"cibil"}`, `{"bureau":"acibil"}`, "H F U U U"},
	{"ends_with", `{"op":"ends_with","field":"bureau","value":"il"}`,
		`{"bureau":"cibil"}`, `{"bureau":"cibils"}`, "H F U U U"},
	{"contains", `{"op":"contains","field":"bureau","value":"ibi"}`,
		`{"bureau":"cibil"}`, `{"bureau":"cbil"}`, "H F U U U"},

	// Only these two operators can test absence. A value of the wrong type
	// exists, but no other predicate can read it.
	{"exists", `{"op":"exists","field":"age"}`, `{"age":0}`, "", "H - F F H"},
	{"exists", `{"op":"exists","field":"bureau"}`, `{"bureau":""}`, "", "H - F F H"},
	{"exists", `{"op":"exists","field":"bureau_is_ntc"}`, `{"bureau_is_ntc":false}`, "", "H - F F H"},
	{"exists", `{"op":"exists","field":"applicant.bonus"}`, `{"applicant.bonus":0}`, "", "H - F F H"},
	{"absent", `{"op":"absent","field":"age"}`, "", `{"age":0}`, "- F H H F"},
	{"absent", `{"op":"absent","field":"bureau"}`, "", `{"bureau":""}`, "- F H H F"},
	{"absent", `{"op":"absent","field":"bureau_is_ntc"}`, "", `{"bureau_is_ntc":false}`, "- F H H F"},
	{"absent", `{"op":"absent","field":"applicant.bonus"}`, "", `{"applicant.bonus":0}`, "- F H H F"},

	// Constants.
	{"true", `{"op":"true"}`, `{}`, "", "H - - - -"},
	{"false", `{"op":"false"}`, "", `{}`, "- F - - -"},
	{"eq", `{"op":"eq","left":{"value":1},"right":{"value":1.0}}`, `{}`, "", "H - - - -"},
	{"ne", `{"op":"ne","left":{"value":"a"},"right":{"value":"a"}}`, "", `{}`, "- F - - -"},
	{"eq", `{"op":"eq","left":{"value":true},"right":{"value":false}}`, "", `{}`, "- F - - -"},

	// Arithmetic is strict: if one argument is absent, there is no result.
	{"add", `{"op":"eq","left":{"op":"add","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":3}}`,
		`{"age":1,"foir":2}`, `{"age":1,"foir":1}`, "H F U U U"},
	{"sub", `{"op":"lt","left":{"op":"sub","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":0}}`,
		`{"age":1,"foir":2}`, `{"age":1,"foir":1}`, "H F U U U"},
	{"mul", `{"op":"gt","left":{"op":"mul","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":0}}`,
		`{"age":-1,"foir":-1}`, `{"age":0,"foir":1}`, "H F U U U"},
	{"div", `{"op":"gte","left":{"op":"div","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":2}}`,
		`{"age":4,"foir":2}`, `{"age":0,"foir":2}`, "H F U U U"},
	{"min", `{"op":"lte","left":{"op":"min","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":0}}`,
		`{"age":5,"foir":0}`, `{"age":5,"foir":1}`, "H F U U U"},
	{"max", `{"op":"ne","left":{"op":"max","args":[{"field":"age"},{"field":"foir"}]},"right":{"value":5}}`,
		`{"age":5,"foir":6}`, `{"age":5,"foir":1}`, "H F U U U"},
	{"abs", `{"op":"eq","left":{"op":"abs","args":[{"field":"age"}]},"right":{"field":"foir"}}`,
		`{"age":-5,"foir":5}`, `{"age":5,"foir":-5}`, "H F U U U"},
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, row := range matrix {
		t.Run(row.operator, func(t *testing.T) {
			t.Parallel()
			cells := strings.Fields(row.want)
			situations := map[string][]string{}
			given := row.yes
			if given == "" {
				given = row.no
			}
			if row.yes != "" {
				situations["yes"] = []string{row.yes}
			}
			if row.no != "" {
				situations["no"] = []string{row.no}
			}
			situations["absent"] = without(t, given)
			situations["null"] = replaced(t, given, func(json.RawMessage) []string { return []string{"null"} })
			situations["wrong"] = replaced(t, given, wrongTypes)

			for i, situation := range []string{"yes", "no", "absent", "null", "wrong"} {
				documents := situations[situation]
				if none := cells[i] == "-"; none != (len(documents) == 0) {
					t.Fatalf("%s: the table says %q and there are %d such facts", situation, cells[i], len(documents))
				}
				for _, document := range documents {
					check(t, situation, row.condition, document, truthOf(cells[i]))
				}
			}
		})
	}
}

// check evaluates a condition, its negation and its double negation.
func check(t *testing.T, situation, condition, facts string, want rule.Truth) {
	t.Helper()
	opposite := map[rule.Truth]rule.Truth{rule.Holds: rule.Fails, rule.Fails: rule.Holds, rule.Unknown: rule.Unknown}
	once := `{"op":"not","arg":` + condition + `}`
	for _, c := range []struct {
		condition string
		want      rule.Truth
	}{
		{condition, want},
		{once, opposite[want]},
		{`{"op":"not","arg":` + once + `}`, want},
	} {
		if got := compile(readCondition(t, c.condition)).eval(t, readFacts(t, facts)); got != c.want {
			t.Errorf("%s: %s over %s %s, want %s", situation, c.condition, facts, name(got), name(c.want))
		}
	}
}

func truthOf(cell string) rule.Truth {
	return map[string]rule.Truth{"H": rule.Holds, "F": rule.Fails, "U": rule.Unknown}[cell]
}

// members decodes a facts document into its raw values by name.
func members(t *testing.T, document string) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(document), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t *testing.T, m map[string]json.RawMessage) string {
	t.Helper()
	out, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// without returns, for each non-empty subset of the members, a copy of the
// document without that subset.
func without(t *testing.T, document string) (out []string) {
	t.Helper()
	all := members(t, document)
	names := slices.Sorted(maps.Keys(all))
	for chosen := 1; chosen < 1<<len(names); chosen++ {
		rest := maps.Clone(all)
		for i, n := range names {
			if chosen&(1<<i) != 0 {
				delete(rest, n)
			}
		}
		out = append(out, encode(t, rest))
	}
	return out
}

// replaced returns copies of the document. In each copy one member is replaced
// with one of its substitutes; in the last copy all members are replaced.
func replaced(t *testing.T, document string, substitutes func(json.RawMessage) []string) (out []string) {
	t.Helper()
	all := members(t, document)
	if len(all) == 0 {
		return nil
	}
	every := maps.Clone(all)
	for n, v := range all {
		for _, s := range substitutes(v) {
			one := maps.Clone(all)
			one[n] = json.RawMessage(s)
			every[n] = one[n]
			out = append(out, encode(t, one))
		}
	}
	return append(out, encode(t, every))
}

// wrongTypes returns values of other types, some of which look like v.
func wrongTypes(v json.RawMessage) []string {
	switch v[0] {
	case '"':
		return []string{"0", "true"}
	case 't', 'f':
		return []string{"1", `"` + string(v) + `"`}
	default:
		return []string{`"` + string(v) + `"`, "false"}
	}
}

// TestMatrixIsComplete checks that the matrix has a row for every predicate and
// every arithmetic operator.
func TestMatrixIsComplete(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	for _, row := range matrix {
		covered[row.operator] = true
	}
	for op := rule.Eq; op <= rule.False; op++ {
		if !covered[op.String()] {
			t.Errorf("%s has no row", op)
		}
	}
	for op := rule.Add; op <= rule.Abs; op++ {
		if !covered[op.String()] {
			t.Errorf("%s has no row", op)
		}
	}
}

// TestConnectives checks Kleene's truth tables. Each truth value is written in
// two ways, such as a constant and a predicate over a fact.
func TestConnectives(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ left, right, and, or string }{
		{"H", "H", "H", "H"},
		{"H", "U", "U", "H"},
		{"H", "F", "F", "H"},
		{"U", "H", "U", "H"},
		{"U", "U", "U", "U"},
		{"U", "F", "F", "U"},
		{"F", "H", "F", "H"},
		{"F", "U", "F", "U"},
		{"F", "F", "F", "F"},
	} {
		const facts = `{"bureau_is_ntc":true}`
		atoms := map[string][]string{
			"H": {`{"op":"true"}`, `{"op":"eq","field":"bureau_is_ntc","value":true}`},
			"F": {`{"op":"false"}`, `{"op":"ne","field":"bureau_is_ntc","value":true}`},
			"U": {`{"op":"eq","field":"location_gps_pincode_match","value":true}`,
				`{"op":"not_in","field":"age","values":[1]}`},
		}
		for _, left := range atoms[row.left] {
			for _, right := range atoms[row.right] {
				situation := row.left + " " + row.right
				check(t, situation, `{"op":"and","args":[`+left+`,`+right+`]}`, facts, truthOf(row.and))
				check(t, situation, `{"op":"or","args":[`+left+`,`+right+`]}`, facts, truthOf(row.or))
				// De Morgan's laws hold in three-valued logic too.
				check(t, situation, `{"op":"not","arg":{"op":"or","args":[{"op":"not","arg":`+left+
					`},{"op":"not","arg":`+right+`}]}}`, facts, truthOf(row.and))
			}
		}
	}
	for _, one := range []string{"and", "or"} {
		check(t, "one argument", `{"op":"`+one+`","args":[{"op":"true"}]}`, `{}`, rule.Holds)
		check(t, "one argument", `{"op":"`+one+`","args":[{"op":"false"}]}`, `{}`, rule.Fails)
		check(t, "one argument", `{"op":"`+one+`","args":[{"op":"lt","field":"age","value":1}]}`, `{}`, rule.Unknown)
	}
}

// TestExcludedMiddleIsUnknown checks that "p or not p" is unknown if the field
// of p is absent.
func TestExcludedMiddleIsUnknown(t *testing.T) {
	t.Parallel()
	const p = `{"op":"eq","field":"location_gps_pincode_match","value":true}`
	check(t, "absent", `{"op":"or","args":[`+p+`,{"op":"not","arg":`+p+`}]}`, `{}`, rule.Unknown)
	check(t, "absent", `{"op":"and","args":[`+p+`,{"op":"not","arg":`+p+`}]}`, `{}`, rule.Unknown)
	check(t, "given", `{"op":"or","args":[`+p+`,{"op":"not","arg":`+p+`}]}`, `{"location_gps_pincode_match":false}`,
		rule.Holds)
}

// TestArithmetic checks the exact result of each operator, or that there is no
// result.
func TestArithmetic(t *testing.T) {
	t.Parallel()
	const none = ""
	for _, c := range []struct{ op, args, want string }{
		{"add", "0.1, 0.2", "0.3"}, // exact, without a tolerance
		{"add", "0.1, 0.2, -0.3", "0"},
		{"add", "-1", "-1"},
		{"add", "1000000000000, 0", "1000000000000"},
		{"add", "1000000000000, 0.000001", none},
		{"add", "-1000000000000, -0.000001", none},
		{"add", "1000000000000, 1, -1", none}, // an intermediate result is out of range
		{"add", "1000000000000, -1, 1", "1000000000000"},
		{"sub", "0, 0.000001", "-0.000001"},
		{"sub", "0.3, 0.1", "0.2"},
		{"sub", "-1000000000000, 0.000001", none},
		{"sub", "1000000000000, -1000000000000", none},
		{"mul", "0.1, 0.1", "0.01"},
		{"mul", "1000000000000, 1", "1000000000000"},
		{"mul", "1000000000000, 1.000001", none},
		{"mul", "1000000000000, 1000000000000", none},
		{"mul", "1000000000000, 18.446745", none}, // the product is just above 64 bits
		{"mul", "-1000000000000, 1000000000000", none},
		{"mul", "1000000000000, 1000000000000, 0", none},
		{"mul", "0, 1000000000000, 1000000000000", "0"},
		{"mul", "0.0005, 0.001", "0.000001"}, // halves are rounded away from zero
		{"mul", "-0.0005, 0.001", "-0.000001"},
		{"mul", "-0.0005, -0.001", "0.000001"},
		{"mul", "0.000499, 0.001", "0"},
		{"mul", "0.001, 0.0005, 1000000", "1"}, // rounded after each step: 0.000001 · 1000000
		{"div", "1, 3", "0.333333"},
		{"div", "2, 3", "0.666667"},
		{"div", "-2, 3", "-0.666667"},
		{"div", "2, -3", "-0.666667"},
		{"div", "-2, -3", "0.666667"},
		{"div", "0.000001, 2", "0.000001"},
		{"div", "-0.000001, 2", "-0.000001"},
		{"div", "0.000001, 2.000001", "0"},
		{"div", "0, 5", "0"},
		{"div", "0, -5", "0"},
		{"div", "5, 0", none},
		{"div", "-5, 0", none},
		{"div", "0, 0", none},
		{"div", "5, -0.0", none},
		{"div", "1, 0.000001", "1000000"},
		{"div", "1000000, 0.000001", "1000000000000"},
		{"div", "1000000.000001, 0.000001", none},
		{"div", "1000000000000, 0.000001", none},
		{"div", "999999000000, 0.999999", "1000000000000"},
		{"div", "999999000000.000001, 0.999999", none}, // after rounding, a millionth above the limit
		{"min", "0, -1", "-1"},
		{"min", "3", "3"},
		{"min", "3, 2, 1, 2", "1"},
		{"max", "0, -1", "0"},
		{"max", "-3, -2, -2.000001", "-2"},
		{"abs", "-1", "1"},
		{"abs", "0", "0"},
		{"abs", "-1000000000000", "1000000000000"},
	} {
		// Test once with all constants and once with all facts.
		var constants, fields []string
		facts := map[string]json.RawMessage{}
		names := []string{"age", "foir", "monthly_income", "applicant.bonus"}
		for i, arg := range strings.Split(c.args, ", ") {
			constants = append(constants, `{"value":`+arg+`}`)
			fields = append(fields, `{"field":"`+names[i]+`"}`)
			facts[names[i]] = json.RawMessage(arg)
		}
		for _, args := range [][]string{constants, fields} {
			operand := fmt.Sprintf(`{"op":%q,"args":[%s]}`, c.op, strings.Join(args, ","))
			situation := fmt.Sprintf("%s(%s)", c.op, c.args)
			if c.want == none {
				for op := rule.Eq; op <= rule.Gte; op++ {
					check(t, situation, fmt.Sprintf(`{"op":%q,"left":%s,"right":{"value":0}}`, op, operand),
						encode(t, facts), rule.Unknown)
				}
				// If an inner operand has no result, the outer operand has none
				// either.
				check(t, situation,
					fmt.Sprintf(`{"op":"lte","left":{"op":"min","args":[{"value":-1},%s]},"right":{"value":0}}`,
						operand), encode(t, facts), rule.Unknown)
				continue
			}
			check(t, situation, fmt.Sprintf(`{"op":"eq","left":%s,"right":{"value":%s}}`, operand, c.want),
				encode(t, facts), rule.Holds)
			check(t, situation, fmt.Sprintf(`{"op":"ne","left":{"value":%s},"right":%s}`, c.want, operand),
				encode(t, facts), rule.Fails)
		}
	}
}

// TestBoundaries compares values at, just below and just above each bound. It
// fails if a bound of zero counts as no bound or if comparisons have a
// tolerance.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	bounds := []string{"-1", "0", "1", "650"}
	values := []string{"-1.000001", "-1", "-0.999999", "-0.000001", "0", "-0", "0.000001", "0.999999", "1", "1.000001",
		"649.999999", "650", "650.000001"}
	sign := func(x, y string) int { return rat(t, x).Cmp(rat(t, y)) }
	truth := func(b bool) rule.Truth {
		if b {
			return rule.Holds
		}
		return rule.Fails
	}
	for _, x := range values {
		facts := `{"bureau_score":` + x + `}`
		for _, bound := range bounds {
			order := sign(x, bound)
			for op, want := range map[string]bool{
				"eq": order == 0, "ne": order != 0,
				"lt": order < 0, "lte": order <= 0, "gt": order > 0, "gte": order >= 0,
			} {
				check(t, x, `{"op":"`+op+`","field":"bureau_score","value":`+bound+`}`, facts, truth(want))
			}
			check(t, x, `{"op":"in","field":"bureau_score","values":[`+bound+`]}`, facts, truth(order == 0))
			check(t, x, `{"op":"not_in","field":"bureau_score","values":[`+bound+`]}`, facts, truth(order != 0))
			for _, upper := range bounds {
				if sign(bound, upper) <= 0 {
					within := order >= 0 && sign(x, upper) <= 0
					check(t, x, `{"op":"between","field":"bureau_score","min":`+bound+`,"max":`+upper+`}`,
						facts, truth(within))
				}
			}
		}
	}
}

func rat(t tb, literal string) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatalf("%s is not a number", literal)
	}
	return r
}

// TestLaterConditionsDoNotDisturbEarlierOnes checks that conditions of one plan
// do not affect each other although they share slots and interned strings.
func TestLaterConditionsDoNotDisturbEarlierOnes(t *testing.T) {
	t.Parallel()
	p := compile(
		readCondition(t, `{"op":"ne","field":"bureau","value":"cibil"}`),
		readCondition(t, `{"op":"eq","left":{"field":"device_os"},"right":{"field":"bureau"}}`),
		readCondition(t, `{"op":"in","field":"device_os","values":["cibil","android"]}`),
	)
	for facts, want := range map[string]string{
		`{"bureau":"cibil","device_os":"cibil"}`: "F H H",
		`{"bureau":"crif","device_os":"cibil"}`:  "H F H",
		`{"bureau":"crif","device_os":"crif"}`:   "H H F", // strings that no condition names are still distinguished
		`{"bureau":"crif","device_os":"kaios"}`:  "H F F",
		`{"bureau":"crif"}`:                      "H U U",
		`{"device_os":"android"}`:                "U U H",
		`{}`:                                     "U U U",
	} {
		var frame rule.Frame
		p.slots.Load(readFacts(t, facts), &frame)
		for i, cell := range strings.Fields(want) {
			if got := p.code.Eval(p.tests[i], &frame); got != truthOf(cell) {
				t.Errorf("condition %d over %s %s, want %s", i, facts, name(got), cell)
			}
		}
	}
}

// TestAbsenceNeverSatisfies checks that a condition is unknown for an
// application that has none of its fields, even if the condition nests "not",
// "ne" and "not_in".
func TestAbsenceNeverSatisfies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := grower{pick: func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }, blind: true}
		document := g.condition(6)
		if got := compile(readCondition(t, document)).eval(t, rule.NewFacts(catalogue)); got != rule.Unknown {
			t.Fatalf("over nothing it %s: %s", name(got), document)
		}
	})
}
