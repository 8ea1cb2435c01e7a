package application

import (
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Texts of warnings about unknown members, without hints.
const (
	textNoMember = "is not a member of this request and was not read"
	textNotRead  = "is not a known field and was not read"
	textCarried  = "is not a known field; a policy can read it if it declares the path in its inputs"
)

// unknown stores a nested value that is not in the catalogue, because a policy
// may declare its path, and warns that nothing else reads it. n is the known
// enclosing object, or the known object that the enclosing object was probably
// meant to be.
func (r *reader) unknown(v wire.Value, n *node, base, name string) {
	path := join(base, name)
	declared, isInput := r.opt.Inputs[path]
	switch {
	case isInput:
		r.input(v, path, declared)
	case path == "":
		r.ignored(v, hint{})
	case lists[path]: // package report reads the list
	case v.Kind() == wire.Object:
		r.unknownObject(v, n, base, name)
	case r.quiet:
	default:
		r.carry(v, path, r.suggest.near(n, base, name))
	}
}

// unknownObject calls unknown for each member of an unknown object. If the object
// has no members, it warns about the object.
func (r *reader) unknownObject(v wire.Value, n *node, base, name string) {
	inner, empty := r.suggest.guess(n, name), true
	for member, value := range v.Members() {
		if value.Given() {
			empty = false
			r.unknown(value, inner, join(base, name), member)
		}
	}
	if empty {
		r.ignored(v, r.suggest.near(n, base, name))
	}
}

// ignored warns that a value was not read.
func (r *reader) ignored(v wire.Value, h hint) {
	if !r.quiet {
		r.suggest.warn(v, textNotRead, h)
	}
}

// carry stores an unknown value as a fact if a policy could declare its path.
// Otherwise it warns that the value was not read.
func (r *reader) carry(v wire.Value, path string, h hint) {
	val, ok := rule.ReadValue(v)
	if !ok || len(val.Text()) > maxText || !field.Declarable(path) || r.carried == maxCarried || r.isOther {
		r.ignored(v, h)
		return
	}
	r.carried++
	r.app.Facts.Set(path, val)
	r.suggest.warn(v, textCarried, h)
}
