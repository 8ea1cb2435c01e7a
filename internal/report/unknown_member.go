package report

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// AccountNames returns the names of the members of an account in the common
// shape. Callers use them to suggest corrections of misspelt names.
func AccountNames() []string {
	return []string{
		"accountType", "openDate", "closedDate", "dateReported", "status", "sanctionedAmount", "creditLimit",
		"currentBalance", "amountOverdue", "emi", "emiFrequency", "suitFiled", "wilfulDefault", "writtenOffAmount",
		"writtenOffDate", "settlementAmount", "settledDate",
		"ownership", "paymentHistory",
	}
}

// MonthNames returns the names for a month of the payment history.
func MonthNames() []string { return []string{"month", "dpd"} }

// EnquiryNames returns the names for an enquiry.
func EnquiryNames() []string { return []string{"date", "product", "amount", "lender"} }

// TransactionNames returns the names for a transaction of a bank statement.
func TransactionNames() []string {
	return []string{
		"txn_id", "date", "transactionTimestamp", "valueDate", "type", "mode", "amount", "balance", "currentBalance",
		"narration", "reference",
	}
}

// unread are members of a transaction that are known but not used.
var unread = []string{"txn_id", "txnId", "reference"}

// maxStrangers is the maximum number of different unknown names that are
// reported.
const maxStrangers = 20

// unknownMembers collects the unknown members of a list's entries: each name once,
// with the first member of that name and the number of entries that have it.
type unknownMembers []unknownMember

type unknownMember struct {
	name    string
	nearest string // the known name of which name is another spelling; "" if there is none
	first   wire.Value
	count   int
}

// add counts an unknown member. nearest is the known name if the member's name
// is another spelling of it, otherwise "". A null is skipped.
func (s *unknownMembers) add(name string, v wire.Value, nearest string) {
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
		*s = append(*s, unknownMember{name, nearest, v, 1})
	}
}

// warn adds a warning for each name that is not in known.
func (s unknownMembers) warn(warnings *fault.List, known ...string) {
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
