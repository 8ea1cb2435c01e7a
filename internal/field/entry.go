package field

import "verdict/internal/rule"

// entry is one line of the tables in this package. Each constructor returns one
// kind of field, with its type, unit and usual domain. The methods set further
// properties.
type entry struct{ rule.Field }

func number(name, unit, meaning string) entry {
	return entry{rule.Field{Name: name, Type: rule.NumberType, Unit: unit, Meaning: meaning}}
}

// integer returns a field for integers that cannot be negative.
func integer(name, unit, meaning string) entry {
	e := number(name, unit, meaning).atLeast(0)
	e.Integer = true
	return e
}

func count(name, meaning string) entry  { return integer(name, "count", meaning) }
func days(name, meaning string) entry   { return integer(name, "days", meaning) }
func months(name, meaning string) entry { return integer(name, "months", meaning) }

// rupees returns a field for an amount that cannot be negative. Balances can be
// negative; they use number with the unit ₹.
func rupees(name, meaning string) entry { return number(name, "₹", meaning).atLeast(0) }

// ratio returns a field for a share or multiple that cannot be negative; 0.35
// is 35 percent.
func ratio(name, meaning string) entry { return number(name, "ratio", meaning).atLeast(0) }

func boolean(name, meaning string) entry {
	return entry{rule.Field{Name: name, Type: rule.BoolType, Meaning: meaning}}
}

func text(name, meaning string) entry {
	return entry{rule.Field{Name: name, Type: rule.StringType, Meaning: meaning}}
}

// choice returns a field for a string from a fixed list of values.
func choice(name, meaning string, values ...string) entry {
	e := text(name, meaning)
	e.Values = values
	return e
}

func (e entry) atLeast(least rule.Number) entry {
	e.Min, e.BoundedBelow = least, true
	return e
}

func (e entry) atMost(most rule.Number) entry {
	e.Max, e.BoundedAbove = most, true
	return e
}

// paise marks an amount that is rounded to the paisa when a request or a file is read.
func (e entry) paise() entry {
	e.Paise = true
	return e
}

func (e entry) within(least, most int64) entry {
	return e.atLeast(rule.Int(least)).atMost(rule.Int(most))
}

func (e entry) reason(code string) entry {
	e.ReasonCode = code
	return e
}

// since sets the first semantics version whose policies may use the field.
func (e entry) since(semantics int) entry {
	e.Semantics = semantics
	return e
}

func (e entry) core() entry {
	e.Core = true
	return e
}

// only returns the entry with a supply of its own, which overrides the supply of the section.
func (e entry) only(supply rule.Supply) entry {
	e.Supply = supply
	return e
}

// sent returns the entry of a raw path whose value becomes the canonical fact
// unchanged: an entry with the same domain and reason code under another name.
func (e entry) sent(path, meaning string) entry {
	e.Name, e.Meaning = path, meaning
	e.Core, e.BureauScored = false, false
	return e
}
