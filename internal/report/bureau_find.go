package report

import (
	"strings"

	"verdict/internal/wire"
)

// member finds a member of an object by its squashed name, whatever the case
// and the separators it is written with.
func member(v wire.Value, squashed string) wire.Value {
	for name, m := range v.Members() {
		if isNamed(name, squashed) && m.Given() {
			return m
		}
	}
	return wire.Value{}
}

// isNamed reports whether a name is the squashed one. It stops at the first
// letter that differs, because most names of a report are not the one that is
// looked for.
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

// at follows a path of squashed names, separated by dots. An array on the way
// stands for its first element that has what comes next.
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

// first is the value itself, or an array's first element.
func first(v wire.Value) wire.Value {
	for _, element := range v.Elements() {
		return element
	}
	if v.Kind() == wire.Array {
		return wire.Value{}
	}
	return v
}

// under finds the first of some paths that is there; the value itself when it
// has one of the marks, by which a part of the report is known.
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

// isList tells a list from the empty text that stands for an empty element
// in reports turned from XML.
func isList(v wire.Value) bool { return v.Kind() == wire.Array || v.Kind() == wire.Object }

// same reports whether two values are one place of the document.
func same(a, b wire.Value) bool { return a == b }
