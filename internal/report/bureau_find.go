package report

import (
	"strings"

	"verdict/internal/wire"
)

// member returns the first member of an object that is not null and whose name
// has the given squashed form.
func member(v wire.Value, squashed string) wire.Value {
	for name, m := range v.Members() {
		if isNamed(name, squashed) && m.Given() {
			return m
		}
	}
	return wire.Value{}
}

// isNamed reports whether the squashed form of name equals squashed. It stops
// at the first difference, because most names of a report are not the one
// searched for.
func isNamed(name, squashed string) bool {
	at := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			continue
		}
		if at == len(squashed) || squashed[at] != c {
			return false
		}
		at++
	}
	return at == len(squashed)
}

// at follows a path of squashed names, separated by dots. For an array on the
// way it uses the first element in which the rest of the path exists.
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

// first returns the first element of an array, or the value itself if it is no
// array.
func first(v wire.Value) wire.Value {
	for _, element := range v.Elements() {
		return element
	}
	if v.Kind() == wire.Array {
		return wire.Value{}
	}
	return v
}

// under returns the object at the first of the paths that exists. If none does,
// it returns v itself if v has one of the members in marks, which identify that
// part of the report.
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

// isList reports whether a value can be a list. In reports converted from XML
// an empty string stands for an empty element, and an object for a list of one.
func isList(v wire.Value) bool { return v.Kind() == wire.Array || v.Kind() == wire.Object }

// same reports whether two values are the same place of the document.
func same(a, b wire.Value) bool { return a == b }
