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
	textAmount:  {fault.CodeReadAsNumber, "is a text and was read as the number it spells"},
	looseDate:   {fault.CodeReadAsDate, "is not written as 2026-11-15 and was read as the date it spells"},
	unknownType: {fault.CodeUnknownAccountType, "is not a known type and counts as other unsecured credit"},
	unknownStatus: {fault.CodeUnknownAccountStatus,
		"is not a known status; the other members say how the account stands"},
	unknownPayment: {fault.CodeUnknownPaymentCode,
		"has a payment code that is not known; the month counts as not reported"},
	wrongLength: {fault.CodePaymentHistoryLength,
		"does not have the length its layout gives it; what is there was read"},
	undatedHistory: {fault.CodePaymentHistoryUndated,
		"has no date to count months from; the date of the report was taken"},
	undatedMonth: {fault.CodePaymentMonthUnknown,
		"has a month of the payment history that cannot be read; it was left out"},
	laterIgnored: {fault.CodeLaterEventIgnored, "lies after the day of the request and was left out"},
	sentTwice:    {fault.CodeSentTwice, "says again, and differently, what another member says that was read"},
	contradiction: {fault.CodeStatusContradicted,
		"says that the account runs, but it has been closed; it counts as closed"},
	notMonthly: {fault.CodeInstalmentNotMonthly, "is not paid every month; bureau_own_emi has it by the month, " +
		"bureau_total_emi leaves it out"},
	undatedEnquiry: {fault.CodeEnquiryUndated, "has no date and was left out"},
	repeatedEnquiry: {fault.CodeEnquiryRepeated,
		"is of the same lender, day and product as another one and was left out"},
	unknownOwner: {fault.CodeUnknownOwnership, "is not a known ownership; the account counts as the applicant's own"},
	unreadDate: {fault.CodeAdverseDateUnknown,
		"is no date that can be read; the account's own dates say when it was"},
	noDays: {fault.CodeDaysPastDueMissing, "states no days past due, and the month counts as not reported; " +
		"send dpd, 0 for a month that was paid in time"},
	unknownSuit: {fault.CodeUnknownSuitStatus, "does not say in known words whether a suit was filed or a wilful " +
		"default reported, and counts as if one was; send true or false, Y or N, a code from 0 to 9, " +
		"NS, SF, WDF, SFR, SFWD, SFWO, WDWO or SWDW"},
	statedOverdue: {fault.CodeDaysPastDueFromStatus,
		"states days past due that the payment history lacks; they count in the account's newest month, " +
			"as the smallest number of days that the status can mean"},
	cardPayment: {fault.CodeCardInstalmentNotCounted,
		"is more than 5 percent of the card's balance, which is what counts " +
			"as the instalment of a card; a loan on a card is an account of its own, of the type loan_on_credit_card"},
	unreadList: {fault.CodeNotRead,
		"is a list of accounts or enquiries beside the one that was read: only the first report of " +
			"several is; send one report with all of them"},
	holderDeceased: {fault.CodeHolderDeceased,
		"says that the holder of the account has died; it counts as the applicant's own. " +
			"Make sure that the report is the applicant's"},
	laterThanReport: {fault.CodeLaterThanReport,
		"is later than the date of the report, so one of the two dates is wrong; it was read. " +
			"Check that reportDate is the date of this report"},
	convertedRhythm: {fault.CodeInstalmentConverted,
		"says that the instalment is not due every month; it counts by the month"},
	unknownRhythm: {fault.CodeInstalmentRhythmUnknown,
		"does not say in known words how often an instalment is due: its amount " +
			"counts as monthly, and is left out if it is no number; send daily, weekly, fortnightly, monthly, " +
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

// tell adds one warning for each kind of notice that occurred.
func (n *noted) tell(warnings *fault.List) {
	for kind := range n {
		of := &n[kind]
		switch text := noticeTexts[kind]; {
		case of.count == 1:
			warnings.Add(of.first.Pointer(), text.code, "%s", text.text)
		case of.count > 1:
			warnings.Add(of.first.Pointer(), text.code, "%s; this applies to %d places in all", text.text, of.count)
		}
	}
}
