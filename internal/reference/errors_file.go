package reference

import "verdict/internal/fault"

// filePages explains the codes that only a row of a file, or a batch or a backtest that failed, can have.
var filePages = []errorPage{
	{
		Code: fault.CodeBatchCancelled, Status: 409, Title: "Batch was cancelled",
		Meaning: "This row was not decided and is not billed. The rows that have a decision keep it.",
		Cause:   "Somebody cancelled the batch before this row was decided.",
		Fix:     "Send the rows that have this error in a new batch. Rows that have a decision need not be sent again.",
	},
	{
		Code: fault.CodeBatchTimedOut, Status: 503, Title: "Batch took too long",
		Meaning: "This row was not decided and is not billed.",
		Cause:   "The service could not decide all rows of the batch within the time that `detail` names.",
		Fix:     "Send the rows that have this error in a new batch.",
	},
	{
		Code: fault.CodeInputIncomplete, Status: 400, Title: "Rows did not arrive completely",
		Meaning: "The batch or the backtest failed. No row was decided or billed.",
		Cause:   "The upload was interrupted: the client disconnected, or the service stopped.",
		Fix:     "Send all rows again.",
	},
	{
		Code: fault.CodeRowsChanged, Status: 422, Title: "Rows changed",
		Meaning: "The scorecard was not fitted.",
		Cause:   "The rows are read twice, and the second pass found other rows than the first.",
		Fix:     "Submit the rows again, and do not change them meanwhile.",
	},
	{
		Code: fault.CodeWrongNumberOfCells, Status: 422, Title: "Wrong number of cells",
		Meaning: "The row has more or fewer cells than the header. It counts as failed.",
		Cause:   "A text with a comma or a line end is not quoted, or the row was cut off.",
		Fix:     "Write the file with a CSV library, which quotes such texts.",
	},
	{
		Code: fault.CodeUnknownOutcome, Status: 422, Title: "Unknown outcome",
		Meaning: "The cell of the outcome column is not a known spelling of good or bad. The row counts as failed.",
		Cause:   "The file uses words or numbers of its own for the outcome.",
		Fix:     "Name the spellings with `bad_values` or `good_values`, or write 0 and 1.",
	},
	{
		Code: fault.CodeBadWeight, Status: 422, Title: "Weight cannot be used",
		Meaning: "The weight of the row is not a number above 0. The row counts as failed.",
		Cause:   "The cell is blank, negative, zero or a text.",
		Fix:     "Write a number above 0 in the weight column.",
	},
	{
		Code: fault.CodeBadMonth, Status: 422, Title: "Month cannot be used",
		Meaning: "The month of default of the row is not a whole number of months. The row counts as failed.",
		Cause:   "The cell has a fraction, a date or a text.",
		Fix:     "Write a whole number of months, or leave the cell blank.",
	},
}

// fileSamples has an example of the detail for each code of filePages.
var fileSamples = map[string]string{
	fault.CodeBatchCancelled:     "the batch was cancelled before this row was decided",
	fault.CodeBatchTimedOut:      "this row was not decided within 6 days; send it again",
	fault.CodeInputIncomplete:    "the rows did not arrive completely",
	fault.CodeRowsChanged:        "the rows changed between the first and the second pass over the input",
	fault.CodeWrongNumberOfCells: "has 5 cells, and the header has 6",
	fault.CodeUnknownOutcome:     "is neither good nor bad",
	fault.CodeBadWeight:          "must be a number above 0",
	fault.CodeBadMonth:           "must be a whole number of months",
}
