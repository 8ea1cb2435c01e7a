// Package report reads bureau reports and bank statements, each vendor's layout
// into one canonical form: History and Statement.
//
// What a report does not say stays unknown; nothing is guessed. Dates are days
// in India, amounts are paise. What facts or features follow from a history is
// not here.
package report

import "verdict/internal/civil"

// History is what a bureau has on file about a person.
type History struct {
	Reported    civil.Day // date of the report, NoDay when it does not say
	HasAccounts bool
	Accounts    []Account // in the order of the report
	// Microfinance are the accounts of a list of their own, which Equifax keeps
	// beside its list of accounts. They are not in Accounts: the facts and the
	// feature catalogue that are older than this list leave them out.
	Microfinance []Account
	HasEnquiries bool
	Enquiries    []Enquiry // in the order of the report
	// Summaries are enquiries that a bureau only counts: in the last so many
	// days, NoCount when it does not say. They stand in for a list.
	Last7, Last30, Last90, Last180 int32
}

// NoCount is a count that was not given.
const NoCount int32 = -1

// Product is the kind of an account or of what an enquiry was made for.
type Product uint8

// The products. Those of the feature catalogue have a name of their own; the
// others count in all and in their security class alone.
const (
	OtherUnsecured Product = iota
	OtherSecured
	PersonalLoan
	CreditCard
	ConsumerLoan
	VehicleLoan
	HomeLoan // with loans against property
	GoldLoan
	BusinessLoan
	BusinessLoanSecured
)

// Secured reports whether something stands behind the loan.
func (p Product) Secured() bool {
	switch p {
	case OtherSecured, VehicleLoan, HomeLoan, GoldLoan, BusinessLoanSecured:
		return true
	default:
		return false
	}
}

// Adverse is what a lender has noted against an account.
type Adverse uint8

// The notes.
const (
	WrittenOff Adverse = 1 << iota
	Settled
	SuitFiled
	Wilful
)

// Account is one loan or card. An amount is NoAmount when it was not given.
type Account struct {
	Product         Product
	Owner           Owner
	Microfinance    bool // by its type, or by the list it stands in
	Live            bool // still an obligation: delinquent and restructured ones too
	Adverse         Adverse
	Opened          civil.Day
	Closed          civil.Day
	Reported        civil.Day // when the lender last said something
	SanctionedPaise int64
	BalancePaise    int64
	OverduePaise    int64
	InstalmentPaise int64
	ConvertedPaise  int64     // a month, of an instalment of another rhythm; InstalmentPaise is NoAmount then
	AdversePaise    int64     // what was written off or settled
	WrittenOffPaise int64     // of an account that was written off
	SettledPaise    int64     // of an account that was settled
	WrittenOffDay   civil.Day // NoDay when the report does not say
	SettledDay      civil.Day // NoDay when the report does not say
	History         []Payment // newest first, a month at most once
	At              int32     // position in the report's own list, to point at it
}

// NoAmount is an amount that was not given.
const NoAmount int64 = -1 << 63

// Payment is how late an account was in one month.
type Payment struct {
	Month       civil.Month
	DaysPastDue int16
}

// Enquiry is a lender's hard pull.
type Enquiry struct {
	Made        civil.Day
	Product     Product
	AmountPaise int64 // NoAmount when not given
	At          int32
}
