package application

import (
	"slices"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// fallback is a fact that takes the value of another one.
type fallback struct {
	name, fromName string
	id, from       rule.FieldID
}

// fallbacks are resolved once.
var fallbacks = sync.OnceValue(func() []fallback {
	var list []fallback
	for _, f := range field.Fallbacks() {
		id, _ := field.Catalogue().Lookup(f.Name)
		from, _ := field.Catalogue().Lookup(f.From)
		list = append(list, fallback{name: f.Name, fromName: f.From, id: id, from: from})
	}
	return list
})

// fallBack gives the facts of the applicant's own accounts the figures that
// were sent for all accounts, each where its own was not sent.
func fallBack(facts *rule.Facts) {
	for _, f := range fallbacks() {
		if facts.Get(f.name).Type() == rule.Absent {
			facts.Add(f.id, facts.Get(f.fromName))
		}
	}
}

// FallBackStored does the same for facts that were stored before there were
// facts of own accounts. Facts that have any of those are left alone: what they
// lack, the report did not say.
func FallBackStored(facts *rule.Facts) {
	if !slices.ContainsFunc(fallbacks(), func(f fallback) bool { return facts.Get(f.name).Type() != rule.Absent }) {
		fallBack(facts)
	}
}
