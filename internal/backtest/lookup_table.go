package backtest

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// tablesOf returns the tables of both policies, each once, with the columns that at least one of the policies reads.
func (r *Run) tablesOf() (tables []rule.Table) {
	for _, s := range []*side{r.champion, r.challenger} {
		if s != nil {
			tables = mergedTables(tables, s.plan.Tables())
		}
	}
	return tables
}

// mergedTables returns the tables of both lists. A table that is in both lists has the columns of both.
func mergedTables(tables, others []rule.Table) []rule.Table {
	tables = slices.Clone(tables)
	for _, t := range others {
		at := slices.IndexFunc(tables, func(x rule.Table) bool { return x.Name == t.Name })
		if at < 0 {
			tables = append(tables, t)
			continue
		}
		tables[at].Columns = slices.Clone(tables[at].Columns)
		for _, c := range t.Columns {
			if _, has := tables[at].Column(c.Name); !has {
				tables[at].Columns = append(tables[at].Columns, c)
			}
		}
	}
	return tables
}

// askTables finds the tables in which a row must be looked up. It counts the row for each table in which the row
// should be looked up but cannot be.
func (w *Worker) askTables(facts *rule.Facts, stored bool) {
	w.tables = w.tables[:0]
	for i := range w.run.tables {
		t := &w.run.tables[i]
		missing := unanswered(t, facts)
		if len(missing) == 0 {
			continue
		}
		given, unstored := true, false
		for _, key := range t.Keys {
			if facts.Get(key.Field.Name).Type() == rule.Absent {
				given = false
				unstored = unstored || stored && mayBeUnstored(key.Field)
			}
		}
		switch {
		case given && w.lookUp != nil:
			w.tables = append(w.tables, rule.Table{Name: t.Name, Keys: t.Keys, Columns: missing, Default: t.Default})
		case given || unstored:
			w.noteTable(fault.CodeNotLookedUp, t.Name)
		}
	}
}

// unanswered returns the columns of a table for which the facts of a row have no answer. If the table was read when
// the decision was made and no column has a value, no row of the table matched, so unanswered returns nil.
func unanswered(t *rule.Table, facts *rule.Facts) (missing []rule.TableColumn) {
	absent := 0
	for _, c := range t.Columns {
		if facts.Get(c.Fact).Type() == rule.Absent {
			absent++
		}
	}
	switch {
	case absent == 0:
		return nil
	case absent == len(t.Columns):
		read := facts.Get(rule.TableVersionFact(t.Name)).Type() != rule.Absent
		if read && !facts.HasTable(t.Name) {
			return nil
		}
		return t.Columns
	}
	for _, c := range t.Columns {
		if facts.Get(c.Fact).Type() == rule.Absent {
			missing = append(missing, c)
		}
	}
	return missing
}

// tableMark distinguishes the counts of a table from those of a list with the same name.
const tableMark = "table "

// noteTable counts a row for a table.
func (w *Worker) noteTable(code, name string) {
	w.partial.noteRead(cellRead{tableMark + name, code, 1})
}
