package wire

import (
	"slices"
	"strings"

	"verdict/internal/fault"
)

// Form reads one object member by member and adds every fault to a list. At the end
// it rejects unknown members, because in a policy or a configuration a misspelt
// member must not count as omitted.
//
// A Form should be a local variable, so that it stays on the stack: a policy has
// hundreds of objects, and reading one should not allocate.
type Form struct {
	value  Value
	faults *fault.List
	names  [maxMembers]string // known names, in the order they were read
	count  int
	next   int32  // node of the member after the last one found
	index  int32  // index of that member among the members
	found  uint64 // a bit for each of the first 64 members that was read
	orNull []string
	also   []string
}

// maxMembers is the maximum number of names that a Form can mark as known. A name
// that is read again later counts again.
const maxMembers = 48

// NewForm starts reading v. If v is not an object, it adds a fault, and all members
// count as missing.
func NewForm(v Value, faults *fault.List) Form {
	if v.Kind() != Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, but is %s", v.Kind())
	}
	return Form{value: v, faults: faults}
}

// Value returns the object that is being read.
func (f *Form) Value() Value { return f.value }

// Get returns a member and marks its name as known. It returns a Missing value if the
// member is absent or null.
func (f *Form) Get(name string) Value {
	f.Known(name)
	if f.value.Kind() != Object {
		return Value{}
	}
	// Members are mostly in the order in which they are read, so start the search
	// after the last member that was found, and wrap around.
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

// Known marks names as known without reading their members.
func (f *Form) Known(names ...string) {
	for _, name := range names {
		if f.count > 0 && f.names[f.count-1] == name {
			continue // the name was marked just before, for example by Require
		}
		f.names[f.count] = name
		f.count++
	}
}

// Also sets the names of members that the object may have in other contexts, in which another reader reads them. Done
// rejects these members, but suggests them for misspelt names.
func (f *Form) Also(names ...string) { f.also = names }

// OrNull sets the names of the members that only other variants of the object have. These members may be null, which
// is the same as omitting them. Done rejects them with any other value.
func (f *Form) OrNull(names []string) { f.orNull = names }

// Pointer returns the JSON pointer of a member, whether it is present or not.
func (f *Form) Pointer(name string) string { return f.value.Pointer() + "/" + segment(name) }

// Fail adds a fault at a member.
func (f *Form) Fail(name, code, format string, args ...any) {
	f.faults.Add(f.Pointer(name), code, format, args...)
}

// Require marks a name as known and reports whether the member is given. If the object lacks the member, Require
// adds a fault. The argument "what" is the text that describes the member in this fault.
func (f *Form) Require(name, what string) bool {
	if f.Get(name).Given() {
		return true
	}
	if f.value.Kind() == Object {
		f.faults.AddItem(Required(f.value, name, f.Pointer(name), what))
	}
	return false
}

// Required returns the fault for a missing required member. The argument "what" is a text that describes the member,
// and pointer is its JSON pointer. If the object has a member whose name differs only in case, the fault says so,
// because the response to a rejected request has no warnings.
func Required(object Value, name, pointer, what string) fault.Item {
	item := fault.Item{Pointer: pointer, Code: fault.CodeRequired, Detail: "is required: " + what}
	if object.HasFolded(name) {
		item.Detail += "; a member whose name differs only in case was sent and not read: " +
			"names are case-sensitive, write " + name
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

// Text reads a string. The parameter most is its maximum length in bytes. ok is false if the string is missing or
// invalid.
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

// Choice reads a string that must be one of choices and returns its index. If the string is missing or invalid, it
// returns the argument "otherwise".
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

// Decimal reads a number as a multiple of 10^-places. The result must be in the range from least to most. Decimal
// rejects a number with more decimals, because rounding would change a policy. ok is false if the number is
// missing or invalid.
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

// Bool reads a boolean. If the boolean is missing or invalid, it returns the argument "otherwise".
func (f *Form) Bool(name string, otherwise bool) bool {
	v, ok := f.typed(name, Bool)
	if !ok {
		return otherwise
	}
	return v.IsTrue()
}

// Array reads an array. The parameter most is its maximum number of elements. Array returns a Missing value if
// the array is missing or invalid.
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

// Done adds a fault for each unknown member.
func (f *Form) Done() {
	if n := f.value.Len(); n < 64 && f.found == 1<<n-1 {
		return // all members were read
	}
	known := f.names[:f.count]
	for name, v := range f.value.Members() {
		if !slices.Contains(known, name) && (v.Given() || !slices.Contains(f.orNull, name)) {
			f.unknown(name, v)
		}
	}
}

// unknown adds a fault for an unknown member. The fault lists the known names and
// suggests the most similar one.
func (f *Form) unknown(name string, v Value) {
	var takes []string
	for _, known := range append(slices.Clone(f.names[:f.count]), f.also...) {
		if !slices.Contains(takes, known) && known != name {
			takes = append(takes, known)
		}
	}
	meant, caseOnly := fault.Suggest(name, takes, f.faults.SkipHints())
	text := "is not a member here; the known members are " + strings.Join(takes, ", ")
	f.faults.AddItem(fault.Unknown(v.Pointer(), text, meant, caseOnly))
}
