package console

import (
	"compress/flate"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// Names of query parameters of the editor's address, and of its form fields.
const (
	formStep  = "step"  // the number of the step that the page shows
	formFocus = "focus" // id of the control that gets the focus
)

// The ids of the buttons that go back and forth in the history of an edit.
const (
	focusStepBack  = "undo-step"
	focusStepAgain = "redo-step"
)

// step stores the state as a step of the working copy and redirects to the address of the step. The fragment of the
// address names the control that gets the focus, or the message of the page. If the step cannot be stored, step calls
// draw instead, so that the answer contains the edit.
func (p *editorPages) step(v *visit, w *editing, state editState, draw func() error) error {
	number, err := p.store(v, w, state, v.form.Value(formAct), false)
	if refusal := fault.Of(err); refusal != nil && refusal.Kind == fault.Conflict {
		v.status = http.StatusConflict
		w.unkept = sentence(refusal.Detail)
		return draw()
	}
	if err != nil {
		return err
	}

	begin := w.focus
	if v.flashed {
		begin = focusNotice
	}
	return v.redirect(p.stepAddress(v, w, number) + "#" + begin)
}

func (p *editorPages) stepAddress(v *visit, w *editing, number int64) string {
	return v.at(w.path()) + "?" + formStep + "=" + strconv.FormatInt(number, 10)
}

// store adds the state to the working copy, and returns the number of the step. A step that equals the one before it
// is not stored again.
func (p *editorPages) store(v *visit, w *editing, state editState, act string, amend bool) (int64, error) {
	base := indented(w.found.Doc)
	encoded := state.encode(base)
	if most := v.console.options.MaxForm; int64(max(len(encoded), len(state.text))) > most {
		// The indented text is longer than the text that was sent. A step above the limit could not be opened again.
		return 0, fault.New(fault.Conflict, fault.CodeCapReached,
			"the edit is too large to be kept: it has more than %d bytes when it is indented", most)
	}
	sealed := pack(encoded, flate.BestCompression)
	if w.history.Number > 0 && string(w.history.State) == sealed && w.history.Number == w.history.Edit.Current {
		return w.history.Number, nil
	}

	before := base
	if w.history.Number > 0 {
		last, err := openState(base, string(w.history.State), v.console.options.MaxForm)
		if err != nil {
			return 0, errors.New(err.Error()) // a damaged stored step is not a fault of the request
		}
		before = last.text
	}
	return p.edits.Add(v.ctx, v.caller(), policydesk.NewEditStep{
		RuleSetID: w.found.Set.ID,
		PolicyKey: w.found.Set.PolicyKey,
		Parent:    w.history.Number,
		Changes:   state.text != before,
		Act:       act,
		State:     []byte(sealed),
		Amend:     amend,
	})
}

// travel undoes or repeats a change. Values that were typed since the step are stored first, so that undoing them can
// be undone too.
func (p *editorPages) travel(v *visit, w *editing, verb string) error {
	state, err := w.state()
	if err != nil {
		return err
	}
	state.focus = focusStepBack
	id := w.found.Set.ID
	before, err := p.textOf(v, w)
	if err != nil {
		return err
	}
	if state.text != before {
		number, err := p.store(v, w, state, keepAct, false)
		if err != nil {
			return err
		}
		if w.history, err = p.edits.Step(v.ctx, v.caller(), id, number); err != nil {
			return err
		}
	}

	to, focus := w.history.Undo, focusStepBack
	if verb == "redo" {
		to, focus = w.history.Redo, focusStepAgain
	}
	if to < 0 {
		return v.redirect(p.stepAddress(v, w, w.history.Number) + "#" + focus)
	}
	if err := p.edits.Move(v.ctx, v.caller(), id, to); err != nil {
		return err
	}

	there, err := p.edits.Step(v.ctx, v.caller(), id, to)
	if err != nil {
		return err
	}
	switch { // if the pressed button is now disabled, focus the other one
	case there.Undo < 0:
		focus = focusStepAgain
	case there.Redo < 0:
		focus = focusStepBack
	}
	return v.redirect(p.stepAddress(v, w, to) + "&" + formFocus + "=" + focus + "#" + focus)
}

// textOf returns the document of the step from which the form was made.
func (p *editorPages) textOf(v *visit, w *editing) (string, error) {
	base := indented(w.found.Doc)
	if w.history.Number == 0 {
		return base, nil
	}
	state, err := openState(base, string(w.history.State), v.console.options.MaxForm)
	if err != nil {
		return "", errors.New(err.Error())
	}
	return state.text, nil
}

// keepAct is the action of a step that stores typed values although no button was pressed.
const keepAct = "keep:"

// keep stores the text that was typed since the last step, and answers with the number of the step. The editor's script
// calls it. Further typing in the same field changes this step instead of adding another step.
func (p *editorPages) keep(v *visit) error {
	found, err := p.versions.find(v)
	if err != nil {
		return err
	}
	w := &editing{found: found}
	if w.history, err = p.edits.Step(v.ctx, v.caller(), found.Set.ID, v.form.number(formStep)); err != nil {
		return err
	}
	doc, err := wire.Parse([]byte(v.form.Value(formDocument)))
	if err == nil {
		w.draft, err = draftOf(doc)
	}
	if err != nil {
		return err
	}
	w.apply(v.form, "keep")
	w.focus = v.form.Value(formFocus)

	state, err := w.state()
	if err != nil {
		return err
	}
	number, err := p.store(v, w, state, keepAct+w.focus, true)
	if err != nil {
		return err
	}

	var out wire.Writer
	out.Object().Key(formStep).Int(number).EndObject()
	return answerScript(v, &out)
}

// describeHistory adds to the page which step of the edit it shows, and who else edits the policy.
func (p *editorPages) describeHistory(v *visit, w *editing, view *editorView) error {
	view.Step, view.Resumed, view.Lost, view.Unkept = w.history.Number, w.resumed, w.lost, w.unkept
	view.Undo, view.Redo = w.history.Undo >= 0, w.history.Redo >= 0
	if w.history.Edit.ChangedMicros > 0 {
		view.Edit, view.Left = &w.history.Edit, w.history.Left
	}

	others, err := p.edits.Others(v.ctx, v.caller(), w.found.Set.PolicyKey)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		names, err := p.people.names(v)
		if err != nil {
			return err
		}
		for _, o := range others {
			name := names[o.UserID]
			if name == "" {
				name = "somebody"
			}
			view.Others = append(view.Others,
				otherEditor{name, o.RuleSetID == w.found.Set.ID, o.RuleSetID, o.ChangedMicros})
		}
	}

	newest, err := p.policies.RuleSets(v.ctx, v.caller(),
		policydesk.RuleSetFilter{PolicyKey: w.found.Set.PolicyKey}, operation.List{Limit: 1})
	if err != nil {
		return err
	}
	if len(newest.Data) > 0 && view.Edit != nil {
		if n := &newest.Data[0]; n.ID != w.found.Set.ID && n.CreatedMicros > view.Edit.BeganMicros {
			view.Newer = n
		}
	}
	return nil
}

// number returns a whole number of the form, 0 if the field has none.
func (f *form) number(name string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(f.Value(name)), 10, 64) // 0, the stored version, if there is no number
	return max(n, 0)
}
