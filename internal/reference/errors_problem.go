package reference

import (
	"slices"

	"verdict/internal/fault"
)

// errorPages explains the codes that a problem can have, ordered by status.
var errorPages = slices.Concat(statePages, inputPages)

// statePages explains the codes up to status 410: requests that cannot be read or are not allowed, and objects that are
// missing or in another state.
var statePages = []errorPage{
	{
		Code: fault.CodeMalformedJSON, Status: 400, Title: "Body is not valid JSON",
		Meaning: "The body could not be read as JSON. Nothing was done.",
		Cause: "The body has a missing comma or quote, a trailing comma, a comment or text that is not UTF-8, was " +
			"cut off, or is nested too deeply.",
		Fix: "Look at the line and column in `detail`. Build the body with a JSON library instead of by joining " +
			"strings.",
	},
	{
		Code: fault.CodeDuplicateKey, Status: 400, Title: "A member is given twice",
		Meaning: "An object in the body has the same member twice. Nothing was done.",
		Cause: "With two values for one field it is unclear which one was meant, and JSON parsers differ. A credit " +
			"decision must not depend on that.",
		Fix: "Keep one of the two. `errors` has a pointer to the second.",
	},
	{
		Code: fault.CodeNumberOutOfRange, Status: 400, Title: "Number out of range",
		Meaning: "A number in the body is beyond ±1e15.",
		Cause: "Most programs cannot represent numbers of this size with decimals exactly, so they are refused. " +
			"Often an identifier was sent as a number.",
		Fix: "Send amounts in rupees. Send identifiers and account numbers as strings.",
	},
	{
		Code: fault.CodeMalformedBody, Status: 400, Title: "Body cannot be read",
		Meaning: "A file is incomplete, or is not in the declared format. Nothing was done.",
		Cause: "It was truncated, its compressed data is damaged, it is declared as gzip but is not, or the form " +
			"around it is not well-formed.",
		Fix: "Send the complete file again. For a form, use a library that writes `multipart/form-data`.",
	},
	{
		Code: fault.CodeBadUTF8, Status: 400, Title: "Text is not UTF-8",
		Meaning: "A file, or a row of it, has bytes that are not UTF-8 text.",
		Cause:   "The file was saved in another encoding, or is not a text file.",
		Fix: "Save the file as CSV in UTF-8; Windows-1252 is also read. A backtest lists rows with other bytes in " +
			"`row_errors`, and refuses a file with such bytes in the header. Scorecard fitting refuses a file with " +
			"such bytes in more than 1 % of its lines.",
	},
	{
		Code: fault.CodeBadQuote, Status: 400, Title: "A quote is out of place",
		Meaning: "A quoted cell is not closed, or an unquoted cell contains a quote.",
		Cause: "Cells with commas, quotes or line ends are quoted, and a quote inside is doubled. A quote that is " +
			"never closed makes one cell of all lines after it, so the whole file is refused; `detail` names the " +
			"line that opens the quote.",
		Fix: "Close the quote, or write it twice inside a quoted cell. A CSV library does this.",
	},
	{
		Code: fault.CodeInvalidCursor, Status: 400, Title: "Cursor cannot be used",
		Meaning: "The `cursor` does not belong to this list with these filters.",
		Cause: "A cursor belongs to one tenant, one environment, one list and one set of filters. It was changed, " +
			"truncated, or used with another list or other filters.",
		Fix: "Send `next_cursor` unchanged and repeat the filters of the first page. To change the filters, " +
			"start again without a cursor.",
	},
	{
		Code: fault.CodeUnauthenticated, Status: 401, Title: "A valid API key is needed",
		Meaning: "The request has no valid API key. Every path under `/v1/` gives this answer, whether it exists or " +
			"not.",
		Cause: "The `Authorization` header is missing or misspelt, the key is incomplete or mistyped, or the key " +
			"was put into the URL, where it would end up in logs.",
		Fix: "Send `Authorization: Bearer <key>`, and never put the key into the URL. If a key was in a URL, " +
			"revoke it.",
	},
	{
		Code: fault.CodeKeyRevoked, Status: 401, Title: "API key revoked",
		Meaning: "The key was valid once and was revoked.",
		Cause:   "Somebody revoked it, perhaps while rotating keys. A revocation reaches every node within a second.",
		Fix:     "Use the key that replaced it, or create a new one.",
	},
	{
		Code: fault.CodeKeyExpired, Status: 401, Title: "API key expired",
		Meaning: "The key had an expiry time, which has passed.",
		Cause:   "Keys expire only if they were created with an expiry time.",
		Fix:     "Create a new key. To rotate without a gap, create the new key before the old one expires.",
	},
	{
		Code: fault.CodeInsufficientScope, Status: 403, Title: "API key may not do this",
		Meaning: "The key is valid, but lacks the scope that this call needs; `detail` names the scope.",
		Cause: "Keys can be limited to `decide`, `read`, `policy:write`, `policy:activate`, `facts:read`, " +
			"`log:read`, `evidence:read`, `webhooks:manage` and `privacy:manage`, so " +
			"that drafting and activating a policy can be separated.",
		Fix: "Call with a key that has the scope. Give each program only the scopes it needs.",
	},
	{
		Code: fault.CodeSignupClosed, Status: 403, Title: "Signup is closed",
		Meaning: "The operator has closed signup.",
		Cause:   "The service runs with `-signup closed`.",
		Fix: "Ask the operator of the service for a tenant (`verdict tenant create`), or an administrator of " +
			"your organisation for an invitation.",
	},
	{
		Code: fault.CodeInviteCodeRequired, Status: 403, Title: "Signup needs an invite code",
		Meaning: "Signup needs an `invite_code`, and the request has none.",
		Cause:   "The service runs with `-signup invite`.",
		Fix:     "Ask the operator of the service for a code (`verdict tenant invite`) and send it as `invite_code`.",
	},
	{
		Code: fault.CodeInvalidInviteCode, Status: 403, Title: "The code cannot be used",
		Meaning: "The `invite_code` is not valid.",
		Cause:   "It was used before, has expired, or is misspelt.",
		Fix:     "Ask the operator of the service for a new code.",
	},
	{
		Code: fault.CodeNotFound, Status: 404, Title: "Not found",
		Meaning: "There is no such resource for this tenant in this environment.",
		Cause: "The path or the id is wrong, or the id belongs to the other environment: sandbox and live share " +
			"nothing.",
		Fix: "Check the id, and check that the key belongs to the same environment.",
	},
	{
		Code: fault.CodeFeaturesNotGenerated, Status: 404, Title: "No features for this decision",
		Meaning: "The decision exists, but it was made without features.",
		Cause:   "Features are generated only if the request has `features: true` or the policy has `features: auto`.",
		Fix: "Decide again through `POST /v1/evaluate` with `features: true`. A decision never changes, so " +
			"features cannot be added to this one.",
	},
	{
		Code: fault.CodeBacktestExpired, Status: 404, Title: "Rows were deleted",
		Meaning: "The backtest and its report still exist, but its rows were deleted.",
		Cause:   "Rows are kept for a limited time, which the operator of the service sets.",
		Fix:     "Run the backtest again to have row-level results.",
	},
	{
		Code: fault.CodeBatchExpired, Status: 410, Title: "Results were deleted",
		Meaning: "The batch with its counts and its decisions still exist, but the results of its rows were deleted.",
		Cause:   "Results are kept for a limited time, which the operator of the service sets.",
		Fix:     "Read the decisions with `GET /v1/decisions`, by the references of the applicants.",
	},
	{
		Code: fault.CodeMethodNotAllowed, Status: 405, Title: "Method not allowed",
		Meaning: "The path exists but does not support this method.",
		Cause:   "Often a GET was sent instead of a POST, or the path has an extra slash.",
		Fix:     "The `Allow` header lists the supported methods.",
	},
	{
		Code: fault.CodeNotAcceptable, Status: 406, Title: "No acceptable representation",
		Meaning: "The answer cannot be given in any of the forms that `Accept` allows.",
		Cause: "Answers are `application/json`; the audit trail can also be `text/csv`. The rows of a backtest are " +
			"`text/csv` and its page is `text/html`. Proofs, checkpoints and the keys of the log are `text/plain`, " +
			"and tiles of the log are `application/octet-stream`.",
		Fix: "Leave `Accept` out, or send the type that `detail` names.",
	},
	{
		Code: fault.CodeRequestTimeout, Status: 408, Title: "Body arrived too slowly",
		Meaning: "The body did not arrive in time. Nothing was done.",
		Cause:   "The connection is slow or broken, or the client announced more bytes than it sent.",
		Fix:     "Send the request again, with the same Idempotency-Key.",
	},
	{
		Code: fault.CodeEmailTaken, Status: 409, Title: "E-mail address already in use",
		Meaning: "There is an account with this e-mail address.",
		Cause:   "An address belongs to one user in the whole service; upper and lower case do not matter.",
		Fix:     "Use the account that exists, or sign up with another address.",
	},
	{
		Code: fault.CodeNoActivePolicy, Status: 409, Title: "No active policy",
		Meaning: "No policy with this `policy_key` is active in the key's environment, so nothing can be decided.",
		Cause: "The live environment starts without an active policy: its default policy is a draft until somebody " +
			"activates it. Or the `policy_key` is misspelt.",
		Fix: "Find the draft with `GET /v1/rule-sets` and activate it with `POST /v1/rule-sets/{id}/activate`, " +
			"using a key of the same environment.",
	},
	{
		Code: fault.CodeSecondPersonRequired, Status: 409, Title: "A second person must activate",
		Meaning: "In live, once a tenant has two users who may activate, the author of a rule set cannot activate " +
			"it. A user who got the right to activate less than a day ago and was not confirmed cannot activate " +
			"either, and a user who lost the right less than a day ago still counts as an activator. `detail` says " +
			"until when, and who can help.",
		Cause: "The key that activates belongs to the user who created the draft; or to somebody who was invited, " +
			"given a role, enabled again or given a password by another person within the last 24 hours; or to " +
			"somebody who may no longer activate.",
		Fix: "Ask a colleague to activate it with their own key. Or ask an activator to confirm you on the " +
			"console's page People; it must not be the person who gave you the right. Going back to the previously " +
			"active rule set or to the initial SAFE_MODE is always possible.",
	},
	{
		Code: fault.CodeCapReached, Status: 409, Title: "Limit reached",
		Meaning: "The maximum number of objects of a kind is reached: drafts, scorecards, block list entries, legal " +
			"holds, lists with their entries or tables with their rows of the tenant in this environment, webhooks " +
			"of the tenant in both, unfinished redeliveries of a webhook, reviews of a decision, or witnesses of a " +
			"checkpoint. Or the environment has stored as many bytes as the plan allows. `detail` says how many " +
			"there are.",
		Cause: "Drafts accumulate if a program creates one for every attempt. Rows of batches and backtests are " +
			"stored until they are decided, and results until their retention ends.",
		Fix: "Delete drafts with `DELETE /v1/rule-sets/{id}`, entries of the block list with `DELETE " +
			"/v1/fraud/blocklist`, webhooks with `DELETE /v1/webhooks/{id}`; release legal holds " +
			"with `POST /v1/legal-holds/{id}/release`; try variants with `overrides` of a " +
			"preview instead of drafts. To free storage, wait until jobs are done, cancel jobs, or delete lists and " +
			"drafts. The operator can raise some of the limits (`-max-drafts`, `-max-scorecards`, `-max-blocked`, " +
			"`-max-holds`, `-plan-storage`, and those of lists and tables that begin with `-max-list` and " +
			"`-max-table`).",
	},
	{
		Code: fault.CodeFindingsUnacknowledged, Status: 409, Title: "Errors in the rule set",
		Meaning: "The analysis found errors in the rule set, and in live it cannot be activated until somebody " +
			"acknowledges each of them. `errors` lists them, with pointers into the rule set's document.",
		Cause: "The rule set has a mistake that nobody intends, such as a rule that does not apply unless the " +
			"request asks for features.",
		Fix: "Fix the rule set. Or send the `key` of each error in `acknowledge`: `{\"acknowledge\": " +
			"[\"silent_when_absent@/knockouts/KO_X\"]}`; the audit trail records them. Going back to the previously " +
			"active rule set or to the initial SAFE_MODE is always possible.",
	},
	{
		Code: fault.CodeGuaranteeViolated, Status: 409, Title: "The rule set violates a guarantee",
		Meaning: "The rule set has a guarantee that its own rules do not keep, and cannot be activated in either " +
			"environment. `errors` names each such guarantee, and an applicant for whom it does not hold. The " +
			"rule set was run on this applicant to confirm that.",
		Cause: "The guarantees of a policy are proved for all possible applicants when a version is created. A " +
			"change of a rule, a price or a threshold now violates this guarantee.",
		Fix: "Send the applicant to `POST /v1/decisions/preview` with the `rule_set_id` to see what happens, and " +
			"change the rules. If the guarantee is no longer wanted, create a version without it; in live that is a " +
			"finding which somebody must acknowledge. Going back to the previously active rule set or to the initial " +
			"SAFE_MODE is always possible.",
	},
	{
		Code: fault.CodeInvalidTransition, Status: 409, Title: "Not possible in this state",
		Meaning: "The request is not possible in the current state of the resource.",
		Cause: "For an alert: it is closed, or it cannot move to the requested status. For a backtest: it has " +
			"ended and cannot be cancelled, or it has no result to show. For a rule set: it cannot be deleted, " +
			"because it is not a draft or is the initial SAFE_MODE; or it cannot be activated, because it is an " +
			"archived draft, or its stored document does not pass the checks of this version of the service. For an " +
			"API key: the person who would own it is disabled. For an erasure: only a deferred one can be withdrawn. " +
			"For a legal hold: it has ended and cannot be released, or the applicant is being erased.",
		Fix: "Fetch the alert to see its state; later applications open a new alert automatically. If a rule " +
			"set cannot be activated, create a new version from its document, fix the errors, and activate that " +
			"version. For an API key, enable the access of its owner first, or choose another owner.",
	},
	{
		Code: fault.CodeIdempotencyInProgress, Status: 409, Title: "Request still in progress",
		Meaning: "A request with the same Idempotency-Key has not been answered yet.",
		Cause:   "A retry was sent while the first attempt was still in progress.",
		Fix: "Wait as long as `Retry-After` says and send it again, with the same key: you get the answer of the " +
			"first request.",
	},
	{
		Code: fault.CodeNotSignedYet, Status: 409, Title: "Not signed yet",
		Meaning: "The decision is stored, but no signed checkpoint of the log covers it yet.",
		Cause:   "The log is signed about once a second, and later if the database is busy or a log key is missing.",
		Fix:     "Ask again after a few seconds.",
	},
	{
		Code: fault.CodeLogNotSigned, Status: 409, Title: "Log not signed",
		Meaning: "The decision is stored, but the log of its environment is not signed at present.",
		Cause: "The operator has turned signing off, or the database contains less than what was signed before, for " +
			"instance after an older copy was restored.",
		Fix: "Ask the operator, whose log says why. Asking again does not help.",
	},
	{
		Code: fault.CodeHoldInForce, Status: 409, Title: "Legal hold in force",
		Meaning: "The applicant has a legal hold with the same reason already.",
		Cause:   "The same hold was placed twice, or for two cases with the same reason.",
		Fix: "`GET /v1/legal-holds?applicant_ref=…` returns it. To change when it ends, release it and place " +
			"another one.",
	},
	{
		Code: fault.CodeVersionConflict, Status: 409, Title: "Version conflict",
		Meaning: "A resource with the same identity was created at the same moment.",
		Cause:   "Two requests tried to create the same resource, and this one came second. Nothing was done.",
		Fix:     "Fetch the current state and try again.",
	},
	{
		Code: fault.CodeEventsExpired, Status: 410, Title: "Events are no longer kept",
		Meaning: "The request names events that are older than 90 days.",
		Cause:   "The feed has the events of the last 90 days. The log itself is never shortened.",
		Fix: "Go on with `oldest_sequence`: send one less as `after`. Read the decisions, rule sets and other " +
			"objects themselves for what you have missed.",
	},
	{
		Code: fault.CodeListMissing, Status: 409, Title: "A list is missing",
		Meaning: "The rule set looks a field up in a list that does not exist, or whose values have another type " +
			"than the field. Nothing was changed or decided.",
		Cause: "The list was deleted since the rule set was saved, or created again with another type. A list that " +
			"an active rule set names cannot be deleted.",
		Fix: "Create the list with `PUT /v1/lists/{name}`, or save a rule set that does not name it.",
	},
	{
		Code: fault.CodeListInUse, Status: 409, Title: "The list is in use",
		Meaning: "The list cannot be deleted, because a rule set needs it.",
		Cause: "An active rule set names the list, or a rollback would activate a rule set that names it. " +
			"`GET /v1/lists/{name}` shows these rule sets in `used_by`.",
		Fix: "Activate two rule sets that do not name the list, one after the other, so that a rollback does not " +
			"need it either. Or empty the list instead.",
	},
	{
		Code: fault.CodeTableMissing, Status: 409, Title: "A table is missing",
		Meaning: "The rule set reads a column of a table, but the table does not exist or has other keys, or the " +
			"column does not exist or has another type. Nothing was changed or decided.",
		Cause: "The table was deleted or replaced since the rule set was saved. A table that an active rule set " +
			"names cannot be deleted, and keeps its keys and columns.",
		Fix: "Create or replace the table with `PUT /v1/tables/{name}`, or save the rule set again.",
	},
	{
		Code: fault.CodeTableInUse, Status: 409, Title: "The table is in use",
		Meaning: "The table cannot be deleted, or cannot lose a key, a column or its default, because a rule set " +
			"needs it.",
		Cause: "An active rule set names the table, or a rollback would activate a rule set that names it. " +
			"`GET /v1/tables/{name}` shows these rule sets in `used_by`.",
		Fix: "Use another name for a table with other keys or columns. To delete the table, activate two rule sets " +
			"that do not read it, one after the other, so that a rollback does not need it either.",
	},
	{
		Code: fault.CodeNoOffer, Status: 409, Title: "There is no offer",
		Meaning: "A key facts statement describes an approved offer, and this decision has none.",
		Cause: "The application was declined, by the policy or by the person who reviewed it last, or it was " +
			"referred and nobody has approved it yet.",
		Fix: "For a decline, `GET /v1/decisions/{id}/letter` returns the letter. Review a referred decision with " +
			"`POST /v1/decisions/{id}/review`; the outcome `overturned` approves it.",
	},
	{
		Code: fault.CodeNoLetter, Status: 409, Title: "There is no letter",
		Meaning: "A letter tells an applicant about a decline or a smaller loan than was asked for. This decision is " +
			"neither.",
		Cause: "The amount asked for was approved, or the decision was referred and still waits for a person.",
		Fix: "For an approved offer, `GET /v1/decisions/{id}/kfs` returns the key facts statement. Review a referred " +
			"decision first.",
	},
	{
		Code: fault.CodeLenderProfileMissing, Status: 409, Title: "The lender profile is missing",
		Meaning: "Documents for applicants state the name, the address and the terms of the lender, and these are " +
			"not stored yet.",
		Cause: "Nobody has stored a lender profile in this environment.",
		Fix: "Store it with `PUT /v1/lender-profile`, or on the page “Lender profile” of the console. Decisions that " +
			"were made before use the first version.",
	},
	{
		Code: fault.CodeOfferExpired, Status: 410, Title: "The offer has expired",
		Meaning: "The borrower can no longer agree to this offer.",
		Cause: "The time in `valid_until` of the key facts statement has passed. It is `offer.valid_until` of the " +
			"decision, or the end of the third working day after the decision or after the review that approved a " +
			"referral, if that is later.",
		Fix: "Decide the application again; the new decision has a new offer.",
	},
	{
		Code: fault.CodeOfferReplaced, Status: 410, Title: "A newer offer has replaced this one",
		Meaning: "The borrower can no longer agree to this offer, because there is a newer one in its place.",
		Cause: "The policy counts what the applicant was offered before (`exposure`, or a field such as " +
			"`own_open_offer`), and a later decision under the same `policy_key` has made an offer that is still " +
			"valid. The older offer does not count any more, so accepting both would exceed the bound.",
		Fix: "Use the documents of the newest decision; `GET /v1/decisions?applicant_id=` lists them. If the older " +
			"offer should stand, decline the newer one with a review (`overturned`).",
	},
	{
		Code: fault.CodeErased, Status: 410, Title: "The data was erased",
		Meaning: "The object exists, but its data was erased with the applicant, or at the end of its retention " +
			"period.",
		Cause: "Somebody with the scope `privacy:manage` has erased the applicant with `POST /v1/erasures`, or has " +
			"set a retention period with `PUT /v1/retention`. The answer to a repeated request with the same " +
			"Idempotency-Key is erased too.",
		Fix: "Nothing can be restored. `GET /v1/decisions/{id}` still has the outcome, the reason codes and the " +
			"policy. To decide again, send the request with a new Idempotency-Key.",
	},
}
