package application

import (
	"slices"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// fallback is a fact that, if it is absent, gets the value of another fact.
type fallback struct {
	name, fromName string
	id, from       rule.FieldID
}

// fallbacks returns field.Fallbacks with the ids of the fields. It looks up the ids only once.
var fallbacks = sync.OnceValue(func() []fallback {
	var list []fallback
	for _, f := range field.Fallbacks() {
		id, _ := field.Catalogue().Lookup(f.Name)
		from, _ := field.Catalogue().Lookup(f.From)
		list = append(list, fallback{name: f.Name, fromName: f.From, id: id, from: from})
	}
	return list
})

// fallBack sets each absent fact about the applicant's own accounts to the figure
// that was sent for all accounts.
func fallBack(facts *rule.Facts) {
	for _, f := range fallbacks() {
		if facts.Get(f.name).Type() == rule.Absent {
			facts.Add(f.id, facts.Get(f.fromName))
		}
	}
}

// FallBackStored applies the fallbacks to facts that were stored before there were
// facts about own accounts. If any fact about own accounts is present, it changes
// nothing: the absent ones are absent because the report did not state them.
func FallBackStored(facts *rule.Facts) {
	if !slices.ContainsFunc(fallbacks(), func(f fallback) bool { return facts.Get(f.name).Type() != rule.Absent }) {
		fallBack(facts)
	}
}
