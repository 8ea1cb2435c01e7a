package wire_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// lines returns each fault as one line: pointer, code and detail.
func lines(l *fault.List) []string {
	out := []string{}
	for _, it := range l.Items() {
		out = append(out, it.Pointer+" "+it.Code+" "+it.Detail)
	}
	return out
}

func TestFormReads(t *testing.T) {
	t.Parallel()
	var faults fault.List
	f := wire.NewForm(parse(t,
		`{"text":"ab","choice":"b","decimal":-1.50,"whole":7e1,"bool":true,"array":[1,2],"note":"x"}`), &faults)
	text, ok := f.Text("text", 2)
	if text != "ab" || !ok {
		t.Errorf("text %q, %t", text, ok)
	}
	if got := f.Choice("choice", -1, "a", "b"); got != 1 {
		t.Errorf("choice %d", got)
	}
	if got, ok := f.Decimal("decimal", 2, -150, 150); got != -150 || !ok {
		t.Errorf("decimal %d, %t", got, ok)
	}
	if got, ok := f.Decimal("whole", 0, 0, 70); got != 70 || !ok {
		t.Errorf("whole %d, %t", got, ok)
	}
	if !f.Bool("bool", false) || f.Array("array", 2).Len() != 2 || !f.Require("text", "why") {
		t.Error("a member that is there was not read")
	}
	f.Known("note", "never sent")
	f.Done()
	if faults.Len() != 0 {
		t.Errorf("faults: %q", lines(&faults))
	}
}

func TestFormReadsWhatIsMissing(t *testing.T) {
	t.Parallel()
	var faults fault.List
	f := wire.NewForm(parse(t, `{"null":null}`), &faults)
	for _, name := range []string{"null", "none"} {
		if text, ok := f.Text(name, 9); text != "" || ok {
			t.Errorf("%s: text %q, %t", name, text, ok)
		}
		if got := f.Choice(name, 5, "a"); got != 5 {
			t.Errorf("%s: choice %d", name, got)
		}
		if got, ok := f.Decimal(name, 2, 1, 2); got != 0 || ok {
			t.Errorf("%s: decimal %d, %t", name, got, ok)
		}
		if !f.Bool(name, true) || f.Array(name, 1).Len() != 0 {
			t.Errorf("%s is there", name)
		}
	}
	f.Done()
	if faults.Len() != 0 {
		t.Errorf("leaving members out is a fault: %q", lines(&faults))
	}
	if f.Require("null", "what it is for") {
		t.Error("a null was enough")
	}
	if diff := cmp.Diff([]string{"/null required is required: what it is for"}, lines(&faults)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormRefuses(t *testing.T) {
	t.Parallel()
	var faults fault.List
	doc := parse(t, `{"in":[{"a/b":1,"text":"abc","choice":"z","low":-1,"high":1e15,"fine":1.005,"whole":1.5,
		"bool":"true","array":[1,2],"object":{},"odd":1}]}`)
	for _, v := range doc.Get("in").Elements() {
		f := wire.NewForm(v, &faults)
		f.Text("a/b", 9)
		f.Text("text", 2)
		f.Choice("choice", 0, "a", "b")
		f.Decimal("low", 2, 0, 150)
		f.Decimal("high", 6, 0, 1)
		f.Decimal("fine", 2, 0, 1000)
		f.Decimal("whole", 0, 0, 9)
		f.Bool("bool", false)
		f.Array("array", 1)
		f.Array("object", 1)
		f.Done()
	}
	want := []string{
		"/in/0/a~1b wrong_type must be a string, but is a number",
		"/in/0/text out_of_range is longer than 2 bytes",
		"/in/0/choice out_of_range must be one of a, b",
		"/in/0/low out_of_range must lie between 0 and 1.5",
		"/in/0/high out_of_range must lie between 0 and 0.000001",
		"/in/0/fine out_of_range has more than 2 decimals",
		"/in/0/whole out_of_range must be a whole number",
		"/in/0/bool wrong_type must be a boolean, but is a string",
		"/in/0/array too_many has more than 1 entries",
		"/in/0/object wrong_type must be an array, but is an object",
		"/in/0/odd unknown_field is not a member here; the known members are a/b, text, choice, low, high, fine, " +
			"whole, bool, " +
			"array, object",
	}
	if diff := cmp.Diff(want, lines(&faults)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFormOfNoObject(t *testing.T) {
	t.Parallel()
	var faults fault.List
	f := wire.NewForm(parse(t, `[1]`), &faults)
	f.Text("a", 1)
	f.Require("a", "why")
	f.Done()
	if diff := cmp.Diff([]string{" wrong_type must be an object, but is an array"}, lines(&faults)); diff != "" {
		t.Errorf("one fault is enough (-want +got):\n%s", diff)
	}
}

// TestFormProposesTheNearest checks that the fault of an unknown member
// suggests the most similar name and lists every known name once.
func TestFormProposesTheNearest(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte(`{"tenure":1}`))
	if err != nil {
		t.Fatal(err)
	}
	var faults fault.List
	f := wire.NewForm(v, &faults)
	f.Known("tenures", "min_amount")
	f.Get("tenures")
	f.Also("patch")
	f.Done()
	want := []fault.Item{{
		Pointer: "/tenure", Code: fault.CodeUnknownField, Nearest: "tenures",
		Detail: "is not a member here; the known members are tenures, min_amount, patch; did you mean tenures?",
	}}
	if !reflect.DeepEqual(faults.Items(), want) {
		t.Errorf("%+v", faults.Items())
	}
}
