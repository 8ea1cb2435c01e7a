package console

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// editing is the state of an edit: the version that the edit began from, the draft, and the open
// line.
type editing struct {
	found *version
	draft *draft
	open  place  // Section is "" if no line is open
	focus string // id of the control that gets the focus on the next page
	fresh bool   // the open line is new
	was   string // the open line before it was changed, as JSON; "" if unchanged
	gone  place  // place of the line that was removed last; Section is "" for none
	row   string // the line that was removed last, as JSON

	history  policydesk.EditStep // the step of the working copy that the page shows or that the form was made from
	resumed  bool                // the address names no step, so the page shows the one that the person saw last
	lost     bool                // the address named a step that does not exist
	unkept   string              // why the step could not be stored; "" if it was stored
	said     remarks
	checked  bool // the draft was checked
	analysed bool // the static analysis has run
}

// path returns the path of the editor's page below the environment.
func (w *editing) path() string { return "/policies/" + w.found.Set.ID + "/edit" }

// apply puts the typed values into the draft. If the person edited the text of the document, only
// that text counts. Values typed into a cancelled line are ignored.
func (w *editing) apply(f *form, verb string) {
	w.open, _ = w.draft.placeOf(f.Value(formOpen))
	w.fresh, w.was = f.Value(formFresh) != "", f.Value(formWas)
	w.gone, w.row = w.draft.gap(f.Value(formGone)), f.Value(formRow)
	if verb == "json" {
		w.open, w.fresh, w.was = place{}, false, ""
		return
	}
	readFields(generalFields, w.draft.root, f, "")
	readFields(scaleFields, w.draft.card(), f, cardPrefix)
	takeGrid(w.draft, f)
	if row, ok := w.draft.row(w.open.Section, w.open.Index); ok && verb != "cancel" {
		before := jsonOf(row)
		readFields(sectionFields[w.open.Section], row, f, rowPrefix)
		if w.open.Section == sectionFactors {
			takeBins(row, f, typesOf(w.draft))
		}
		if w.was == "" && !w.fresh && jsonOf(row) != before {
			w.was = before
		}
	}
	// If the scorecard was changed, remove its id, because the id names the stored scorecard.
	if !bytes.Equal([]byte(jsonOf(editable(w.found.Doc.Get("scorecard")))), []byte(jsonOf(w.draft.root["scorecard"]))) {
		delete(w.draft.root, "scorecard_id")
	}
}

// do runs the action of a button on a line or section, and chooses the control that gets the focus
// on the next page.
func (w *editing) do(verb, object string) {
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
	case verb == "move":
		w.moveTo(object)
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

// moveTo moves a line to another place of its section. text is the place and the new index, such as "knockouts/3/0".
func (w *editing) moveTo(text string) {
	cut := max(strings.LastIndex(text, "/"), 0)
	at, ok := w.draft.placeOf(text[:cut])
	to, err := strconv.Atoi(strings.TrimPrefix(text[cut:], "/"))
	lines, set := w.draft.list(at.Section)
	if !ok || err != nil || to < 0 || to >= len(lines) {
		return
	}
	line := lines[at.Index]
	set(slices.Insert(slices.Delete(slices.Clone(lines), at.Index, at.Index+1), to, line))
	w.close()
	w.focus = place{at.Section, to}.control("open")
}

// Ids of the elements that may get the focus, besides the controls of lines.
const (
	focusSummary = "summary" // the result of the check
	focusUndo    = "undo"    // the button that restores a removed line
	focusNotice  = "notice"  // the message about the last step
	focusRefused = "refused" // the faults of the last step
)

// control returns the id of a button of the line, such as "open-knockouts-3".
func (p place) control(verb string) string {
	return verb + "-" + p.Section + "-" + strconv.Itoa(p.Index)
}

// firstControl returns the id of the first field of the open line.
func (p place) firstControl() string { return "f-" + rowPrefix + sectionFields[p.Section][0].Name }

// binControl returns the id of the first field of a bin.
func binControl(number int) string { return "bin-" + strconv.Itoa(number) }

// openNamed opens the line that the stored version has at a place such as "knockouts/3". It finds the line by name,
// because the line may be at another place in the working copy.
func (w *editing) openNamed(text string) {
	stored, err := draftOf(w.found.Doc)
	if err != nil || text == "" {
		return
	}
	at, ok := stored.placeOf(text)
	if !ok {
		return
	}
	row, _ := stored.row(at.Section, at.Index)
	name := lineName(row)
	lines, _ := w.draft.list(at.Section)
	for i := range lines {
		if now, is := lines[i].(map[string]any); is && lineName(now) == name {
			w.close()
			w.open = place{at.Section, i}
			w.focus = w.open.firstControl()
			return
		}
	}
}

// lineName returns the name by which decisions and people refer to a line, or "" for a line without a name.
func lineName(row map[string]any) string {
	for _, name := range []string{"id", "code", "factor", "name"} {
		if text, _ := row[name].(string); text != "" {
			return text
		}
	}
	return ""
}

// close closes the open line.
func (w *editing) close() { w.open, w.fresh, w.was = place{}, false, "" }

// cancel closes the open line and undoes its changes; a new line is removed.
func (w *editing) cancel() {
	w.focus = w.open.control("open")
	if _, ok := w.draft.row(w.open.Section, w.open.Index); ok && w.fresh {
		w.draft.remove(w.open)
		w.focus = "add-" + w.open.Section
	} else if ok && w.was != "" {
		w.draft.replace(w.open, w.was)
	}
	w.close()
}

// restore inserts the line that was removed last.
func (w *editing) restore() {
	w.focus = w.gone.control("open")
	w.draft.insert(w.gone, w.row)
	w.gone, w.row = place{}, ""
	w.close()
}

// goneLine describes the line that was removed last. It returns nil if there is none.
func (w *editing) goneLine() *goneLine {
	if w.gone.Section == "" || w.row == "" {
		return nil
	}
	line, err := wire.Parse([]byte(w.row))
	if err != nil {
		return nil
	}
	row, _ := editable(line).(map[string]any)
	return &goneLine{place: w.gone, Title: sectionTitles[w.gone.Section], Row: w.row, Name: lineName(row)}
}

// gap parses a place at which a line can be inserted. The end of a section is such a place too.
func (d *draft) gap(text string) place {
	at, ok := d.placeOf(text)
	lines, _ := d.list(at.Section)
	if ok || at.Section != "" && at.Index == len(lines) {
		return at
	}
	return place{}
}

// insert inserts a line, given as JSON, at a place.
func (d *draft) insert(at place, row string) {
	v, err := wire.Parse([]byte(row))
	lines, set := d.list(at.Section)
	if err != nil || v.Kind() != wire.Object || at.Index > len(lines) {
		return
	}
	set(slices.Insert(slices.Clone(lines), at.Index, editable(v)))
}

// replace replaces the line at a place by another, given as JSON.
func (d *draft) replace(at place, row string) {
	if v, err := wire.Parse([]byte(row)); err == nil && v.Kind() == wire.Object {
		d.remove(at)
		d.insert(at, row)
	}
}

// jsonOf returns a value as JSON.
func jsonOf(v any) string {
	var w wire.Writer
	write(&w, v)
	return string(w.Buf)
}
