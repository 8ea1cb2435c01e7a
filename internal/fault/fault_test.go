package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
)

func TestNew(t *testing.T) {
	t.Parallel()
	err := fault.New(fault.NotFound, "policy_not_found", "no policy %s here, 100%%", "pol_1")
	want := &fault.Error{Kind: fault.NotFound, Code: "policy_not_found", Detail: "no policy pol_1 here, 100%"}
	if diff := cmp.Diff(want, err); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var found *fault.Error
	if wrapped := fmt.Errorf("read policy: %w", err); !errors.As(wrapped, &found) || found != err {
		t.Errorf("%v is not found inside %v", err, wrapped)
	}
}

// TestOf checks that the refusal inside an error is found with its kind and its
// code, and that an error without a refusal has neither.
func TestOf(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Conflict, fault.CodeLastAdmin, "there must be an admin")
	for _, c := range []struct {
		err  error
		want *fault.Error
		kind fault.Kind
		code string
	}{
		{refusal, refusal, fault.Conflict, fault.CodeLastAdmin},
		{fmt.Errorf("disable the user: %w", refusal), refusal, fault.Conflict, fault.CodeLastAdmin},
		{errors.New("disk full"), nil, 0, ""},
		{nil, nil, 0, ""},
	} {
		if got := fault.Of(c.err); got != c.want || fault.KindOf(c.err) != c.kind || fault.CodeOf(c.err) != c.code {
			t.Errorf("%v: got %v, kind %d, code %q", c.err, got, fault.KindOf(c.err), fault.CodeOf(c.err))
		}
	}
}

func TestEscapePointer(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "", "score": "score", "a/b": "a~1b", "~1": "~01", "é/~": "é~1~0"} {
		if got := fault.EscapePointer(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  fault.Error
		want string
	}{
		{fault.Error{Code: "gone"}, "gone"},
		{fault.Error{Code: "gone", Detail: "it is not here"}, "gone: it is not here"},
		{
			fault.Error{Code: "invalid_field", Detail: "2 things are wrong", Items: []fault.Item{
				{Pointer: "/a/0", Code: "required", Detail: "is required"},
				{Pointer: "", Code: "wrong_type", Detail: "must be an object"},
			}},
			"invalid_field: 2 things are wrong\n  /a/0: required: is required\n  (document): wrong_type: must be " +
				"an object",
		},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestEmptyList(t *testing.T) {
	t.Parallel()
	var l fault.List
	if l.Err() != nil || l.Len() != 0 || l.SkipHints() || len(l.Items()) != 0 {
		t.Errorf("an empty list is %+v with error %v", l, l.Err())
	}
}

func TestListErr(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first string
		code  string
	}{
		{fault.CodeRequired, "invalid_field"},
		{fault.CodeOutOfRange, "invalid_field"},
		{fault.CodeUnknownField, "unknown_field"},
		{fault.CodeInvalidCondition, "invalid_condition"},
		{"bureau_report_mismatch", "bureau_report_mismatch"},
		{"report_must_have_one_key", "report_must_have_one_key"},
	} {
		var l fault.List
		l.Add("/a", c.first, "must be at most %d%%", 100)
		one := &fault.Error{
			Kind: fault.Invalid, Code: c.code, Detail: "/a must be at most 100%",
			Items: []fault.Item{{Pointer: "/a", Code: c.first, Detail: "must be at most 100%"}},
		}
		if diff := cmp.Diff(error(one), l.Err()); diff != "" {
			t.Errorf("one fault (-want +got):\n%s", diff)
		}
		l.Add("/b", fault.CodeUnknownField, "is not known")
		two := &fault.Error{
			Kind: fault.Invalid, Code: c.code, Detail: "/a must be at most 100%; the first of 2 faults",
			Items: append(one.Items, fault.Item{Pointer: "/b", Code: fault.CodeUnknownField, Detail: "is not known"}),
		}
		if diff := cmp.Diff(error(two), l.Err()); diff != "" {
			t.Errorf("two faults (-want +got):\n%s", diff)
		}
	}
}

// TestAddFormatsAlways checks that Add formats a percent sign in the same way
// with and without further arguments.
func TestAddFormatsAlways(t *testing.T) {
	t.Parallel()
	var l fault.List
	l.Add("/foir", fault.CodeOutOfRange, "is beyond 500%%")
	l.Add("/foir", fault.CodeOutOfRange, "is beyond %d%%", 500)
	for _, item := range l.Items() {
		if item.Detail != "is beyond 500%" {
			t.Errorf("got %q", item.Detail)
		}
	}
}

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	var l fault.List
	const n = fault.MaxItems + 50
	for i := range n {
		if l.SkipHints() != (i >= 10) {
			t.Fatalf("SkipHints is %t after %d faults", l.SkipHints(), i)
		}
		l.Add("/x", fault.CodeDuplicate, "fault %d", i)
	}
	if l.Len() != n || len(l.Items()) != fault.MaxItems {
		t.Errorf("Len is %d with %d items", l.Len(), len(l.Items()))
	}
	var err *fault.Error
	if !errors.As(l.Err(), &err) || len(err.Items) != fault.MaxItems ||
		err.Detail != "/x fault 0; the first of 150 faults" {
		t.Errorf("got %v", l.Err())
	}
}

// TestDetailNamesThePlace checks that a detail begins with the pointer unless
// the pointer is too long, and that MapItems puts the changed pointer into the
// detail.
func TestDetailNamesThePlace(t *testing.T) {
	t.Parallel()
	detail := func(err error) string {
		var refusal *fault.Error
		if !errors.As(err, &refusal) {
			t.Fatalf("%v is no refusal", err)
		}
		return refusal.Detail
	}
	var whole, long, two fault.List
	whole.Add("", fault.CodeWrongType, "must be an object")
	if got := detail(whole.Err()); got != "must be an object" {
		t.Errorf("the whole document: %q", got)
	}
	long.Add("/"+strings.Repeat("x", 300), fault.CodeUnknownField, "is not known")
	if got := detail(long.Err()); got != "is not known" {
		t.Errorf("a long pointer: %q", got)
	}
	two.Add("/limit", fault.CodeOutOfRange, "must be at most 200")
	two.Add("/order", fault.CodeInvalidField, "must be asc or desc")
	told := fault.MapItems(two.Err(), func(i fault.Item) fault.Item {
		i.Pointer = "?" + i.Pointer[1:]
		return i
	})
	if got, want := detail(told), "?limit must be at most 200; the first of 2 faults"; got != want {
		t.Errorf("retold: %q, want %q", got, want)
	}
}

// TestMove checks that Move moves every item with the given code, including all
// its members, and does not move the others.
func TestMove(t *testing.T) {
	t.Parallel()
	var warnings, faults fault.List
	warnings.Add("/a", fault.CodeUnknownField, "a")
	warnings.Add("/b", "not_read", "b")
	warnings.AddItem(fault.Item{Pointer: "/c", Code: fault.CodeUnknownField, Detail: "c", Nearest: "d"})
	warnings.Move(fault.CodeUnknownField, &faults)
	if got := warnings.Items(); len(got) != 1 || got[0].Pointer != "/b" {
		t.Errorf("left: %v", got)
	}
	if got := faults.Items(); len(got) != 2 || got[1].Nearest != "d" {
		t.Errorf("moved: %v", got)
	}
}
