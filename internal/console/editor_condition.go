package console

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// answerScript answers a request of the console's script with JSON.
func answerScript(v *visit, w *wire.Writer) error {
	v.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	v.send(http.StatusOK, w.Buf)
	return nil
}

// maxSuggestions is the maximum number of features that are suggested together.
const maxSuggestions = 50

// findFields sends the features whose names match the query parameter "q" to
// the condition builder. There are too many features to send them all.
func (p *editorPages) findFields(v *visit) error {
	var w wire.Writer
	w.Array()
	for _, f := range policydesk.FindFeatures(v.query("q"), maxSuggestions) {
		w.Object().Key("name").String(f.Name)
		w.Key("type").String(f.Type.String())
		w.Key("meaning").String(f.Meaning).EndObject()
	}

	return answerScript(v, w.EndArray())
}

// absence sends how often each field was absent in recent applications. The query parameter "key" names the policy
// of these applications. The script requests it separately from the editor's page, because counting takes longer
// than rendering the page.
func (p *editorPages) absence(v *visit) error {
	found, err := p.comparisons.Absence(v.ctx, v.caller(), v.query("key"))
	if err != nil {
		return err
	}
	var w wire.Writer
	w.Object().Key("applications").Int(found.Applications).Key("absent").Object()
	for _, name := range slices.Sorted(maps.Keys(found.Absent)) {
		w.Name(name).Int(found.Absent[name])
	}
	return answerScript(v, w.EndObject().EndObject())
}

// lookupTables returns the tables whose columns a condition can name.
func (p *editorPages) lookupTables(v *visit) ([]rule.Table, error) {
	found, err := p.tables.Tables(v.ctx, v.caller())
	tables := make([]rule.Table, len(found))
	for i := range found {
		tables[i] = found[i].Definition.Table
	}
	return tables, err
}

// checkCondition sends a condition in words to the condition builder, or the
// condition's faults.
func (p *editorPages) checkCondition(v *visit) error {
	condition, err := wire.Parse([]byte(v.form.Value("condition")))
	var inputs wire.Value
	if err == nil && v.form.Value("inputs") != "" {
		inputs, err = wire.Parse([]byte(v.form.Value("inputs")))
	}

	var w wire.Writer
	w.Object()
	if err == nil {
		semantics, _ := strconv.Atoi(v.form.Value("semantics")) // 0 if the field is empty
		tables, reading := p.lookupTables(v)
		if reading != nil {
			return reading
		}
		text, stored, faulty := document.CheckCondition(condition, inputs, tables, semantics,
			v.form.Value("stage") == "2")
		if err = faulty; err == nil {
			w.Key("text").String(lenderText(text)).Key("condition").Raw(stored)
		}
	}

	w.Key("faults").Array()
	if err != nil {
		refusal := v.refusal(err)
		v.outcome.Code = "" // the answer has the faults, but the request is not refused
		items := refusal.Items
		if len(items) == 0 {
			items = []fault.Item{{Code: refusal.Code, Detail: refusal.Detail}}
		}

		for _, item := range items {
			w.Object().Key("pointer").String(item.Pointer).Key("detail").String(sentence(item.Detail)).EndObject()
		}
	}

	return answerScript(v, w.EndArray().EndObject())
}
