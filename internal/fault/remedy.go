package fault

// Remedy returns what a person can do about a row of a file that was refused with a code, or "" if the code says
// nothing about the row itself. The detail of the fault says which values are allowed, so the remedy does not
// repeat them.
func Remedy(code string) string { return remedies[code] }

var remedies = map[string]string{
	CodeRequired:         "Fill the cell in this column, or add the column.",
	CodeWrongType:        "Write what the field needs: a plain number, a text, or true or false.",
	CodeOutOfRange:       "Correct the value. Check its unit first: rupees or thousands, ratio or percentage.",
	CodeUnknownField:     "Rename the column to a known field, or remove it.",
	CodeInvalidField:     "Correct the values that the problem names, and send the row again.",
	CodeInvalidCharacter: "Remove control characters from the cell.",
	CodeDuplicate:        "Give the value once.",
	CodeTooMany:          "Send fewer entries in this row.",

	CodeConflictingInputs: "Remove one of the two values that contradict each other.",
	CodeWrongEndpoint:     "Choose the other kind of rows when you upload the file.",
	CodeNumberOutOfRange:  "Write the number with fewer digits.",
	CodeMalformedJSON:     "Correct the JSON of this line. Each line is one complete object.",
	CodeDuplicateKey:      "Remove one of the two members that have the same name.",
	CodeRequestTooLarge:   "Shorten the row, or send it alone as a request.",

	CodeBureauReportMismatch: "Name the bureau whose report the row contains.",
	CodeReportMustHaveOneKey: "Send the report of exactly one bureau.",

	CodeWrongNumberOfCells: "Give the row as many cells as the header. Put texts that contain a comma in quotes.",
	CodeLineTooLong:        "Shorten the row.",
	CodeBadQuote:           "Close the quotes of this row. If a text contains a quote, write that quote twice.",
	CodeBadUTF8:            "Save the file as UTF-8.",
	CodeUnknownOutcome:     "Write 0 or 1 in the outcome column, or say which values mean good or bad.",
	CodeUnknownStatus:      "Write approved, referred or declined in the column with the past decision.",
	CodeBadWeight:          "Write a number above 0 in the weight column.",
	CodeBadMonth:           "Write a whole number of months, or leave the cell empty.",

	CodeNoActivePolicy: "Activate a policy in this environment, and send the row again.",
	CodeQuotaExceeded:  "Wait for the next month, or ask for a larger plan. Then send the row again.",
	CodeListMissing:    "Create the list that the policy reads, and send the row again.",
	CodeTableMissing:   "Create the table that the policy reads, and send the row again.",
	CodeUnavailable:    "Send the row again. Nothing is wrong with it.",
	CodeInternalError:  "Send the row again. If it fails again, report the request id.",
	CodeErased:         "You can do nothing: the data of this applicant was erased.",
	CodeBatchCancelled: "Send the row again. Somebody cancelled the batch before the row was decided.",
	CodeBatchTimedOut:  "Send the row again in a new batch.",
}
