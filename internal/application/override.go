package application

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The maximum number of values that a preview may change, and the maximum number
// of segments in a path.
const (
	maxOverrides     = 100
	maxOverrideDepth = 16
)

// override holds the value to put at a path, or the overrides below the path.
type override struct {
	value    wire.Value // null removes the value
	given    bool
	children map[string]*override
	order    []string
}

// Overrides replace the values at some paths of a request, such as
// "applicant.foir". The zero value changes nothing.
type Overrides struct{ values wire.Value }

// NewOverrides returns the overrides of an object of paths and values.
func NewOverrides(values wire.Value) Overrides { return Overrides{values} }

// With returns the request with its values replaced by the overrides. A path into "report" may omit the bureau's
// key, as the names of fields do. A null removes a value, so that a caller can preview the decision without it.
func (r Request) With(o Overrides) (Request, error) {
	if !o.values.Given() {
		return r, nil
	}
	body, err := overridden(r.body, o.values)
	r.body = body
	return r, err
}

func overridden(body, overrides wire.Value) (wire.Value, error) {
	var faults fault.List
	if overrides.Len() > maxOverrides {
		faults.Add(overrides.Pointer(), fault.CodeTooMany, "has more than %d paths", maxOverrides)
		return wire.Value{}, faults.Err()
	}
	root := &override{}
	for path, v := range overrides.Members() {
		parts := strings.SplitN(path, ".", maxOverrideDepth+1)
		known := slices.Contains(overridable, parts[0])
		switch k := v.Kind(); {
		case !known || len(parts) < 2 || len(parts) > maxOverrideDepth || slices.Contains(parts, ""):
			faults.Add(v.Pointer(), fault.CodeUnknownField,
				"must be a path of the request such as applicant.foir, below one of %s",
				strings.Join(overridable, ", "))
		case k == wire.Object || k == wire.Array:
			faults.Add(v.Pointer(), fault.CodeWrongType,
				"must be a single value; to change several members, give a path to each")
		default:
			if parts[0] == "report" {
				if bureau, ok := onlyKey(body.Get("report")); ok && parts[1] != bureau {
					parts = slices.Insert(parts, 1, bureau)
				}
			}
			if !root.put(parts, v) {
				faults.Add(v.Pointer(), fault.CodeInvalidField,
					"is inside another path of the overrides, or contains it")
			}
		}
	}
	root.fits(body, &faults)
	if err := faults.Err(); err != nil {
		return wire.Value{}, err
	}
	var w wire.Writer
	root.write(&w, body)
	return wire.Parse(w.Buf)
}

// overridable are the blocks of a request whose values a preview may change.
var overridable = []string{"applicant", "bureau_report", "report", "device", "location", "fraud", "bank_summary"}

// onlyKey returns the name of an object's only member, and false if the object
// does not have exactly one member.
func onlyKey(v wire.Value) (string, bool) {
	if v.Len() == 1 {
		for name := range v.Members() {
			return name, true
		}
	}
	return "", false
}

// put stores a value at a path. ok is false if there is another override at a
// prefix of the path or below it.
func (o *override) put(path []string, v wire.Value) (ok bool) {
	for _, name := range path {
		if o.given {
			return false
		}
		if o.children == nil {
			o.children = map[string]*override{}
		}
		next := o.children[name]
		if next == nil {
			next = &override{}
			o.children[name] = next
			o.order = append(o.order, name)
		}
		o = next
	}
	if o.children != nil {
		return false
	}
	o.value, o.given = v, true
	return true
}

// fits adds a fault if a path leads into a value that is not an object. If the
// override replaced that value, it would turn an invalid request into a valid
// one.
func (o *override) fits(v wire.Value, faults *fault.List) {
	if o.children == nil || !v.Given() {
		return
	}
	if v.Kind() != wire.Object {
		faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object, because a path of the overrides leads into it")
		return
	}
	for _, name := range o.order {
		o.children[name].fits(v.Get(name), faults)
	}
}

// write writes v with the overrides applied.
func (o *override) write(w *wire.Writer, v wire.Value) {
	if o.given {
		w.Value(o.value)
		return
	}
	w.Object()
	for name, member := range v.Members() {
		w.Name(name)
		if child := o.children[name]; child != nil {
			child.write(w, member)
		} else {
			w.Value(member)
		}
	}
	for _, name := range o.order {
		if v.Kind() != wire.Object || !v.Has(name) {
			w.Name(name)
			o.children[name].write(w, wire.Value{})
		}
	}
	w.EndObject()
}
