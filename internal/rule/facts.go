package rule

import (
	"cmp"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Fact is one field with its value. Name is set only where ID is Undeclared.
type Fact struct {
	ID    FieldID
	Name  string
	Value Value
}

// Facts is everything known about one application. A field that is not in it
// is absent. Facts say nothing about which of them a policy will read.
type Facts struct {
	catalogue *Catalogue
	list      []Fact
}

// NewFacts makes an empty set over a catalogue.
func NewFacts(c *Catalogue) *Facts { return &Facts{catalogue: c, list: make([]Fact, 0, 48)} }

// Reset empties the set and keeps its memory.
func (f *Facts) Reset() { f.list = f.list[:0] }

// Add appends a fact by id without looking whether it is there already; of
// two, the later one counts. An absent value adds nothing.
func (f *Facts) Add(id FieldID, v Value) {
	if v.typ != Absent {
		f.list = append(f.list, Fact{ID: id, Value: v})
	}
}

// Set gives a field its value by name, known or not, replacing an earlier
// one. An absent value removes it.
func (f *Facts) Set(name string, v Value) {
	id, known := f.catalogue.Lookup(name)
	fact := Fact{ID: id, Value: v}
	if !known {
		fact = Fact{ID: Undeclared, Name: name, Value: v}
	}
	f.list = slices.DeleteFunc(f.list, func(x Fact) bool { return x.ID == fact.ID && x.Name == fact.Name })
	if v.typ != Absent {
		f.list = append(f.list, fact)
	}
}

// Get returns a field's value by name, absent when it is not there.
func (f *Facts) Get(name string) Value {
	id, known := f.catalogue.Lookup(name)
	for i := len(f.list) - 1; i >= 0; i-- {
		if x := &f.list[i]; known && x.ID == id || !known && x.ID == Undeclared && x.Name == name {
			return x.Value
		}
	}
	return Value{}
}

// Len is the number of facts.
func (f *Facts) Len() int { return len(f.list) }

func (f *Facts) name(x Fact) string {
	if x.ID == Undeclared {
		return x.Name
	}
	return f.catalogue.Field(x.ID).Name
}

// Sorted returns the facts by name, each name once, the later value counting.
func (f *Facts) Sorted() []NamedValue {
	out := make([]NamedValue, 0, len(f.list))
	for _, x := range f.list {
		out = append(out, NamedValue{Name: f.name(x), Value: x.Value})
	}
	slices.SortStableFunc(out, func(a, b NamedValue) int { return cmp.Compare(a.Name, b.Name) })
	kept := out[:0]
	for i, nv := range out {
		if i+1 == len(out) || out[i+1].Name != nv.Name {
			kept = append(kept, nv)
		}
	}
	return kept
}

// NamedValue is a field's name with its value.
type NamedValue struct {
	Name  string
	Value Value
}

// Write writes the facts as one JSON object in name order: the form in which
// they are stored, shown and read back.
func (f *Facts) Write(w *wire.Writer) {
	w.Object()
	for _, nv := range f.Sorted() {
		w.Name(nv.Name)
		nv.Value.Write(w)
	}
	w.EndObject()
}

// ReadFacts reads an object of names and scalars, the inverse of Write.
func ReadFacts(v wire.Value, c *Catalogue) (*Facts, error) {
	var faults fault.List
	f := NewFacts(c)
	if v.Kind() != wire.Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of field names and values")
	}
	for name, member := range v.Members() {
		val, ok := ReadValue(member)
		if !ok {
			faults.Add(member.Pointer(), fault.CodeWrongType, "must be a number, a string or a boolean in range")
			continue
		}
		if id, known := c.Lookup(name); known {
			f.Add(id, val)
		} else if val.typ != Absent {
			f.list = append(f.list, Fact{ID: Undeclared, Name: name, Value: val})
		}
	}
	return f, faults.Err()
}
