package training

// The codes of a fit: words about a column or a model, which refuse nothing and
// warn of nothing that was sent. They are this package's own; a code that other
// packages answer too is one of fault's.

// Why a column was left out.
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

// What a person should look at in a fitted scorecard.
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

// How cells, lines and rows were read.
const (
	codeMostlyNumbers        = "mostly_numbers"
	codeReplacedBytes        = "replaced_bytes"
	codeIndeterminate        = "indeterminate"
	codeZeroWeight           = "zero_weight"
	codeWeighted             = "weighted"
	codeLeakUsed             = "leak_used"
	codePossibleSpecialValue = "possible_special_value"
)
