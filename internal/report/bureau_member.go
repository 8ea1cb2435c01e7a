package report

import (
	"strings"

	"verdict/internal/wire"
)

// slot is the meaning of a member of an account or an enquiry.
type slot uint8

const (
	slotType slot = iota
	slotOpened
	slotClosed
	slotReported
	slotStatus
	slotRating   // current payment rating
	slotDays     // current days past due
	slotMaxDays  // highest days past due
	slotOpen     // whether the account is open
	slotSecurity // whether the account is secured
	slotSanctioned
	slotHighCredit // used if no sanctioned amount is given
	slotLimit      // limit of a card
	slotBalance
	slotOverdue
	slotInstalment
	slotRhythm // how often an instalment is due
	slotTenure // the number of instalments, or their rhythm
	slotSuit
	slotSuit2 // Experian has two members for suits
	slotWilful
	slotOwner
	slotFacility // whether the account was written off or settled
	slotWrittenOff
	slotPrincipal // the principal that was written off
	slotSettlement
	slotWriteOffDay
	slotSettledDay
	slotHistory  // the common list, or CIBIL's cells
	slotHistory2 // CIBIL's further cells
	slotHistoryStart
	slotHistoryEnd
	slotProfile   // Experian's characters
	slotMonths    // Experian's months
	slotGrid      // Equifax's months
	slotCombined  // CRIF's months in one text
	slotHistories // CRIF's months as dates and values
	slotDate
	slotAmount
	slotLender
	slotCount
)

// slotted holds the members of one object by slot.
type slotted [slotCount]wire.Value

// memberNames maps the names of the members of one kind of object to slots.
type memberNames struct {
	exact    map[string]slot   // names as the common shape spells them
	squashed map[string]slot   // names as a bureau's own layout may spell them
	spelling map[string]string // spelling in the common shape, by squashed name
}

// accountMembers are the names of the members of an account in the common
// shape, the usual name first. The bureaus' own layouts use the same names in
// squashed form.
var accountMembers = names(map[slot]string{
	slotType:     "accountType acctType loanType",
	slotOpened:   "openDate dateOpened dateOpenedOrDisbursed openDisbursedDate disbursedDt disbursedDate",
	slotClosed:   "closedDate dateClosed closedDt closeDate",
	slotReported: "dateReported dateReportedAndCertified reportedDate reportedDt",
	slotStatus:   "status accountStatus acctStatus",
	slotOpen:     "open",
	slotSecurity: "securityStatus",
	slotSanctioned: "sanctionedAmount sanctionAmount sanctionAmt highestCreditOrOriginalLoanAmount " +
		"highCreditAmount highCreditSanctionedAmount highCreditOrSanctionedAmount",
	slotHighCredit: "highCredit disbursedAmt disbursedAmount",
	slotLimit:      "creditLimit creditLimitAmount creditLimitAmt",
	slotBalance:    "currentBalance balance currentBal",
	slotOverdue:    "amountOverdue amountPastDue pastDueAmount overdueAmt overdueAmount",
	slotInstalment: "emi emiAmount scheduledMonthlyPaymentAmount installmentAmount installmentAmt instalmentAmount",
	slotRhythm:     "emiFrequency",
	slotSuit:       "suitFiled suitFiledWillfulDefaultWrittenOffStatus suitFiledOrWilfulDefault suitFiledStatus",
	slotSuit2:      "suitFiledWilfulDefault suitFiledWillfulDefault",
	slotWilful:     "wilfulDefault",
	slotOwner:      "ownership ownershipType ownershipInd ownershipIndicator accountHolderType accountHolderTypeCode",
	slotFacility: "writtenOffSettledStatus writtenOffAndSettledStatus creditFacilityStatus wofSettledStatus " +
		"writtenOffStatus",
	slotWrittenOff: "writtenOffAmount writtenOffAmtTotal writtenOffAmountTotal woAmountTotal writeOffAmt " +
		"writeOffAmount",
	slotPrincipal:    "writtenOffAmtPrincipal writtenOffAmountPrincipal woAmountPrincipal principalWriteOffAmt",
	slotSettlement:   "settlementAmount settlementAmt",
	slotWriteOffDay:  "writtenOffDate writeOffDate writeOffStatusDate dateOfWriteOff",
	slotSettledDay:   "settledDate settlementDate",
	slotHistory:      "paymentHistory paymentHistory1",
	slotHistory2:     "paymentHistory2",
	slotHistoryStart: "paymentStartDate paymentHistoryStartDate",
	slotHistoryEnd:   "paymentEndDate paymentHistoryEndDate",
	slotProfile:      "paymentHistoryProfile",
	slotMonths:       "caisAccountHistory",
	slotGrid:         "history48Months history24Months",
	slotCombined:     "combinedPaymentHistory",
	slotHistories:    "history",
}).native(map[slot]string{
	slotRating: "paymentRating assetClassification assetClass",
	slotRhythm: "paymentFrequency termsFrequency termFrequency repaymentFrequency installmentFrequency " +
		"instalmentFrequency",
	slotTenure:  "repaymentTenure",
	slotDays:    "daysPastDue",
	slotMaxDays: "maxDaysPastDue",
})

var enquiryMembers = names(map[slot]string{
	slotDate:   "date dateOfRequest enquiryDate inquiryDate inquiryDt",
	slotType:   "product enquiryPurpose enquiryReason requestPurpose purpose",
	slotAmount: "amount amountFinanced enquiryAmount inquiryAmount",
	slotLender: "lender subscriberName memberShortName institution memberName",
})

func names(of map[slot]string) *memberNames {
	m := &memberNames{exact: map[string]slot{}, squashed: map[string]slot{}, spelling: map[string]string{}}
	for s, list := range of {
		for name := range strings.FieldsSeq(list) {
			m.add(name, s)
		}
	}
	return m
}

// native adds names that occur only in the bureaus' own layouts, and returns m.
func (m *memberNames) native(of map[slot]string) *memberNames {
	for s, list := range of {
		for name := range strings.FieldsSeq(list) {
			squashed := strings.ToLower(name)
			if _, twice := m.squashed[squashed]; twice {
				panic("report: two slots for " + name) // only a mistake in the tables of this file causes this
			}
			m.squashed[squashed] = s
		}
	}
	return m
}

func (m *memberNames) add(name string, s slot) {
	squashed := strings.ToLower(name)
	if _, twice := m.squashed[squashed]; twice {
		panic("report: two slots for " + name) // only a mistake in the tables of this file causes this
	}
	m.exact[name], m.squashed[squashed], m.spelling[squashed] = s, s, name
}

// collect assigns the members of an object to their slots. If two members have
// the same slot, the first counts. Names in the common shape must match exactly.
// In the bureaus' own layouts a name has many spellings, so squashed names are
// compared.
func (r *bureauReader) collect(v wire.Value, known *memberNames) {
	var buf [maxName]byte
	m := &r.slots
	*m = slotted{}
	for name, value := range v.Members() {
		var s slot
		var ok bool
		if r.scalar.native {
			s, ok = known.squashed[string(squash(buf[:0], name))]
		} else {
			s, ok = known.exact[name]
		}
		switch {
		case !ok:
			if !r.scalar.native { // a bureau's own layout has hundreds of members that are not read
				r.unknownMembers.add(name, value, known.spelling[string(squash(buf[:0], name))])
			}
		case r.scalar.saysNothing(value):
		case !m[s].Given():
			m[s] = value
		case m[s].Text() != value.Text():
			r.notes.add(sentTwice, value)
		}
	}
}
