package reference

import "verdict/internal/fault"

// inputPages explains the codes from status 412 on: input that cannot be used, limits, and failures of the service.
var inputPages = []errorPage{
	{
		Code: fault.CodePreconditionFailed, Status: 412, Title: "Expected state has changed",
		Meaning: "The current state is not the one that you expected. Nothing was changed.",
		Cause: "`expected_active_id` is not the active rule set, `expected_checksum` is not the document's, or " +
			"`If-Match` is not the version of the settings or of the strategy: somebody changed them since you read " +
			"them.",
		Fix: "Fetch the rule sets, the settings or the strategy again, check whether you still want the change, " +
			"and send it with the current values.",
	},
	{
		Code: fault.CodeRequestTooLarge, Status: 413, Title: "Request too large",
		Meaning: "The body is larger than this path allows, or contains too many values.",
		Cause: "A body may have 1 MiB; 8 MiB on paths that accept a bureau report, a bank statement or the rows of a " +
			"backtest; 64 MiB for fitting a scorecard; 8 KiB for signup. The operator can change the first two " +
			"limits, and a node with little memory may allow less. A JSON body may contain 16,384 values, " +
			"and one more for every four bytes of its length, but at most 1,048,576 values. The rows " +
			"of a backtest in JSON are read as one table, in which at most 8 million cells may be empty; as a file, " +
			"a backtest accepts up to 100 million rows.",
		Fix: "Send less: leave out what no policy reads, and split lists into several requests. Send rows that " +
			"fill only a few of many columns as CSV.",
	},
	{
		Code: fault.CodeTooManyRows, Status: 413, Title: "Too many rows",
		Meaning: "There are more rows or cells than the limit for fitting a scorecard. Nothing was done.",
		Cause:   "Millions of additional rows do not improve a scorecard.",
		Fix:     "Send a sample of the rows, or leave columns out.",
	},
	{
		Code: fault.CodeUnsupportedMediaType, Status: 415, Title: "Media type not supported",
		Meaning: "The body is in a format that this path does not support.",
		Cause: "`Content-Type` is not `application/json`, or the body is compressed. A backtest also accepts " +
			"`text/csv` and `multipart/form-data`, optionally compressed with gzip.",
		Fix: "Send `Content-Type: application/json` and the body uncompressed.",
	},
	{
		Code: fault.CodeInvalidField, Status: 422, Title: "Validation failed",
		Meaning: "The request is well-formed but has errors. Nothing was done.",
		Cause:   "`errors` lists every error with a JSON pointer, a code of its own and a sentence on how to fix it.",
		Fix: "Go through `errors`. A common one: `foir` is a ratio on `/v1/decisions` (0.35) and a percentage in " +
			"an evaluate request (35).",
	},
	{
		Code: fault.CodeBureauReportMismatch, Status: 422, Title: "Report does not match the bureau",
		Meaning: "The key inside `report` is not the name in `bureau`.",
		Cause: "An evaluate request names its bureau twice, once in `bureau` and once as the one key of `report`; " +
			"the two differ.",
		Fix: "Make them equal, letter for letter.",
	},
	{
		Code: fault.CodeReportMustHaveOneKey, Status: 422, Title: "Report must have one key",
		Meaning: "`report` must contain exactly one report, under the name in `bureau`.",
		Cause: "It is empty, contains the reports of several bureaus, or contains the report's members directly, " +
			"without the bureau's key.",
		Fix: "Send only the report that the decision should use.",
	},
	{
		Code: fault.CodeUnknownField, Status: 422, Title: "Unknown field",
		Meaning: "A name in the request is unknown: a member of a document, a field in a condition, or a query " +
			"parameter.",
		Cause: "Usually the name is misspelt. Policies and scorecards refuse unknown names, so that a misspelt rule " +
			"cannot go unnoticed. Applications only warn, unless they are sent with `Prefer: handling=strict`. " +
			"Names are case-sensitive.",
		Fix: "`detail` and `nearest` suggest a similar name if there is one, and for a condition `detail` lists " +
			"the operator's members. A policy can declare a custom path in `inputs`.",
	},
	{
		Code: fault.CodeUnknownList, Status: 422, Title: "Unknown list",
		Meaning: "A condition looks a field up in a list that does not exist in this environment.",
		Cause:   "The name is misspelt, or the list exists only in the other environment.",
		Fix: "`GET /v1/lists` shows the lists. Create one with `PUT /v1/lists/{name}` before you save the rule " +
			"set.",
	},
	{
		Code: fault.CodeUnknownTable, Status: 422, Title: "Unknown table",
		Meaning: "A policy reads `table.<table>.<column>`, but this environment has no such table, the table has no " +
			"such column, or the policy cannot read a key of the table.",
		Cause: "The name is misspelt, the table exists only in the other environment, or a key is a path that the " +
			"policy does not declare in `inputs`.",
		Fix: "`GET /v1/tables` shows the tables with their keys and columns. Create one with `PUT /v1/tables/{name}` " +
			"before you save the rule set.",
	},
	{
		Code: fault.CodeInvalidCondition, Status: 422, Title: "Condition cannot be used",
		Meaning: "A `condition_ast` is not a valid condition.",
		Cause: "It has an unknown operator, a missing operand or a comparison of values of different types, or it is " +
			"too deep or too large.",
		Fix: "The pointer leads to the node. The schema Condition lists the operators and their members.",
	},
	{
		Code: fault.CodeNoRows, Status: 422, Title: "No rows",
		Meaning: "There are no rows to decide. Nothing was done.",
		Cause:   "The list is empty, the file has a header and no rows, or no stored decision lies in the range.",
		Fix:     "Send at least one row.",
	},
	{
		Code: fault.CodeEmptyCSV, Status: 422, Title: "File is empty",
		Meaning: "The file is empty; it does not even have a header.",
		Cause:   "An empty file was sent, or the wrong one.",
		Fix:     "The first line names the columns; every line after it is a row.",
	},
	{
		Code: fault.CodeNoColumnNames, Status: 422, Title: "No column names",
		Meaning: "The first line of the file has no names.",
		Cause:   "The file has no header, or begins with a line of empty cells.",
		Fix:     "Put a line with the names of the columns first.",
	},
	{
		Code: fault.CodeTooManyColumns, Status: 422, Title: "Too many columns",
		Meaning: "The file, or all rows of a request together, have too many columns.",
		Cause: "Perhaps the wrong separator was used: cells are separated by commas. In JSON every name that " +
			"occurs in a row is a column.",
		Fix: "Send only the columns that the policy and the backtest read.",
	},
	{
		Code: fault.CodeLineTooLong, Status: 422, Title: "A row is too long",
		Meaning: "A row is too long; `detail` says which.",
		Cause:   "A cell is very long, or the file has no line ends.",
		Fix:     "Look at the row that `detail` names, and shorten it.",
	},
	{
		Code: fault.CodeNoPredictiveColumns, Status: 422, Title: "No useful column",
		Meaning: "No column separates good from bad well enough to be in a scorecard.",
		Cause:   "The columns are unrelated to the outcome or nearly empty, or `min_iv` is too high.",
		Fix:     "Check `target` and its spellings first; then send other columns.",
	},
	{
		Code: fault.CodeIdempotencyKeyReused, Status: 422, Title: "Idempotency key already used",
		Meaning: "This Idempotency-Key was used in the last 24 hours with another body. Nothing was done.",
		Cause:   "A key was used for two different requests, or the body was changed between attempts.",
		Fix:     "Use a new key for every new request, and repeat key and body unchanged when you retry.",
	},
	{
		Code: fault.CodeRateLimited, Status: 429, Title: "Too many requests",
		Meaning: "This key, or for signup this address, has exceeded its rate limit.",
		Cause: "Each kind of call has its own limit: `RateLimit-Policy` gives the limit, and `RateLimit` the " +
			"calls that are left.",
		Fix: "Wait as long as `Retry-After` says. Spread calls out instead of sending them in bursts.",
	},
	{
		Code: fault.CodeQuotaExceeded, Status: 429, Title: "Quota used up",
		Meaning: "The plan's quota of billable calls for this month is used up. Reading still works.",
		Cause:   "`GET /v1/usage` shows the usage by endpoint and by day.",
		Fix:     "`Retry-After` gives the seconds to the next month. To continue now, move to a larger plan.",
	},
	{
		Code: fault.CodeInternalError, Status: 500, Title: "Internal error",
		Meaning: "The service had an internal error.",
		Cause:   "The service has a defect. The answer has no details; the logs have them under the request id.",
		Fix:     "Try again with the same Idempotency-Key. If the error persists, report the `request_id`.",
	},
	{
		Code: fault.CodeFittingBusy, Status: 503, Title: "A scorecard is being fitted",
		Meaning: "This node is already fitting a scorecard of yours, or two scorecards of other tenants. Nothing was " +
			"done.",
		Cause: "A fit uses a processor for seconds, so each tenant can run one at a time.",
		Fix:   "Wait as long as `Retry-After` says and try again.",
	},
	{
		Code: fault.CodeBacktestBusy, Status: 503, Title: "Other backtests are running",
		Meaning: "This node already runs the maximum number of backtests whose callers wait for the report, in " +
			"total or for your tenant. Nothing was done.",
		Cause: "Each tenant can run at most four at a time; the more tenants run backtests, the fewer each can run.",
		Fix:   "Wait as long as `Retry-After` says and try again. Or send them as jobs, which are queued.",
	},
	{
		Code: fault.CodeUnavailable, Status: 503, Title: "Temporarily unavailable",
		Meaning: "The service cannot do this now.",
		Cause: "For example, the database does not answer or its disk is full, the request timed out, or too many " +
			"requests, large bodies or exports are in progress.",
		Fix: "Wait as long as `Retry-After` says and try again with the same Idempotency-Key. The request may have " +
			"taken effect already, and without the key it would take effect twice.",
	},
}
