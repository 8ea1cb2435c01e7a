package application

import (
	"fmt"

	"verdict/internal/fault"
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

// CatalogueOf is the feature catalogue that a policy of a semantics reads.
func CatalogueOf(semantics int) feature.Catalogue {
	if semantics < catalogue2Semantics {
		return feature.Catalogue1
	}
	return feature.Catalogue2
}

// catalogue2Semantics is the semantics that the second catalogue came with.
const catalogue2Semantics = 2

// Measure computes the whole vector by a catalogue, and adds to the facts the
// features that are named and no other: what a policy does not name cannot
// matter to it.
func (a *Application) Measure(c feature.Catalogue, named []Feature, v *feature.Vector) {
	feature.Compute(c, a.History, a.Statement, a.AsOf, v)
	for _, f := range named {
		a.Facts.Add(f.id, f.fact(v))
	}
}

// ReplaceFeatures gives facts the named features of a vector, in place of those
// that another policy or another catalogue has left there.
func ReplaceFeatures(facts *rule.Facts, named []Feature, v *feature.Vector) {
	for _, f := range named {
		facts.Set(f.Name, f.fact(v))
	}
}

// fact is the feature's value as a rule reads it, absent if there is none.
func (f *Feature) fact(v *feature.Vector) rule.Value {
	value, ok := v.Get(f.Index)
	if !ok {
		return rule.Value{}
	}
	return rule.Num(rule.Number(value) * (rule.One / feature.One))
}

// maxNamedFeatures is how many features a warning names.
const maxNamedFeatures = 20

// WarnNotMeasured adds the warning that a policy names features and the request
// had none measured: rules that name them then cannot hit, which may be the
// better outcome. It does nothing if the features were measured, even those
// whose source is missing, or if the policy names none.
func (a *Application) WarnNotMeasured(named []Feature) {
	if a.MeasuresFeatures || len(named) == 0 {
		return
	}
	names := make([]string, 0, maxNamedFeatures)
	for _, f := range named[:min(len(named), maxNamedFeatures)] {
		names = append(names, f.Name)
	}
	pointer, detail := "/features", `the policy names these features and they were not requested, so they are absent%s; `+
		`send "features": true, or let the policy say "features": "auto"`
	if a.Endpoint == Decisions {
		pointer, detail = "", `the policy names these features, which cannot be measured from a decision request, so they are absent%s; `+
			`send the report and the statement to POST /v1/evaluate with "features": true`
	}
	more := ""
	if n := len(named) - len(names); n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	a.Warnings = append(a.Warnings, fault.Item{
		Pointer: pointer, Code: fault.CodeFeaturesNotRequested, Fields: names, Detail: fmt.Sprintf(detail, more),
	})
}
