package engine

import (
	"bytes"
	"cmp"
	"slices"

	"verdict/internal/wire"
)

// Change is one difference between a version and its base.
type Change struct {
	Section string // name of the section; "factors" is separate from "scorecard"
	Kind    ChangeKind
	ID      string // id of the entry that differs, or name of the scorecard's member; "" otherwise
	from    []byte // JSON of a plain member's value in the base; nil if there was none, and for entries
	to      []byte // JSON of a plain member's value in the version; nil if there is none, and for entries
}

// ChangeKind is the kind of a difference.
type ChangeKind string

// The kinds of changes.
const (
	Added     ChangeKind = "added"
	Removed   ChangeKind = "removed"
	Changed   ChangeKind = "changed"
	Reordered ChangeKind = "reordered" // the same entries in another order
)

// Write writes the change as JSON.
func (c Change) Write(w *wire.Writer) {
	w.Object().Key("section").String(c.Section).Key("change").String(string(c.Kind))
	w.Optional("id", c.ID)
	if c.from != nil {
		w.Key("from").Raw(c.from)
	}
	if c.to != nil {
		w.Key("to").Raw(c.to)
	}
	w.EndObject()
}

// Changes lists the differences between a version and its base. Sections are in name order. Within a section, entries
// are in the order of the version, followed by removed entries and then by a change of the order. The name, the
// policy_key, the version and the scorecard's id and name are not compared, because they have no effect on decisions.
func Changes(p, base *Policy) (list []Change) {
	list = entryChanges(list, "adjustments", p.Adjustments, base.Adjustments,
		func(w *wire.Writer, a *Adjustment) { a.write(w) })
	list = entryChanges(list, sectionCharges, p.Charges, base.Charges,
		func(w *wire.Writer, c *Charge) { c.write(w) })
	list = entryChanges(list, "conditions", p.Terms, base.Terms, writeTerm)
	list = entryChanges(list, "factors", p.Scorecard.Factors, base.Scorecard.Factors,
		func(w *wire.Writer, f *Factor) { f.write(w) })
	list = entryChanges(list, sectionGuarantees, p.Guarantees, base.Guarantees,
		func(w *wire.Writer, g *Guarantee) { g.write(w) })
	list = entryChanges(list, "inputs", p.Inputs, base.Inputs, writeInput)
	list = entryChanges(list, "knockouts", p.Knockouts, base.Knockouts,
		func(w *wire.Writer, k *Knockout) { k.write(w) })
	list = entryChanges(list, sectionLimitCaps, p.LimitCaps, base.LimitCaps,
		func(w *wire.Writer, c *LimitCap) { c.write(w) })
	list = entryChanges(list, "pricing_bands", p.Bands, base.Bands, func(w *wire.Writer, b *Band) { b.write(w) })
	list = entryChanges(list, "required_fields", p.Required, base.Required, func(*wire.Writer, *Requirement) {})
	list = append(list, plainChanges(p, base)...)
	slices.SortStableFunc(list, func(x, y Change) int { return cmp.Compare(x.Section, y.Section) })
	return list
}

// entryChanges appends the differences between the entries of a section,
// matched by id.
func entryChanges[T Knockout | Adjustment | Factor | Band | LimitCap | Charge | Term | Input | Requirement | Guarantee](
	list []Change, section string, now, before []T, write func(*wire.Writer, *T),
) []Change {
	text := func(e *T) []byte {
		var w wire.Writer
		write(&w, e)
		return w.Buf
	}
	place := make(map[string]int, len(before))
	for i := range before {
		place[idOf(&before[i])] = i
	}
	last, reordered := -1, false
	for i := range now {
		id := idOf(&now[i])
		at, known := place[id]
		switch {
		case !known:
			list = append(list, Change{Section: section, Kind: Added, ID: id})
			continue
		case !bytes.Equal(text(&now[i]), text(&before[at])):
			list = append(list, Change{Section: section, Kind: Changed, ID: id})
		}
		reordered = reordered || at < last
		last = max(last, at)
		delete(place, id)
	}
	for i := range before {
		if id := idOf(&before[i]); hasKey(place, id) {
			list = append(list, Change{Section: section, Kind: Removed, ID: id})
		}
	}
	if reordered {
		list = append(list, Change{Section: section, Kind: Reordered})
	}
	return list
}

// idOf returns the id of an entry of a section. The argument is a pointer to the entry.
func idOf(entry any) string {
	switch e := entry.(type) {
	case *Knockout:
		return e.ID
	case *Adjustment:
		return e.ID
	case *Factor:
		return e.Name
	case *Band:
		return e.ID
	case *LimitCap:
		return e.ID
	case *Term:
		return e.Code
	case *Input:
		return e.Name
	case *Requirement:
		return e.Text
	case *Charge:
		return e.ID
	case *Guarantee:
		return e.ID
	default:
		return ""
	}
}

func hasKey[V any](m map[string]V, key string) bool {
	_, ok := m[key]
	return ok
}

func writeTerm(w *wire.Writer, t *Term) {
	w.String(t.Text)
	t.Condition.Write(w)
}

func writeInput(w *wire.Writer, in *Input) { w.String(in.Type.String()).String(in.Meaning) }

// plainChanges compares the members of the documents and of their scorecards, except lists of entries and members that
// only identify the policy. It compares the JSON documents, so that it also finds members that later releases add.
func plainChanges(p, base *Policy) (list []Change) {
	now, before := document(p), document(base)
	listed := []string{
		"adjustments", sectionCharges, "conditions", sectionGuarantees, "inputs", "knockouts", sectionLimitCaps,
		"pricing_bands", "required_fields", "name", "policy_key", memberScorecardID, "version",
	}
	list = memberChanges(list, "", now, before, listed)
	return memberChanges(list, sectionScorecard, now.Get(sectionScorecard), before.Get(sectionScorecard),
		[]string{"factors", "name"})
}

// memberChanges appends the differences between the members of two objects. It ignores the scorecard and the members
// that except lists. If section is not "", the name of the member is the id of the change.
func memberChanges(list []Change, section string, now, before wire.Value, except []string) []Change {
	var names []string
	for _, object := range []wire.Value{now, before} {
		for name := range object.Members() {
			if !slices.Contains(names, name) && !slices.Contains(except, name) && name != sectionScorecard {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		from, to := memberJSON(before, name), memberJSON(now, name)
		if bytes.Equal(from, to) {
			continue
		}
		c := Change{Section: name, Kind: Changed, from: from, to: to}
		if section != "" {
			c.Section, c.ID = section, name
		}
		list = append(list, c)
	}
	return list
}

// memberJSON returns a member as JSON, or nil if the document does not have it. Documents leave out semantics,
// features and affordability if they have their defaults; for these members it returns the default.
func memberJSON(object wire.Value, name string) []byte {
	var w wire.Writer
	switch v := object.Get(name); {
	case v.Given():
		w.Value(v)
	case name == sectionSemantics:
		w.Int(FirstSemantics)
	case name == "features":
		w.String(featuresOnRequest)
	case name == "affordability":
		alone := declaredAlone()
		alone.write(&w)
	default:
	}
	return w.Buf
}

// document returns the policy's document, parsed. The document was written by
// this package, so parsing it does not fail.
func document(p *Policy) wire.Value {
	v, err := wire.Parse(p.Document())
	if err != nil {
		return wire.Value{}
	}
	return v
}
