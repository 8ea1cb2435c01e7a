package report

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The names that the members of an entry have in the common shape, for whoever
// wants to tell which one was meant.
var (
	AccountNames = []string{
		"accountType", "openDate", "closedDate", "dateReported", "status", "sanctionedAmount", "creditLimit", "currentBalance",
		"amountOverdue", "emi", "suitFiled", "wilfulDefault", "writtenOffAmount", "writtenOffDate", "settlementAmount", "settledDate",
		"ownership", "paymentHistory",
	}
	MonthNames       = []string{"month", "dpd"}
	EnquiryNames     = []string{"date", "product", "amount", "lender"}
	TransactionNames = []string{
		"txn_id", "date", "transactionTimestamp", "valueDate", "type", "mode", "amount", "balance", "currentBalance", "narration", "reference",
	}
)

// unread are the members of a transaction that are known and not looked at.
var unread = []string{"txn_id", "txnId", "reference"}

// maxStrangers is how many different names are told.
const maxStrangers = 20

// strangers are the members of a list's entries that nobody reads: each name
// once, with its first place and how many entries have it.
type strangers []stranger

type stranger struct {
	name  string
	first wire.Value
	count int
}

// add notes a member that nobody reads. A null says nothing.
func (s *strangers) add(name string, v wire.Value) {
	if !v.Given() {
		return
	}
	for i := range *s {
		if (*s)[i].name == name {
			(*s)[i].count++
			return
		}
	}
	if len(*s) < maxStrangers {
		*s = append(*s, stranger{name, v, 1})
	}
}

// tell writes a warning for each name, except those that are known to be left
// alone.
func (s strangers) tell(warnings *fault.List, known ...string) {
	for i := range s {
		switch of := &s[i]; {
		case slices.Contains(known, of.name):
		case of.count == 1:
			warnings.Add(of.first.Pointer(), fault.CodeUnknownField, "is not a known member of an entry and was not read")
		default:
			warnings.Add(of.first.Pointer(), fault.CodeUnknownField, "is not a known member of an entry and was not read, in %d entries", of.count)
		}
	}
}
