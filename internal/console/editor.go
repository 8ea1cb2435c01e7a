package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Names of the editor's form fields that are not members of the document, and
// the prefixes of the fields of the open line and of the scorecard.
const (
	formDocument = "document"
	formOpen     = "open"
	formAct      = "act"
	formFresh    = "fresh"  // set if the open line is new
	formWas      = "was"    // the open line before it was changed
	formGone     = "gone"   // place of the line that was removed last
	formRow      = "goner"  // the line that was removed last
	formAuthor   = "author" // id of the person for whom the page was rendered
	rowPrefix    = "row."
	cardPrefix   = "scorecard."
)

// editorPages serves the editor of a version: its page, its steps, and the endpoints that the scripts of the editor
// call.
type editorPages struct {
	policies    *policydesk.Service
	edits       *policydesk.Edits
	comparisons *study.Comparisons
	tables      *tabledesk.Service
	versions    policyVersions
	people      directory
}

func (p *editorPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/policies/fields", handle: p.findFields, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/fields/absence", handle: p.absence, scope: tenant.Read},
		{pattern: "POST /console/{env}/policies/condition", handle: p.checkCondition, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/policies/{id}/edit", handle: p.editor, scope: tenant.PolicyWrite},
		{
			pattern: "POST /console/{env}/policies/{id}/edit",
			handle:  p.edit,
			resume:  p.resumeEdit,
			scope:   tenant.PolicyWrite,
		},
		{pattern: "GET /console/{env}/policies/{id}/edit/effect", handle: p.effect, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/policies/{id}/edit/keep", handle: p.keep, scope: tenant.PolicyWrite},
	}
}

// editor renders the step of the working copy that the address names, or else the one that the person saw last.
func (p *editorPages) editor(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	w := &editing{found: found}
	if err := p.findStep(v, w); err != nil {
		return err
	}
	if w.history.Number > 0 {
		state, err := openState(indented(found.Doc), string(w.history.State), v.console.options.MaxForm)
		if err != nil {
			return fmt.Errorf("step %d of an edit of %s: %w", w.history.Number, found.Set.ID, errors.New(err.Error()))
		}
		return p.resume(v, w, state)
	}

	if w.draft, err = draftOf(found.Doc); err != nil {
		return err
	}

	w.said = remarksOn(policydesk.Reading{Findings: found.Set.Findings})
	w.analysed = found.Set.Findings != nil
	w.openNamed(v.query(formOpen))
	if focus := v.query(formFocus); focus != "" {
		w.focus = focus
	}
	return p.drawEditor(v, w)
}

// findStep finds the step that the address names. If there is no such step, it finds the one that the person saw last,
// and the page says so.
func (p *editorPages) findStep(v *visit, w *editing) (err error) {
	asked := v.query(formStep)
	if asked == "" {
		w.history, err = p.edits.Current(v.ctx, v.caller(), w.found.Set.ID)
		w.resumed = err == nil && w.history.Number > 0
		return err
	}
	number, err := strconv.ParseInt(asked, 10, 64)
	if err != nil || number < 0 {
		number = -1
	}
	if w.history, err = p.edits.Step(v.ctx, v.caller(), w.found.Set.ID, number); err != nil {
		return err
	}
	if w.history.Number != max(number, 0) || number < 0 {
		w.lost = true
		w.history, err = p.edits.Current(v.ctx, v.caller(), w.found.Set.ID)
	}
	return err
}

// resume renders an edit in the state in which it was left.
func (p *editorPages) resume(v *visit, w *editing, state editState) error {
	if err := w.load(state); err != nil {
		v.form = &form{values: url.Values{formDocument: {state.text}}}
		return p.unreadable(v, w, err)
	}

	w.openNamed(v.query(formOpen))
	if focus := v.query(formFocus); focus != "" {
		w.focus = focus
	}
	body, err := w.draft.body(w.found.Set.ID)
	if err != nil {
		return p.unreadable(v, w, err)
	}

	return p.checkDraft(v, w, body)
}

// edit does one step: it applies the typed values, then the action of the pressed button. It stores the step in the
// person's working copy and redirects to the address of the step, so that going back or reloading never posts a form
// again.
func (p *editorPages) edit(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}

	w := &editing{found: found}
	verb, object, _ := strings.Cut(v.form.Value(formAct), ":")
	if verb == "discard" {
		if err := p.edits.Discard(v.ctx, v.caller(), found.Set.ID); err != nil {
			return err
		}
		return v.done("Your edit was discarded. Nothing was saved.", "/policies/"+found.Set.ID)
	}
	if w.history, err = p.edits.Step(v.ctx, v.caller(), found.Set.ID, v.form.number(formStep)); err != nil {
		return err
	}
	doc, err := wire.Parse([]byte(v.form.Value(formDocument)))
	if err == nil {
		w.draft, err = draftOf(doc)
	}
	if err != nil {
		text := strings.ToValidUTF8(v.form.values.Get(formDocument), "\uFFFD")
		text = strings.NewReplacer("\r\n", "\n", "\x00", "\uFFFD").Replace(text)
		w.focus = focusRefused
		return p.step(v, w, editState{text: text}, func() error { return p.unreadable(v, w, err) })
	}

	w.apply(v.form, verb)
	if verb == "undo" || verb == "redo" {
		return p.travel(v, w, verb)
	}
	w.do(verb, object)
	body, err := w.draft.body(found.Set.ID)
	if err != nil {
		return p.unreadable(v, w, err)
	}
	if verb == "save" {
		return p.saveDraft(v, w, body)
	}

	state, err := w.state()
	if err != nil {
		return err
	}

	return p.step(v, w, state, func() error { return p.checkDraft(v, w, body) })
}

// resumeEdit continues an edit that was posted after its session had ended. It never saves: it
// turns a save into a check, so that the person must press save again.
func (p *editorPages) resumeEdit(v *visit) error {
	if verb, _, _ := strings.Cut(v.form.Value(formAct), ":"); verb == "save" {
		v.form.values.Set(formAct, "check:")
	}
	v.setFlash("You are signed in again. Your edit is unchanged and not saved as a draft yet.")
	return p.edit(v)
}

// saveDraft stores the draft as the next version.
func (p *editorPages) saveDraft(v *visit, w *editing, body engine.Draft) error {
	created, err := p.policies.CreateRuleSet(v.ctx, v.caller(), body, nil)
	if err == nil {
		if err := p.edits.Discard(v.ctx, v.caller(), w.found.Set.ID); err != nil {
			return err
		}
		return v.done(fmt.Sprintf("Saved as version %d, a draft.", created.Version), "/policies/"+created.ID)
	}
	return v.redraw(err, func(v *visit) error {
		if v.status != http.StatusUnprocessableEntity {
			return p.checkDraft(v, w, body)
		}

		v.form.Faults = nil // the editor shows the faults beside their lines
		state, err := w.state()
		if err != nil {
			return err
		}

		return p.step(v, w, state, func() error { return p.checkDraft(v, w, body) })
	})
}

// checkDraft checks the draft and renders the editor with its faults and findings.
func (p *editorPages) checkDraft(v *visit, w *editing, body engine.Draft) error {
	reading, err := p.policies.ReadDraft(v.ctx, v.caller(), body)
	if err != nil {
		return err
	}

	w.said, w.analysed, w.checked = remarksOn(reading), reading.Findings != nil, true
	if w.fresh && w.focus != focusSummary {
		w.said = w.said.without(w.open.pointer())
	}

	return p.drawEditor(v, w)
}

// unreadable renders the editor for a text that is not a valid document. The page shows only the
// text to correct.
func (p *editorPages) unreadable(v *visit, w *editing, cause error) error {
	refusal := v.refusal(cause)
	v.status = http.StatusUnprocessableEntity
	v.form.Faults = []fault.Item{{Pointer: "/" + formDocument, Code: refusal.Code, Detail: refusal.Detail}}
	return v.render("policy_edit", "Edit "+w.found.Set.Name,
		editorView{version: w.found, Broken: true, Step: w.history.Number})
}
