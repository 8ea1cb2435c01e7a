package fault

// Warnings about an application. A warning is not a refusal: the request was
// carried out, and the detail says what was reinterpreted or ignored.
const (
	CodeInputsAbsent          = "inputs_absent"
	CodeScorecardInputsAbsent = "scorecard_inputs_absent"
	CodeFiguresNotCounted     = "figures_not_counted"
	CodeBankFigureAbsent      = "bank_figure_absent"
	CodeFeaturesNotRequested  = "features_not_requested"
	CodeNotDerived            = "not_derived"
	CodeNotRead               = "not_read"
	CodeSentTwice             = "sent_twice"
	CodeUnknownBureau         = "unknown_bureau"
	CodeUnknownEmploymentType = "unknown_employment_type"
	CodeApplicantRefMissing   = "applicant_ref_missing"
	CodeIdentifierNotCounted  = "identifier_not_counted"
	CodeFOIRLooksLikeRatio    = "foir_looks_like_ratio"
	CodeFOIRUnderstated       = "foir_understated"
	CodeReplacedOffer         = "replaced_offer"
	CodeNotApproved           = "not_approved"
	CodeTenureNotAvailable    = "tenure_not_available"
	CodeConsentNotStated      = "consent_not_stated"
	CodePeopleNotCounted      = "people_not_counted"
	CodeMoreWarnings          = "more_warnings"
)

// Warnings about how a bureau report was interpreted.
const (
	CodeReadAsNumber             = "read_as_number"
	CodeReadAsDate               = "read_as_date"
	CodeUnknownAccountType       = "unknown_account_type"
	CodeUnknownAccountStatus     = "unknown_account_status"
	CodeUnknownSuitStatus        = "unknown_suit_status"
	CodeUnknownPaymentCode       = "unknown_payment_code"
	CodeUnknownOwnership         = "unknown_ownership"
	CodeHolderDeceased           = "holder_deceased"
	CodeStatusContradicted       = "status_contradicted"
	CodePaymentHistoryLength     = "payment_history_length"
	CodePaymentHistoryUndated    = "payment_history_undated"
	CodePaymentMonthUnknown      = "payment_month_unknown"
	CodeLaterEventIgnored        = "later_event_ignored"
	CodeLaterThanReport          = "later_than_report"
	CodeAdverseDateUnknown       = "adverse_date_unknown"
	CodeDaysPastDueMissing       = "days_past_due_missing"
	CodeDaysPastDueFromStatus    = "days_past_due_from_status"
	CodeInstalmentNotMonthly     = "instalment_not_monthly"
	CodeInstalmentRhythmUnknown  = "instalment_rhythm_unknown"
	CodeInstalmentConverted      = "instalment_converted"
	CodeCardInstalmentNotCounted = "card_instalment_not_counted"
	CodeEnquiryUndated           = "enquiry_undated"
	CodeEnquiryRepeated          = "enquiry_repeated"
)

// Warnings about figures that a bureau report leaves out, or that contradict an account's status.
const (
	CodeAccountTypeMissing    = "account_type_missing"
	CodeOpenDateMissing       = "open_date_missing"
	CodePaymentHistoryMissing = "payment_history_missing"
	CodeBalanceMissing        = "balance_missing"
	CodeOverdueMissing        = "overdue_missing"
	CodeInstalmentMissing     = "instalment_missing"
	CodeCardLimitMissing      = "card_limit_missing"
	CodeClosedButOwed         = "closed_but_owed"
	CodeEnquiryProductMissing = "enquiry_product_missing"
)

// Warnings about a bank statement.
const (
	CodeLaterEvent   = "later_event"
	CodeNoDirection  = "no_direction"
	CodeUnknownMode  = "unknown_mode"
	CodeAmountAsText = "amount_as_text"
	CodeNoTimeZone   = "no_time_zone"
)

// Warnings about a loan in arrears.
const (
	CodeRounded              = "rounded"
	CodeUnknownLanguage      = "unknown_language"
	CodeUnknownStatus        = "unknown_status"
	CodeUnknownDisposition   = "unknown_disposition"
	CodeUnknownProduct       = "unknown_product"
	CodeReadAsMicrofinance   = "read_as_microfinance"
	CodeLaterThanAsOf        = "later_than_as_of"
	CodeUnitDoubtful         = "unit_doubtful"
	CodeDPDMismatch          = "dpd_mismatch"
	CodeNothingOverdue       = "nothing_overdue"
	CodePromiseAssumedBroken = "promise_assumed_broken"
)

// Warnings about the file of a backtest or of a scorecard to fit.
const (
	CodeFeaturesAbsent       = "features_absent"
	CodeFOIRLooksLikePercent = "foir_looks_like_percent"
	CodeUnreadableColumn     = "unreadable_column"
	CodeUnreadableText       = "unreadable_text"
	CodeEncoding             = "encoding"
	CodeNumberFormat         = "number_format"
	CodeReadAsMissing        = "read_as_missing"
	CodeLookedUpNow          = "looked_up_now"
	CodeNotLookedUp          = "not_looked_up"
	CodeOwnFactsUnknown      = "own_facts_unknown"
)

// Warnings about parts of the member "explore" that had no effect in an underwriting run.
const (
	CodeExploreTenureNotAvailable = "explore_tenure_not_available"
	CodeExploreAmountNotUsed      = "explore_amount_not_used"
	CodeExploreStepsExhausted     = "explore_steps_exhausted"
)
