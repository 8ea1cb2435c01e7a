package wire

import (
	"slices"
	"strings"

	"verdict/internal/fault"
)

// Form reads one object member by member, notes every fault in a list and at
// the end refuses the members nobody asked for: in a policy or a
// configuration a misspelt name must not pass as one left out.
//
// A Form is meant to live on its reader's stack: a policy has hundreds of
// objects, and reading one should not cost an allocation each.
type Form struct {
	value  Value
	faults *fault.List
	names  [maxMembers]string // asked for, in order
	count  int
	next   int32  // where the member after the last one found stands
	index  int32  // its position among the members
	found  uint64 // a bit for each of the first 64 members that was asked for
	orNull []string
	also   []string
}

// maxMembers is how many different members of one object can be asked for.
const maxMembers = 40

// NewForm starts reading v, which must be an object.
func NewForm(v Value, faults *fault.List) Form {
	if v.Kind() != Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
	}
	return Form{value: v, faults: faults}
}

// Value is the object being read.
func (f *Form) Value() Value { return f.value }

// Get returns a member and marks its name as known.
func (f *Form) Get(name string) Value {
	f.Known(name)
	if f.value.Kind() != Object {
		return Value{}
	}
	// Documents mostly keep the order in which they are read, so the search
	// goes on where the last one ended and wraps around.
	d, n := f.value.doc, f.value.node()
	count, end := n.count(), n.next(f.value.at)
	at, index := f.next, f.index
	for range count {
		if at <= f.value.at || at >= end {
			at, index = f.value.at+1, 0
		}
		m := &d.nodes[at]
		if d.is(m.name, name) {
			here := at
			f.next, f.index = m.next(at), index+1
			f.found |= 1 << index
			if m.kind == Null {
				return Value{}
			}
			return Value{doc: d, at: here}
		}
		at, index = m.next(at), index+1
	}
	return Value{}
}

// Known marks names that are allowed and read by no one.
func (f *Form) Known(names ...string) {
	for _, name := range names {
		if f.count > 0 && f.names[f.count-1] == name {
			continue // asked for twice in a row: required, then read
		}
		f.names[f.count] = name
		f.count++
	}
}

// Also names members that the object may have and that somebody else reads
// before: Done refuses them, and lists them among those that may be meant.
func (f *Form) Also(names ...string) { f.also = names }

// OrNull names members that other forms of the object have: they may be null,
// which is the same as leaving them out, and Done refuses any other value.
func (f *Form) OrNull(names []string) { f.orNull = names }

// Pointer is the place of a member, whether it is there or not.
func (f *Form) Pointer(name string) string { return f.value.Pointer() + "/" + escapePointer(name) }

// Fail notes a fault at a member.
func (f *Form) Fail(name, code, format string, args ...any) {
	f.faults.Add(f.Pointer(name), code, format, args...)
}

// Require marks a member's name as known and notes a fault when it is not
// given.
func (f *Form) Require(name, what string) bool {
	if f.Get(name).Given() {
		return true
	}
	if f.value.Kind() == Object {
		f.faults.AddItem(Required(f.value, name, f.Pointer(name), what))
	}
	return false
}

// Required is the fault of an object that does not have a member which it must
// have: what says what the member is, and pointer where it belongs. Where a
// member was sent whose name differs in case alone, the fault says so, because
// nothing else does once a request is refused.
func Required(object Value, name, pointer, what string) fault.Item {
	item := fault.Item{Pointer: pointer, Code: fault.CodeRequired, Detail: "is required: " + what}
	if object.HasFolded(name) {
		item.Detail += "; a member whose name differs in case alone was sent and not read: names are case-sensitive, write " + name
		item.Nearest = name
	}
	return item
}

func (f *Form) typed(name string, want Kind) (Value, bool) {
	v := f.Get(name)
	if !v.Given() {
		return v, false
	}
	if v.Kind() != want {
		f.Fail(name, fault.CodeWrongType, "must be %s, but is %s", want, v.Kind())
		return v, false
	}
	return v, true
}

// Text reads a string of at most most bytes; ok is false when it is missing
// or refused.
func (f *Form) Text(name string, most int) (text string, ok bool) {
	v, ok := f.typed(name, String)
	if !ok {
		return "", false
	}
	if len(v.Text()) > most {
		f.Fail(name, fault.CodeOutOfRange, "is longer than %d bytes", most)
		return "", false
	}
	return v.Text(), true
}

// Choice reads a string that is one of a few and returns its position, or
// otherwise when it is missing or refused.
func (f *Form) Choice(name string, otherwise int, choices ...string) int {
	v, ok := f.typed(name, String)
	if !ok {
		return otherwise
	}
	if i := slices.Index(choices, v.Text()); i >= 0 {
		return i
	}
	f.Fail(name, fault.CodeOutOfRange, "must be one of %s", strings.Join(choices, ", "))
	return otherwise
}

// Decimal reads a number as a count of 10^-places between least and most, and
// refuses one with more decimals: rounding a policy would change it.
func (f *Form) Decimal(name string, places int, least, most int64) (coef int64, ok bool) {
	v, ok := f.typed(name, Number)
	if !ok {
		return 0, false
	}
	coef, exact, fits := ParseDecimal(v.Text(), places)
	switch {
	case !fits || coef < least || coef > most:
		f.Fail(name, fault.CodeOutOfRange, "must lie between %s and %s",
			AppendDecimal(nil, least, places), AppendDecimal(nil, most, places))
	case !exact && places == 0:
		f.Fail(name, fault.CodeOutOfRange, "must be a whole number")
	case !exact:
		f.Fail(name, fault.CodeOutOfRange, "has more than %d decimals", places)
	default:
		return coef, true
	}
	return 0, false
}

// Bool reads a boolean, or otherwise when it is missing or refused.
func (f *Form) Bool(name string, otherwise bool) bool {
	v, ok := f.typed(name, Bool)
	if !ok {
		return otherwise
	}
	return v.IsTrue()
}

// Array reads an array of at most most elements; a missing or refused one
// has none.
func (f *Form) Array(name string, most int) Value {
	v, ok := f.typed(name, Array)
	if !ok {
		return Value{}
	}
	if v.Len() > most {
		f.Fail(name, fault.CodeTooMany, "has more than %d entries", most)
		return Value{}
	}
	return v
}

// Done refuses the members that were never asked for.
func (f *Form) Done() {
	if n := f.value.Len(); n < 64 && f.found == 1<<n-1 {
		return // every one was
	}
	known := f.names[:f.count]
	for name, v := range f.value.Members() {
		if !slices.Contains(known, name) && (v.Given() || !slices.Contains(f.orNull, name)) {
			f.unknown(name, v)
		}
	}
}

// unknown refuses a member, with the names that there are and the nearest one.
func (f *Form) unknown(name string, v Value) {
	var takes []string
	for _, known := range append(slices.Clone(f.names[:f.count]), f.also...) {
		if !slices.Contains(takes, known) && known != name {
			takes = append(takes, known)
		}
	}
	meant, caseOnly := fault.Meant(name, takes, f.faults.Terse())
	text := "is not a member here; it takes " + strings.Join(takes, ", ")
	f.faults.AddItem(fault.Unknown(v.Pointer(), text, meant, caseOnly))
}
