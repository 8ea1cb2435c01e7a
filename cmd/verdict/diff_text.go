package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/rule"
)

// shownKinds is the number of kinds of applicants that are listed without -all. The worst changes come first.
const shownKinds = 10

const allHelp = "list every kind of applicant, not only the first ten"

// diffText returns the result for people. It lists at most shownKinds kinds unless all is set.
func diffText(r *prover.Result, plans [2]*engine.Plan, all bool) []byte {
	var b bytes.Buffer
	writeOverview(&b, r, plans)
	writeKinds(&b, r, all)
	return b.Bytes()
}

// writeOverview writes what changed, the summary, and why the result is not complete.
func writeOverview(b *bytes.Buffer, r *prover.Result, plans [2]*engine.Plan) {
	for _, change := range r.Changes {
		text := strings.TrimRight(fmt.Sprintf("  %s %s %s", change.Kind, change.Section, change.ID), " ")
		fmt.Fprintf(b, "%s%s\n", text, changedValues(change, plans[0].Policy(), plans[1].Policy()))
	}
	if len(r.Changes) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "%s\n", r.Summary())
	for _, text := range r.Incomplete {
		fmt.Fprintf(b, "\nnot complete: %s\n", text)
	}
}

// writeKinds writes the kinds of applicants who are treated differently.
func writeKinds(b *bytes.Buffer, r *prover.Result, all bool) {
	shown := len(r.Classes)
	if !all {
		shown = min(shown, shownKinds)
	}
	for i := range r.Classes[:shown] {
		writeKind(b, r, i)
	}
	if rest := len(r.Classes) - shown; rest > 0 {
		fmt.Fprintf(b, "\n… and %d more; -all lists them\n", rest)
	}
	states := "states"
	if r.States == 1 {
		states = "state"
	}
	fmt.Fprintf(b, "\nThe comparison covers %d combinations of cells of the fields and explored %d %s.\n",
		r.Cells, r.States, states)
}

func writeKind(b *bytes.Buffer, r *prover.Result, at int) {
	c := &r.Classes[at]
	fmt.Fprintf(b, "\n%s (%s)\n", c.Title(), c.Direction())
	if p := r.Population; p != nil {
		fmt.Fprintf(b, "  %d of %d rows\n", p.ByClass[at], p.Rows)
	}
	for _, x := range c.Where {
		fmt.Fprintf(b, "    %s: %s\n", x.Field, x.Text)
	}
	for _, cause := range c.Causes {
		change := r.Changes[cause]
		fmt.Fprintf(b, "  caused by %s %s\n", change.Section, change.ID)
	}
	switch {
	case !c.Confirmed:
		fmt.Fprintf(b, "  not confirmed: no such applicant was found, but such applicants may exist\n")
	case c.Witness.Request != nil:
		fmt.Fprintf(b, "  applicant: %s\n", c.Witness.Request)
	default:
		fmt.Fprintf(b, "  applicant, as facts: %s\n", witnessFacts(c.Witness))
	}
}

// longestValues is the largest number of bytes that the old and the new condition of a rule may have together to be
// printed.
const longestValues = 120

// changedValues returns the old and the new condition of a changed rule, such as ": age < 21 → age < 23". It returns
// "" if the change is another one, or if the conditions are long.
func changedValues(change engine.Change, old, changed *engine.Policy) string {
	if change.Kind != engine.Changed {
		return ""
	}
	before, after := conditionOf(old, change), conditionOf(changed, change)
	if before == nil || after == nil {
		return ""
	}
	from, to := before.Text(), after.Text()
	if from == to || len(from)+len(to) > longestValues {
		return ""
	}
	return ": " + from + " → " + to
}

// conditionOf returns the condition of the knockout or the adjustment that a change names, or nil.
func conditionOf(p *engine.Policy, change engine.Change) *rule.Condition {
	switch change.Section {
	case "knockouts":
		at := slices.IndexFunc(p.Knockouts, func(k engine.Knockout) bool { return k.ID == change.ID })
		if at >= 0 {
			return &p.Knockouts[at].Condition
		}
	case "adjustments":
		at := slices.IndexFunc(p.Adjustments, func(a engine.Adjustment) bool { return a.ID == change.ID })
		if at >= 0 {
			return &p.Adjustments[at].Condition
		}
	}
	return nil
}
