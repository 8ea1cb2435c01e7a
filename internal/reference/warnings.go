package reference

import "verdict/internal/fault"

// warningNotes explains the codes of warnings. A request with warnings is not refused.
var warningNotes = []struct{ Code, Meaning string }{
	{fault.CodeUnknownField,
		"This member is unknown and was ignored; `nearest` is the closest known name. A policy can read it if it " +
			"declares the path in `inputs`."},
	{fault.CodeInputsAbsent,
		"`fields` are inputs of the applicant or the report that the policy names and the request does " +
			"not have. A rule that needs them followed its `on_absent`, or did nothing if it has none. A factor " +
			"gave its `missing_points`, or 0 points if it has none."},
	{fault.CodeFiguresNotCounted,
		"An income or FOIR was declared, but the policy's `affordability` uses other sources, which `fields` lists. " +
			"None of them is given, so the limit is the band's `default_limit`."},
	{fault.CodeScorecardInputsAbsent,
		"All inputs of the applicant and the report that the scorecard reads are absent, so the score says nothing " +
			"about this applicant."},
	{fault.CodeNotDerived, "The member was read, but no fact could be derived from it; `detail` says why."},
	{fault.CodeNotRead, "The member is known, but was not used; `detail` says why."},
	{fault.CodeUnknownBureau, "The bureau's own layout is unknown; the report was read in the common shape."},
	{fault.CodeUnknownEmploymentType,
		"The employment type is unknown and was read as `OTHER`; `detail` lists the known types."},
	{fault.CodeApplicantRefMissing,
		"The `fraud` block names no person, so nobody was counted: the fraud score is not complete, and of the fraud " +
			"fields only `fraud_blocklisted` is known."},
	{fault.CodeIdentifierNotCounted,
		"An identifier, such as a device id or a mobile number, is a placeholder, masked or malformed, so it was " +
			"neither counted nor looked up on the block list: different applicants would share it. `detail` says " +
			"what to send."},
	{fault.CodeFOIRLooksLikeRatio,
		"A percentage of at most 1 was sent where a ratio was probably meant; it was read as a percentage " +
			"nevertheless."},
	{fault.CodeFOIRLooksLikePercent,
		"Rows of a backtest failed, or a column was left out of a fitted scorecard, because values of `foir` " +
			"are not ratios of at most 5; send `foir_unit: percent` if the column contains percentages."},
	{fault.CodeUnreadableColumn,
		"A column was left out of a fitted scorecard because fewer than a tenth of its values are valid for its " +
			"field."},
	{fault.CodeNumberFormat,
		"Cells of a backtest with thousands separators, a currency or a percent sign were read as plain numbers; " +
			"`fields` are their columns."},
	{fault.CodeReadAsMissing,
		"Cells such as `NA`, `null` or `-` in a backtest's columns of numbers were read as missing; `fields` are " +
			"their columns."},
	{fault.CodeLookedUpNow,
		"Rows of a backtest were looked up in the list or table of `fields` as it is now, because they have no " +
			"answer from the time of their decision. `detail` says how many rows."},
	{fault.CodeNotLookedUp,
		"Rows of a backtest were not looked up in the list or table of `fields`, because a field is not known: the " +
			"stored decisions do not have it, or the lists and tables are not available. `detail` says how many rows."},
	{fault.CodeOwnFactsUnknown,
		"Rows of a backtest do not say what was decided for the applicant before, although the policy reads it: " +
			"their `own_` fields are absent, and their exposure is not limited. `detail` says how many rows."},
	{fault.CodeFeaturesAbsent,
		"The policy of a backtest names the features in `fields`, but no column has them, so they are absent in " +
			"every row."},
	{fault.CodeEncoding, "The file of a backtest is not UTF-8 and was read as Windows-1252."},
	{fault.CodeUnreadableText,
		"Rows of a backtest contain bytes that are not UTF-8 and were not evaluated; save the file as CSV in UTF-8."},
	{fault.CodeReplacedOffer,
		"A loan was reported on an offer that a newer offer under the same `policy_key` had replaced. " +
			"The loan is stored. Decline the newer offer with a review unless both should stand: together they may " +
			"exceed `exposure.max_total`."},
	{fault.CodeNotApproved,
		"A loan was reported on a decision that is no approval: it is DECLINED or REFERRED and no review has " +
			"approved it, or it is APPROVED and a review has overturned it. The loan is stored. Check `decision_id`."},
	{fault.CodeTenureNotAvailable,
		"The band does not allow the requested tenure; its usual tenure applies. `detail` lists the tenures that the " +
			"band allows."},
	{fault.CodeExploreTenureNotAvailable,
		"The applicant's pricing band (or every band, if none matched) does not allow these tenures of `explore`, so " +
			"they were not tried."},
	{fault.CodeExploreAmountNotUsed,
		"No smaller amount was tried, because no amount was requested, or because `explore.min_amount` exceeds the " +
			"requested amount, the offered amount or the largest loan of any band."},
	{fault.CodeExploreStepsExhausted,
		"The underwriting agent had too few steps to try all variants of `explore`; raise `max_steps`."},
	{fault.CodeReadAsNumber, "A number in a report was sent as text; it was read as a number."},
	{fault.CodeReadAsDate, "A date in a report is not written as `2026-11-15`, but was read."},
	{fault.CodeUnknownAccountType, "The type of an account is unknown; the account counts as other unsecured credit."},
	{fault.CodeUnknownAccountStatus, "The account's status is unknown; its state was taken from its other members."},
	{fault.CodeUnknownSuitStatus,
		"The word or code for a suit or a wilful default is unknown; it counts as a suit, or as a wilful default."},
	{fault.CodeUnknownPaymentCode, "A payment code is unknown; its month counts as not reported."},
	{fault.CodePaymentHistoryLength,
		"A payment history has an unexpected length; the months that are present were read."},
	{fault.CodePaymentHistoryUndated,
		"A payment history has no date; its months were counted from the date of the report."},
	{fault.CodePaymentMonthUnknown, "A month of a payment history cannot be read and was left out."},
	{fault.CodeLaterEventIgnored, "Something in a report is dated after the request and was left out."},
	{fault.CodeSentTwice,
		"Two members contradict each other; the first was read. If both describe the same month, the worse was read."},
	{fault.CodeStatusContradicted, "A closed account has a live status; it counts as closed."},
	{fault.CodeInstalmentNotMonthly,
		"An instalment is not due every month: `bureau_own_emi` counts its monthly equivalent, and " +
			"`bureau_total_emi` leaves it out."},
	{fault.CodeInstalmentRhythmUnknown,
		"The frequency of an instalment is unknown; its amount counts as monthly, and is left out if it is not a " +
			"number."},
	{fault.CodeInstalmentConverted,
		"An instalment is due daily, weekly, quarterly and so on; it was converted to a monthly amount."},
	{fault.CodeUnknownOwnership,
		"The ownership of an account has an unknown value; the account counts as the applicant's own."},
	{fault.CodeHolderDeceased,
		"The ownership of an account says that its holder has died; the account counts as the applicant's own."},
	{fault.CodeLaterThanReport,
		"A payment month, an account or an enquiry is later than the date of its report; it was read anyway."},
	{fault.CodeAdverseDateUnknown,
		"The day of a write-off or settlement cannot be read; the account's other dates are used."},
	{fault.CodeDaysPastDueMissing, "A month of a payment history states no `dpd` and counts as not reported."},
	{fault.CodeDaysPastDueFromStatus,
		"An account's status or rating implies days past due that its payment history does not show; " +
			"they count for its newest month, with the fewest days that the status can mean."},
	{fault.CodeAccountTypeMissing, "An account does not state its type and counts as other unsecured credit."},
	{fault.CodeOpenDateMissing,
		"An account does not state when it was opened although others do; it does not count in features that " +
			"depend on the opening date, nor in the age of the oldest account."},
	{fault.CodePaymentHistoryMissing,
		"An account states no days past due although others do; it counts as never late."},
	{fault.CodeBalanceMissing,
		"A live account states no balance although others do; it adds 0 to what is outstanding, and a " +
			"card adds 0 to the instalments."},
	{fault.CodeOverdueMissing, "A live account states no overdue amount although others do; it adds 0."},
	{fault.CodeInstalmentMissing,
		"A live loan states no instalment although others do, or states an instalment of 0 and a balance; it adds 0 " +
			"to `bureau_own_emi` and `bureau_total_emi`."},
	{fault.CodeCardInstalmentNotCounted,
		"A card states an instalment of more than 5 percent of its balance; 5 percent of the balance is used."},
	{fault.CodeCardLimitMissing, "A live card with a balance states no limit; it is left out of the card utilisation."},
	{fault.CodeClosedButOwed,
		"An account is closed or sold and still states a balance, an overdue amount or an instalment; " +
			"balance and instalment count as 0, but the overdue amount counts."},
	{fault.CodeEnquiryProductMissing,
		"An enquiry states no product although others do; it counts as one for other unsecured credit."},
	{fault.CodeEnquiryUndated, "An enquiry without a date was left out."},
	{fault.CodeEnquiryRepeated, "One lender's enquiries on one day for one product count once."},
	{fault.CodeLaterEvent,
		"Transactions dated after the request were left out. Or accounts, enquiries or transactions are dated " +
			"after the day from which features are counted back, and no feature counts them. Or a person's `consent` " +
			"is dated after the day of the request."},
	{fault.CodeNoDirection, "Transactions without a direction were left out."},
	{fault.CodeUnknownMode, "An unknown mode was read as `OTHERS`."},
	{fault.CodeAmountAsText, "Amounts of transactions were sent as text; they were read as numbers."},
	{fault.CodeNoTimeZone, "Times without a time zone were read as Indian time."},
	{fault.CodeRounded,
		"An amount was finer than a paisa, or a rate finer than a hundredth of a percent, and was rounded."},
	{fault.CodeUnknownLanguage, "There are no templates in the borrower's language; messages are in English."},
	{fault.CodeUnknownStatus, "The status of a mandate is unknown, so the mandate is not presented."},
	{fault.CodeUnknownDisposition, "The result of an attempt is unknown; it counts as an attempt."},
	{fault.CodeConsentNotStated,
		"The request has the report of a co-applicant or guarantor without their `consent`."},
	{fault.CodePeopleNotCounted,
		"The policy reads what the lender decided before. The request names the co-applicant or the guarantor with " +
			"neither `applicant_ref` nor `id`, so earlier decisions are not counted for this person."},
	{fault.CodeFOIRUnderstated,
		"The declared FOIR is more than 0.05 below the FOIR that results from the instalments of the applicant's " +
			"own and joint accounts in the report. " +
			"A policy uses the higher one if its `affordability` says so, as the default policy does."},
	{fault.CodeBankFigureAbsent, "The policy's `affordability` uses the figure in `fields`, " +
		"and the `bank_summary` that was sent lacks it. `bank_due_emi` and `bank_detected_income` are computed " +
		"from `transactions`; the stated `emi` and `income` do not replace them."},
	{fault.CodeFeaturesNotRequested,
		"The policy names the features in `fields`, but they were not computed, so they are absent. Send an " +
			"evaluate request with `features: true`, or set `features: auto` in the policy."},
	{fault.CodeLaterThanAsOf, "Something is dated after `as_of` and was left out."},
	{fault.CodeUnitDoubtful,
		"A figure seems to be in another unit, such as a ratio instead of a percentage, or paise instead of rupees. " +
			"It was read as it is."},
	{fault.CodeDPDMismatch, "`dpd` and `due_date` differ by more than a day; `dpd` was used."},
	{fault.CodeNothingOverdue, "The loan is past due but nothing is overdue; a person must check it."},
	{fault.CodePromiseAssumedBroken, "The date of a promise has passed, and `kept` is missing; it counts as broken."},
	{fault.CodeUnknownProduct,
		"The product of a loan in arrears is unknown, so the general contact hours apply; microfinance has narrower " +
			"ones."},
	{fault.CodeReadAsMicrofinance, "A product was read as microfinance, which has stricter rules."},
	{fault.CodeMoreWarnings, "There were more warnings than are listed."},
}

// WarningCodes returns the codes of warnings that have an explanation.
func WarningCodes() []string {
	codes := make([]string, len(warningNotes))
	for i, note := range warningNotes {
		codes[i] = note.Code
	}
	return codes
}
