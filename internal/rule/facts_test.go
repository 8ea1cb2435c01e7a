package rule_test

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// factNames has names that are in the catalogue and names that are not.
var factNames = []string{"age", "bureau", "device_is_emulator", "applicant.bonus", "shoe_size", ""}

// values generates a value of any type, including absent.
func values() *rapid.Generator[rule.Value] {
	return rapid.OneOf(
		rapid.Just(rule.Value{}),
		rapid.Map(numbers(), rule.Num),
		rapid.Map(rapid.String().Filter(func(s string) bool { return !strings.Contains(s, "\x00") }), rule.Str),
		rapid.Map(rapid.Bool(), rule.Bool),
	)
}

// TestFactsAgainstAMap checks that, after any sequence of operations, facts
// behave like a map from each name to its latest value, and that writing and
// reading does not change them.
func TestFactsAgainstAMap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		facts, model := rule.NewFacts(catalogue), map[string]rule.Value{}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				n, v := rapid.SampledFrom(factNames).Draw(t, "name"), values().Draw(t, "value")
				facts.Set(n, v)
				model[n] = v
				if v.Type() == rule.Absent {
					delete(model, n)
				}
			},
			"set many": func(t *rapid.T) { // enough names outside the catalogue to make Set use its map
				v := values().Draw(t, "value")
				for i := range rapid.IntRange(0, 80).Draw(t, "number") {
					n := "own." + strconv.Itoa(i)
					facts.Set(n, v)
					model[n] = v
					if v.Type() == rule.Absent {
						delete(model, n)
					}
				}
			},
			"add": func(t *rapid.T) {
				n, v := rapid.SampledFrom(factNames[:3]).Draw(t, "name"), values().Draw(t, "value")
				id, _ := catalogue.Lookup(n)
				facts.Add(id, v)
				if v.Type() != rule.Absent {
					model[n] = v
				}
			},
			"change": func(t *rapid.T) {
				n, v := rapid.SampledFrom(factNames).Draw(t, "name"), values().Draw(t, "value")
				facts.Change(func(name string, was rule.Value) rule.Value {
					if name == n {
						return v
					}
					return was
				})
				if _, had := model[n]; had {
					model[n] = v
				}
				if v.Type() == rule.Absent {
					delete(model, n)
				}
			},
			"select": func(t *rapid.T) {
				n := rapid.SampledFrom(factNames).Draw(t, "name")
				rest := maps.Clone(model)
				delete(rest, n)
				sameFacts(t, facts.Select(func(name string) bool { return name != n }), rest)
				one := map[string]rule.Value{}
				if v, had := model[n]; had {
					one[n] = v
				}
				sameFacts(t, facts.Select(func(name string) bool { return name == n }), one)
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "seldom") == 0 {
					facts.Reset()
					clear(model)
				}
			},
			"": func(t *rapid.T) {
				sameFacts(t, facts, model)
				sameFacts(t, readFacts(t, canonicalFacts(facts)), model)
			},
		})
	})
}

func sameFacts(t tb, facts *rule.Facts, model map[string]rule.Value) {
	t.Helper()
	for _, n := range factNames {
		if got := facts.Get(n); got != model[n] {
			t.Errorf("%q is %s, want %s", n, got, model[n])
		}
	}
	var want []rule.NamedValue
	for _, n := range slices.Sorted(maps.Keys(model)) {
		want = append(want, rule.NamedValue{Name: n, Value: model[n]})
	}
	if got := facts.Sorted(); !slices.Equal(got, want) {
		t.Errorf("sorted %v, want %v", got, want)
	}
	var w wire.Writer
	w.Object()
	for i := range want {
		w.Name(want[i].Name)
		want[i].Value.Write(&w)
	}
	w.EndObject()
	if got := string(canonicalFacts(facts)); got != string(w.Buf) {
		t.Errorf("written as %s, want %s", got, w.Buf)
	}
	if len(model) > facts.Len() {
		t.Errorf("%d facts, want at least %d", facts.Len(), len(model))
	}
	var read rule.Frame
	slots := rule.NewSlots(catalogue)
	for _, n := range factNames[:3] {
		id, _ := catalogue.Lookup(n)
		slots.Slot(rule.Ref{Name: n, ID: id, Type: catalogue.Field(id).Type})
	}
	slots.Load(facts, &read)
	for slot, n := range factNames[:3] {
		want := model[n]
		if want.Type() != slots.Ref(int32(slot)).Type {
			want = rule.Value{} // a value of the wrong type cannot be read
		}
		if got := slots.Value(&read, int32(slot)); got != want {
			t.Errorf("a plan reads %s as %s, want %s", n, got, want)
		}
	}
}

// TestReadFacts checks that null is absent, that unknown names are accepted,
// and that numbers are rounded to six decimals.
func TestReadFacts(t *testing.T) {
	t.Parallel()
	facts := readFacts(t, `{"shoe_size":42,"foir":0.30000049,"age":null,"bureau":"","nothing":null,
		"applicant.bonus":-0.0000005,"device_is_emulator":false}`)
	const want = `{"applicant.bonus":-0.000001,"bureau":"","device_is_emulator":false,"foir":0.3,"shoe_size":42}`
	if got := canonicalFacts(facts); got != want {
		t.Errorf("written %s\n   want %s", got, want)
	}
	if facts.Len() != 5 {
		t.Errorf("%d facts, want 5: a null is none", facts.Len())
	}
	for n, v := range map[string]rule.Value{
		"shoe_size": rule.Num(rule.Int(42)), "foir": rule.Num(300_000), "age": {}, "nothing": {}, "never_heard_of": {},
		"bureau": rule.Str(""), "device_is_emulator": rule.Bool(false),
	} {
		if got := facts.Get(n); got != v {
			t.Errorf("%s is %s, want %s", n, got, v)
		}
	}
}

func TestReadFactsFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ document, want string }{
		{`[]`, "(root) wrong_type: must be an object of field names and values\n"},
		{`null`, "(root) wrong_type: must be an object of field names and values\n"},
		{
			`{"age":[1],"foir":1,"a/b~c":{"x":1},"bureau_score":1000000000001,"monthly_income":-1e13}`,
			"/age wrong_type: must be a number, a string or a boolean in range\n" +
				"/a~1b~0c wrong_type: must be a number, a string or a boolean in range\n" +
				"/bureau_score wrong_type: must be a number, a string or a boolean in range\n" +
				"/monthly_income wrong_type: must be a number, a string or a boolean in range\n",
		},
	} {
		_, err := rule.ReadFacts(parse(t, c.document), catalogue)
		var refusal *fault.Error
		if !errors.As(err, &refusal) {
			t.Errorf("%s: %v, want a *fault.Error", c.document, err)
			continue
		}
		if diff := cmp.Diff(c.want, render(refusal.Items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.document, diff)
		}
	}
}

// TestValue checks that each accessor returns a zero value for a value of
// another type.
func TestValue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value  rule.Value
		typ    rule.Type
		number rule.Number
		text   string
		isTrue bool
		shown  string
	}{
		{rule.Value{}, rule.Absent, 0, "", false, "absent"},
		{rule.Num(0), rule.NumberType, 0, "", false, "0"},
		{rule.Num(1), rule.NumberType, 1, "", false, "0.000001"},
		{rule.Str(""), rule.StringType, 0, "", false, ""},
		{rule.Str("true"), rule.StringType, 0, "true", false, "true"},
		{rule.Bool(false), rule.BoolType, 0, "", false, "false"},
		{rule.Bool(true), rule.BoolType, 0, "", true, "true"},
	} {
		v := c.value
		if v.Type() != c.typ || v.Number() != c.number || v.Text() != c.text || v.IsTrue() != c.isTrue ||
			v.String() != c.shown {
			t.Errorf("%#v: %s, %s, %q, %t, %s", v, v.Type(), v.Number(), v.Text(), v.IsTrue(), v)
		}
	}
	if rule.Num(0) == rule.Bool(false) || rule.Num(0) == (rule.Value{}) || rule.Str("") == (rule.Value{}) {
		t.Error("values of different types are equal")
	}
	for _, typ := range []rule.Type{rule.NumberType, rule.StringType, rule.BoolType} {
		if got, ok := rule.ParseType(typ.String()); !ok || got != typ {
			t.Errorf("the type %s reads back as %s", typ, got)
		}
	}
	for _, no := range []string{"", "absent", "Number", "bool"} {
		if got, ok := rule.ParseType(no); ok {
			t.Errorf("%q reads as the type %s", no, got)
		}
	}
}
