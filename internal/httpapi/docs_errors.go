package httpapi

import "verdict/internal/fault"

// errorPage explains one error code to whoever got it. Its page is the type of
// the problem.
type errorPage struct {
	Code, Title string
	Status      int
	// Meaning says what the code says, Cause why it happens, Mend what to do.
	Meaning, Cause, Mend string
}

// errorTitle is the title of a problem with this code. A code without a page
// is a mistake that a test finds; it still has a title.
func errorTitle(code string) string {
	if page, ok := errorPagesByCode[code]; ok {
		return page.Title
	}
	return "Error"
}

var errorPagesByCode = func() map[string]errorPage {
	byCode := make(map[string]errorPage, len(errorPages)+len(itemPages))
	for _, list := range [][]errorPage{itemPages, errorPages} {
		for _, page := range list {
			byCode[page.Code] = page
		}
	}
	return byCode
}()

// errorPages are the codes that a problem can have, in the order of their
// statuses.
var errorPages = []errorPage{
	{
		Code: fault.CodeMalformedJSON, Status: 400, Title: "Body is not valid JSON",
		Meaning: "The body could not be read as JSON. Nothing was done.",
		Cause:   "A missing comma or quote, a trailing comma, a comment, text that is not UTF-8, a body that was cut off, or one that is nested too deeply.",
		Mend:    "Look at the line and column in `detail`. Build the body with a JSON library instead of by joining strings.",
	},
	{
		Code: fault.CodeDuplicateKey, Status: 400, Title: "A member is given twice",
		Meaning: "An object in the body has the same member twice. Nothing was done.",
		Cause:   "With two values for one field it is unclear which one was meant, and JSON parsers differ. A credit decision must not depend on that.",
		Mend:    "Keep one of the two. `errors` has a pointer to the second.",
	},
	{
		Code: fault.CodeNumberOutOfRange, Status: 400, Title: "Number out of range",
		Meaning: "A number in the body is beyond ±1e15.",
		Cause:   "Most programs cannot represent such large numbers exactly, so they are refused. Often an identifier was sent as a number.",
		Mend:    "Send amounts in rupees. Send identifiers and account numbers as strings.",
	},
	{
		Code: fault.CodeMalformedBody, Status: 400, Title: "Body cannot be read",
		Meaning: "A file is incomplete, or is not in the declared format. Nothing was done.",
		Cause:   "It was truncated, its compressed data is damaged, it is declared as gzip but is not, or the form around it is not well-formed.",
		Mend:    "Send the complete file again. For a form, use a library that writes `multipart/form-data`.",
	},
	{
		Code: fault.CodeBadUTF8, Status: 400, Title: "Text is not UTF-8",
		Meaning: "A file, or a row of it, has bytes that are not UTF-8 text.",
		Cause:   "The file was saved in another encoding, or is not a text file.",
		Mend:    "Save it as CSV in UTF-8. A row with such bytes is listed in `row_errors`; if the header has them, the file is refused. Scorecard fitting also reads Windows-1252, and refuses a file with other bytes in more than 1 % of its lines.",
	},
	{
		Code: fault.CodeBadQuote, Status: 400, Title: "A quote is out of place",
		Meaning: "A quoted cell is not closed, or an unquoted cell contains a quote.",
		Cause:   "Cells with commas, quotes or line ends are quoted, and a quote inside is doubled.",
		Mend:    "Write the file with a CSV library.",
	},
	{
		Code: fault.CodeInvalidCursor, Status: 400, Title: "Cursor cannot be used",
		Meaning: "The `cursor` does not belong to this list with these filters.",
		Cause:   "A cursor belongs to one tenant, one environment, one list and one set of filters. It was changed, truncated, or used with another list or other filters.",
		Mend:    "Send `next_cursor` unchanged and repeat the filters of the first page. To change the filters, start again without a cursor.",
	},
	{
		Code: fault.CodeUnauthenticated, Status: 401, Title: "A valid API key is needed",
		Meaning: "The request has no valid API key. Every path under `/v1/` gives this answer, whether it exists or not.",
		Cause:   "The `Authorization` header is missing or misspelt, the key is incomplete or mistyped, or the key was put into the URL, where it would end up in logs.",
		Mend:    "Send `Authorization: Bearer <key>`, and never put the key into the URL. If a key was in a URL, revoke it.",
	},
	{
		Code: fault.CodeKeyRevoked, Status: 401, Title: "API key revoked",
		Meaning: "The key was valid once and was revoked.",
		Cause:   "Somebody revoked it, perhaps while rotating keys. A revocation reaches every node within a second.",
		Mend:    "Use the key that replaced it, or create a new one.",
	},
	{
		Code: fault.CodeKeyExpired, Status: 401, Title: "API key expired",
		Meaning: "The key had an expiry time, which has passed.",
		Cause:   "Keys expire only if they were created with an expiry time.",
		Mend:    "Create a new key. To rotate without a gap, create the new key before the old one expires.",
	},
	{
		Code: fault.CodeInsufficientScope, Status: 403, Title: "API key may not do this",
		Meaning: "The key is valid and lacks the scope that this call needs; `detail` names it.",
		Cause:   "Keys can be limited to `decide`, `read`, `policy:write`, `policy:activate` and `facts:read`, so that drafting and activating a policy can be separated.",
		Mend:    "Call with a key that has the scope. Give each program only the scopes it needs.",
	},
	{
		Code: fault.CodeSignupClosed, Status: 403, Title: "Signup is closed",
		Meaning: "The operator has closed signup.",
		Cause:   "The service runs with `-signup closed`.",
		Mend:    "Ask the operator of the service for a tenant (`verdict tenant create`), or an administrator of your organisation for an invitation.",
	},
	{
		Code: fault.CodeInviteCodeRequired, Status: 403, Title: "Signup needs an invite code",
		Meaning: "Signup needs an `invite_code`, and the request has none.",
		Cause:   "The service runs with `-signup invite`.",
		Mend:    "Ask the operator of the service for a code (`verdict tenant invite`) and send it as `invite_code`.",
	},
	{
		Code: fault.CodeInvalidInviteCode, Status: 403, Title: "The code cannot be used",
		Meaning: "The `invite_code` is not valid.",
		Cause:   "It was used before, has expired, or is misspelt.",
		Mend:    "Ask the operator of the service for a new code.",
	},
	{
		Code: fault.CodeNotFound, Status: 404, Title: "Not found",
		Meaning: "There is no such resource for this tenant in this environment.",
		Cause:   "The path or the id is wrong, or the id belongs to the other environment: sandbox and live share nothing.",
		Mend:    "Check the id, and check that the key belongs to the same environment.",
	},
	{
		Code: fault.CodeFeaturesNotGenerated, Status: 404, Title: "No features for this decision",
		Meaning: "The decision exists, but it was made without features.",
		Cause:   "Features are generated only if the request has `features: true` or the policy has `features: auto`.",
		Mend:    "Decide again through `POST /v1/evaluate` with `features: true`. A decision never changes, so features cannot be added to this one.",
	},
	{
		Code: fault.CodeBacktestExpired, Status: 404, Title: "Rows were deleted",
		Meaning: "The backtest and its report still exist, but its rows were deleted.",
		Cause:   "Rows are kept for a limited time, which the operator of the service sets.",
		Mend:    "Run the backtest again to have row-level results.",
	},
	{
		Code: fault.CodeMethodNotAllowed, Status: 405, Title: "Method not allowed",
		Meaning: "The path exists but does not support this method.",
		Cause:   "Often a GET was sent instead of a POST, or the path has an extra slash.",
		Mend:    "The `Allow` header lists the supported methods.",
	},
	{
		Code: fault.CodeNotAcceptable, Status: 406, Title: "No acceptable representation",
		Meaning: "The answer cannot be given in any of the forms that `Accept` allows.",
		Cause:   "Answers are `application/json`; the audit trail can also be `text/csv`. The rows of a backtest are `text/csv` and its page is `text/html`.",
		Mend:    "Leave `Accept` out, or send `application/json`.",
	},
	{
		Code: fault.CodeRequestTimeout, Status: 408, Title: "Body arrived too slowly",
		Meaning: "The body did not arrive in time. Nothing was done.",
		Cause:   "A slow or broken connection, or a client that announced more bytes than it sent.",
		Mend:    "Send the request again, with the same Idempotency-Key.",
	},
	{
		Code: fault.CodeEmailTaken, Status: 409, Title: "E-mail address already in use",
		Meaning: "There is an account with this e-mail address.",
		Cause:   "An address belongs to one user in the whole service; upper and lower case do not matter.",
		Mend:    "Use the account that exists, or sign up with another address.",
	},
	{
		Code: fault.CodeNoActivePolicy, Status: 409, Title: "No active policy",
		Meaning: "No policy with this `policy_key` is active in the key's environment, so nothing can be decided.",
		Cause:   "The live environment starts without an active policy: its default policy is a draft until somebody activates it. Or the `policy_key` is misspelt.",
		Mend:    "Find the draft with `GET /v1/rule-sets` and activate it with `POST /v1/rule-sets/{id}/activate`, using a key of the same environment.",
	},
	{
		Code: fault.CodeSecondPersonRequired, Status: 409, Title: "A second person must activate",
		Meaning: "In live, once a tenant has two users who may activate, the author of a rule set cannot activate it. A user who got the right to activate less than a day ago and was not confirmed cannot activate either, and a user who lost the right less than a day ago still counts as an activator. `detail` says until when, and who can help.",
		Cause:   "The key that activates belongs to the user who created the draft; or to somebody who was invited, given a role, enabled again or given a password by another within the last 24 hours; or to somebody who may no longer activate.",
		Mend:    "Ask a colleague to activate it with their own key. Or ask an activator who did not give you the right to confirm you on the console's page People. Going back to the previously active rule set or to the initial SAFE_MODE is always possible.",
	},
	{
		Code: fault.CodeCapReached, Status: 409, Title: "Limit reached",
		Meaning: "The tenant has reached the limit of drafts, scorecards or block list entries in this environment; `detail` says how many, and what to do.",
		Cause:   "Drafts accumulate if a program creates one for every attempt.",
		Mend:    "Delete drafts with `DELETE /v1/rule-sets/{id}`, entries of the block list with `DELETE /v1/fraud/blocklist`; try variants with `overrides` of a preview instead of drafts. The operator can raise the limits (`-max-drafts`, `-max-scorecards`, `-max-blocked`).",
	},
	{
		Code: fault.CodeFindingsUnacknowledged, Status: 409, Title: "Errors in the rule set",
		Meaning: "The analysis found errors in the rule set, and in live it cannot be activated until somebody acknowledges each of them. `errors` lists them, with pointers into the rule set's document.",
		Cause:   "The rule set has a mistake that nobody intends, such as a rule that does not apply unless the request asks for features.",
		Mend:    "Fix the rule set. Or send the `key` of each error in `acknowledge`: `{\"acknowledge\": [\"silent_when_absent@/knockouts/KO_X\"]}`; the audit trail records them. Going back to the previously active rule set or to the initial SAFE_MODE is always possible.",
	},
	{
		Code: fault.CodeInvalidTransition, Status: 409, Title: "Not possible in this state",
		Meaning: "The request is not possible in the current state of the resource.",
		Cause:   "For an alert: it is closed and cannot change. For a backtest: it has ended and cannot be cancelled, or it has no result to show yet. For a rule set: its stored document does not pass the checks of this version of the service.",
		Mend:    "Fetch the alert to see its state; later applications open a new alert automatically. For a rule set, create a new version from the document, fix the errors, and activate that version.",
	},
	{
		Code: fault.CodeIdempotencyInProgress, Status: 409, Title: "Request still in progress",
		Meaning: "A request with the same Idempotency-Key has not been answered yet.",
		Cause:   "A retry was sent while the first attempt was still in progress.",
		Mend:    "Wait as long as `Retry-After` says and send it again, with the same key: you get the answer of the first request.",
	},
	{
		Code: fault.CodeVersionConflict, Status: 409, Title: "Version conflict",
		Meaning: "A resource with the same identity was created at the same moment.",
		Cause:   "Two requests tried to create the same resource, and this one came second. Nothing was done.",
		Mend:    "Fetch the current state and try again.",
	},
	{
		Code: fault.CodePreconditionFailed, Status: 412, Title: "Expected state has changed",
		Meaning: "The current state is not the one that you expected. Nothing was changed.",
		Cause:   "`expected_active_id` is not the active rule set, `expected_checksum` is not the document's, or `If-Match` is not the version of the settings or of the strategy: somebody changed them since you read them.",
		Mend:    "Fetch the rule sets, the settings or the strategy again, check whether you still want the change, and send it with the current values.",
	},
	{
		Code: fault.CodeRequestTooLarge, Status: 413, Title: "Request too large",
		Meaning: "The body is larger than this path allows, or contains too many values.",
		Cause:   "Bodies are limited to 1 MiB, and to 8 MiB where a bureau report, a bank statement or the rows of a backtest may come, unless the service is set up otherwise; to 64 MiB for fitting a scorecard; and to 1,048,576 values. A backtest takes up to 100 million rows as a file. Rows in JSON become a table, and may leave out 8 million of its cells.",
		Mend:    "Send less: leave out what no policy reads, and split lists into several requests. Send rows that fill only a few of many columns as CSV.",
	},
	{
		Code: fault.CodeTooManyRows, Status: 413, Title: "Too many rows",
		Meaning: "There are more rows or cells than the limit for fitting a scorecard. Nothing was done.",
		Cause:   "Millions of additional rows do not improve a scorecard.",
		Mend:    "Send a sample of the rows, or leave columns out.",
	},
	{
		Code: fault.CodeUnsupportedMediaType, Status: 415, Title: "Media type not supported",
		Meaning: "The body is in a format that this path does not support.",
		Cause:   "`Content-Type` is not `application/json`, or the body is compressed. A backtest also accepts `text/csv` and `multipart/form-data`, optionally compressed with gzip.",
		Mend:    "Send `Content-Type: application/json` and the body uncompressed.",
	},
	{
		Code: fault.CodeInvalidField, Status: 422, Title: "Validation failed",
		Meaning: "The request is well-formed but has errors. Nothing was done.",
		Cause:   "`errors` lists every error with a JSON pointer, a code of its own and a sentence on how to fix it.",
		Mend:    "Go through `errors`. A common one: `foir` is a ratio on `/v1/decisions` (0.35) and a percentage in an evaluate request (35).",
	},
	{
		Code: fault.CodeBureauReportMismatch, Status: 422, Title: "Report does not match the bureau",
		Meaning: "The key inside `report` is not the name in `bureau`.",
		Cause:   "An evaluate request names its bureau twice, once in `bureau` and once as the one key of `report`; the two differ.",
		Mend:    "Make them equal, letter for letter.",
	},
	{
		Code: fault.CodeReportMustHaveOneKey, Status: 422, Title: "Report must have one key",
		Meaning: "`report` must hold exactly one report, under the name in `bureau`.",
		Cause:   "It is empty, contains the reports of several bureaus, or contains the report's members directly, without the bureau's key.",
		Mend:    "Send only the report that the decision should use.",
	},
	{
		Code: fault.CodeUnknownField, Status: 422, Title: "Unknown field",
		Meaning: "A name in the request is unknown: a member of a document, a field in a condition, or a query parameter.",
		Cause:   "Usually a typo. Policies and scorecards refuse unknown names, so that a misspelt rule cannot go unnoticed. Applications only warn, unless they are sent with `Prefer: handling=strict`. Names are case-sensitive.",
		Mend:    "`detail` and `nearest` suggest a similar name if there is one, and for a condition `detail` lists the operator's members. A policy can declare a custom path in `inputs`.",
	},
	{
		Code: fault.CodeInvalidCondition, Status: 422, Title: "Condition cannot be used",
		Meaning: "A `condition_ast` is not a valid condition.",
		Cause:   "An unknown operator, a missing operand, a comparison of values of different types, or a condition that is too deep or too large.",
		Mend:    "The pointer leads to the node. The schema Condition lists the operators and their members.",
	},
	{
		Code: fault.CodeNoRows, Status: 422, Title: "No rows",
		Meaning: "There are no rows to decide. Nothing was done.",
		Cause:   "The list is empty, the file has a header and no rows, or no stored decision lies in the range.",
		Mend:    "Send at least one row.",
	},
	{
		Code: fault.CodeEmptyCSV, Status: 422, Title: "File is empty",
		Meaning: "The file is empty; it does not even have a header.",
		Cause:   "An empty file was sent, or the wrong one.",
		Mend:    "The first line names the columns; every line after it is a row.",
	},
	{
		Code: fault.CodeNoColumnNames, Status: 422, Title: "No column names",
		Meaning: "The first line of the file has no names.",
		Cause:   "The file has no header, or begins with a line of empty cells.",
		Mend:    "Put a line with the names of the columns first.",
	},
	{
		Code: fault.CodeTooManyColumns, Status: 422, Title: "Too many columns",
		Meaning: "The file, or all rows of a request together, have too many columns.",
		Cause:   "Perhaps the wrong separator was used: cells are separated by commas. In JSON every name that occurs in a row is a column.",
		Mend:    "Send only the columns that the policy and the backtest read.",
	},
	{
		Code: fault.CodeLineTooLong, Status: 422, Title: "A row is too long",
		Meaning: "A row is too long; `detail` says which.",
		Cause:   "Usually a quote is never closed, so that the rest of the file becomes one row. Or the file has no line ends.",
		Mend:    "Look at the row that `detail` names, and at the quotes before it.",
	},
	{
		Code: fault.CodeNoPredictiveColumns, Status: 422, Title: "No useful column",
		Meaning: "No column tells good from bad well enough to be in a scorecard.",
		Cause:   "The columns are unrelated to the outcome or nearly empty, or `min_iv` is too high.",
		Mend:    "Check `target` and its spellings first; then send other columns.",
	},
	{
		Code: fault.CodeIdempotencyKeyReused, Status: 422, Title: "Idempotency key already used",
		Meaning: "This Idempotency-Key was used in the last 24 hours with another body. Nothing was done.",
		Cause:   "A key was used for two different requests, or the body was changed between attempts.",
		Mend:    "Use a new key for every new request, and repeat key and body unchanged when you retry.",
	},
	{
		Code: fault.CodeRateLimited, Status: 429, Title: "Too many requests",
		Meaning: "This key, or for signup this address, has exceeded its rate limit.",
		Cause:   "Each kind of call has its own limit: `RateLimit-Policy` gives the limit and `RateLimit` what is left.",
		Mend:    "Wait as long as `Retry-After` says. Spread calls out instead of sending them in bursts.",
	},
	{
		Code: fault.CodeQuotaExceeded, Status: 429, Title: "Quota used up",
		Meaning: "The plan's quota of billable calls for this month is used up. Reading still works.",
		Cause:   "`GET /v1/usage` shows the usage by endpoint and by day.",
		Mend:    "`Retry-After` gives the seconds to the next month. To continue now, move to a larger plan.",
	},
	{
		Code: fault.CodeInternalError, Status: 500, Title: "Internal error",
		Meaning: "The service had an internal error.",
		Cause:   "A defect in the service. The answer has no details; the logs have them under the request id.",
		Mend:    "Try again with the same Idempotency-Key. If the error persists, report the `request_id`.",
	},
	{
		Code: fault.CodeFittingBusy, Status: 503, Title: "A scorecard is being fitted",
		Meaning: "This node is already fitting a scorecard of yours, or two scorecards of other tenants. Nothing was done.",
		Cause:   "A fit uses a processor for seconds, so each tenant can run one at a time.",
		Mend:    "Wait as long as `Retry-After` says and try again.",
	},
	{
		Code: fault.CodeBacktestBusy, Status: 503, Title: "Other backtests are running",
		Meaning: "Several of your backtests that are answered in the request are already running on this node. Nothing was done.",
		Cause:   "Each tenant can run a few at a time; the more tenants run backtests, the fewer each can run.",
		Mend:    "Wait as long as `Retry-After` says and try again. Or send them as jobs, which are queued.",
	},
	{
		Code: fault.CodeUnavailable, Status: 503, Title: "Temporarily unavailable",
		Meaning: "The service cannot do this now.",
		Cause:   "The database does not answer, its disk is full, too many requests are in progress, or too many exports are running.",
		Mend:    "Wait as long as `Retry-After` says and try again, with the same Idempotency-Key: it may have been done already, and without a key it would be done twice.",
	},
}

// itemPages are the codes that only an entry of errors can have.
var itemPages = []errorPage{
	{
		Code: fault.CodeRequired, Status: 422, Title: "Missing",
		Meaning: "A required member is missing, empty or null.",
		Cause:   "A null is the same as leaving a member out.",
		Mend:    "Send it; `detail` describes it.",
	},
	{
		Code: fault.CodeWrongType, Status: 422, Title: "Wrong type",
		Meaning: "The value has the wrong JSON type.",
		Cause:   "Often a number was sent in quotes, or an object instead of a single value.",
		Mend:    "Send the type that `detail` names. Numbers go without quotes.",
	},
	{
		Code: fault.CodePolicyTooCostly, Status: 422, Title: "Policy is too large",
		Meaning: "Deciding an application with this policy would take too long, so it was not stored. Policies that are already stored keep working.",
		Cause:   "It has more than 1,000 knockouts, or more than 100,000 predicates, operands, bins and bands; ten values of a list count as one. Repeated patches can make a policy this large although each request is small.",
		Mend:    "Remove rules that the findings call redundant, and combine several rules on one field with `in` or a range.",
	},
	{
		Code: fault.CodeOutOfRange, Status: 422, Title: "Out of range",
		Meaning: "The value has the right type, but the field does not allow it.",
		Cause:   "It is too small, too large, too long, has too many decimals, or is not among the choices.",
		Mend:    "`detail` says which values the field allows, and in which unit.",
	},
	{
		Code: fault.CodeWrongEndpoint, Status: 422, Title: "Body of another endpoint",
		Meaning: "An evaluate request came to `POST /v1/decisions`, or a decision request to `POST /v1/evaluate`.",
		Cause:   "The two endpoints need different bodies and different units: a decision request has `bureau_report` and `foir` as a ratio, an evaluate request has `report` and `foir` as a percentage.",
		Mend:    "Send the body to the endpoint that `detail` names. Preview, eligibility and the underwriting agent accept both.",
	},
	{
		Code: fault.CodeTooMany, Status: 422, Title: "Too many entries",
		Meaning: "A list has too many entries.",
		Cause:   "Every list has a limit: 20,000 transactions, 1,000 accounts, 5,000 enquiries, 120 months of one account and 5,000 pincodes among them.",
		Mend:    "`detail` gives the limit. Send fewer entries, preferably the newest, or split the request.",
	},
	{
		Code: fault.CodeDuplicate, Status: 422, Title: "Used twice",
		Meaning: "A name that must be unique is used a second time.",
		Cause:   "Rule ids, band ids, factors and declared inputs are unique within a policy; a query parameter is given once.",
		Mend:    "Rename or remove one of the two.",
	},
	{
		Code: fault.CodeTooFewRows, Status: 422, Title: "Too few outcomes",
		Meaning: "There are too few good or bad outcomes to fit a scorecard.",
		Cause:   "The file is a sample, most outcomes are blank, or most rows are held out.",
		Mend:    "Send more rows with outcomes, or hold out fewer.",
	},
	{
		Code: fault.CodeConflictingInputs, Status: 422, Title: "Policies declare an input differently",
		Meaning: "Champion and challenger declare the same input with different types.",
		Cause:   "One row cannot be read both ways.",
		Mend:    "Give the input one type in both rule sets, or another name in one of them.",
	},
	{
		Code: fault.CodeInvalidEmail, Status: 422, Title: "Not an e-mail address",
		Meaning: "The e-mail address is not valid.",
		Cause:   "It lacks the @ or a domain, is too long, or has characters outside ASCII.",
		Mend:    "Send an address such as `admin@example.in`.",
	},
	{
		Code: fault.CodeInvalidCharacter, Status: 422, Title: "Character not allowed",
		Meaning: "The text has a character that cannot be shown or typed.",
		Cause:   "Usually control characters from copying and pasting.",
		Mend:    "Type the text again.",
	},
	{
		Code: fault.CodePasswordIsEmail, Status: 422, Title: "Password is the e-mail address",
		Meaning: "The password is the e-mail address.",
		Cause:   "It is the first thing anybody would try.",
		Mend:    "Choose another password.",
	},
	{
		Code: fault.CodeUnknownScope, Status: 422, Title: "Unknown scope",
		Meaning: "A scope of the key does not exist.",
		Cause:   "Scopes are `decide`, `read`, `policy:write`, `policy:activate`, `facts:read` and `admin`.",
		Mend:    "Use one or more of these.",
	},
	{
		Code: fault.CodeBinGap, Status: 422, Title: "Bins leave a gap",
		Meaning: "Some values of the field fall into no bin.",
		Cause:   "The bins of a factor must cover all values of the field, so that every value in production has points.",
		Mend:    "Leave out `gte` in the first bin and `lt` in the last, and let each bin begin where the previous one ends.",
	},
	{
		Code: fault.CodeBinOverlap, Status: 422, Title: "Bins overlap",
		Meaning: "Some values of the field fall into two bins.",
		Cause:   "A bin begins before the previous one ends, or a value is in two lists.",
		Mend:    "Let each bin begin where the previous one ends: `lt` is exclusive, `gte` is inclusive.",
	},
	{
		Code: fault.CodeBandGap, Status: 422, Title: "Bands leave a gap",
		Meaning: "Some scores between two pricing bands have no band.",
		Cause:   "Bands are whole numbers with both ends included: 700 to 724 is followed by 725.",
		Mend:    "Close the gap, or set `allow_gaps` if applicants with these scores should be declined.",
	},
	{
		Code: fault.CodeBandOverlap, Status: 422, Title: "Bands overlap",
		Meaning: "Some scores fall into two pricing bands.",
		Cause:   "Both ends of a band are included, so two bands must not share a score.",
		Mend:    "Let each band begin one above the end of the previous one.",
	},
}

// warningNotes are the codes of warnings. A warning refuses nothing.
var warningNotes = []struct{ Code, Meaning string }{
	{fault.CodeUnknownField,
		"This member is unknown and was ignored; `nearest` is the closest known name. A policy can read it if it declares the path in `inputs`."},
	{fault.CodeInputsAbsent,
		"`fields` are inputs of the applicant or the report that the policy names and the request does " +
			"not have. A rule that needs them followed its `on_absent`, and did nothing without one; a " +
			"factor gave its `missing_points`, and 0 points without them."},
	{fault.CodeFiguresNotCounted,
		"An income or FOIR was declared, but the policy uses other sources (`affordability`), and none of those, listed in `fields`, is given: the limit is the band's `default_limit`."},
	{fault.CodeScorecardInputsAbsent,
		"All inputs of the applicant and the report that the scorecard reads are absent, so the score says nothing about this applicant."},
	{fault.CodeNotDerived, "The member was read, and no fact could be derived from it; `detail` says why."},
	{fault.CodeNotRead, "The member is known and was not used; `detail` says why."},
	{fault.CodeUnknownBureau, "The bureau's own layout is unknown; the report was read in the common shape."},
	{fault.CodeUnknownEmploymentType,
		"The employment type is unknown and was read as `OTHER`; `detail` lists the known types."},
	{fault.CodeApplicantRefMissing,
		"The `fraud` block names no person, so nobody was counted: the fraud score is not complete, and of the fraud fields only `fraud_blocklisted` is known."},
	{fault.CodeIdentifierNotCounted,
		"An account, agent, device, mobile number or e-mail address is a placeholder, masked or malformed, so it was neither counted nor looked up on the block list; " +
			"everybody who sends it would share it. `detail` says what to send."},
	{fault.CodeFOIRLooksLikeRatio,
		"A percentage of at most 1 was sent where a ratio was probably meant; it was read as a percentage nevertheless."},
	{fault.CodeFOIRLooksLikePercent,
		"Rows of a backtest failed, or a column was left out of a fitted scorecard, because their `foir` is not a ratio " +
			"of at most 5; send `foir_unit: percent` if the column holds percentages."},
	{fault.CodeUnreadableColumn,
		"A column was left out of a fitted scorecard because fewer than a tenth of its values are valid for its field."},
	{fault.CodeNumberFormat,
		"Cells of a backtest with thousands separators, a currency or a percent sign were read as plain numbers; `fields` are their columns."},
	{fault.CodeReadAsMissing,
		"Cells of a backtest such as NA, null or - in columns of numbers were read as missing; `fields` are their columns."},
	{fault.CodeFeaturesAbsent,
		"The policy of a backtest names the features in `fields`, but no column has them, so rules and factors that name them were evaluated in no row."},
	{fault.CodeEncoding, "The file of a backtest is not UTF-8 and was read as Windows-1252."},
	{fault.CodeUnreadableText,
		"Rows of a backtest contain bytes that are not UTF-8 and were not evaluated; save the file as CSV in UTF-8."},
	{fault.CodeTenureNotAvailable,
		"The band does not allow the requested tenure; its usual tenure applies. `detail` lists the tenures that the band allows."},
	{fault.CodeExploreTenureNotAvailable,
		"The applicant's pricing band (or every band, if none matched) does not allow these tenures of `explore`, so they were not tried."},
	{fault.CodeExploreAmountNotUsed,
		"`explore.min_amount` exceeds the requested or offered amount, or no amount was requested, so no smaller amount was tried."},
	{fault.CodeExploreStepsExhausted,
		"The underwriting agent had too few steps to try all variants of `explore`; raise `max_steps`."},
	{fault.CodeReadAsNumber, "A number in a report was sent as text; it was read as a number."},
	{fault.CodeReadAsDate, "A date in a report was not written as `2026-11-15`; it was read."},
	{fault.CodeUnknownAccountType, "The account counts as other unsecured credit."},
	{fault.CodeUnknownAccountStatus, "The account's status is unknown; its state was taken from its other members."},
	{fault.CodeUnknownSuitStatus,
		"The word or code for a suit or a wilful default is unknown; it counts as a suit, or as a wilful default."},
	{fault.CodeUnknownPaymentCode, "The month counts as not reported."},
	{fault.CodePaymentHistoryLength,
		"A payment history has an unexpected length; the months that are present were read."},
	{fault.CodePaymentHistoryUndated,
		"A payment history has no date; its months were counted from the date of the report."},
	{fault.CodePaymentMonthUnknown, "A month of a payment history cannot be read and was left out."},
	{fault.CodeLaterEventIgnored, "Something in a report is dated after the request and was left out."},
	{fault.CodeSentTwice, "Two members contradict each other; the first was read, or for a month the worse one."},
	{fault.CodeStatusContradicted, "A closed account has a live status; it counts as closed."},
	{fault.CodeInstalmentNotMonthly,
		"An instalment is not monthly: it counts as a monthly amount in `bureau_own_emi`, and does not count in `bureau_total_emi`."},
	{fault.CodeInstalmentRhythmUnknown,
		"The frequency of an instalment is unknown; its amount counts as monthly, and is left out if it is not a number."},
	{fault.CodeInstalmentConverted,
		"An instalment is due daily, weekly, quarterly and so on; it was converted to a monthly amount."},
	{fault.CodeUnknownOwnership,
		"The ownership of an account has an unknown value; the account counts as the applicant's own."},
	{fault.CodeHolderDeceased,
		"The ownership of an account says that its holder has died; it counts as the applicant's own."},
	{fault.CodeLaterThanReport,
		"A payment month, an account or an enquiry is later than the date of its report; it was read."},
	{fault.CodeAdverseDateUnknown,
		"The day of a write-off or settlement cannot be read; the account's other dates are used."},
	{fault.CodeDaysPastDueMissing, "A month of a payment history states no `dpd` and counts as not reported."},
	{fault.CodeDaysPastDueFromStatus,
		"An account's status or rating implies days past due that its payment history does not show; " +
			"they count for its newest month, with the fewest days that the status can mean."},
	{fault.CodeAccountTypeMissing, "An account does not state its type and counts as other unsecured credit."},
	{fault.CodeOpenDateMissing,
		"An account does not state when it was opened: it does not count in features that depend on the opening date, " +
			"nor in the age of the oldest account."},
	{fault.CodePaymentHistoryMissing,
		"An account states no days past due although others do; it counts as never late."},
	{fault.CodeBalanceMissing,
		"A live account states no balance although others do; it adds 0 to what is outstanding, and a " +
			"card adds 0 to the instalments."},
	{fault.CodeOverdueMissing, "A live account states no overdue amount although others do; it adds 0."},
	{fault.CodeInstalmentMissing,
		"A live loan states no instalment although others do, or one of 0 beside a balance; it adds 0 to " +
			"`bureau_own_emi` and `bureau_total_emi`."},
	{fault.CodeCardInstalmentNotCounted,
		"A card states an instalment of more than 5 percent of its balance; 5 percent of the balance is used."},
	{fault.CodeCardLimitMissing, "A live card with a balance states no limit; it is left out of the card utilisation."},
	{fault.CodeClosedButOwed,
		"An account is closed or sold and still states a balance, an overdue amount or an instalment; " +
			"balance and instalment count as 0."},
	{fault.CodeEnquiryProductMissing,
		"An enquiry states no product although others do; it counts as one for other unsecured credit."},
	{fault.CodeEnquiryUndated, "An enquiry without a date was left out."},
	{fault.CodeEnquiryRepeated, "One lender's enquiries on one day for one product count once."},
	{fault.CodeLaterEvent,
		"Transactions dated after the request were left out; or accounts, enquiries and transactions " +
			"dated after the day that features are counted back from are in no feature."},
	{fault.CodeNoDirection, "Transactions without a direction were left out."},
	{fault.CodeUnknownMode, "An unknown mode was read as `OTHERS`."},
	{fault.CodeAmountAsText, "Amounts of transactions were sent as text; they were read as numbers."},
	{fault.CodeNoTimeZone, "Times without a zone were read as India's."},
	{fault.CodeRounded,
		"An amount was finer than a paisa, or a rate finer than a hundredth of a percent, and was rounded."},
	{fault.CodeUnknownLanguage, "There are no templates in the borrower's language; messages are in English."},
	{fault.CodeUnknownStatus, "The status of a mandate is unknown, so the mandate is not presented."},
	{fault.CodeUnknownDisposition, "The result of an attempt is unknown; it counts as an attempt."},
	{fault.CodeFOIRUnderstated,
		"The declared FOIR is more than 0.05 below the FOIR of the instalments on the report's own accounts. " +
			"A policy uses the higher one if its `affordability` says so, as the default policy does."},
	{fault.CodeBankFigureAbsent, "The policy's `affordability` uses the figure in `fields`, " +
		"and the `bank_summary` that was sent lacks it. `bank_due_emi` and `bank_detected_income` are computed " +
		"from `transactions`; the stated `emi` and `income` do not replace them."},
	{fault.CodeFeaturesNotRequested,
		"The policy names the features in `fields` and the request did not ask for them, so the rules that name them cannot hit. " +
			"Send `features: true`, or set `features: auto` in the policy."},
	{fault.CodeLaterThanAsOf, "Something is dated after `as_of` and was left out."},
	{fault.CodeUnitDoubtful,
		"A figure seems to be in another unit, such as a ratio instead of a percentage, or paise instead of rupees. It was read as it is."},
	{fault.CodeDPDMismatch, "`dpd` and `due_date` differ by more than a day; `dpd` was used."},
	{fault.CodeNothingOverdue, "The loan is past due but nothing is overdue; a person must check it."},
	{fault.CodePromiseAssumedBroken, "The date of a promise has passed, and `kept` is missing; it counts as broken."},
	{fault.CodeUnknownProduct,
		"The product of a loan in arrears is unknown, so the general contact hours apply; microfinance has narrower ones."},
	{fault.CodeReadAsMicrofinance, "A product was read as microfinance, which has stricter rules."},
	{fault.CodeMoreWarnings, "There were more warnings than are listed."},
}
