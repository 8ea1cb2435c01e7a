package recovery

import (
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
)

// Case is one loan as a request tells of it. What was not sent is marked as
// such and never taken for a zero.
type Case struct {
	Loan     Loan
	Borrower Borrower
	History  []Contact // by time
	AsOf     time.Time
	Warnings []fault.Item
}

// Loan is the loan and its arrears.
type Loan struct {
	ID             string
	Product        string
	Microfinance   bool
	PrincipalPaise int64
	OverduePaise   int64
	EMIPaise       int64 // 0 when not sent
	RateBP         int64
	HasRate        bool
	RateDoubtful   bool // looks like a ratio
	DPD            int
	HasDPD         bool
	MissedEMIs     int
	HasMissed      bool
	Due            civil.Day
	HasDue         bool
	Mandate        string // "" when not sent
	WasNPA         bool   // the lender has it as an NPA
	Payment        Payment
}

// Payment is the last payment that came in; At is zero when none was told of.
type Payment struct {
	At          time.Time
	AmountPaise int64
}

// mandateActive is the one status in which a mandate can be presented.
const mandateActive = "active"

// Borrower is who may be contacted, and when.
type Borrower struct {
	Ref       string
	Name      string
	Language  Language
	Preferred Channel
	Hours     Window
	HasHours  bool
	Zone      *time.Location
	// SilentUntil is the first moment of contact; zero when nothing was asked.
	SilentUntil time.Time
	Flags       []Flag // by gravity
}

// Contact is one attempt to reach the borrower.
type Contact struct {
	At      time.Time
	Channel Channel
	End     Disposition
	Promise Promise
	index   int // in the request
}

// Promise is what the borrower promised at a contact that ended as a promise
// to pay.
type Promise struct {
	AmountPaise int64 // 0 when not told
	Date        civil.Day
	Kept        bool
	Told        bool // whether Kept was told
}
