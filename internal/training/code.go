package training

// The stable codes in the report of a fit. They describe columns and the model.
// No request is refused with one of these codes. Codes that other packages use
// too are in package fault.

// Reasons why a column was left out.
const (
	codeIdentifier     = "identifier"
	codeEmpty          = "empty"
	codeNotANumber     = "not_a_number"
	codeConstant       = "constant"
	codeTooManyValues  = "too_many_values"
	codeTooLong        = "too_long"
	codeExcluded       = "excluded"
	codeNotAnInput     = "not_an_input"
	codeLeak           = "leak"
	codeLowInformation = "low_information"
	codeCorrelated     = "correlated"
	codeNoPoints       = "no_points"
)

// Warnings that a person should check before the scorecard is used.
const (
	codeSuspiciousInformation = "suspicious_information"
	codeUnreadableValues      = "unreadable_values"
	codeNotConverged          = "not_converged"
	codeOneSidedBin           = "one_sided_bin"
	codeSmallBin              = "small_bin"
	codeUnstable              = "unstable"
	codeHoldOutOneSided       = "hold_out_one_sided"
	codeOverfit               = "overfit"
	codeSignReversal          = "sign_reversal"
)

// Notes on how cells, lines and rows were read.
const (
	codeMostlyNumbers        = "mostly_numbers"
	codeReplacedBytes        = "replaced_bytes"
	codeIndeterminate        = "indeterminate"
	codeZeroWeight           = "zero_weight"
	codeWeighted             = "weighted"
	codeLeakUsed             = "leak_used"
	codePossibleSpecialValue = "possible_special_value"
)
