package report

import "verdict/internal/civil"

// Statement holds the classified transactions of a bank account, read from
// bank_summary.transactions.
type Statement struct {
	// Transactions are sorted by day, and within a day by time if each has a time,
	// otherwise in the order they were sent. A list sent newest first is reversed.
	Transactions []Transaction
	// DeclaredIncomePaise and DeclaredInstalmentPaise are the monthly amounts
	// that the applicant declares; NoAmount when not sent.
	DeclaredIncomePaise     int64
	DeclaredInstalmentPaise int64
	// DueInstalmentPaise is the sum of monthly instalments due at the end of the
	// statement. It is NoAmount if the statement covers no whole month. Archives omit
	// it, because no feature needs it.
	DueInstalmentPaise int64
	// Breaks is the number of balances that do not follow from the balance before and
	// the amounts since.
	Breaks int
}

// First returns the day of the first transaction, or NoDay if there is none.
func (s *Statement) First() civil.Day {
	if len(s.Transactions) == 0 {
		return civil.NoDay
	}
	return s.Transactions[0].Day
}

// Last returns the day of the last transaction, or NoDay if there is none.
func (s *Statement) Last() civil.Day {
	if len(s.Transactions) == 0 {
		return civil.NoDay
	}
	return s.Transactions[len(s.Transactions)-1].Day
}

// Channel is the way in which money was transferred.
type Channel uint8

// The channels of the feature catalogue.
const (
	OtherChannel Channel = iota
	UPI
	Transfer
	Cash // cash and ATM
)

// Found is the set of kinds that a transaction was classified as.
type Found uint32

// The kinds of transactions.
const (
	Income         Found = 1 << iota // a credit that is no loan, own transfer, refund, reversal, return or redemption
	Salary                           // a credit
	LoanInstalment                   // a debit
	CardBill                         // a debit
	BillPayment                      // a debit
	Investment                       // a debit
	Charge                           // a debit: the bank's own charge or a penal charge
	LoanCredit                       // a credit: a disbursal
	SelfTransfer                     // to or from the holder's own account
	// A payment by NACH, ECS or standing instruction: a debit that was paid, or an entry that records a bounce.
	Mandate
	Cheque          // a cheque: a paid debit, a deposit that was not returned, or an entry that records a bounce
	IssuedBounce    // the entry of the holder's own mandate or cheque that was returned unpaid
	DepositedReturn // a deposited cheque was returned unpaid
	Refund          // a refund, reversal or redemption
)

// Transaction is one line of a statement.
type Transaction struct {
	Day          civil.Day
	Credit       bool
	Channel      Channel
	Found        Found
	AmountPaise  int64 // always positive
	BalancePaise int64 // after the transaction, NoAmount when not given
	At           int32 // position in the list as it was sent
}

// Is reports whether the transaction is of all kinds in f.
func (t *Transaction) Is(f Found) bool { return t.Found&f == f }
