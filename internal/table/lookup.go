package table

import "verdict/internal/rule"

// Keys appends to keys the values of the key fields that a policy names. It returns false if a field is absent or
// has another type; the table is then not read.
func Keys(read *rule.Table, facts *rule.Facts, keys []rule.Value) ([]rule.Value, bool) {
	for _, key := range read.Keys {
		value := facts.Get(key.Field.Name)
		if value.Type() != key.Field.Type {
			return nil, false
		}
		keys = append(keys, value)
	}
	return keys, true
}

// Answer adds the columns that a policy reads to the facts. Their values come from the row that matches the keys or,
// if no row matches, from the default. Without a default the columns are absent.
func (t *Table) Answer(read *rule.Table, keys []rule.Value, facts *rule.Facts) {
	row, found := t.Find(keys)
	for i := range t.Columns {
		c, wanted := read.Column(t.Columns[i].Name)
		switch {
		case !wanted:
		case found:
			facts.Set(c.Fact, t.Value(row, i))
		case t.Default:
			facts.Set(c.Fact, t.Defaults[i])
		default:
			facts.Set(c.Fact, rule.Value{})
		}
	}
}
