package policydesk

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/rule"
	"verdict/internal/store"
)

// listFinder finds the lists that a draft names. It reads them once, when the first one is asked for.
type listFinder struct {
	lists store.ListReader
	types map[string]rule.Type // nil until they are read
	err   error
}

// find returns the type of the values in a list, and false if there is no list of this name.
func (f *listFinder) find(name string) (rule.Type, bool) {
	if f.types == nil {
		f.types = map[string]rule.Type{}
		var stored []store.List
		if stored, f.err = f.lists.All(); f.err != nil {
			return rule.Absent, false
		}
		for _, l := range stored {
			f.types[l.Name] = list.Type(l.Type).Of()
		}
	}
	t, ok := f.types[name]
	return t, ok
}

// listNames returns the names of the lists in lookups, each once.
func listNames(lookups []rule.NamedLookup) (names []string) {
	for _, l := range lookups {
		if !slices.Contains(names, l.List) {
			names = append(names, l.List)
		}
	}
	return names
}

// lockLists checks that the lists of a rule set exist and that their values have the types of the fields that are
// looked up. It keeps the lists from being deleted until the transaction ends.
func lockLists(tx *store.Tx, lookups []rule.NamedLookup) error {
	for _, l := range lookups {
		stored, err := tx.Lists().Lock(l.List)
		switch {
		case fault.KindOf(err) == fault.NotFound:
			return fault.New(fault.Conflict, fault.CodeListMissing,
				"the rule set names the list %s, which does not exist; create it with PUT /v1/lists/{name}", l.List)
		case err != nil:
			return err
		case list.Type(stored.Type).Of() != l.Field.Type:
			return fault.New(fault.Conflict, fault.CodeListMissing,
				"the rule set looks up %s in the list %s, which has values of another type; "+
					"name another list in a new draft", l.Field.Name, l.List)
		}
	}
	return nil
}
