package report

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The names that the members of an entry have in the common shape, for whoever
// wants to tell which one was meant.
var (
	AccountNames = []string{
		"accountType", "openDate", "closedDate", "dateReported", "status", "sanctionedAmount", "creditLimit", "currentBalance",
		"amountOverdue", "emi", "emiFrequency", "suitFiled", "wilfulDefault", "writtenOffAmount", "writtenOffDate", "settlementAmount", "settledDate",
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
	name    string
	nearest string // the known name, spelt otherwise, "" when it is none
	first   wire.Value
	count   int
}

// add notes a member that nobody reads, with the known name that it only spells
// otherwise. A null says nothing.
func (s *strangers) add(name string, v wire.Value, nearest string) {
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
		*s = append(*s, stranger{name, nearest, v, 1})
	}
}

// tell writes a warning for each name, except those that are known to be left
// alone.
func (s strangers) tell(warnings *fault.List, known ...string) {
	for i := range s {
		of := &s[i]
		if slices.Contains(known, of.name) {
			continue
		}
		text := "is not a known member of an entry and was not read"
		if of.count > 1 {
			text += fmt.Sprintf(", in %d entries", of.count)
		}
		caseOnly := strings.EqualFold(of.name, of.nearest)
		warnings.AddItem(fault.Unknown(of.first.Pointer(), text, of.nearest, caseOnly))
	}
}
