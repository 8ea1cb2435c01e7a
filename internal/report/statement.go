package report

import "verdict/internal/civil"

// Statement is a bank account's transactions, each with what it was found to
// be. It is made of bank_summary.transactions.
type Statement struct {
	// Transactions are in the order they happened: by day; within a day by
	// time when each of them has one, else as they were sent, a list that was
	// sent newest first being turned round.
	Transactions []Transaction
	// DeclaredIncomePaise and DeclaredInstalmentPaise are what the applicant
	// says, a month; NoAmount when they were not sent.
	DeclaredIncomePaise     int64
	DeclaredInstalmentPaise int64
	// DueInstalmentPaise is what is due every month at the end of the statement;
	// NoAmount without a whole month. An archive leaves it out, because no
	// feature needs it.
	DueInstalmentPaise int64
	// Breaks is how many balances do not follow from the one before.
	Breaks int
}

// First and Last are the days the statement covers, NoDay of an empty one.
func (s *Statement) First() civil.Day {
	if len(s.Transactions) == 0 {
		return civil.NoDay
	}
	return s.Transactions[0].Day
}

// Last is the day of the last transaction.
func (s *Statement) Last() civil.Day {
	if len(s.Transactions) == 0 {
		return civil.NoDay
	}
	return s.Transactions[len(s.Transactions)-1].Day
}

// Channel is the way money came or went.
type Channel uint8

// The channels of the feature catalogue.
const (
	OtherChannel Channel = iota
	UPI
	Transfer
	Cash // cash and ATM
)

// Found is what a transaction was found to be; it may be several things.
type Found uint32

// What can be found.
const (
	Income          Found = 1 << iota // a credit that is no loan, own transfer, refund, reversal, return or redemption
	Salary                            // a credit
	LoanInstalment                    // a debit
	CardBill                          // a debit
	BillPayment                       // a debit
	Investment                        // a debit
	Charge                            // a debit: the bank's own or penal
	LoanCredit                        // a credit: a disbursal
	SelfTransfer                      // to or from the holder's own account
	Mandate                           // by NACH, ECS or standing instruction: a debit that was honoured, or what bounced
	Cheque                            // by cheque: a debit that was honoured, a deposit that stayed, or what bounced
	IssuedBounce                      // the holder's own mandate or cheque came back unpaid: the entry that says so
	DepositedReturn                   // somebody else's cheque came back unpaid
	Refund                            // a refund, reversal or redemption
)

// Transaction is one line of a statement.
type Transaction struct {
	Day          civil.Day
	Credit       bool
	Channel      Channel
	Found        Found
	AmountPaise  int64 // never negative
	BalancePaise int64 // after it, NoAmount when not given
	At           int32 // position in the list as it was sent
}

// Is reports whether it was found to be all of these.
func (t *Transaction) Is(f Found) bool { return t.Found&f == f }
