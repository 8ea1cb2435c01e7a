package report

import (
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// notice is a kind of irregular but clear input.
type notice uint8

const (
	textAmount notice = iota
	looseDate
	unknownType
	unknownStatus
	unknownPayment
	wrongLength
	undatedHistory
	undatedMonth
	laterIgnored
	sentTwice
	contradiction
	notMonthly
	undatedEnquiry
	repeatedEnquiry
	unknownOwner
	unreadDate
	unknownRhythm
	noDays
	unknownSuit
	statedOverdue
	convertedRhythm
	cardPayment
	unreadList
	holderDeceased
	laterThanReport
	notices
)

// noticeTexts holds the code and the text of each warning.
var noticeTexts = [notices]struct{ code, text string }{
	textAmount:  {fault.CodeReadAsNumber, "is a text and was read as a number"},
	looseDate:   {fault.CodeReadAsDate, "is not written as 2026-11-15, but was read as a date"},
	unknownType: {fault.CodeUnknownAccountType, "is not a known type and counts as other unsecured credit"},
	unknownStatus: {fault.CodeUnknownAccountStatus,
		"is not a known status; the state of the account was taken from its other members"},
	unknownPayment: {fault.CodeUnknownPaymentCode,
		"has an unknown payment code; the month counts as not reported"},
	wrongLength: {fault.CodePaymentHistoryLength,
		"does not have the length that its layout requires; the months that are present were read"},
	undatedHistory: {fault.CodePaymentHistoryUndated,
		"has no date to count months from; the date of the report was used"},
	undatedMonth: {fault.CodePaymentMonthUnknown,
		"has a month of the payment history that cannot be read; it was left out"},
	laterIgnored: {fault.CodeLaterEventIgnored, "is after the day of the request and was left out"},
	sentTwice: {fault.CodeSentTwice,
		"differs from another member with the same meaning; the other member was read"},
	contradiction: {fault.CodeStatusContradicted,
		"says that the account is open, but it has been closed; it counts as closed"},
	notMonthly: {fault.CodeInstalmentNotMonthly,
		"is not due every month; bureau_own_emi counts it as a monthly amount, bureau_total_emi does not count it"},
	undatedEnquiry: {fault.CodeEnquiryUndated, "has no date and was left out"},
	repeatedEnquiry: {fault.CodeEnquiryRepeated,
		"has the same lender, day and product as another enquiry and was left out"},
	unknownOwner: {fault.CodeUnknownOwnership, "is not a known ownership; the account counts as the applicant's own"},
	unreadDate: {fault.CodeAdverseDateUnknown,
		"is not a readable date; the account's other dates were used"},
	noDays: {fault.CodeDaysPastDueMissing, "states no days past due, and the month counts as not reported; " +
		"send dpd, 0 for a month that was paid in time"},
	unknownSuit: {fault.CodeUnknownSuitStatus, "is not a known word or code for a suit or a wilful default, and " +
		"counts as one; send true or false, Y or N, a code from 0 to 9, " +
		"NS, SF, WDF, SFR, SFWD, SFWO, WDWO or SWDW"},
	statedOverdue: {fault.CodeDaysPastDueFromStatus,
		"implies days past due that the payment history does not show: they count for the newest month of the " +
			"account, with the fewest days that it can mean"},
	cardPayment: {fault.CodeCardInstalmentNotCounted,
		"is more than 5 percent of the card's balance; only 5 percent count as the instalment of a card. Send a " +
			"loan on a card as a separate account of the type loan_on_credit_card"},
	unreadList: {fault.CodeNotRead,
		"is a further list of accounts or enquiries and was not read: only the first of several reports is read; " +
			"send one report with all accounts and enquiries"},
	holderDeceased: {fault.CodeHolderDeceased,
		"says that the holder of the account has died; the account counts as the applicant's own. " +
			"Make sure that the report is the applicant's"},
	laterThanReport: {fault.CodeLaterThanReport,
		"is later than the date of the report that contains it; it was read anyway. " +
			"Send the right date of the report (reportDate)"},
	convertedRhythm: {fault.CodeInstalmentConverted,
		"says that the instalment is not due every month; it was converted to a monthly amount"},
	unknownRhythm: {fault.CodeInstalmentRhythmUnknown,
		"is not a known frequency of an instalment: the amount counts as monthly, and is left out if it is not a " +
			"number; send daily, weekly, fortnightly, monthly, " +
			"quarterly, " +
			"half-yearly or yearly"},
}

// noted holds, for each kind of notice, its first position and the number of
// positions, so that a report of a thousand accounts does not cause a thousand
// warnings.
type noted [notices]struct {
	first wire.Value
	count int
}

func (n *noted) add(kind notice, v wire.Value) {
	if n[kind].count == 0 {
		n[kind].first = v
	}
	n[kind].count++
}

// warn adds one warning for each kind of notice that occurred.
func (n *noted) warn(warnings *fault.List) {
	for kind := range n {
		of := &n[kind]
		switch text := noticeTexts[kind]; {
		case of.count == 1:
			warnings.Add(of.first.Pointer(), text.code, "%s", text.text)
		case of.count > 1:
			warnings.Add(of.first.Pointer(), text.code, "%s; this was found %d times", text.text, of.count)
		}
	}
}
