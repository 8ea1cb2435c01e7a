package console

import (
	"bytes"
	"net/http"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// Names of what the editor's form has besides the fields of the document.
const (
	formDocument = "document"
	formOpen     = "open"
	formAct      = "act"
	rowPrefix    = "row."
	cardPrefix   = "scorecard."
)

// work is a policy on the desk: the version it is made from, what has become
// of it so far, and the line that is open.
type work struct {
	found *version
	draft *draft
	open  place  // its Section is "" when no line is open
	at    string // the section to go on at; "top" for the summary
	fresh bool   // the open line was added just now
	said  remarks
}

// editor opens a version on the desk. Nothing is stored until a draft is saved.
func (c *Console) editor(v *visit) error {
	found, err := c.version(v)
	if err != nil {
		return err
	}
	draft, err := draftOf(found.Doc)
	if err != nil {
		return err
	}
	w := &work{found: found, draft: draft, said: remarksOn(decisioning.Reading{Findings: found.Set.Findings})}
	if at, ok := draft.placeOf(v.query(formOpen)); ok {
		w.open, w.at = at, at.Section
	}
	return c.drawEditor(v, w)
}

// edit does one step: it takes over what was typed, then does what the pressed
// button says.
func (c *Console) edit(v *visit) error {
	found, err := c.version(v)
	if err != nil {
		return err
	}
	w := &work{found: found}
	doc, err := wire.Parse([]byte(v.form.Value(formDocument)))
	if err == nil {
		w.draft, err = draftOf(doc)
	}
	if err != nil {
		return c.unreadable(v, w, err)
	}
	verb, object, _ := strings.Cut(v.form.Value(formAct), ":")
	w.open, _ = w.draft.placeOf(v.form.Value(formOpen))
	if verb != "json" { // the text of the document was changed by hand, and counts
		w.takeOver(v.form)
	}
	w.do(verb, object)
	body, err := w.draft.body(found.Set.ID)
	if err != nil {
		return c.unreadable(v, w, err)
	}
	if verb == "save" {
		return c.saveDraft(v, w, body)
	}
	return c.checkDraft(v, w, body)
}

// takeOver puts what was typed into the draft.
func (w *work) takeOver(f *form) {
	take(generalFields, w.draft.root, f, "")
	take(scaleFields, w.draft.card(), f, cardPrefix)
	if row, ok := w.draft.row(w.open.Section, w.open.Index); ok {
		take(sectionFields[w.open.Section], row, f, rowPrefix)
		if w.open.Section == sectionFactors {
			takeBins(row, f, typesOf(w.draft))
		}
	}
	// A card that was changed is not the stored one any more.
	var before, after wire.Writer
	write(&before, loose(w.found.Doc.Get("scorecard")))
	write(&after, w.draft.root["scorecard"])
	if !bytes.Equal(before.Buf, after.Buf) {
		delete(w.draft.root, "scorecard_id")
	}
}

// do is what a button says, with the line or section that it is about.
func (w *work) do(verb, object string) {
	if verb == "add" {
		if _, known := sectionFields[object]; known {
			w.open, w.at, w.fresh = w.draft.add(object), object, true
		}
		return
	}
	at, ok := w.draft.placeOf(object)
	w.at = at.Section
	switch {
	case verb == "open" && ok:
		w.open = at
	case verb == "remove" && ok:
		w.draft.remove(at)
		w.open = place{}
	case verb == "up" && ok:
		w.draft.move(at, -1)
		w.open = place{}
	case verb == "down" && ok:
		w.draft.move(at, 1)
		w.open = place{}
	case verb == "close":
		w.at, w.open = w.open.Section, place{}
	case verb == "more":
		w.at = w.open.Section
	default:
		w.at = "top"
	}
}

// saveDraft stores the draft as the next version.
func (c *Console) saveDraft(v *visit, w *work, body wire.Value) error {
	answer, err := c.service.CreateRuleSet(v.ctx, v.caller(), body, nil)
	if err == nil {
		created, err := ours(answer.Body)
		if err != nil {
			return err
		}
		return v.done("Saved as version "+created.Get("version").Text()+", a draft.", "/policies/"+created.Get("id").Text())
	}
	return v.again(err, func(v *visit) error {
		if v.status == http.StatusUnprocessableEntity {
			v.form.Faults = nil // they are told beside their lines
		}
		return c.checkDraft(v, w, body)
	})
}

// checkDraft has the draft read and draws it with what there is to say of it.
func (c *Console) checkDraft(v *visit, w *work, body wire.Value) error {
	reading, err := c.service.ReadDraft(v.ctx, v.caller(), body)
	if err != nil {
		return err
	}
	w.said = remarksOn(reading)
	if w.fresh {
		w.said = w.said.without(w.open.pointer())
	}
	return c.drawEditor(v, w)
}

// unreadable draws the editor for a text that is no document: only the text
// itself can be mended.
func (c *Console) unreadable(v *visit, w *work, cause error) error {
	refusal := v.refusal(cause)
	v.status, v.code = http.StatusUnprocessableEntity, refusal.Code
	v.form.Faults = []fault.Item{{Pointer: "/" + formDocument, Code: refusal.Code, Detail: refusal.Detail}}
	return v.render("policy_edit", "Edit "+w.found.Set.Name, editorView{version: w.found, Broken: true})
}

// editorView is what the editor is drawn from.
type editorView struct {
	*version
	Broken        bool // the document cannot be read: only its text is shown
	Text          *policyText
	Document      string
	General, Card *form
	GeneralFields []editField
	CardFields    []editField
	Open          *openLine
	At            string
	Fields        []choice
	Inputs        string
	Checked       bool
}

// openLine is the line that is being edited.
type openLine struct {
	Section   string
	Index     int
	Title     string
	Pointer   string
	Fields    []editField
	Form      *form
	Condition string // in words
	Bins      []binRow
	Columns   []editField
}

// choice is a field that a condition may name, for the list of them.
type choice struct {
	Name, Type, Meaning, Values string
	Stage2                      bool
}

func (c *Console) drawEditor(v *visit, w *work) error {
	doc, err := w.draft.value()
	if err != nil {
		return err
	}
	view := editorView{
		version: w.found, Document: indented(doc), At: w.at, GeneralFields: generalFields, CardFields: scaleFields,
		General: formOf(generalFields, w.draft.root, ""), Card: formOf(scaleFields, w.draft.card(), cardPrefix),
		Fields: choices(), Inputs: plainText(w.draft.root["inputs"]), Checked: v.form.Posted(),
	}
	view.General.Faults = w.said.faultsIn("", "")
	view.Card.Faults = w.said.faultsIn("/scorecard", cardPrefix)
	if row, ok := w.draft.row(w.open.Section, w.open.Index); ok {
		fields := sectionFields[w.open.Section]
		view.Open = &openLine{
			Section: w.open.Section, Index: w.open.Index, Fields: fields, Form: formOf(fields, row, rowPrefix),
			Title: sectionTitles[w.open.Section], Pointer: w.open.String(),
		}
		view.Open.Form.Faults = w.said.faultsIn(w.open.pointer(), rowPrefix)
	}
	view.Text = readable(doc, w.said, nil)
	view.Open.describe(w.draft, view.Text)
	return v.render("policy_edit", "Edit "+w.found.Set.Name, view)
}

// describe adds to an open line what is said of it in words.
func (o *openLine) describe(d *draft, text *policyText) {
	if o == nil {
		return
	}
	lines := map[string][]ruleLine{
		sectionKnockouts: text.Knockouts, sectionAdjustments: text.Adjustments, sectionTerms: text.Terms,
	}[o.Section]
	if o.Index < len(lines) {
		o.Condition = lines[o.Index].Condition
	}
	if o.Section == sectionFactors && o.Index < len(text.Factors) {
		row, _ := d.row(o.Section, o.Index)
		o.Condition, o.Columns = text.Factors[o.Index].When, binFields
		o.Bins = binRows(row, text.Factors[o.Index].Bins)
	}
}

// Is reports whether a line is the open one.
func (o *openLine) Is(section string, index int) bool {
	return o != nil && o.Section == section && o.Index == index
}

// choices are the fields to choose from, features left out.
func choices() []choice {
	var list []choice
	for _, f := range decisioning.PolicyFields() {
		meaning := f.Meaning
		if f.Unit != "" {
			meaning = f.Unit + " · " + meaning
		}
		list = append(list, choice{f.Name, f.Type.String(), meaning, strings.Join(f.Values, "|"), f.Group == "offer"})
	}
	return list
}
