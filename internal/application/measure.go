package application

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Feature is a feature that a policy names.
type Feature struct {
	Name  string
	Index int // position in a vector
	id    rule.FieldID
}

// Features looks up features by name, so that the lookup is done once for each
// policy. It skips names that are not features.
func Features(names []string) []Feature {
	list := make([]Feature, 0, len(names))
	for _, name := range names {
		if id, ok := field.Catalogue().Lookup(name); ok && feature.Index(name) >= 0 {
			list = append(list, Feature{name, feature.Index(name), id})
		}
	}
	return list
}

// CatalogueOf returns the feature catalogue that policies of the given semantics
// version use.
func CatalogueOf(semantics int) feature.Catalogue {
	if semantics < catalogue2Semantics {
		return feature.Catalogue1
	}
	return feature.Catalogue2
}

// catalogue2Semantics is the first semantics version that uses the second catalogue.
const catalogue2Semantics = 2

// Measure computes the whole vector of a catalogue. It adds only the named features
// to the facts, so that a policy cannot depend on features that it does not name.
func (a *Application) Measure(c feature.Catalogue, named []Feature, v *feature.Vector) {
	feature.Compute(c, a.History, a.Statement, a.AsOf, v)
	for _, f := range named {
		a.Facts.Add(f.id, f.fact(v))
	}
}

// ReplaceFeatures sets the named features to the values of a vector. It replaces
// values from another policy or another catalogue.
func ReplaceFeatures(facts *rule.Facts, named []Feature, v *feature.Vector) {
	for _, f := range named {
		facts.Set(f.Name, f.fact(v))
	}
}

// fact returns the feature's value as a rule reads it, or an absent value if there is
// none.
func (f *Feature) fact(v *feature.Vector) rule.Value {
	value, ok := v.Get(f.Index)
	if !ok {
		return rule.Value{}
	}
	return rule.Num(rule.Number(value) * (rule.One / feature.One))
}

// maxNamedFeatures is the maximum number of features that a warning names.
const maxNamedFeatures = 20

// WarnNotMeasured adds a warning if the policy names features and they were not
// measured. Comparisons with them are then never true, which may favour the applicant.
// It adds no warning if features were measured, even if their source is missing, or
// if the policy names no features.
func (a *Application) WarnNotMeasured(named []Feature) {
	if a.MeasuresFeatures || len(named) == 0 {
		return
	}
	names := make([]string, 0, maxNamedFeatures)
	for _, f := range named[:min(len(named), maxNamedFeatures)] {
		names = append(names, f.Name)
	}
	pointer, detail := "/features",
		`the policy names these features, but they were not requested and are absent%s; `+
			`send "features": true, or set "features": "auto" in the policy`
	if a.Endpoint == Decisions {
		pointer, detail = "", `the policy names these features, which cannot be measured from a decision request, `+
			`so they are absent%s; `+
			`send the report and the statement to POST /v1/evaluate with "features": true`
	}
	more := ""
	if n := len(named) - len(names); n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	a.Warnings = append(a.Warnings, fault.Item{
		Pointer: pointer,
		Code:    fault.CodeFeaturesNotRequested,
		Fields:  names,
		Detail:  fmt.Sprintf(detail, more),
	})
}
