// Package report reads bureau reports and bank statements from each vendor's layout into the canonical types History
// and Statement.
//
// An amount that a report does not state stays unknown. Dates are days in India, amounts are paise. Facts and features
// are derived in packages signal and feature.
package report

import "verdict/internal/civil"

// History is the content of a bureau report about a person.
type History struct {
	Reported    civil.Day // date of the report, NoDay when it has none
	HasAccounts bool
	Accounts    []Account // in the order of the report
	// Microfinance are the accounts of Equifax's separate list of microfinance.
	// They are not in Accounts, because facts and feature catalogues that are
	// older than this list leave them out.
	Microfinance []Account
	HasEnquiries bool
	Enquiries    []Enquiry // in the order of the report
	// Last7 to Last180 are the bureau's own counts of enquiries in the last 7, 30, 90
	// and 180 days. A count is NoCount if the bureau does not state it. The counts
	// replace a missing list of enquiries.
	Last7, Last30, Last90, Last180 int32
}

// NoCount marks a count that was not given.
const NoCount int32 = -1

// Product is the kind of credit of an account or an enquiry.
type Product uint8

// The products. The feature catalogue has features for each named product.
// OtherUnsecured and OtherSecured count only in the totals, and in the totals of
// unsecured or secured credit.
const (
	OtherUnsecured Product = iota
	OtherSecured
	PersonalLoan
	CreditCard
	ConsumerLoan
	VehicleLoan
	HomeLoan // includes loans against property
	GoldLoan
	BusinessLoan
	BusinessLoanSecured
)

// Secured reports whether the product is secured by collateral.
func (p Product) Secured() bool {
	switch p {
	case OtherSecured, VehicleLoan, HomeLoan, GoldLoan, BusinessLoanSecured:
		return true
	default:
		return false
	}
}

// Adverse is a set of adverse notes of a lender on an account.
type Adverse uint8

// The adverse notes.
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
	Microfinance    bool // by its type, or because it is in the separate list of microfinance
	Live            bool // still an obligation, even if delinquent or restructured
	Adverse         Adverse
	Opened          civil.Day
	Closed          civil.Day
	Reported        civil.Day // when the lender last reported
	SanctionedPaise int64
	BalancePaise    int64
	OverduePaise    int64
	InstalmentPaise int64
	// ConvertedPaise is set instead of InstalmentPaise if CRIF states an instalment with another frequency, such as
	// "900/Weekly": it is the monthly equivalent, or the stated amount if the frequency is unknown. At least one of
	// ConvertedPaise and InstalmentPaise is NoAmount.
	ConvertedPaise  int64
	AdversePaise    int64     // amount written off or settled
	WrittenOffPaise int64     // amount written off; NoAmount if the account was not written off
	SettledPaise    int64     // amount settled; NoAmount if the account was not settled
	WrittenOffDay   civil.Day // NoDay when the report does not say
	SettledDay      civil.Day // NoDay when the report does not say
	History         []Payment // newest first, a month at most once
	At              int32     // index in the report's own list
}

// NoAmount marks an amount that was not given.
const NoAmount int64 = -1 << 63

// Payment holds the days past due of an account in one month.
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
