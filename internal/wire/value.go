package wire

import (
	"iter"
	"strconv"
	"strings"

	"verdict/internal/fault"
)

// Value is one value of a parsed document. The zero Value has the kind Missing,
// and so does the result of Get for an absent member. All methods can be called
// on a Missing value.
type Value struct {
	doc *document
	at  int32
}

func (v Value) node() *node { return &v.doc.nodes[v.at] }

// Kind returns the value's JSON type.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Missing
	}
	return v.node().kind
}

// Given reports whether the value is present and not null.
func (v Value) Given() bool {
	k := v.Kind()
	return k != Missing && k != Null
}

// Text returns the value of a string or the literal of a number as it was
// written. For other kinds it returns "".
func (v Value) Text() string {
	if k := v.Kind(); k != String && k != Number {
		return ""
	}
	return v.doc.text(v.node().text)
}

// Scalar returns the results of Kind and Text with one lookup. It is meant for
// reading thousands of values.
func (v Value) Scalar() (kind Kind, text string) {
	if v.doc == nil {
		return Missing, ""
	}
	n := v.node()
	if n.kind != String && n.kind != Number {
		return n.kind, ""
	}
	return n.kind, v.doc.text(n.text)
}

// IsTrue reports whether the value is the boolean true.
func (v Value) IsTrue() bool { return v.Kind() == Bool && v.doc.src[v.node().text.at] == 't' }

// Decimal returns a number in a document that this service wrote as an integer multiple of 10^-places, like
// ParseDecimal. It returns 0 if the member is missing. Numbers that a client sent need ParseDecimal, which reports
// whether they fit.
func (v Value) Decimal(places int) int64 {
	coef, _, _ := ParseDecimal(v.Text(), places)
	return coef
}

// Len returns the number of members or elements. It is 0 for other kinds.
func (v Value) Len() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().count())
}

// Has reports whether an object has a member with the name, even if the member
// is null.
func (v Value) Has(name string) bool {
	for other := range v.Members() {
		if other == name {
			return true
		}
	}
	return false
}

// HasFolded reports whether an object has a member that is not null and whose name differs from the given name only
// in case.
func (v Value) HasFolded(name string) bool {
	for other, member := range v.Members() {
		if member.Given() && other != name && strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

// Get returns the named member. It returns a Missing value if the member is
// absent or null, or if v is not an object.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	d := v.doc
	for i, left := v.at+1, v.node().count(); left > 0; left-- {
		n := &d.nodes[i]
		if d.is(n.name, name) {
			if n.kind == Null {
				return Value{}
			}
			return Value{doc: d, at: i}
		}
		i = n.next(i)
	}
	return Value{}
}

// Members yields an object's members in document order, including nulls. For
// other kinds it yields nothing.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		d := v.doc
		for i, left := v.at+1, v.node().count(); left > 0; left-- {
			n := &d.nodes[i]
			if !yield(d.text(n.name), Value{doc: d, at: i}) {
				return
			}
			i = n.next(i)
		}
	}
}

// Elements yields an array's elements with their indexes. For other kinds it
// yields nothing.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != Array {
			return
		}
		d := v.doc
		for i, k, count := v.at+1, int32(0), v.node().count(); k < count; k++ {
			if !yield(int(k), Value{doc: d, at: i}) {
				return
			}
			i = d.nodes[i].next(i)
		}
	}
}

// Pointer returns the value's RFC 6901 pointer. It is computed on demand,
// because only errors and warnings need it. It is "" for a Missing value and
// for the whole document.
func (v Value) Pointer() string {
	if v.doc == nil {
		return ""
	}
	var few [8]string // most pointers have at most eight segments
	parts, length := few[:0], 0
	for i := v.at; v.doc.nodes[i].parent >= 0; i = v.doc.nodes[i].parent {
		n := &v.doc.nodes[i]
		if v.doc.nodes[n.parent].kind == Array {
			parts = append(parts, strconv.Itoa(int(n.name.at)))
		} else {
			parts = append(parts, segment(v.doc.text(n.name)))
		}
		length += 1 + len(parts[len(parts)-1])
	}
	var b strings.Builder
	b.Grow(length)
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteByte('/')
		b.WriteString(parts[i])
	}
	return b.String()
}

// maxSegment is the maximum length of one segment of a pointer, in bytes. A
// longer member name is truncated, so that it cannot make a response as long as
// the request.
const maxSegment = 128

// segment returns a member's name as one segment of a pointer, shortened to
// maxSegment.
func segment(name string) string {
	if len(name) > maxSegment {
		name = strings.ToValidUTF8(name[:maxSegment], "") + "…"
	}
	return fault.EscapePointer(name)
}
