package document

import (
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/training"
	"verdict/internal/wire"
)

// ReadFit reads a request to fit a scorecard.
func ReadFit(body wire.Value) (study.FitRequest, error) {
	return readFit(body, func(r *study.FitRequest, f *wire.Form, faults *fault.List) (err error) {
		text, rows := f.Get("csv"), f.Get("rows")
		switch {
		case text.Given() && rows.Given():
			f.Fail("csv", fault.CodeInvalidField, `give either "csv" or "rows"`)
		case rows.Given():
			r.Rows, err = rowsAsCSV(rows, faults)
		case text.Kind() == wire.String:
			r.Rows = text.Text()
		case text.Given():
			f.Fail("csv", fault.CodeWrongType, "must be a text: rows as CSV with a header")
		default:
			f.Fail("csv", fault.CodeRequired, `is required unless "rows" is sent: the rows to learn from`)
		}
		return err
	})
}

// readFit reads the options of a request. It calls readRows to read the rows.
func readFit(
	body wire.Value, readRows func(*study.FitRequest, *wire.Form, *fault.List) error,
) (r study.FitRequest, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if body.Kind() != wire.Object {
		return r, faults.Err()
	}
	r.Options, r.Save = training.ReadOptions(&f), f.Bool("save", false)
	if err := readRows(&r, &f, &faults); err != nil {
		return r, err
	}
	r.Check(&faults)
	f.Done()
	return r, faults.Err()
}

// fitFields lists the fields of the form for fitting a scorecard, each with the function
// that writes its text as JSON.
var fitFields = []struct {
	name  string
	write func(*wire.Writer, string)
}{
	{"name", writeText}, {"target", writeText}, {"split_column", writeText}, {"split_value", writeText},
	{"bad_values", writeTexts}, {"good_values", writeTexts},
	{"indeterminate_values", writeTexts}, {"weight", writeText}, {"include", writeTexts},
	{"special_values", writeNumbers},
	{"exclude", writeTexts}, {"categorical", writeTexts}, {"foir_unit", writeText},
	{"missing_values", writeTexts},
	{"map", writeColumnMap}, {"save", func(w *wire.Writer, _ string) { w.Bool(true) }},
	{"max_bins", WriteNumber}, {"max_features", WriteNumber}, {"holdout_share", WriteNumber},
	{"pdo", WriteNumber}, {"anchor_score", WriteNumber}, {"anchor_odds", WriteNumber},
}

func writeText(w *wire.Writer, text string) { w.String(text) }

// FitFields returns the fields that ReadFitFields reads.
func FitFields() []string {
	names := make([]string, len(fitFields))
	for i, f := range fitFields {
		names[i] = f.name
	}
	return names
}

// ReadFitFields reads a request to fit a scorecard from the fields of a form. Blank fields
// are left out. If "save" has any text, the scorecard is saved. The caller adds the rows.
func ReadFitFields(fields map[string]string) (study.FitRequest, error) {
	var w wire.Writer
	w.Object()
	for _, f := range fitFields {
		if text := fields[f.name]; text != "" {
			f.write(w.Key(f.name), text)
		}
	}
	w.EndObject()
	options, err := wire.Parse(w.Buf)
	if err != nil {
		return study.FitRequest{}, err
	}
	noRows := func(*study.FitRequest, *wire.Form, *fault.List) error { return nil }
	return readFit(options, noRows)
}

// EncodeFitted answers with a fitted scorecard and the report of its training: 201 if the
// scorecard was stored, otherwise 200.
func EncodeFitted(f study.Fitted) operation.Answer {
	status := operation.StatusOK
	if f.Saved != nil {
		status = operation.StatusCreated
	}
	return answer(status, func(w *wire.Writer) {
		w.Object().Key("scorecard")
		if f.Saved != nil {
			WriteScorecard(w, *f.Saved)
		} else {
			w.Raw(f.Card.Document())
		}
		w.Key("inputs")
		f.WriteInputs(w)
		w.Key("report")
		f.Report.Write(w)
		w.EndObject()
	})
}
