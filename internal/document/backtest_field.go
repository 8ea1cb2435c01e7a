package document

import (
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// BacktestMembers returns the names of a backtest's options, without the members that say where its rows come from.
func BacktestMembers() []string {
	return append([]string{
		"rule_set_id", "challenger_rule_set_id", "policy_key", "reference_backtest_id",
	}, backtest.SetupMembers()...)
}

// ReadBacktestFields reads the options of a backtest from the fields of a form. The
// caller adds the rows.
func ReadBacktestFields(fields map[string]string) (study.BacktestRequest, error) {
	options, err := BacktestOptions(fields, wire.Value{})
	if err != nil {
		return study.BacktestRequest{}, err
	}
	return ReadBacktestOptions(options)
}

// BacktestOptions converts options from a query or a form into the members of a JSON
// body, and adds them to the members of body.
func BacktestOptions(options map[string]string, body wire.Value) (wire.Value, error) {
	var w wire.Writer
	w.Object()
	for name, member := range body.Members() {
		if member.Given() {
			w.Name(name).Value(member)
		}
	}
	for _, name := range BacktestMembers() {
		text, given := options[name]
		if !given {
			continue
		}
		text = strings.ToValidUTF8(text, "\uFFFD")
		switch w.Key(name); name {
		case "map":
			writeColumnMap(&w, text)
		case "bad_values", "good_values":
			writeTexts(&w, text)
		case "lgd", "funding_rate":
			WriteNumber(&w, text)
		default:
			w.String(text)
		}
	}
	w.EndObject()
	return wire.Parse(w.Buf)
}

// WriteNumber writes a number. It writes any other text as a string, so that the
// reader reports that the text is not a number.
func WriteNumber(w *wire.Writer, text string) {
	if v, err := wire.Parse([]byte(text)); err == nil && v.Kind() == wire.Number {
		w.Value(v)
		return
	}
	w.String(strings.ToValidUTF8(text, "\uFFFD"))
}

// writeTexts writes comma-separated texts as an array.
func writeTexts(w *wire.Writer, text string) {
	w.Array()
	for one := range strings.SplitSeq(text, ",") {
		w.String(strings.TrimSpace(one))
	}
	w.EndArray()
}

// writeNumbers writes comma-separated numbers as an array.
func writeNumbers(w *wire.Writer, text string) {
	w.Array()
	for one := range strings.SplitSeq(text, ",") {
		WriteNumber(w, strings.TrimSpace(one))
	}
	w.EndArray()
}

// writeColumnMap writes a map of columns. text is a JSON object, or pairs such as
// "cibil=score,income=monthly_income".
func writeColumnMap(w *wire.Writer, text string) {
	if v, err := wire.Parse([]byte(text)); err == nil {
		w.Value(v)
		return
	}
	w.Object()
	for pair := range strings.SplitSeq(text, ",") {
		column, field, _ := strings.Cut(pair, "=")
		w.Name(strings.TrimSpace(column)).String(strings.TrimSpace(field))
	}
	w.EndObject()
}
