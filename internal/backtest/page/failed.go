package page

import (
	"bytes"
	"html/template"

	"verdict/internal/backtest"
	"verdict/internal/fault"
)

// failedRow is a row that was not evaluated, in words.
type failedRow struct {
	Row, Field, Said, Remedy, Code string
}

// wrong says what a code means for a cell, or for a row if the code concerns no single field.
var wrong = map[string]string{
	fault.CodeRequired:           "The value is missing.",
	fault.CodeWrongType:          "The value is of another type than the field.",
	fault.CodeOutOfRange:         "The value is outside the range of the field.",
	fault.CodeInvalidField:       "The field cannot have this value.",
	fault.CodeInvalidCharacter:   "The text contains a control character.",
	fault.CodeDuplicate:          "The value is given twice.",
	fault.CodeUnknownField:       "There is no field with this name.",
	fault.CodeTooMany:            "There are too many entries.",
	fault.CodeConflictingInputs:  "Two values contradict each other.",
	fault.CodeNumberOutOfRange:   "The number has too many digits.",
	fault.CodeMalformedJSON:      "The line is not a JSON object.",
	fault.CodeDuplicateKey:       "Two members of the object have the same name.",
	fault.CodeWrongNumberOfCells: "The row has more or fewer cells than the header.",
	fault.CodeLineTooLong:        "The row is too long.",
	fault.CodeBadQuote:           "A quote is not closed, or stands in the middle of a cell.",
	fault.CodeBadUTF8:            "The row is not text in UTF-8.",
	fault.CodeUnknownOutcome:     "The outcome is neither good nor bad.",
	fault.CodeUnknownStatus:      "The past decision is not approved, referred or declined.",
	fault.CodeBadWeight:          "The weight is not a number above 0.",
	fault.CodeBadMonth:           "The month on book is not a whole number.",
	fault.CodeErased:             "The data of this applicant was erased.",
}

// failed returns a table of the rows that were not evaluated. Each row says what is wrong and, when it is opened,
// what to do.
func failed(list []backtest.RowError) template.HTML {
	rows := make([]failedRow, len(list))
	for i, e := range list {
		row := failedRow{
			Row:    count(e.Row),
			Field:  e.Field,
			Said:   wrong[e.Code],
			Remedy: fault.Remedy(e.Code),
			Code:   e.Code,
		}
		if row.Field == "" {
			row.Field = none
		}
		if row.Said == "" {
			row.Said = "The row could not be evaluated."
		}
		rows[i] = row
	}
	var out bytes.Buffer
	_ = layout.ExecuteTemplate(&out, "failed", rows) // fails only if the template does not fit its data
	return template.HTML(out.String())               // our own template has escaped the values
}
