package httpapi

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
		Code: "malformed_json", Status: 400, Title: "Body is not valid JSON",
		Meaning: "The body could not be read as JSON. Nothing was done.",
		Cause:   "A missing comma or quote, a trailing comma, a comment, text that is not UTF-8, a body that was cut off, or one that is nested too deeply.",
		Mend:    "Look at the line and column in `detail`. Build the body with a JSON library instead of by joining strings.",
	},
	{
		Code: "duplicate_key", Status: 400, Title: "A member is given twice",
		Meaning: "An object in the body has the same member twice. Nothing was done.",
		Cause:   "Two values for one field leave open which one was meant, and readers of JSON differ on it. A credit decision must not depend on that.",
		Mend:    "Keep one of the two. `errors` has a pointer to the second.",
	},
	{
		Code: "number_out_of_range", Status: 400, Title: "Number out of range",
		Meaning: "A number in the body is beyond ±1e15.",
		Cause:   "Numbers that large cannot be exact in most programs, so they are not taken. Often an identifier was sent as a number.",
		Mend:    "Send amounts in rupees. Send identifiers and account numbers as strings.",
	},
	{
		Code: "malformed_body", Status: 400, Title: "Body cannot be read",
		Meaning: "A file could not be read to its end, or is not in the form it claims. Nothing was done.",
		Cause:   "It was cut off, is packed and damaged, claims to be gzip and is not, or the form around it is not well-formed.",
		Mend:    "Send the file again, whole. For a form use a library that writes `multipart/form-data`.",
	},
	{
		Code: "bad_utf8", Status: 400, Title: "Text is not UTF-8",
		Meaning: "A file, or a row of it, has bytes that are not UTF-8 text.",
		Cause:   "The file was saved in another encoding, or is no text at all.",
		Mend:    "Save it as CSV in UTF-8. A row with such bytes is listed in `row_errors`; a header with them refuses the file. To fit a scorecard, Windows-1252 is read too, and a file with other bytes in more than 1 % of its lines is refused.",
	},
	{
		Code: "bad_quote", Status: 400, Title: "A quote is out of place",
		Meaning: "A quoted cell is not closed, or a quote stands inside a cell that is not quoted.",
		Cause:   "Cells with commas, quotes or line ends are quoted, and a quote inside is doubled.",
		Mend:    "Write the file with a CSV library.",
	},
	{
		Code: "invalid_cursor", Status: 400, Title: "Cursor cannot be used",
		Meaning: "The `cursor` is not one that this list gave out with these filters.",
		Cause:   "A cursor belongs to one tenant, one environment, one list and one set of filters. It was changed, cut short, or used with others.",
		Mend:    "Take `next_cursor` as it came and repeat the filters of the first page. To change the filters, begin again without a cursor.",
	},
	{
		Code: "unauthenticated", Status: 401, Title: "A valid API key is needed",
		Meaning: "The request came without a valid API key. Every path under `/v1/` answers so, whether it exists or not.",
		Cause:   "The `Authorization` header is missing or misspelt, the key is incomplete or mistyped, or a key was put into the address, where it would end up in logs.",
		Mend:    "Send `Authorization: Bearer <key>` and nothing in the address. If a key did get into an address, revoke it.",
	},
	{
		Code: "key_revoked", Status: 401, Title: "API key revoked",
		Meaning: "The key was valid once and was revoked.",
		Cause:   "Somebody revoked it, perhaps while rotating keys. A revocation reaches every node within a second.",
		Mend:    "Use the key that replaced it, or have a new one made.",
	},
	{
		Code: "key_expired", Status: 401, Title: "API key expired",
		Meaning: "The key was made with an end, and that is past.",
		Cause:   "Keys do not expire unless they are made so; this one was.",
		Mend:    "Have a new key made. To rotate without a gap, make the second before the first ends.",
	},
	{
		Code: "insufficient_scope", Status: 403, Title: "API key may not do this",
		Meaning: "The key is valid and lacks the scope that this call needs; `detail` names it.",
		Cause:   "Keys can be limited to `decide`, `read`, `policy:write`, `policy:activate` and `facts:read`, so that who drafts a policy need not be who activates it.",
		Mend:    "Call with a key that has the scope. Give each program only the scopes it needs.",
	},
	{
		Code: "signup_closed", Status: 403, Title: "Nobody can sign up here",
		Meaning: "The operator has closed signup.",
		Cause:   "The service runs with `-signup closed`.",
		Mend:    "Ask whoever runs the service for a tenant (`verdict tenant create`), or an administrator of yours for an invitation.",
	},
	{
		Code: "invite_code_required", Status: 403, Title: "Signing up takes a code",
		Meaning: "Signing up takes an `invite_code`, and the request has none.",
		Cause:   "The service runs with `-signup invite`.",
		Mend:    "Ask whoever runs the service for a code (`verdict tenant invite`) and send it as `invite_code`.",
	},
	{
		Code: "invalid_invite_code", Status: 403, Title: "The code cannot be used",
		Meaning: "The `invite_code` is not one that can still be used.",
		Cause:   "It was used before, has expired, or is misspelt.",
		Mend:    "Ask whoever runs the service for a new one.",
	},
	{
		Code: "not_found", Status: 404, Title: "Not found",
		Meaning: "There is no such thing, for this tenant and in this environment.",
		Cause:   "The path or the id is wrong, or the id belongs to the other environment: sandbox and live share nothing.",
		Mend:    "Check the id, and whether a sandbox key is asking for something in live or the other way round.",
	},
	{
		Code: "features_not_generated", Status: 404, Title: "No features for this decision",
		Meaning: "The decision is there, and was made without the feature factory.",
		Cause:   "Features are generated only when the application was sent with `features: true`, or the policy says `features: auto`.",
		Mend:    "Decide again through `POST /v1/evaluate` with `features: true`. A decision never changes, so none can be added to this one.",
	},
	{
		Code: "backtest_expired", Status: 404, Title: "Rows are not kept any more",
		Meaning: "The backtest is there with its report, and its rows were given up.",
		Cause:   "Rows are kept for a while only; how long is set by whoever runs the service.",
		Mend:    "Run the backtest again to have row-level results.",
	},
	{
		Code: "method_not_allowed", Status: 405, Title: "Method not allowed",
		Meaning: "The path exists and does not take this method.",
		Cause:   "Often a GET where a POST is meant, or a path with a slash too many.",
		Mend:    "The `Allow` header lists the methods that the path takes.",
	},
	{
		Code: "not_acceptable", Status: 406, Title: "No acceptable representation",
		Meaning: "The answer cannot be given in any of the forms that `Accept` allows.",
		Cause:   "Answers are `application/json`; the audit trail can also be `text/csv`. The rows of a backtest are `text/csv` and its page is `text/html`.",
		Mend:    "Leave `Accept` out, or send `application/json`.",
	},
	{
		Code: "request_timeout", Status: 408, Title: "Body came too slowly",
		Meaning: "The body did not arrive in time. Nothing was done.",
		Cause:   "A slow or broken connection, or a client that announced more bytes than it sent.",
		Mend:    "Send the request again, with the same Idempotency-Key.",
	},
	{
		Code: "email_taken", Status: 409, Title: "E-mail address already in use",
		Meaning: "There is an account with this e-mail address.",
		Cause:   "An address belongs to one user in the whole service, in any case of letters.",
		Mend:    "Use the account that exists, or sign up with another address.",
	},
	{
		Code: "no_active_policy", Status: 409, Title: "No active policy",
		Meaning: "No policy with this `policy_key` is active in the key's environment, so nothing can be decided.",
		Cause:   "Live starts unarmed: its default policy is a draft until somebody activates it. Or the `policy_key` is misspelt.",
		Mend:    "Find the draft with `GET /v1/rule-sets` and activate it with `POST /v1/rule-sets/{id}/activate`, using a key of the same environment.",
	},
	{
		Code: "second_person_required", Status: 409, Title: "A second person must activate",
		Meaning: "In live, once a tenant has two users who may activate, the author of a rule set does not activate it. Nor does anybody who was given the right to activate less than a day ago and was not confirmed, and whoever lost it less than a day ago still counts. `detail` says until when, and who can help.",
		Cause:   "The key that activates belongs to the user who created the draft; or to somebody who was invited, given a role, enabled again or given a password by another within the last 24 hours; or to somebody who may not activate any more.",
		Mend:    "Ask a colleague to activate it with a key of their own, or one who may activate, and did not give you the right, to confirm you on the page People of the console. Going back to the rule set that was active immediately before, and to the seeded SAFE_MODE, is never held up.",
	},
	{
		Code: "cap_reached", Status: 409, Title: "As many as there may be",
		Meaning: "The tenant has as many drafts, scorecards or entries of the block list in this environment as the service allows; `detail` says how many, and what to do.",
		Cause:   "Drafts pile up when a program creates one for every try.",
		Mend:    "Delete drafts with `DELETE /v1/rule-sets/{id}`, entries of the block list with `DELETE /v1/fraud/blocklist`; try variants with `overrides` of a preview instead of drafts. The operator can raise the bounds (`-max-drafts`, `-max-scorecards`, `-max-blocked`).",
	},
	{
		Code: "findings_unacknowledged", Status: 409, Title: "Errors in the rule set",
		Meaning: "The analysis found errors in the rule set, and in live it is not activated until somebody names each of them. `errors` lists them, with pointers into the rule set's document.",
		Cause:   "The rule set has a mistake that nobody intends, such as a rule that does not apply unless the request asks for features.",
		Mend:    "Mend the rule set. Or send the `key` of each error in `acknowledge`: `{\"acknowledge\": [\"silent_when_absent@/knockouts/KO_X\"]}`; the audit trail keeps which you named. Going back to the rule set that was active immediately before, and to the seeded SAFE_MODE, is never held up.",
	},
	{
		Code: "invalid_transition", Status: 409, Title: "Not possible in this state",
		Meaning: "What was asked for is not possible in the state the thing is in.",
		Cause:   "For an alert: it is closed, which is the end. For a backtest: it is over and cannot be cancelled, or it has no result to show yet. For a rule set: its stored document does not pass the checks of this version of the service.",
		Mend:    "Fetch the alert to see its state; what happens after it was closed opens a new one by itself. Of a rule set create a new version from the document, mend what is refused, and activate that.",
	},
	{
		Code: "idempotency_in_progress", Status: 409, Title: "Request still in progress",
		Meaning: "A request with the same Idempotency-Key has not been answered yet.",
		Cause:   "A retry was sent while the first attempt was still being worked on.",
		Mend:    "Wait as long as `Retry-After` says and send it again, with the same key: you get the answer of the first.",
	},
	{
		Code: "version_conflict", Status: 409, Title: "Version conflict",
		Meaning: "Somebody else created the same thing at the same moment.",
		Cause:   "Two requests raced for one identity, and this one came second. Nothing was done.",
		Mend:    "Look at how things stand now and try again.",
	},
	{
		Code: "precondition_failed", Status: 412, Title: "Expected state has changed",
		Meaning: "What you expected to find is not what is there. Nothing was changed.",
		Cause:   "`expected_active_id` is not the active rule set, `expected_checksum` is not the document's, or `If-Match` is not the version of the settings or of the strategy: somebody changed them since you looked.",
		Mend:    "Fetch the rule sets, the settings or the strategy again, see whether you still want this, and send what is there now.",
	},
	{
		Code: "request_too_large", Status: 413, Title: "Request too large",
		Meaning: "The body is larger than this path takes, or holds more values than are read.",
		Cause:   "Bodies are limited to 1 MiB, and to 8 MiB where a bureau report, a bank statement or the rows of a backtest may come, unless the service is set up otherwise; to 64 MiB for a scorecard from data; and to 1,048,576 values. A backtest takes up to 100 million rows as a file. Rows in JSON become a table, and may leave out 8 million of its cells.",
		Mend:    "Send less: leave out what no policy reads, and split lists into several requests. Send rows that have few of many columns as CSV.",
	},
	{
		Code: "too_many_rows", Status: 413, Title: "Too many rows",
		Meaning: "There are more rows, or more cells, than a scorecard is made of. Nothing was done.",
		Cause:   "A scorecard does not become better by the tenth million of rows.",
		Mend:    "Send a sample of the rows, or leave columns out.",
	},
	{
		Code: "unsupported_media_type", Status: 415, Title: "Media type not supported",
		Meaning: "The body is in a form that this path does not take.",
		Cause:   "`Content-Type` is not `application/json`, or the body is compressed. A backtest also takes `text/csv` and `multipart/form-data`, packed with gzip or not.",
		Mend:    "Send `Content-Type: application/json` and the body as it is.",
	},
	{
		Code: "invalid_field", Status: 422, Title: "Validation failed",
		Meaning: "The request can be read and something in it is wrong. Nothing was done.",
		Cause:   "`errors` lists everything that is wrong, each with a JSON pointer, a code of its own and a sentence on how to mend it.",
		Mend:    "Go through `errors`. A common one: `foir` is a ratio on `/v1/decisions` (0.35) and a percentage in an evaluate request (35).",
	},
	{
		Code: "bureau_report_mismatch", Status: 422, Title: "Report is not the named bureau's",
		Meaning: "The key inside `report` is not the name in `bureau`.",
		Cause:   "An evaluate request names its bureau twice, once in `bureau` and once as the one key of `report`; the two differ.",
		Mend:    "Make them equal, letter for letter.",
	},
	{
		Code: "report_must_have_one_key", Status: 422, Title: "Report must have one key",
		Meaning: "`report` must hold exactly one report, under the name in `bureau`.",
		Cause:   "It is empty, holds the reports of several bureaus, or has the report's members directly in it, without the bureau's key around them.",
		Mend:    "Send the one report that the decision is to rest on.",
	},
	{
		Code: "unknown_field", Status: 422, Title: "Unknown field",
		Meaning: "A name in the request is not known: a member of a document, a field in a condition, or a query parameter.",
		Cause:   "Mostly a typing mistake. Policies and scorecards refuse what they do not know, because a misspelt rule must not pass for none. Applications only warn, unless they are sent with `Prefer: handling=strict`. Names are case-sensitive.",
		Mend:    "`detail` and `nearest` propose the nearest name, where one is near, and a condition's operator lists its members. A policy that wants a path of its own declares it in `inputs`.",
	},
	{
		Code: "invalid_condition", Status: 422, Title: "Condition cannot be used",
		Meaning: "A `condition_ast` is not one.",
		Cause:   "An unknown operator, a missing operand, a comparison of values of different types, or a condition that is too deep or too large.",
		Mend:    "The pointer leads to the node. The schema Condition lists the operators and what each takes.",
	},
	{
		Code: "no_rows", Status: 422, Title: "No rows",
		Meaning: "There is nothing to run the policy over. Nothing was done.",
		Cause:   "The list is empty, the file has a header and no rows, or no stored decision lies in the range.",
		Mend:    "Send at least one row.",
	},
	{
		Code: "empty_csv", Status: 422, Title: "File is empty",
		Meaning: "The file has not even a header.",
		Cause:   "An empty file was sent, or the wrong one.",
		Mend:    "The first line names the columns; every line after it is a row.",
	},
	{
		Code: "no_column_names", Status: 422, Title: "No names of columns",
		Meaning: "The first line of the file has no names.",
		Cause:   "The file has no header, or begins with a line of empty cells.",
		Mend:    "Put a line with the names of the columns first.",
	},
	{
		Code: "too_many_columns", Status: 422, Title: "Too many columns",
		Meaning: "The file, or all rows of a request together, have more columns than are taken.",
		Cause:   "Perhaps the wrong separator was used: cells are separated by commas. In JSON every name that occurs in a row is a column.",
		Mend:    "Send only the columns that the policy and the backtest read.",
	},
	{
		Code: "line_too_long", Status: 422, Title: "A row is too long",
		Meaning: "A row is longer than is taken; `detail` says which.",
		Cause:   "Mostly a quote that is never closed, which makes all that follows one row. Or the file has no line ends.",
		Mend:    "Look at the row that `detail` names, and at the quotes before it.",
	},
	{
		Code: "no_predictive_columns", Status: 422, Title: "No column is of use",
		Meaning: "No column tells good from bad well enough to be in a scorecard.",
		Cause:   "The columns have nothing to do with the outcome, are nearly empty, or `min_iv` is set too high.",
		Mend:    "Look at `target` and its spellings first; then send other columns.",
	},
	{
		Code: "idempotency_key_reused", Status: 422, Title: "Idempotency key already used",
		Meaning: "This Idempotency-Key was used in the last 24 hours with another body. Nothing was done.",
		Cause:   "A key was used for two different requests, or the body was changed between attempts.",
		Mend:    "Make a new key for every new request, and repeat key and body unchanged when you retry.",
	},
	{
		Code: "rate_limited", Status: 429, Title: "Too many requests",
		Meaning: "This key, or for signup this address, makes more requests than its limit allows for the moment.",
		Cause:   "Each kind of call has a limit of its own; `RateLimit-Policy` tells it and `RateLimit` what is left.",
		Mend:    "Wait as long as `Retry-After` says. Spread calls out instead of sending them in bursts.",
	},
	{
		Code: "quota_exceeded", Status: 429, Title: "Quota used up",
		Meaning: "The plan's quota of billable calls for this month is used up. Reading still works.",
		Cause:   "`GET /v1/usage` shows what was used, by endpoint and by day.",
		Mend:    "`Retry-After` counts the seconds to the next month. To go on now, move to a larger plan.",
	},
	{
		Code: "internal_error", Status: 500, Title: "Internal error",
		Meaning: "Something went wrong on our side.",
		Cause:   "A mistake of ours. Nothing about it is told here; the logs have it under the request id.",
		Mend:    "Try again with the same Idempotency-Key. If it stays, report the `request_id`.",
	},
	{
		Code: "fitting_busy", Status: 503, Title: "A scorecard is being made",
		Meaning: "Another scorecard of yours is being made on this node, or two of others. Nothing was done.",
		Cause:   "Making one takes a processor for seconds, so one of a tenant is made at a time.",
		Mend:    "Wait as long as `Retry-After` says and try again.",
	},
	{
		Code: "backtest_busy", Status: 503, Title: "Other backtests are running",
		Meaning: "Several backtests of yours are running on this node whose callers wait for the report. Nothing was done.",
		Cause:   "A tenant runs a few at a time; the more tenants do, the fewer each.",
		Mend:    "Wait as long as `Retry-After` says and try again. Or send them as jobs, which wait by themselves.",
	},
	{
		Code: "unavailable", Status: 503, Title: "Temporarily unavailable",
		Meaning: "The service cannot do this now. It gives no answer rather than a wrong one.",
		Cause:   "The database does not answer, its disk is full, as much is being worked on as can be done in time, or as many exports are under way as there may be.",
		Mend:    "Wait as long as `Retry-After` says and try again, with the same Idempotency-Key: it may have been done, and without a key it would be done twice.",
	},
}

// itemPages are the codes that only an entry of errors can have.
var itemPages = []errorPage{
	{
		Code: "required", Status: 422, Title: "Missing",
		Meaning: "Something that must be there is not, or is empty or null.",
		Cause:   "A null is the same as leaving a member out.",
		Mend:    "Send it; `detail` says what it is.",
	},
	{
		Code: "wrong_type", Status: 422, Title: "Wrong type",
		Meaning: "The value has another JSON type than the field.",
		Cause:   "Often a number in quotes, or an object where a single value is meant.",
		Mend:    "Send the type that `detail` names. Numbers go without quotes.",
	},
	{
		Code: "policy_too_costly", Status: 422, Title: "Policy is too large to decide by",
		Meaning: "The policy as a whole would take too long to decide an application by, so it is not stored. Policies that are stored already keep working.",
		Cause:   "It has more than 1,000 knockouts, or more than 100,000 predicates, operands, bins and bands; ten values of a list count as one. A policy that is patched again and again grows without any one request being large.",
		Mend:    "Remove rules that the findings call superfluous, and write several rules on one field as one with `in` or a range.",
	},
	{
		Code: "out_of_range", Status: 422, Title: "Out of range",
		Meaning: "The value has the right type and is not one the field can take.",
		Cause:   "It is too small, too large, too long, has too many decimals, or is not among the choices.",
		Mend:    "`detail` says what the field takes, and in which unit.",
	},
	{
		Code: "wrong_endpoint", Status: 422, Title: "Body of another endpoint",
		Meaning: "An evaluate request came to `POST /v1/decisions`, or a decision request to `POST /v1/evaluate`.",
		Cause:   "The two take different bodies and different units: a decision request has `bureau_report` and `foir` as a ratio, an evaluate request has `report` and `foir` as a percentage.",
		Mend:    "Send the body to the endpoint that `detail` names. Preview, eligibility and the underwriting agent take both.",
	},
	{
		Code: "too_many", Status: 422, Title: "Too many entries",
		Meaning: "A list has more entries than are taken.",
		Cause:   "Every list has a limit: 20,000 transactions, 1,000 accounts, 5,000 enquiries, 120 months of one account and 5,000 pincodes among them.",
		Mend:    "`detail` names the limit. Send fewer, the newest by preference, or split the request.",
	},
	{
		Code: "duplicate", Status: 422, Title: "Used twice",
		Meaning: "A name that must be unique is used a second time.",
		Cause:   "Rule ids, band ids, factors and declared inputs are unique within a policy; a query parameter is given once.",
		Mend:    "Rename or remove one of the two.",
	},
	{
		Code: "too_few_rows", Status: 422, Title: "Too little to learn from",
		Meaning: "There are fewer good or bad outcomes than a scorecard can be made of.",
		Cause:   "The file is a sample, most outcomes are blank, or most rows are held out.",
		Mend:    "Send more rows with outcomes, or hold out fewer.",
	},
	{
		Code: "conflicting_inputs", Status: 422, Title: "Policies declare an input differently",
		Meaning: "Champion and challenger declare the same input with different types.",
		Cause:   "One row cannot be read both ways.",
		Mend:    "Give the input one type in both rule sets, or another name in one of them.",
	},
	{
		Code: "invalid_email", Status: 422, Title: "Not an e-mail address",
		Meaning: "The e-mail address is not one that mail can be sent to.",
		Cause:   "It lacks the @ or a domain, is too long, or has characters outside ASCII.",
		Mend:    "Send an address such as `admin@example.in`.",
	},
	{
		Code: "invalid_character", Status: 422, Title: "Character not allowed",
		Meaning: "The text has a character that cannot be shown or typed.",
		Cause:   "Control characters, mostly from copying and pasting.",
		Mend:    "Type the text anew.",
	},
	{
		Code: "password_is_email", Status: 422, Title: "Password is the e-mail address",
		Meaning: "The password is the e-mail address.",
		Cause:   "It is the first thing anybody would try.",
		Mend:    "Choose another password.",
	},
	{
		Code: "unknown_scope", Status: 422, Title: "Unknown scope",
		Meaning: "A scope of a key is not one.",
		Cause:   "Scopes are `decide`, `read`, `policy:write`, `policy:activate`, `facts:read` and `admin`.",
		Mend:    "Use one or more of these.",
	},
	{
		Code: "bin_gap", Status: 422, Title: "Bins leave a gap",
		Meaning: "Some values of the field fall into no bin.",
		Cause:   "The bins of a factor must cover everything the field can be; a value without points must not turn up in production.",
		Mend:    "Leave `gte` off the first bin and `lt` off the last, and let each bin begin where the one before ends.",
	},
	{
		Code: "bin_overlap", Status: 422, Title: "Bins overlap",
		Meaning: "Some values of the field fall into two bins.",
		Cause:   "A bin begins before the one before it ends, or a value stands in two lists.",
		Mend:    "Let each bin begin where the one before ends: `lt` is not included, `gte` is.",
	},
	{
		Code: "band_gap", Status: 422, Title: "Bands leave a gap",
		Meaning: "Some scores between two pricing bands have no band.",
		Cause:   "Bands are whole numbers with both ends included: 700 to 724 is followed by 725.",
		Mend:    "Close the gap, or set `allow_gaps` if applicants with these scores are meant to be declined.",
	},
	{
		Code: "band_overlap", Status: 422, Title: "Bands overlap",
		Meaning: "Some scores fall into two pricing bands.",
		Cause:   "Both ends of a band are included, so two bands must not share a score.",
		Mend:    "Let the next band begin one above the end of the one before.",
	},
}

// warningNotes are the codes of warnings. A warning refuses nothing.
var warningNotes = []struct{ Code, Meaning string }{
	{"unknown_field", "Nobody reads this member; `nearest` is the name that was probably meant. A policy can read it, when it declares the path in `inputs`."},
	{"inputs_absent", "`fields` are inputs of the applicant or the report that the policy names and the request does " +
		"not have. A rule that needs them did what its `on_absent` says, and nothing without one; a " +
		"factor gave its `missing_points`, and 0 points without them."},
	{"figures_not_counted", "An income or FOIR was declared, the policy counts other sources (`affordability`), and none of those, in `fields`, is given: the limit is the band's `default_limit`."},
	{"scorecard_inputs_absent", "None of the inputs of the applicant or the report that the scorecard reads is there: the score says nothing about this applicant."},
	{"not_derived", "The member was read, and no fact could be derived from it; `detail` says why."},
	{"not_read", "The member is known and was not used; `detail` says why."},
	{"unknown_bureau", "The bureau's own layout is not known; the report was read in the common shape."},
	{"unknown_employment_type", "The employment type is not a known one and was read as `OTHER`; `detail` lists those that are."},
	{"applicant_ref_missing", "The `fraud` block names no person, so nobody was counted: the fraud score is not complete, and of the fraud fields only `fraud_blocklisted` is known."},
	{"identifier_not_counted", "An account, agent, device, mobile number or e-mail address is a placeholder, masked or malformed, so it was neither counted nor looked up on the block list; " +
		"everybody who sends it would share it. `detail` says what to send."},
	{"foir_looks_like_ratio", "A percentage of at most 1 was sent where a ratio was probably meant; it was read as a percentage all the same."},
	{"foir_looks_like_percent", "Rows of a backtest failed, or a column was left out of a fitted scorecard, because their `foir` is no ratio " +
		"of at most 5; send `foir_unit: percent` if the column holds percentages."},
	{"unreadable_column", "A column was left out of a fitted scorecard because its field can hold less than a tenth of its values."},
	{"number_format", "Cells of a backtest with thousands separators, a currency or a percent sign were read as plain numbers; `fields` are their columns."},
	{"read_as_missing", "Cells of a backtest such as NA, null or - in columns of numbers were read as missing; `fields` are their columns."},
	{"features_absent", "The policy of a backtest names the features in `fields` and no column gives them, so what names them was evaluated in no row."},
	{"encoding", "The file of a backtest is no UTF-8 text and was read as Windows-1252."},
	{"unreadable_text", "Rows of a backtest hold bytes that are no UTF-8 text and were not evaluated; save the file as CSV in UTF-8."},
	{"tenure_not_available", "The tenure asked for is not among the band's; its usual tenure applies. `detail` lists the tenures that the band allows."},
	{"explore_tenure_not_available", "Tenures of `explore` are none that the applicant's pricing band (or any, without one) allows, and were not tried."},
	{"explore_amount_not_used", "`explore.min_amount` is more than what is asked for or lent, or no amount was asked for, so no smaller amount was tried."},
	{"explore_steps_exhausted", "The underwriting agent had no steps left for all that `explore` wants tried; raise `max_steps`."},
	{"read_as_number", "A number in a report was sent as text and was read."},
	{"read_as_date", "A date in a report was not written as `2026-11-15` and was read."},
	{"unknown_account_type", "The account counts as other unsecured credit."},
	{"unknown_account_status", "The account's other members say how it stands."},
	{"unknown_suit_status", "What is told of a suit or a wilful default is no known word or code; it counts as a suit, or as a wilful default."},
	{"unknown_payment_code", "The month counts as not reported."},
	{"payment_history_length", "A payment history does not have the length of its layout; what is there was read."},
	{"payment_history_undated", "A payment history has no date; its months were counted from the date of the report."},
	{"payment_month_unknown", "A month of a payment history cannot be read and was left out."},
	{"later_event_ignored", "Something in a report is dated after the request and was left out."},
	{"sent_twice", "Two members say the same thing differently; the first was read, and of a month the worst."},
	{"status_contradicted", "An account that has been closed is said to run; it counts as closed."},
	{"instalment_not_monthly", "An instalment is not monthly: it counts by the month in `bureau_own_emi`, and not in `bureau_total_emi`."},
	{"instalment_rhythm_unknown", "How often an instalment is due is not known; its amount counts as monthly, and is left out if it is no number."},
	{"instalment_converted", "An instalment is due daily, weekly, quarterly and so on, by a member of its own; it counts by the month."},
	{"unknown_ownership", "The ownership of an account has an unknown value; the account counts as the applicant's own."},
	{"holder_deceased", "The ownership of an account says that its holder has died; it counts as the applicant's own."},
	{"later_than_report", "A payment month, an account or an enquiry is later than the date of the report that tells it; it was read."},
	{"adverse_date_unknown", "The day of a write-off or settlement cannot be read; the account's own dates say when it was."},
	{"days_past_due_missing", "A month of a payment history states no `dpd` and counts as not reported."},
	{"days_past_due_from_status", "An account's status or rating tells days past due that its payment history does not; " +
		"they count for its newest month, at the fewest days that it can mean."},
	{"account_type_missing", "An account does not state its type and counts as other unsecured credit."},
	{"open_date_missing", "An account does not state when it was opened: it is in no feature that is dated by opening, " +
		"and not in the age of the oldest account."},
	{"payment_history_missing", "An account states no days past due although others do; it counts as never late."},
	{"balance_missing", "A live account states no balance although others do; it adds 0 to what is outstanding, and a " +
		"card adds 0 to the instalments."},
	{"overdue_missing", "A live account states no overdue amount although others do; it adds 0."},
	{"instalment_missing", "A live loan states no instalment although others do, or one of 0 beside a balance; it adds 0 to " +
		"`bureau_own_emi` and `bureau_total_emi`."},
	{"card_instalment_not_counted", "A card states an instalment of more than 5 percent of its balance; 5 percent count all the same."},
	{"card_limit_missing", "A live card with a balance states no limit; it is left out of the card utilisation."},
	{"closed_but_owed", "An account is closed or sold and still states a balance, an overdue amount or an instalment; " +
		"balance and instalment count as 0."},
	{"enquiry_product_missing", "An enquiry states no product although others do; it counts as one for other unsecured credit."},
	{"enquiry_undated", "An enquiry without a date was left out."},
	{"enquiry_repeated", "One lender's enquiries on one day for one product count once."},
	{"later_event", "Transactions dated after the request were left out; or accounts, enquiries and transactions " +
		"dated after the day that features are counted back from are in no feature."},
	{"no_direction", "Transactions that do not say which way money went were left out."},
	{"unknown_mode", "A mode that is not known was read as `OTHERS`."},
	{"amount_as_text", "Amounts of transactions were sent as text and were read."},
	{"no_time_zone", "Times without a zone were read as India's."},
	{"rounded", "An amount was finer than a paisa, or a rate finer than a hundredth of a percent, and was rounded."},
	{"unknown_language", "There are no templates in the borrower's language; messages are in English."},
	{"unknown_status", "The status of a mandate is not a known one, and the mandate is not presented."},
	{"unknown_disposition", "How an attempt ended is not known; it counts as an attempt."},
	{"foir_understated", "The declared FOIR is more than 0.05 below what the instalments of the report's own accounts come to. " +
		"A policy counts with the higher one if its `affordability` says so, as the default policy does."},
	{"bank_figure_absent", "The policy's `affordability` counts with the figure in `fields`, " +
		"and the `bank_summary` that was sent does not give it. `bank_due_emi` and `bank_detected_income` are worked out " +
		"from `transactions`; the stated `emi` and `income` do not stand in for them."},
	{"features_not_requested", "The policy names the features in `fields` and the request did not ask for them, so the rules that name them cannot hit. " +
		"Send `features: true`, or let the policy say `features: auto`."},
	{"later_than_as_of", "Something is dated after `as_of` and was left out."},
	{"unit_doubtful", "A figure looks as if it were in another unit, such as a ratio where a percentage is meant, or paise for rupees. It was read as it stands."},
	{"dpd_mismatch", "`dpd` and `due_date` are more than a day apart; `dpd` was taken."},
	{"nothing_overdue", "The loan is past due and nothing is overdue; a person has to look."},
	{"promise_assumed_broken", "Nobody said whether a promise was kept, and its date is past; it counts as broken."},
	{"unknown_product", "The product of a loan in arrears is not a known one, so the general hours of contact apply; microfinance has narrower ones."},
	{"read_as_microfinance", "A product was read as microfinance, whose rules are the stricter ones."},
	{"more_warnings", "There were more warnings than are listed."},
}
