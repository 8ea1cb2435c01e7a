package console

import (
	"bytes"
	"slices"
	"strconv"

	"verdict/internal/wire"
)

// work is a policy on the desk: the version it is made from, what has become
// of it so far, and the line that is open.
type work struct {
	found *version
	draft *draft
	open  place  // its Section is "" when no line is open
	focus string // the id of the control at which the next page begins
	fresh bool   // the open line was added just now
	was   string // the open line as it was when it was opened, as JSON; "" when the draft has it so
	gone  place  // where the line stood that was removed last; its Section is "" for none
	row   string // that line, as JSON

	said     remarks
	checked  bool // the draft was read as it stands
	analysed bool // and the static analysis has run
	unkept   bool // the address does not hold the edit
	foreign  bool // the address held somebody else's edit
}

// path is the page of the editor, in its environment.
func (w *work) path() string { return "/policies/" + w.found.Set.ID + "/edit" }

// purpose is what the mark of an edit is for: the edit of this version.
func (w *work) purpose() string { return "edit of " + w.found.Set.ID }

// apply puts what was typed into the draft. The text of the document counts
// alone after it was changed by hand, and what was typed into a line that is
// cancelled does not count.
func (w *work) apply(f *form, verb string) {
	w.open, _ = w.draft.placeOf(f.Value(formOpen))
	w.fresh, w.was = f.Value(formFresh) != "", f.Value(formWas)
	w.gone, w.row = w.draft.gap(f.Value(formGone)), f.Value(formRow)
	if verb == "json" {
		w.open, w.fresh, w.was = place{}, false, ""
		return
	}
	take(generalFields, w.draft.root, f, "")
	take(scaleFields, w.draft.card(), f, cardPrefix)
	if row, ok := w.draft.row(w.open.Section, w.open.Index); ok && verb != "cancel" {
		before := jsonOf(row)
		take(sectionFields[w.open.Section], row, f, rowPrefix)
		if w.open.Section == sectionFactors {
			takeBins(row, f, typesOf(w.draft))
		}
		if w.was == "" && !w.fresh && jsonOf(row) != before {
			w.was = before
		}
	}
	// A card that was changed is not the stored one any more.
	if !bytes.Equal([]byte(jsonOf(loose(w.found.Doc.Get("scorecard")))), []byte(jsonOf(w.draft.root["scorecard"]))) {
		delete(w.draft.root, "scorecard_id")
	}
}

// do does what a button says, with the line or section that it is about, and
// chooses the control at which the next page begins.
func (w *work) do(verb, object string) {
	w.focus = focusSummary
	at, ok := w.draft.placeOf(object)
	switch {
	case verb == "add":
		if _, known := sectionFields[object]; known {
			w.close()
			w.open, w.fresh = w.draft.add(object), true
			w.focus = w.open.firstControl()
		}
	case verb == "open" && ok:
		if at != w.open {
			w.close()
		}
		w.open, w.focus = at, at.firstControl()
	case verb == "remove" && ok:
		row, _ := w.draft.row(at.Section, at.Index)
		w.gone, w.row = at, jsonOf(row)
		w.draft.remove(at)
		w.close()
		w.focus = focusUndo
	case verb == "restore" && w.row != "":
		w.restore()
	case verb == "up" && ok:
		w.focus = w.draft.move(at, -1).control(verb)
		w.close()
	case verb == "down" && ok:
		w.focus = w.draft.move(at, 1).control(verb)
		w.close()
	case verb == "close" && w.open.Section != "":
		w.focus = w.open.control("open")
		w.close()
	case verb == "cancel" && w.open.Section != "":
		w.cancel()
	case verb == "more" && w.open.Section == sectionFactors:
		row, _ := w.draft.row(w.open.Section, w.open.Index)
		bins, _ := row["bins"].([]any)
		w.focus = binControl(len(bins) + 1)
	}
}

// Ids of the controls at which a page may begin, besides those of the lines.
const (
	focusSummary = "summary" // what the check says
	focusUndo    = "undo"    // the button that puts a removed line back
	focusNotice  = "notice"  // what the page says of the step before
	focusRefused = "refused" // what was wrong with it
)

// control is the id of a button of the line: "open-knockouts-3".
func (p place) control(verb string) string {
	return verb + "-" + p.Section + "-" + strconv.Itoa(p.Index)
}

// firstControl is the id of the line's first field when it is open.
func (p place) firstControl() string { return "f-" + rowPrefix + sectionFields[p.Section][0].Name }

// binControl is the id of the first field of a bin.
func binControl(number int) string { return "bin-" + strconv.Itoa(number) }

// close closes the open line.
func (w *work) close() { w.open, w.fresh, w.was = place{}, false, "" }

// cancel closes the open line as it was when it was opened; one that was added
// just now goes.
func (w *work) cancel() {
	w.focus = w.open.control("open")
	if _, ok := w.draft.row(w.open.Section, w.open.Index); ok && w.fresh {
		w.draft.remove(w.open)
		w.focus = "add-" + w.open.Section
	} else if ok && w.was != "" {
		w.draft.replace(w.open, w.was)
	}
	w.close()
}

// restore puts the line back that was removed last.
func (w *work) restore() {
	w.focus = w.gone.control("open")
	w.draft.insert(w.gone, w.row)
	w.gone, w.row = place{}, ""
	w.close()
}

// goneLine describes the line that was removed last, nil for none.
func (w *work) goneLine() *goneLine {
	if w.gone.Section == "" || w.row == "" {
		return nil
	}
	line, err := wire.Parse([]byte(w.row))
	if err != nil {
		return nil
	}
	out := &goneLine{place: w.gone, Title: sectionTitles[w.gone.Section], Row: w.row}
	for _, name := range []string{"id", "code", "factor", "name"} {
		if out.Name == "" {
			out.Name = line.Get(name).Text()
		}
	}
	return out
}

// gap reads a place at which a line can be put back, the end of its section
// included.
func (d *draft) gap(text string) place {
	at, ok := d.placeOf(text)
	lines, _ := d.list(at.Section)
	if ok || at.Section != "" && at.Index == len(lines) {
		return at
	}
	return place{}
}

// insert puts a line, given as JSON, at a place.
func (d *draft) insert(at place, row string) {
	v, err := wire.Parse([]byte(row))
	lines, set := d.list(at.Section)
	if err != nil || v.Kind() != wire.Object || at.Index > len(lines) {
		return
	}
	set(slices.Insert(slices.Clone(lines), at.Index, loose(v)))
}

// replace puts a line, given as JSON, in the place of another.
func (d *draft) replace(at place, row string) {
	if v, err := wire.Parse([]byte(row)); err == nil && v.Kind() == wire.Object {
		d.remove(at)
		d.insert(at, row)
	}
}

// jsonOf writes a value as JSON.
func jsonOf(v any) string {
	var w wire.Writer
	write(&w, v)
	return string(w.Buf)
}
