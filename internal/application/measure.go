package application

import (
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Feature is one that a policy names.
type Feature struct {
	Name  string
	Index int // in a vector
	id    rule.FieldID
}

// Features finds the features behind their names, once for each policy.
func Features(names []string) []Feature {
	list := make([]Feature, 0, len(names))
	for _, name := range names {
		if id, ok := field.Catalogue().Lookup(name); ok && feature.Index(name) >= 0 {
			list = append(list, Feature{name, feature.Index(name), id})
		}
	}
	return list
}

// Measure computes the whole vector, and adds to the facts the features that
// are named and no other: what a policy does not name cannot matter to it.
func (a *Application) Measure(named []Feature, v *feature.Vector) {
	feature.Compute(a.History, a.Statement, a.AsOf, v)
	for _, f := range named {
		if value, ok := v.Get(f.Index); ok {
			a.Facts.Add(f.id, rule.Num(rule.Number(value)*(rule.One/feature.One)))
		}
	}
}
