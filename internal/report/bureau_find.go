package report

import (
	"strings"

	"verdict/internal/wire"
)

// member returns the first member of an object that is not null and whose name
// has the given squashed form (see squash). It returns Missing if there is none.
func member(v wire.Value, squashed string) wire.Value {
	for name, m := range v.Members() {
		if isNamed(name, squashed) && m.Given() {
			return m
		}
	}
	return wire.Value{}
}

// isNamed reports whether the squashed form of name equals squashed. It stops at
// the first difference, because most names in a report do not match.
func isNamed(name, squashed string) bool {
	at := 0
	for i := range len(name) {
		c, ok := alphanumeric(name[i])
		if !ok {
			continue
		}
		if at == len(squashed) || squashed[at] != c {
			return false
		}
		at++
	}
	return at == len(squashed)
}

// at follows a path of squashed names, separated by dots, and returns Missing if the path does not exist. If it finds
// an array, it continues with the first element in which the rest of the path exists.
func at(v wire.Value, path string) wire.Value {
	for path != "" && v.Given() {
		name, rest, _ := strings.Cut(path, ".")
		if v.Kind() == wire.Array {
			for _, element := range v.Elements() {
				if found := at(element, path); found.Given() {
					return found
				}
			}
			return wire.Value{}
		}
		v, path = member(v, name), rest
	}
	return v
}

// first returns the first element of an array, or Missing if the array is empty. It returns the value itself if it is
// not an array.
func first(v wire.Value) wire.Value {
	for _, element := range v.Elements() {
		return element
	}
	if v.Kind() == wire.Array {
		return wire.Value{}
	}
	return v
}

// under returns the object at the first path that exists. If no path exists, v itself may be the wanted object: under
// returns v if it has one of the members in marks, and Missing otherwise.
func under(v wire.Value, paths, marks []string) wire.Value {
	for _, path := range paths {
		if found := first(at(v, path)); found.Kind() == wire.Object {
			return found
		}
	}
	for _, mark := range marks {
		if member(v, mark).Given() {
			return v
		}
	}
	return wire.Value{}
}

func isScalar(v wire.Value) bool {
	return v.Kind() == wire.Number || v.Kind() == wire.String && strings.TrimSpace(v.Text()) != ""
}

// isList reports whether a value can be a list. In reports converted from XML, an object can be a list of one element.
func isList(v wire.Value) bool { return v.Kind() == wire.Array || v.Kind() == wire.Object }

// same reports whether two values are at the same position in the document.
func same(a, b wire.Value) bool { return a == b }
