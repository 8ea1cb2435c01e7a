package console

import (
	"strings"

	"verdict/internal/policydesk"
	"verdict/internal/rule"
)

// editorView is the data of the editor's page.
type editorView struct {
	*version
	*flowView
	Broken        bool // the document cannot be parsed, so the page shows only its text
	Text          *policyText
	Document      string
	General, Card *form
	GeneralFields []editField
	CardFields    []editField
	Open          *openLine
	Focus         string // id of the control that gets the focus
	Fields        []choice
	Inputs        string
	Semantics     string
	Checked       bool // the draft was checked
	Analysed      bool // the static analysis has run, because there were no faults
	Gone          *goneLine
	Grid          []gridRow
	GridColumns   []editField

	Step    int64 // the step of the working copy; 0 for the stored version
	Undo    bool
	Redo    bool
	Edit    *policydesk.Edit // the working copy; nil if there is none
	Resumed bool             // the page shows the step that the person saw last
	Lost    bool             // the address named a step that does not exist
	Left    int64            // a later step that the edit does not contain; 0 for none
	Unkept  string           // why the step could not be stored; "" if it was stored
	Others  []otherEditor
	Newer   *policydesk.RuleSet // a version that was saved after the edit had begun; nil for none
}

// otherEditor is another person who edits the same policy.
type otherEditor struct {
	Name    string
	Same    bool // whether the person edits the same version
	ID      string
	Changed int64
}

// goneLine is the line that was removed last and can be restored.
type goneLine struct {
	place
	Title, Name, Row string
}

// Is reports whether the line was removed from the place.
func (g *goneLine) Is(section string, index int) bool {
	return g != nil && g.place == place{section, index}
}

// openLine is the line that is being edited.
type openLine struct {
	Section   string
	Index     int
	Title     string
	Pointer   string
	Fresh     bool
	Was       string
	Fields    []editField
	Form      *form
	Condition string // in words
	Bins      []binRow
	Columns   []editField
}

// choice is a field that a condition may name, for the list of suggestions.
type choice struct {
	Name, Type, Meaning, Values string
	Stage2                      bool
}

// begins returns the id of the control that gets the focus after a step.
func (e editorView) begins() string { return e.Focus }

func (p *editorPages) drawEditor(v *visit, w *editing) error {
	doc, err := w.draft.value()
	if err != nil {
		return err
	}
	tables, err := p.lookupTables(v)
	if err != nil {
		return err
	}

	counts, err := countsOf(v, p.policies, w.found)
	if err != nil {
		return err
	}

	view := editorView{
		version: w.found,
		flowView: &flowView{
			Counts: counts, address: p.stepAddress(v, w, w.history.Number) + "&",
		},
		Document:      indented(doc),
		Focus:         w.focus,
		GeneralFields: generalFields,
		CardFields:    scaleFields,
		General:       formOf(generalFields, w.draft.root, ""),
		Card:          formOf(scaleFields, w.draft.card(), cardPrefix),
		Fields:        choices(tables),
		Inputs:        plainText(w.draft.root["inputs"]),
		Semantics:     plainText(w.draft.root["semantics"]),
		Checked:       w.checked,
		Analysed:      w.analysed,
		Gone:          w.goneLine(),
	}
	if err := p.describeHistory(v, w, &view); err != nil {
		return err
	}
	view.General.Faults = w.said.faultsIn("", "")
	view.Card.Faults = w.said.faultsIn("/scorecard", cardPrefix)
	if row, ok := w.draft.row(w.open.Section, w.open.Index); ok {
		fields := sectionFields[w.open.Section]
		view.Open = &openLine{
			Section: w.open.Section,
			Index:   w.open.Index,
			Fields:  fields,
			Form:    formOf(fields, row, rowPrefix),
			Title:   sectionTitles[w.open.Section],
			Pointer: w.open.String(),
			Fresh:   w.fresh,
			Was:     w.was,
		}
		view.Open.Form.Faults = w.said.faultsIn(w.open.pointer(), rowPrefix)
	}

	view.Text = readable(doc, w.said, counts.rules, tables...)
	view.Open.describe(w.draft, view.Text)
	view.Flow = flowOf(view.Text, &counts, "")
	view.Grid, view.GridColumns = bandGrid(w.draft, w.said, w.open), gridFields
	return v.render("policy_edit", "Edit "+w.found.Set.Name, view)
}

// describe adds the condition in words, and the bins of a factor, to the open line.
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
	if o.Section == sectionBands && o.Index < len(text.Bands) {
		o.Condition = text.Bands[o.Index].When
	}
	if o.Section == sectionCaps && o.Index < len(text.Caps) {
		o.Condition = text.Caps[o.Index].When
	}
	if o.Section == sectionFactors && o.Index < len(text.Factors) {
		row, _ := d.row(o.Section, o.Index)
		o.Condition, o.Columns = text.Factors[o.Index].When, binFields
		o.Bins = binRows(row, text.Factors[o.Index].Bins)
	}
}

// Shows reports whether a section of the page is unfolded: it has the open line, the control with the focus, or a
// fault.
func (e editorView) Shows(section string) bool {
	if e.Open != nil && (e.Open.Section == section || section == "scorecard" && e.Open.Section == sectionFactors) {
		return true
	}
	if section == "scorecard" && (strings.HasSuffix(e.Focus, "-"+sectionFactors) ||
		strings.Contains(e.Focus, "-"+sectionFactors+"-") || strings.HasPrefix(e.Focus, "f-"+cardPrefix)) {
		return true
	}
	for i := range generalFields {
		if section == "general" && (e.Focus == "f-"+generalFields[i].Name || e.Text.Faulty(generalFields[i].Name)) {
			return true
		}
	}
	if e.Gone != nil && e.Focus == focusUndo &&
		(e.Gone.Section == section || section == "scorecard" && e.Gone.Section == sectionFactors) {
		return true
	}
	return strings.HasSuffix(e.Focus, "-"+section) || strings.Contains(e.Focus, "-"+section+"-") ||
		strings.HasPrefix(e.Focus, "at-"+section) || e.Text.Faulty(section)
}

// Is reports whether the line at index is the open line.
func (o *openLine) Is(section string, index int) bool {
	return o != nil && o.Section == section && o.Index == index
}

// choices returns the fields that a condition may name, except features. They include the columns of tables.
func choices(tables []rule.Table) []choice {
	var list []choice
	for _, f := range policydesk.PolicyFields() {
		meaning := f.Meaning
		if f.Unit != "" {
			meaning = f.Unit + " · " + meaning
		}
		list = append(list, choice{
			Name:    f.Name,
			Type:    f.Type.String(),
			Meaning: meaning,
			Values:  strings.Join(f.Values, "|"),
			Stage2:  f.Group == "offer",
		})
	}
	for i := range tables {
		for _, c := range tables[i].Columns {
			meaning := "column of the table " + tables[i].Name
			list = append(list, choice{Name: c.Fact, Type: c.Type.String(), Meaning: meaning})
		}
	}
	return list
}
