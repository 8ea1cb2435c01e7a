package rule

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// fact is a Value with the id of its field. It is kept small because every
// decision reads all facts. For a string, num is an index into Facts.texts.
type fact struct {
	num Number
	id  FieldID
	typ Type
}

func (f *Facts) value(x *fact) Value {
	if x.typ == StringType {
		return Str(f.texts[x.num])
	}
	return Value{num: x.num, typ: x.typ}
}

// Facts has the values of all fields that are known for one application. A
// field without a value is absent. Facts do not depend on which fields a policy
// reads.
type Facts struct {
	catalogue *Catalogue
	known     []fact
	texts     []string
	others    []NamedValue // facts whose names are not in the catalogue
	// names contains the name of every fact in others, and possibly names of facts that were removed. If a name is
	// not in names, Set need not search others for it. It is nil until others has manyOthers elements.
	names map[string]struct{}
}

// manyOthers is a number of facts outside the catalogue. If there are at least so many, Set uses the map
// Facts.names. If there are fewer, Set searches them one by one.
const manyOthers = 32

// NewFacts returns an empty set of facts over a catalogue.
func NewFacts(c *Catalogue) *Facts { return &Facts{catalogue: c, known: make([]fact, 0, 48)} }

// Reset removes all facts and keeps the allocated memory for reuse.
func (f *Facts) Reset() {
	f.known, f.texts, f.others, f.names = f.known[:0], f.texts[:0], f.others[:0], nil
}

// Add appends a fact by id. It does not look for an earlier fact of the same
// field; if there is one, the later value counts. An absent value adds nothing.
func (f *Facts) Add(id FieldID, v Value) {
	num := v.num
	switch v.typ {
	case Absent:
		return
	case StringType:
		num = Number(len(f.texts))
		f.texts = append(f.texts, v.str)
	case NumberType, BoolType:
	}
	f.known = append(f.known, fact{num: num, id: id, typ: v.typ})
}

// Set sets a field by name, replacing any earlier value. The name need not be
// in the catalogue. An absent value removes the field.
func (f *Facts) Set(name string, v Value) {
	if id, known := f.catalogue.Lookup(name); known {
		f.known = slices.DeleteFunc(f.known, func(x fact) bool { return x.id == id })
		f.Add(id, v)
		return
	}
	if f.mayHaveOther(name) {
		f.others = slices.DeleteFunc(f.others, func(x NamedValue) bool { return x.Name == name })
	}
	if v.typ != Absent {
		f.addOther(name, v)
		if f.names != nil {
			f.names[name] = struct{}{}
		}
	}
}

// addOther appends a fact whose name is not in the catalogue. The first call allocates memory for a few facts, because
// a list or a table adds several.
func (f *Facts) addOther(name string, v Value) {
	const few = 4
	if cap(f.others) == 0 {
		f.others = make([]NamedValue, 0, few)
	}
	f.others = append(f.others, NamedValue{Name: name, Value: v})
}

// mayHaveOther returns false if certainly no fact outside the catalogue has the given name. If there are fewer than
// manyOthers such facts, it always returns true.
func (f *Facts) mayHaveOther(name string) bool {
	if len(f.others) < manyOthers {
		return true
	}
	if f.names == nil {
		f.names = make(map[string]struct{}, 4*manyOthers)
		for i := range f.others {
			f.names[f.others[i].Name] = struct{}{}
		}
	}
	_, may := f.names[name]
	return may
}

// Get returns the value of a field by name. It returns an absent value if there
// is no such fact.
func (f *Facts) Get(name string) Value {
	if id, known := f.catalogue.Lookup(name); known {
		for i := len(f.known) - 1; i >= 0; i-- {
			if f.known[i].id == id {
				return f.value(&f.known[i])
			}
		}
		return Value{}
	}
	for i := len(f.others) - 1; i >= 0; i-- {
		if f.others[i].Name == name {
			return f.others[i].Value
		}
	}
	return Value{}
}

// KeepOthers removes the facts whose names are not in the catalogue, except
// those for which keep returns true.
func (f *Facts) KeepOthers(keep func(name string) bool) {
	f.others = slices.DeleteFunc(f.others, func(x NamedValue) bool { return !keep(x.Name) })
}

// HasTable reports whether the facts have the value of any column of a table.
func (f *Facts) HasTable(name string) bool {
	prefix := TableFact(name, "")
	return slices.ContainsFunc(f.others, func(x NamedValue) bool { return strings.HasPrefix(x.Name, prefix) })
}

// Change replaces the value of every fact with the result of the function. A fact whose new value is absent is removed.
func (f *Facts) Change(to func(name string, v Value) Value) {
	known := f.known
	f.known = f.known[:0] // in place is safe: each fact is read before it is overwritten
	for _, x := range known {
		v := f.value(&x)
		if changed := to(f.catalogue.fields[x.id].Name, v); changed != v {
			f.Add(x.id, changed)
		} else {
			f.known = append(f.known, x)
		}
	}
	others := f.others[:0]
	for _, x := range f.others {
		if x.Value = to(x.Name, x.Value); x.Value.Type() != Absent {
			others = append(others, x)
		}
	}
	f.others = others
}

// Select returns a new set with some of the facts. The function keep gets the name of a fact and reports whether to
// include the fact.
func (f *Facts) Select(keep func(name string) bool) *Facts {
	out := NewFacts(f.catalogue)
	for i := range f.known {
		if x := &f.known[i]; keep(f.catalogue.fields[x.id].Name) {
			out.Add(x.id, f.value(x))
		}
	}
	for i := range f.others {
		if x := &f.others[i]; keep(x.Name) {
			out.addOther(x.Name, x.Value)
		}
	}
	return out
}

// Len returns the number of facts. A field that was added twice counts twice.
func (f *Facts) Len() int { return len(f.known) + len(f.others) }

// Sorted returns the facts by name, each name once. If a field was added twice,
// the later value counts.
func (f *Facts) Sorted() []NamedValue {
	out := make([]NamedValue, 0, f.Len())
	for i := range f.known {
		x := &f.known[i]
		out = append(out, NamedValue{Name: f.catalogue.Field(x.id).Name, Value: f.value(x)})
	}
	out = append(out, f.others...)
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

// Write writes the facts as one JSON object in name order. Facts are stored,
// shown and read back in this form.
func (f *Facts) Write(w *wire.Writer) {
	w.Object()
	// Sort the names that are in the catalogue by their ranks, without building a list of names, and insert the others.
	var buffer [96]uint64
	order := buffer[:0]
	for i := range f.known {
		order = append(order, uint64(f.catalogue.ranks[f.known[i].id])<<32|uint64(i))
	}
	slices.Sort(order)
	var few [8]NamedValue
	others := f.sortedOthers(few[:0])
	for k, at := range order {
		x := &f.known[uint32(at)]
		if k+1 < len(order) && f.known[uint32(order[k+1])].id == x.id {
			continue // the next fact has the same field, and the later value counts
		}
		name := f.catalogue.fields[x.id].Name
		for ; len(others) > 0 && others[0].Name < name; others = others[1:] {
			w.Name(others[0].Name)
			others[0].Value.Write(w)
		}
		w.Key(name)
		v := f.value(x)
		v.Write(w)
	}
	for i := range others {
		w.Name(others[i].Name)
		others[i].Value.Write(w)
	}
	w.EndObject()
}

// sortedOthers appends the facts that are not in the catalogue to an empty slice, sorted by name. If a name was added
// twice, only the later value is appended.
func (f *Facts) sortedOthers(empty []NamedValue) []NamedValue {
	sorted := append(empty, f.others...)
	slices.SortStableFunc(sorted, func(a, b NamedValue) int { return cmp.Compare(a.Name, b.Name) })
	kept := sorted[:0]
	for i, nv := range sorted {
		if i+1 == len(sorted) || sorted[i+1].Name != nv.Name {
			kept = append(kept, nv)
		}
	}
	return kept
}

// ReadFacts reads an object of names and scalars. It is the inverse of Write. A
// null member is absent. If members are invalid, it returns a *fault.Error with
// their faults.
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
			f.addOther(name, val)
		}
	}
	return f, faults.Err()
}
