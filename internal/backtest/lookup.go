package backtest

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// LookUp looks fields of a row up in lists and tables and adds the answers to its facts.
type LookUp func(questions []rule.NamedLookup, tables []rule.Table, facts *rule.Facts) error

// LookUp sets the function that looks fields of a row up. Without it, rules that need lists or tables are not
// evaluated, and a warning says so.
func (w *Worker) LookUp(lookUp LookUp) { w.lookUp = lookUp }

// looksUp reports whether a policy of the run needs lists or tables.
func (r *Run) looksUp() bool { return len(r.lookups)+len(r.tables) > 0 }

// lookupsOf returns the lookups of both policies, each once.
func (r *Run) lookupsOf() (list []rule.NamedLookup) {
	for _, s := range []*side{r.champion, r.challenger} {
		if s == nil {
			continue
		}
		for _, l := range s.plan.Lookups() {
			if !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	return list
}

// answer adds the answers of lists and tables that the facts of a row lack. stored says that the facts are those of a
// stored decision, which may lack a field that the application had. It reports whether the work can continue.
func (w *Worker) answer(facts *rule.Facts, stored bool) bool {
	w.questions, w.unknown = w.questions[:0], w.unknown[:0]
	w.askTables(facts, stored)
	for i := range w.run.lookups {
		q := &w.run.lookups[i]
		switch given := facts.Get(q.Field.Name).Type() != rule.Absent; {
		case facts.Get(q.Fact).Type() != rule.Absent: // looked up when the decision was made
		case given && w.lookUp != nil:
			w.questions = append(w.questions, *q)
		case given || stored && mayBeUnstored(q.Field):
			w.unknown = append(w.unknown, *q)
		}
	}
	w.noteLists(fault.CodeNotLookedUp, w.unknown)
	if len(w.questions)+len(w.tables) == 0 {
		return true
	}
	if w.err = w.lookUp(w.questions, w.tables, facts); w.err != nil {
		return false
	}
	w.noteLists(fault.CodeLookedUpNow, w.questions)
	for i := range w.tables {
		w.noteTable(fault.CodeLookedUpNow, w.tables[i].Name)
	}
	return true
}

// answerOnly adds answers like answer, to other facts of a row that is counted already.
func (w *Worker) answerOnly(facts *rule.Facts) bool {
	if len(w.questions)+len(w.tables) > 0 {
		w.err = w.lookUp(w.questions, w.tables, facts)
	}
	return w.err == nil
}

// mayBeUnstored reports whether a stored decision may lack a field although the application had it: an input that the
// policy of the time did not declare, and an identifier that it did not read.
func mayBeUnstored(ref rule.Ref) bool {
	if ref.ID < 0 {
		return true
	}
	for name := range field.Identifying() {
		if name == ref.Name {
			return true
		}
	}
	return false
}

// noteLists counts a row once for each list of the questions.
func (w *Worker) noteLists(code string, questions []rule.NamedLookup) {
	for i := range questions {
		name := questions[i].List
		if !slices.ContainsFunc(questions[:i], func(q rule.NamedLookup) bool { return q.List == name }) {
			w.partial.noteRead(cellRead{name, code, 1})
		}
	}
}

// listWarnings returns a warning for each list and each table in which rows were looked up now, or were not.
func (p *Partial) listWarnings() (list []Warning) {
	for _, kind := range []struct{ code, detail string }{
		{fault.CodeLookedUpNow, "rows were looked up in the %s %s as it was during the run, " +
			"because they have no answer from the time of their decision"},
		{fault.CodeNotLookedUp, "rows were not looked up in the %s %s, because the field is not known"},
	} {
		for _, r := range p.read {
			if r.code != kind.code {
				continue
			}
			what, name := "list", r.field
			if table, ok := strings.CutPrefix(r.field, tableMark); ok {
				what, name = "table", table
			}
			list = append(list, Warning{Code: kind.code, Fields: []string{name},
				Detail: fmt.Sprintf("%d "+kind.detail, r.count, what, name)})
		}
	}
	return list
}
