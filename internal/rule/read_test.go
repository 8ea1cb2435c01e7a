package rule_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/golden"
	"verdict/internal/rule"
)

// faultFile is one testdata/faults/*.txtar file: a remark, a condition as a
// policy author might write it, and all faults of the condition.
type faultFile struct {
	path      string
	remark    string
	condition string
	faults    string
}

func (g faultFile) name() string { return strings.TrimSuffix(filepath.Base(g.path), ".txtar") }

const (
	conditionMark = "-- condition.json --\n"
	faultsMark    = "-- faults.txt --\n"
)

func readGoldens(t *testing.T) (out []faultFile) {
	t.Helper()
	paths, err := filepath.Glob("testdata/faults/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		remark, rest, ok := strings.Cut(string(data), conditionMark)
		condition, faults, _ := strings.Cut(rest, faultsMark)
		if !ok {
			t.Fatalf("%s has no line %q", path, conditionMark)
		}
		out = append(out, faultFile{path, remark, condition, faults})
	}
	return out
}

// render writes one fault per line, pointer first.
func render(items []fault.Item) string {
	var b strings.Builder
	for _, it := range items {
		pointer := it.Pointer
		if pointer == "" {
			pointer = "(root)"
		}
		fmt.Fprintf(&b, "%s %s: %s\n", pointer, it.Code, it.Detail)
	}
	return b.String()
}

// TestFaults checks that all faults of a condition are reported together, each
// with its own pointer.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, g := range readGoldens(t) {
		t.Run(g.name(), func(t *testing.T) {
			t.Parallel()
			items := readFaults(t, g.condition)
			if len(items) == 0 {
				t.Fatal("there is nothing wrong with this condition")
			}
			got := render(items)
			golden.File(t, g.path, g.remark+conditionMark+g.condition+faultsMark+got)
		})
	}
}

// TestFaultsAreTheirOwn checks that an invalid condition has the same faults at
// any position and next to any other faults, and that a valid condition has
// none. It reads the conditions of any two golden files together.
func TestFaultsAreTheirOwn(t *testing.T) {
	t.Parallel()
	goldens := slices.DeleteFunc(readGoldens(t), func(g faultFile) bool {
		return g.name() == "too_deep" // the test nests the conditions, which would change the faults about depth
	})
	const sound = `{"op":"eq","field":"bureau_is_ntc","value":true}`
	moved := func(g faultFile, to string) (out []fault.Item) {
		for _, it := range readFaults(t, g.condition) {
			it.Pointer = to + it.Pointer
			out = append(out, it)
		}
		return out
	}
	for _, first := range goldens {
		for _, second := range goldens {
			document := fmt.Sprintf(`{"op":"or","args":[%s,%s,{"op":"not","arg":%s},%[1]s]}`,
				sound, first.condition, second.condition)
			want := slices.Concat(moved(first, "/args/1"), moved(second, "/args/2/arg"))
			if diff := cmp.Diff(withoutHints(want), withoutHints(readFaults(t, document))); diff != "" {
				t.Errorf("%s beside %s (-want +got):\n%s", first.name(), second.name(), diff)
			}
		}
	}
}

// withoutHints removes the suggested names, because only the first few faults
// of a document suggest a name.
func withoutHints(items []fault.Item) []fault.Item {
	out := slices.Clone(items)
	for i := range out {
		if unknown := "is not a known field"; strings.HasPrefix(out[i].Detail, unknown) {
			out[i].Detail = unknown
		}
	}
	return out
}

// TestBounds checks, for each limit, a condition at the limit and one just
// beyond it.
func TestBounds(t *testing.T) {
	t.Parallel()
	repeat := func(n int, s string) string { return strings.TrimSuffix(strings.Repeat(s+",", n), ",") }
	nots := func(n int) string {
		return strings.Repeat(`{"op":"not","arg":`, n) + `{"op":"true"}` + strings.Repeat("}", n)
	}
	and := func(args string) string { return `{"op":"and","args":[` + args + `]}` }
	set := func(values string) string { return `{"op":"in","field":"age","values":[` + values + `]}` }
	word := func(n int) string {
		return `{"op":"eq","field":"bureau","value":"` + strings.Repeat("a", n) + `"}`
	}
	number := func(literal string) string { return `{"op":"eq","field":"age","value":` + literal + `}` }
	abs := func(n int) string {
		return `{"op":"eq","left":` + strings.Repeat(`{"op":"abs","args":[`,
			n) + `{"field":"age"}` + strings.Repeat("]}", n) + `,"right":{"value":0}}`
	}
	sum := func(n int) string {
		return `{"op":"eq","left":{"op":"add","args":[` + repeat(n, `{"value":1}`) + `]},"right":{"value":0}}`
	}
	for _, c := range []struct{ name, within, beyond, want string }{
		{
			"depth of conditions", nots(15), nots(16),
			strings.Repeat("/arg", 16) + " invalid_condition: a condition is at most 16 levels deep\n",
		},
		{
			"depth of operands", abs(14), abs(15),
			"/left" + strings.Repeat("/args/0", 15) + " invalid_condition: a condition is at most 16 levels deep\n",
		},
		{
			"nodes", and(repeat(511, `{"op":"true"}`)), and(repeat(512, `{"op":"true"}`)),
			"/args/511 invalid_condition: a condition has at most 512 nodes\n",
		},
		{
			"nodes, far beyond", and(repeat(511, `{"op":"true"}`)), and(repeat(5000, `{"op":"true"}`)),
			"/args/511 invalid_condition: a condition has at most 512 nodes\n",
		},
		{
			"operands are nodes", sum(509), sum(510),
			"/right invalid_condition: a condition has at most 512 nodes\n",
		},
		{
			"operands, far beyond", sum(509), sum(5000),
			"/left/args/510 invalid_condition: a condition has at most 512 nodes\n",
		},
		{
			"values", set(repeat(1000, "1")), set(repeat(1001, "1")),
			"/values invalid_condition: a set has at most 1000 values\n",
		},
		{
			"length of a string", word(256), word(257),
			"/value invalid_condition: is longer than 256 bytes\n",
		},
		{
			"greatest number", number("1000000000000"), number("1000000000000.000001"),
			"/value invalid_condition: must lie between -1000000000000 and 1000000000000\n",
		},
		{
			"least number", number("-1e12"), number("-1.000000000000000001e12"),
			"/value invalid_condition: must lie between -1000000000000 and 1000000000000\n",
		},
		{
			"decimals", number("0.3000000000"), number("0.30000001"),
			"/value invalid_condition: has more than 6 decimals\n",
		},
		{
			"decimals of an exponent", number("1e-6"), number("1e-7"),
			"/value invalid_condition: has more than 6 decimals\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := render(readFaults(t, c.within)); got != "" {
				t.Errorf("within the bound: %s", got)
			}
			if got := render(readFaults(t, c.beyond)); got != c.want {
				t.Errorf("beyond the bound:\n got %swant %s", got, c.want)
			}
		})
	}
}

// TestStage checks that only Stage 2 conditions may name the engine's results.
func TestStage(t *testing.T) {
	t.Parallel()
	for _, document := range []string{
		`{"op":"lt","field":"final_score","value":690}`,
		`{"op":"eq","left":{"field":"grade"},"right":{"value":"D"}}`,
	} {
		if items := readFaults(t, document); len(items) != 1 {
			t.Errorf("Stage 1: %s has %d faults, want one", document, len(items))
		}
		var faults fault.List
		rule.ReadCondition(parse(t, document), stage2, &faults)
		if err := faults.Err(); err != nil {
			t.Errorf("Stage 2: %v", err)
		}
	}
}

// TestFaultsKeepSilentAboutValues checks that no fault detail repeats a
// submitted value, which may be confidential, such as a PAN.
func TestFaultsKeepSilentAboutValues(t *testing.T) {
	t.Parallel()
	const secret = "ABCPE1234F"
	for _, document := range []string{
		`"ABCPE1234F"`,
		`{"op":"ABCPE1234F"}`,
		`{"op":"eq","field":"ABCPE1234F","value":"ABCPE1234F"}`,
		`{"op":"eq","field":"applicant.ABCPE1234F","value":1}`,
		`{"op":"eq","field":"age","value":"ABCPE1234F"}`,
		`{"op":"eq","field":"employment_type","value":"ABCPE1234F"}`,
		`{"op":"in","field":"employment_type","values":["ABCPE1234F"]}`,
		`{"op":"between","field":"age","min":"ABCPE1234F","max":"ABCPE1234F"}`,
		`{"op":"contains","field":"age","value":"ABCPE1234F"}`,
		`{"op":"eq","left":{"op":"ABCPE1234F","args":["ABCPE1234F"]},"right":"ABCPE1234F"}`,
	} {
		items := readFaults(t, document)
		if len(items) == 0 {
			t.Errorf("%s has no fault", document)
		}
		for _, it := range items {
			if strings.Contains(it.Detail, secret) {
				t.Errorf("%s: %s", document, it.Detail)
			}
		}
	}
}

// TestFieldsInReadingOrder checks that Fields visits the fields of a condition
// in reading order.
func TestFieldsInReadingOrder(t *testing.T) {
	t.Parallel()
	c := readCondition(t, `{"op":"and","args":[
		{"op":"gt","left":{"op":"div","args":[{"field":"age"},{"op":"abs","args":[{"field":"foir"}]}]},
			"right":{"field":"monthly_income"}},
		{"op":"not","arg":{"op":"or","args":[{"op":"exists","field":"bureau"},{"op":"in","field":"age","values":[1]}]}},
		{"op":"eq","field":"applicant.is_staff","value":true}]}`)
	var got []string
	c.Fields(func(r rule.Ref) { got = append(got, r.Name) })
	want := []string{"age", "foir", "monthly_income", "bureau", "age", "applicant.is_staff"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

// TestManyUnknownMembers checks that a condition with thousands of unknown
// members before its operator is rejected and lists only fault.MaxItems faults.
func TestManyUnknownMembers(t *testing.T) {
	t.Parallel()
	const members = 50_000
	var b strings.Builder
	b.WriteByte('{')
	for i := range members {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	b.WriteString(`"op":"true"}`)
	items := readFaults(t, b.String())
	if len(items) != fault.MaxItems {
		t.Fatalf("%d faults are listed, want %d", len(items), fault.MaxItems)
	}
	if first := items[0]; first.Pointer != "/m0" || first.Code != fault.CodeUnknownField {
		t.Errorf("the first fault is %+v", first)
	}
}
