package analysis

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// mayLack reports whether a lookup in a table may give no values. That is so if the table has no default, or if a
// request may leave a key out.
func (a *silenceCheck) mayLack(t *rule.Table) bool {
	if !t.Default {
		return true
	}
	for _, key := range t.Keys {
		if a.omissible(a.space.FieldOf(key.Field)) {
			return true
		}
	}
	return false
}

// reportTable reports the rules and factors that do not apply if a lookup in a table gives no value for a column.
func (a *silenceCheck) reportTable(q *silencing, t *rule.Table) {
	name := a.space.Domain(q.field).Ref.Name
	severity, rest := SeverityWarning, "list "+name+" in required_fields, or let a rule test whether it is present."
	cause := "a key of the table is absent"
	if !t.Default {
		cause = "no row of the table " + t.Name + " matches, or a key of it is absent"
		rest = "give the table a default, " + rest
	}
	if a.notes[q.field].tested {
		severity, rest = SeverityInfo, "another rule tests whether it is present."
	}
	f := a.report(severity, fault.CodeSilentWhenAbsent, q.at, fmt.Sprintf("Without %s, %s %s. It is absent if %s: %s",
		name, enumerate(q.names), notApply(q.names), cause, rest), nil)
	f.Proved = !q.doubt
	f.Key, f.IDs, f.Fields = fault.CodeSilentWhenAbsent+"@/fields/"+name, q.ids, []string{name}
}
