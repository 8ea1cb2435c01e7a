package reference

import (
	"slices"

	"verdict/internal/fault"
)

// itemPages explains the codes that only an entry of "errors", a row of a file, or a run that failed can have.
var itemPages = slices.Concat(valuePages, filePages)

var valuePages = []errorPage{
	{
		Code: fault.CodeRequired, Status: 422, Title: "Missing",
		Meaning: "A required member is missing, empty or null.",
		Cause:   "A null is the same as leaving a member out.",
		Fix:     "Send the member; `detail` describes it.",
	},
	{
		Code: fault.CodeWrongType, Status: 422, Title: "Wrong type",
		Meaning: "The value has the wrong JSON type.",
		Cause:   "Often a number was sent in quotes, or an object instead of a single value.",
		Fix:     "Send the type that `detail` names. Numbers go without quotes.",
	},
	{
		Code: fault.CodePolicyTooCostly, Status: 422, Title: "Policy is too large",
		Meaning: "The policy was not stored, because deciding an application with it would take too long. Policies " +
			"that are already stored keep working.",
		Cause: "The policy has more than 1,000 knockouts, or more than 100,000 predicates, operands, bins and bands; " +
			"ten values of a list count as one. Repeated patches can make a policy this large although each request " +
			"is small.",
		Fix: "Remove rules that the findings call redundant, and combine several rules on one field with `in` or " +
			"a range.",
	},
	{
		Code: fault.CodeOutOfRange, Status: 422, Title: "Out of range",
		Meaning: "The value has the right type, but the field does not allow it.",
		Cause:   "It is too small, too large, too long, has too many decimals, or is not among the choices.",
		Fix:     "`detail` says which values the field allows, and in which unit.",
	},
	{
		Code: fault.CodeWrongEndpoint, Status: 422, Title: "Body of another endpoint",
		Meaning: "An evaluate request came to `POST /v1/decisions`, or a decision request to `POST /v1/evaluate`.",
		Cause: "The two endpoints need different bodies and different units: a decision request has " +
			"`bureau_report` and `foir` as a ratio, an evaluate request has `report` and `foir` as a percentage.",
		Fix: "Send the body to the endpoint that `detail` names. Preview, eligibility and the underwriting agent " +
			"accept both.",
	},
	{
		Code: fault.CodeTooMany, Status: 422, Title: "Too many entries",
		Meaning: "A list has too many entries.",
		Cause: "Every list has a limit, such as 20,000 transactions, 1,000 accounts, 5,000 enquiries, 120 months " +
			"of one account or 5,000 pincodes.",
		Fix: "`detail` gives the limit. Send fewer entries, preferably the newest, or split the request.",
	},
	{
		Code: fault.CodeDuplicate, Status: 422, Title: "Used twice",
		Meaning: "A name that must be unique is used a second time.",
		Cause: "Rule ids, band ids, factors and declared inputs are unique within a policy; a query parameter is " +
			"given once.",
		Fix: "Rename or remove one of the two.",
	},
	{
		Code: fault.CodeTooFewRows, Status: 422, Title: "Too few outcomes",
		Meaning: "There are too few good or bad outcomes to fit a scorecard.",
		Cause:   "The file is a sample, most outcomes are blank, or most rows are held out.",
		Fix:     "Send more rows with outcomes, or hold out fewer.",
	},
	{
		Code: fault.CodeConflictingInputs, Status: 422, Title: "Policies declare an input differently",
		Meaning: "Champion and challenger declare the same input with different types.",
		Cause:   "One row cannot be read both ways.",
		Fix:     "Give the input one type in both rule sets, or another name in one of them.",
	},
	{
		Code: fault.CodeInvalidEmail, Status: 422, Title: "Not an e-mail address",
		Meaning: "The e-mail address is not valid.",
		Cause:   "It lacks the @ or a domain, is too long, or has characters outside ASCII.",
		Fix:     "Send an address such as `admin@example.in`.",
	},
	{
		Code: fault.CodeInvalidCharacter, Status: 422, Title: "Character not allowed",
		Meaning: "The text has a character that cannot be shown or typed.",
		Cause:   "Usually the text was pasted together with control characters.",
		Fix:     "Type the text again.",
	},
	{
		Code: fault.CodePasswordIsEmail, Status: 422, Title: "Password is the e-mail address",
		Meaning: "The password is the e-mail address.",
		Cause:   "An attacker would try the e-mail address first.",
		Fix:     "Choose another password.",
	},
	{
		Code: fault.CodeUnknownScope, Status: 422, Title: "Unknown scope",
		Meaning: "A scope of the key does not exist.",
		Cause: "Scopes are `decide`, `read`, `policy:write`, `policy:activate`, `facts:read`, `log:read`, " +
			"`evidence:read`, `webhooks:manage`, `privacy:manage` and `admin`.",
		Fix: "Use one or more of these.",
	},
	{
		Code: fault.CodeBinGap, Status: 422, Title: "Bins leave a gap",
		Meaning: "Some values of the field fall into no bin.",
		Cause: "The bins of a factor must cover all values of the field, so that every value in production has " +
			"points.",
		Fix: "Leave out `gte` in the first bin and `lt` in the last, and let each bin begin where the previous " +
			"one ends.",
	},
	{
		Code: fault.CodeBinOverlap, Status: 422, Title: "Bins overlap",
		Meaning: "Some values of the field fall into two bins.",
		Cause:   "A bin begins before the previous one ends, or a value is in two lists.",
		Fix:     "Let each bin begin where the previous one ends: `lt` is exclusive, `gte` is inclusive.",
	},
	{
		Code: fault.CodeBandGap, Status: 422, Title: "Bands leave a gap",
		Meaning: "Some scores between two pricing bands have no band.",
		Cause:   "Bands are whole numbers with both ends included: 700 to 724 is followed by 725.",
		Fix:     "Close the gap, or set `allow_gaps` if applicants with these scores should be declined.",
	},
	{
		Code: fault.CodeBandOverlap, Status: 422, Title: "Bands overlap",
		Meaning: "Some scores fall into two pricing bands.",
		Cause:   "Both ends of a band are included, so two bands must not share a score.",
		Fix:     "Let each band begin one above the end of the previous one.",
	},
}
