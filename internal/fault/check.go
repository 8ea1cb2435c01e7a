package fault

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Check checks the fields of a Go value that was read from a document or filled in by
// a person. Its faults point to the members of the document. If a member already has a
// fault, for example because it could not be read, Check adds no second one.
type Check struct {
	faults *List
	at     string // the pointer of the object
}

// Check returns a Check whose faults are added to l. pointer is the JSON pointer of
// the object to check.
func (l *List) Check(pointer string) Check { return Check{faults: l, at: pointer} }

// Entry returns the Check of an object within this one, such as an entry of a list.
// pointer is relative to this object.
func (c Check) Entry(pointer string) Check { return Check{faults: c.faults, at: c.at + pointer} }

// Ok reports whether the object is of the right type and neither the member nor a value inside it has a fault.
func (c Check) Ok(name string) bool {
	pointer := c.at + "/" + name
	return !slices.ContainsFunc(c.faults.items, func(i Item) bool {
		return i.Pointer == pointer || strings.HasPrefix(i.Pointer, pointer+"/") ||
			i.Pointer == c.at && i.Code == CodeWrongType
	})
}

// Fail adds a fault at a member unless the member already has one.
func (c Check) Fail(name, code, format string, args ...any) {
	if c.Ok(name) {
		c.faults.Add(c.at+"/"+name, code, format, args...)
	}
}

// Require adds a fault if a member is not given. The parameter what describes the member. Require reports whether
// the member is given and has no fault.
func (c Check) Require(name string, given bool, what string) bool {
	if !given {
		c.Fail(name, CodeRequired, "is required: %s", what)
		return false
	}
	return c.Ok(name)
}

// Choice adds a fault if a text is given and not one of the choices.
func (c Check) Choice(name, text string, choices ...string) {
	if text != "" && !slices.Contains(choices, text) {
		c.Fail(name, CodeOutOfRange, "must be one of %s", strings.Join(choices, ", "))
	}
}

// Text adds a fault if the length of a text in bytes exceeds most, or if the text is not valid UTF-8 or contains a
// zero character. JSON cannot contain invalid UTF-8, and PostgreSQL accepts neither invalid UTF-8 nor a zero
// character.
func (c Check) Text(name, text string, most int) {
	switch {
	case len(text) > most:
		c.Fail(name, CodeOutOfRange, "is longer than %d bytes", most)
	case strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text):
		c.Fail(name, CodeInvalidField, "must be valid UTF-8 without a zero character")
	}
}
