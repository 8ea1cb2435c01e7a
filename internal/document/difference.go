package document

import (
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// difference writes an entry for every place at which two values differ. It compares lists
// element by element, because rules are always in the order of the policy.
func difference(w *wire.Writer, pointer string, baseline, variant wire.Value) {
	switch {
	case baseline.Kind() == wire.Object && variant.Kind() == wire.Object:
		for name, b := range baseline.Members() {
			difference(w, pointer+"/"+fault.EscapePointer(name), b, variant.Get(name))
		}
		for name, v := range variant.Members() {
			if !baseline.Has(name) {
				difference(w, pointer+"/"+fault.EscapePointer(name), wire.Value{}, v)
			}
		}
	case baseline.Kind() == wire.Array && variant.Kind() == wire.Array:
		b, v := elements(baseline), elements(variant)
		for i := range max(len(b), len(v)) {
			difference(w, pointer+"/"+strconv.Itoa(i), at(b, i), at(v, i))
		}
	case !same(baseline, variant):
		w.Object().Key("pointer").String(pointer)
		if baseline.Given() {
			w.Key("baseline").Value(baseline)
		}
		if variant.Given() {
			w.Key("variant").Value(variant)
		}
		w.EndObject()
	}
}

func elements(v wire.Value) []wire.Value {
	list := make([]wire.Value, 0, v.Len())
	for _, e := range v.Elements() {
		list = append(list, e)
	}
	return list
}

func at(list []wire.Value, i int) wire.Value {
	if i < len(list) {
		return list[i]
	}
	return wire.Value{}
}

// same reports whether two values other than objects and arrays are equal. Both values
// were written by the same writer, so equal values have equal texts.
func same(a, b wire.Value) bool {
	return a.Kind() == b.Kind() && a.Text() == b.Text() && a.IsTrue() == b.IsTrue() &&
		a.Kind() != wire.Object && a.Kind() != wire.Array
}
