package fault

// Refusals of a body, a form or a cursor that cannot be read.
const (
	CodeMalformedJSON    = "malformed_json"
	CodeDuplicateKey     = "duplicate_key"
	CodeNumberOutOfRange = "number_out_of_range"
	CodeMalformedBody    = "malformed_body"
	CodeMalformedForm    = "malformed_form"
	CodeMalformedEdit    = "malformed_edit"
	CodeBadUTF8          = "bad_utf8"
	CodeBadQuote         = "bad_quote"
	CodeInvalidCursor    = "invalid_cursor"
)

// Refusals because of the size, media type, method, origin or duration of a request.
const (
	CodeRequestTooLarge      = "request_too_large"
	CodeTooManyRows          = "too_many_rows"
	CodeUnsupportedMediaType = "unsupported_media_type"
	CodeNotAcceptable        = "not_acceptable"
	CodeMethodNotAllowed     = "method_not_allowed"
	CodeRequestTimeout       = "request_timeout"
	CodeCrossOrigin          = "cross_origin"
)

// Refusals of a caller: its key, session, sign-in or permissions.
const (
	CodeUnauthenticated      = "unauthenticated"
	CodeKeyRevoked           = "key_revoked"
	CodeKeyExpired           = "key_expired"
	CodeInsufficientScope    = "insufficient_scope"
	CodeSessionEnded         = "session_ended"
	CodeInvalidCredentials   = "invalid_credentials" //nolint:gosec // a code, not a credential
	CodeLoginThrottled       = "login_throttled"
	CodeWrongPassword        = "wrong_password"
	CodeRoleTooLow           = "role_too_low"
	CodeSecondPersonRequired = "second_person_required"
	CodeNothingToConfirm     = "nothing_to_confirm"
	CodeSecondFactorRequired = "second_factor_required"
	CodeWrongCode            = "wrong_code"
	CodeSignOnFailed         = "sign_on_failed"
	CodeSignOnRefused        = "sign_on_refused"
	CodeSignOnUnavailable    = "sign_on_unavailable"
	CodeIdentityTaken        = "identity_taken"
	CodeSessionInUse         = "session_in_use"
)

// Refusals of a sign-up or an invitation.
const (
	CodeSignupClosed       = "signup_closed"
	CodeInviteCodeRequired = "invite_code_required"
	CodeInvalidInviteCode  = "invalid_invite_code"
	CodeInvitationEnded    = "invitation_ended"
	CodeEmailTaken         = "email_taken"
)

// Refusals because of the stored state.
const (
	CodeNotFound               = "not_found"
	CodeFeaturesNotGenerated   = "features_not_generated"
	CodeBacktestExpired        = "backtest_expired"
	CodeBatchExpired           = "batch_expired"
	CodeBatchCancelled         = "batch_cancelled"
	CodeBatchTimedOut          = "batch_timed_out"
	CodeNoReport               = "no_report"
	CodeNoActivePolicy         = "no_active_policy"
	CodeFindingsUnacknowledged = "findings_unacknowledged"
	CodeGuaranteeViolated      = "guarantee_violated"
	CodeInvalidTransition      = "invalid_transition"
	CodeKeyNotActive           = "key_not_active"
	CodeLastAdmin              = "last_admin"
	CodeVersionConflict        = "version_conflict"
	CodePreconditionFailed     = "precondition_failed"
	CodeIdempotencyInProgress  = "idempotency_in_progress"
	CodeIdempotencyKeyReused   = "idempotency_key_reused"
	CodeNotSignedYet           = "not_signed_yet"
	CodeLogNotSigned           = "log_not_signed"
	CodeDatabaseNotEmpty       = "database_not_empty"
	CodeEventsExpired          = "events_expired"
	CodeErased                 = "erased"
	CodeListMissing            = "list_missing"
	CodeListInUse              = "list_in_use"
	CodeTableMissing           = "table_missing"
	CodeTableInUse             = "table_in_use"
	CodeKeysMissing            = "keys_missing"
	CodeHoldInForce            = "hold_in_force"
	CodeNoOffer                = "no_offer"
	CodeNoLetter               = "no_letter"
	CodeOfferExpired           = "offer_expired"
	CodeOfferReplaced          = "offer_replaced"
	CodeLenderProfileMissing   = "lender_profile_missing"
)

// Refusals at a limit of the tenant or of the service, failures of the service, and a client that has disconnected.
const (
	CodeRateLimited   = "rate_limited"
	CodeQuotaExceeded = "quota_exceeded"
	CodeCapReached    = "cap_reached"
	CodeTooManyKeys   = "too_many_keys"
	CodeTooManyPeople = "too_many_people"
	CodeBacktestBusy  = "backtest_busy"
	CodeFittingBusy   = "fitting_busy"
	CodeUnavailable   = "unavailable"
	CodeClientGone    = "client_gone" // never sent, because the client has disconnected
	CodeInternalError = "internal_error"
)

// Refusals of a document that can be read but has faults. These codes, and
// those of the next block, also appear in the items of such a refusal.
const (
	CodeInvalidField         = "invalid_field"
	CodeInvalidCondition     = "invalid_condition"
	CodeUnknownField         = "unknown_field"
	CodeUnknownList          = "unknown_list"
	CodeUnknownTable         = "unknown_table"
	CodeBureauReportMismatch = "bureau_report_mismatch"
	CodeReportMustHaveOneKey = "report_must_have_one_key"
)

// Faults of one value of a document.
const (
	CodeRequired          = "required"
	CodeWrongType         = "wrong_type"
	CodeOutOfRange        = "out_of_range"
	CodeTooMany           = "too_many"
	CodeDuplicate         = "duplicate"
	CodeWrongEndpoint     = "wrong_endpoint"
	CodeConflictingInputs = "conflicting_inputs"
	CodePolicyTooCostly   = "policy_too_costly"
	CodeTooFewRows        = "too_few_rows"
	CodeInvalidEmail      = "invalid_email"
	CodeInvalidCharacter  = "invalid_character"
	CodePasswordIsEmail   = "password_is_email"
	CodeUnknownScope      = "unknown_scope"
	CodeBinGap            = "bin_gap"
	CodeBinOverlap        = "bin_overlap"
	CodeBandGap           = "band_gap"
	CodeBandOverlap       = "band_overlap"
)

// Reasons why a whole file cannot be used.
const (
	CodeEmptyCSV            = "empty_csv"
	CodeNoColumnNames       = "no_column_names"
	CodeTooManyColumns      = "too_many_columns"
	CodeNoRows              = "no_rows"
	CodeNoPredictiveColumns = "no_predictive_columns"
	CodeRowsChanged         = "rows_changed"
	CodeInputIncomplete     = "input_incomplete"
)

// Reasons why one row of a file could not be read. Such a row counts as failed.
const (
	CodeWrongNumberOfCells = "wrong_number_of_cells"
	CodeLineTooLong        = "line_too_long"
	CodeUnknownOutcome     = "unknown_outcome"
	CodeBadWeight          = "bad_weight"
	CodeBadMonth           = "bad_month"
)
