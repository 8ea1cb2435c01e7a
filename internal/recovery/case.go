package recovery

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
)

// Case is one loan as a request describes it. If a missing value and zero have different meanings, a member such as
// HasRate says whether the value was sent.
type Case struct {
	Loan     Loan
	Borrower Borrower
	History  []Contact // sorted by time
	AsOf     time.Time
	Warnings []fault.Item
}

// Loan describes the loan and its arrears.
type Loan struct {
	ID             string
	Product        string
	Microfinance   bool
	PrincipalPaise int64
	OverduePaise   int64
	EMIPaise       int64 // 0 if not sent
	RateBP         int64
	HasRate        bool
	RateDoubtful   bool // the rate looks like a ratio instead of a percentage
	DPD            int
	HasDPD         bool
	MissedEMIs     int
	HasMissed      bool
	Due            civil.Day
	HasDue         bool
	Mandate        string // "" if not sent
	WasNPA         bool   // the lender classifies the loan as an NPA
	Payment        Payment
}

// Payment is the last payment that was received. At is zero if the request
// contains none.
type Payment struct {
	At          time.Time
	AmountPaise int64
}

// mandateActive is the only status in which a mandate can be presented.
const mandateActive = "active"

// Borrower describes the borrower and their contact preferences.
type Borrower struct {
	Ref       string
	Name      string
	Language  Language
	Preferred Channel
	Hours     Window
	HasHours  bool
	Zone      *time.Location
	// SilentUntil is the end of the period in which the borrower does not want to be
	// contacted. It is zero if the borrower stated no such period.
	SilentUntil time.Time
	Flags       []Flag // the most serious first
}

// Contact is one attempt to reach the borrower.
type Contact struct {
	At      time.Time
	Channel Channel
	End     Disposition
	Promise Promise
	index   int // index in the request
}

// Promise is a promise to pay that the borrower made at a contact.
type Promise struct {
	AmountPaise int64 // 0 if not sent
	Date        civil.Day
	Kept        bool
	Told        bool // whether the request states Kept
}
