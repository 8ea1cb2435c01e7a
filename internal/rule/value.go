package rule

import (
	"verdict/internal/wire"
)

// Type is the type of a field or a value.
type Type uint8

// The types. Absent is the type of a value that was not given. From the request
// to the engine, an absent value stays distinct from zero, false and "".
const (
	Absent Type = iota
	NumberType
	StringType
	BoolType
)

var typeNames = [...]string{"absent", "number", "string", "boolean"}

// String returns the type's name as policies and messages spell it.
func (t Type) String() string { return typeNames[t] }

// ParseType returns the type with this name in a policy's inputs. It returns
// false if there is none.
func ParseType(name string) (Type, bool) {
	for t := NumberType; t <= BoolType; t++ {
		if typeNames[t] == name {
			return t, true
		}
	}
	return Absent, false
}

// Value is the value of one field of one application. The zero Value is absent.
// Values can be compared with ==.
type Value struct {
	str string
	num Number // the number, or 1 for true
	typ Type
}

// Num returns a number value.
func Num(n Number) Value { return Value{num: n, typ: NumberType} }

// Str returns a string value.
func Str(s string) Value { return Value{str: s, typ: StringType} }

// Bool returns a boolean value.
func Bool(b bool) Value {
	v := Value{typ: BoolType}
	if b {
		v.num = 1
	}
	return v
}

// Type returns the value's type, or Absent if there is no value.
func (v Value) Type() Type { return v.typ }

// Number returns the number, or 0 for any other type.
func (v Value) Number() Number {
	if v.typ != NumberType {
		return 0
	}
	return v.num
}

// Text returns the string, or "" for any other type.
func (v Value) Text() string { return v.str }

// IsTrue reports whether the value is the boolean true.
func (v Value) IsTrue() bool { return v.typ == BoolType && v.num == 1 }

// String returns the value in readable form.
func (v Value) String() string {
	switch v.typ {
	case NumberType:
		return v.num.String()
	case StringType:
		return v.str
	case BoolType:
		if v.num == 1 {
			return "true"
		}
		return "false"
	default:
		return "absent"
	}
}

// Write writes the value as JSON. An absent value is null.
func (v Value) Write(w *wire.Writer) {
	switch v.typ {
	case NumberType:
		w.Decimal(int64(v.num), Places)
	case StringType:
		w.String(v.str)
	case BoolType:
		w.Bool(v.num == 1)
	default:
		w.Null()
	}
}

// ReadValue converts a scalar of a document to a Value. A null or missing
// scalar is absent. ok is false for arrays, objects and numbers out of range.
func ReadValue(v wire.Value) (val Value, ok bool) {
	switch v.Kind() {
	case wire.Missing, wire.Null:
		return Value{}, true
	case wire.Bool:
		return Bool(v.IsTrue()), true
	case wire.String:
		return Str(v.Text()), true
	case wire.Number:
		n, _, ok := ParseNumber(v.Text())
		return Num(n), ok
	default:
		return Value{}, false
	}
}
