package policydesk

import (
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/table"
)

// tableFinder finds the tables that a draft names. It reads them once, when the first one is asked for.
type tableFinder struct {
	tables store.TableReader
	found  map[string]*rule.Table // nil until they are read
	err    error
}

// find returns a table, and false if there is no table of this name.
func (f *tableFinder) find(name string) (*rule.Table, bool) {
	if f.found == nil {
		f.found = map[string]*rule.Table{}
		var stored []store.Table
		if stored, f.err = f.tables.All(); f.err != nil {
			return nil, false
		}
		for _, t := range stored {
			definition, err := table.ParseDefinition(t.Name, t.Definition)
			if err != nil {
				f.err = operation.AsDefect(err)
				return nil, false
			}
			f.found[t.Name] = &definition.Table
		}
	}
	t, ok := f.found[name]
	return t, ok
}

func tableNames(tables []rule.Table) (names []string) {
	for i := range tables {
		names = append(names, tables[i].Name)
	}
	return names
}

// lockTables checks that the tables of a rule set exist and have everything that the rule set reads. It keeps the
// tables from being deleted or changed until the transaction ends.
func lockTables(tx *store.Tx, tables []rule.Table) error {
	for i := range tables {
		stored, err := tx.Tables().Lock(tables[i].Name)
		if fault.KindOf(err) == fault.NotFound {
			return table.Missing(tables[i].Name, "it does not exist")
		}
		if err != nil {
			return err
		}
		definition, err := table.ParseDefinition(stored.Name, stored.Definition)
		if err != nil {
			return operation.AsDefect(err)
		}
		if lacks := definition.Serves(&tables[i]); lacks != "" {
			return table.Missing(tables[i].Name, lacks)
		}
		if tables[i].Default && !definition.Default {
			return table.Missing(tables[i].Name, "it has no default any more")
		}
	}
	return nil
}
