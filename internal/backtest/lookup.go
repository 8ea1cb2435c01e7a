package backtest

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// LookUp looks up fields of a row in lists and tables and adds the answers to the row's facts.
type LookUp func(questions []rule.NamedLookup, tables []rule.Table, facts *rule.Facts) error

// LookUp sets the function that looks up fields of a row. If it is not set, rules that need lists or tables are not
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

// answer looks up a row in lists and tables and adds the answers that the row's facts lack. stored is true for the
// facts of a stored decision, which may lack a field that the application had. answer returns false if the work must
// stop.
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

// answerOnly adds the answers to the challenger's facts, after answer has added them to the champion's facts and
// counted the row.
func (w *Worker) answerOnly(facts *rule.Facts) bool {
	if len(w.questions)+len(w.tables) > 0 {
		w.err = w.lookUp(w.questions, w.tables, facts)
	}
	return w.err == nil
}

// mayBeUnstored reports whether a stored decision may lack a field although the application had it. This is so for an
// input that the policy of the decision did not declare, and for an identifier that this policy did not read.
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

// noteLists counts a row once for each list in questions, even if several questions are about the same list.
func (w *Worker) noteLists(code string, questions []rule.NamedLookup) {
	for i := range questions {
		name := questions[i].List
		if !slices.ContainsFunc(questions[:i], func(q rule.NamedLookup) bool { return q.List == name }) {
			w.partial.noteRead(cellRead{name, code, 1})
		}
	}
}

// listWarnings returns two kinds of warnings: one for each list or table in which rows were looked up during the
// run, and one for each list or table in which rows could not be looked up.
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
