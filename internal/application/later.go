package application

import (
	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/report"
)

// warnLater warns about events after app.AsOf, the day from which features are
// counted back, because no feature includes these events.
func warnLater(app *Application, warnings *fault.List) {
	asOf := app.AsOf
	if asOf == 0 {
		return // without a day there are no features
	}
	var accounts, notes, enquiries, transactions int
	if h := app.History; h != nil {
		accounts, notes = laterAccounts(h.Accounts, asOf)
		a, n := laterAccounts(h.Microfinance, asOf)
		accounts, notes = accounts+a, notes+n
		for i := range h.Enquiries {
			if h.Enquiries[i].Made > asOf {
				enquiries++
			}
		}
	}
	if s := app.Statement; s != nil {
		for i := range s.Transactions {
			if s.Transactions[i].Day > asOf {
				transactions++
			}
		}
	}
	for _, of := range []struct {
		n             int
		pointer, what string
	}{
		{accounts, app.at + "/report", "accounts"},
		{notes, app.at + "/report", "closings and lenders' notes of accounts"},
		{enquiries, app.at + "/report", "enquiries"},
		{transactions, app.at + "/bank_summary/transactions", "transactions"},
	} {
		if of.n > 0 {
			warnings.Add(of.pointer, fault.CodeLaterEvent,
				"the features leave out %s that are dated after %s, the day from which features are counted back; "+
					"their number is %d", of.what, asOf, of.n)
		}
	}
}

// laterAccounts counts the accounts with events after asOf. opened is the number of accounts that were opened after
// asOf. noted is the number of other accounts whose closing, overdue amount or adverse note is dated after asOf.
func laterAccounts(list []report.Account, asOf civil.Day) (opened, noted int) {
	for i := range list {
		a := &list[i]
		switch {
		case a.Opened.Known() && a.Opened > asOf:
			opened++
		case a.Closed.Known() && a.Closed > asOf,
			a.Reported.Known() && a.Reported > asOf && (a.OverduePaise > 0 || a.Adverse != 0):
			noted++
		}
	}
	return opened, noted
}
