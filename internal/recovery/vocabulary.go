package recovery

import "slices"

// Action is a step that a lender can take on a loan.
type Action uint8

// The actions, from the mildest to the most serious. If several actions are
// planned for one day, the most serious is the next best action.
const (
	None Action = iota
	RemindSMS
	RemindWhatsApp
	SendPaymentLink
	RepresentNACH
	Call
	FieldVisit
	OfferRestructure
	OfferSettlement
	LegalNotice
	Hold
)

var actionNames = []string{
	None: "NONE", RemindSMS: "REMIND_SMS", RemindWhatsApp: "REMIND_WHATSAPP", SendPaymentLink: "SEND_PAYMENT_LINK",
	RepresentNACH: "REPRESENT_NACH", Call: "CALL", FieldVisit: "FIELD_VISIT", OfferRestructure: "OFFER_RESTRUCTURE",
	OfferSettlement: "OFFER_SETTLEMENT", LegalNotice: "LEGAL_NOTICE", Hold: "HOLD",
}

// String returns the action's name in documents.
func (a Action) String() string { return actionNames[a] }

// minDPD returns the number of days past due below which an action is never
// advised, even if a strategy contains it.
func (a Action) minDPD() int {
	switch a {
	case OfferRestructure:
		return reshapeFromDPD
	case FieldVisit:
		return visitFromDPD
	case OfferSettlement:
		return settleFromDPD
	case LegalNotice:
		return noticeFromDPD
	default:
		return 0
	}
}

// requires returns who must approve the action, or "" if no approval is needed.
func (a Action) requires(s *Strategy) string {
	switch a {
	case FieldVisit:
		return "supervisor"
	case OfferRestructure:
		return s.Restructure.Requires
	case OfferSettlement:
		return approvalAbove
	case LegalNotice:
		return "legal"
	default:
		return ""
	}
}

// reaches reports whether the action contacts the borrower. Presenting a mandate
// again does not contact the borrower, so it does not count as an attempt.
func (a Action) reaches() bool { return a != None && a != RepresentNACH && a != Hold }

// The days past due from which an action may be advised, the bounds of a
// settlement and of the hold after a payment, and who approves a settlement.
const (
	reshapeFromDPD     = 1
	visitFromDPD       = 31
	settleFromDPD      = 90
	noticeFromDPD      = 91
	maxSettleMonths    = 3 // a settlement that takes longer is a restructuring
	minCoolingMonths   = 12
	minPaymentHoldDays = 3
	approvalAbove      = "one level above sanction"
)

// Channel is a means of contacting a borrower.
type Channel uint8

// The channels.
const (
	NoChannel Channel = iota
	ByCall
	BySMS
	ByWhatsApp
	ByEmail
	ByVisit
	ByLetter
	ByNACH // the bank presents the mandate; the borrower is not contacted
)

var channelNames = []string{
	NoChannel: "none", ByCall: "call", BySMS: "sms", ByWhatsApp: "whatsapp", ByEmail: "email", ByVisit: "visit",
	ByLetter: "letter", ByNACH: "nach",
}

// contactChannels lists the channels that a history or a preference can name.
var contactChannels = channelNames[ByCall:ByNACH]

// String returns the channel's name in documents.
func (c Channel) String() string { return channelNames[c] }

// phone reports whether the channel needs the borrower's phone number.
func (c Channel) phone() bool { return c == ByCall || c == BySMS || c == ByWhatsApp }

// Flag is a circumstance that stops every action until a person reviews the case.
type Flag uint8

// The flags, beginning with the most serious. The first flag of a borrower is the
// reason for the hold.
const (
	Deceased Flag = iota
	Insolvency
	Dispute
	NoConsent
	Hardship
	Vulnerable
)

var flagNames = []string{
	Deceased: "DECEASED", Insolvency: "INSOLVENCY", Dispute: "DISPUTE", NoConsent: "NO_CONSENT",
	Hardship: "HARDSHIP", Vulnerable: "VULNERABLE",
}

// String returns the flag's name in documents.
func (f Flag) String() string { return flagNames[f] }

// closesOffers reports whether the flag rules out a settlement or a restructuring
// until the flag is cleared. Hardship does not rule them out, because a person
// may want to offer one to the borrower.
func (f Flag) closesOffers() bool { return f <= Dispute }

// Disposition is the way in which an attempt at contact ended.
type Disposition uint8

// The dispositions. OtherEnd, Busy and Delivered only count as attempts; the others also influence the advice.
const (
	OtherEnd Disposition = iota
	PromiseToPay
	NoResponse
	Busy
	Refused
	WrongNumber
	CallBack
	Delivered
	Paid
)

var dispositionNames = []string{
	PromiseToPay: "PTP", NoResponse: "RNR", Busy: "BUSY", Refused: "REFUSED", WrongNumber: "WRONG_NUMBER",
	CallBack: "CALL_BACK", Delivered: "DELIVERED", Paid: "PAID", OtherEnd: "OTHER",
}

// spoken reports whether the attempt reached the borrower.
func (d Disposition) spoken() bool {
	return slices.Contains([]Disposition{PromiseToPay, Refused, CallBack, Paid}, d)
}

// Bucket is a range of days past due.
type Bucket uint8

// The buckets.
const (
	Current Bucket = iota
	To30
	To60
	To90
	Over90
	buckets = 5
)

var bucketNames = []string{Current: "0", To30: "1-30", To60: "31-60", To90: "61-90", Over90: "90+"}

// String returns the bucket's name in documents.
func (b Bucket) String() string { return bucketNames[b] }

// BucketOf returns the bucket of a number of days past due.
func BucketOf(daysPastDue int) Bucket {
	switch {
	case daysPastDue <= 0:
		return Current
	case daysPastDue <= 30:
		return To30
	case daysPastDue <= 60:
		return To60
	case daysPastDue <= 90:
		return To90
	default:
		return Over90
	}
}
