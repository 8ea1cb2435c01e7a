package evaluate

import (
	"fmt"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/application"
	"verdict/internal/feature"
	"verdict/internal/report"
)

// Agree returns an error if the results of any contestant differ from ours on any
// request.
func Agree() error {
	for i, body := range bodies() {
		app := read(body)
		if len(app.Statement.Transactions) != rowCount || len(app.History.Accounts) != tradelines {
			return fmt.Errorf("request %d was not read completely", i)
		}
		if err := agreeOnFeatures(app); err != nil {
			return fmt.Errorf("request %d: %w", i, err)
		}
		ours := extractedOf(app)
		for _, l := range libraries() {
			if diff := cmp.Diff(ours, extract(l.decode(body)), cmp.AllowUnexported(extracted{})); diff != "" {
				return fmt.Errorf("%s, request %d (-ours +theirs):\n%s", l.name, i, diff)
			}
		}
	}
	return nil
}

// agreeOnFeatures compares our features with those of the contestants limit and peer, and our hash with the hash of
// limit.
func agreeOnFeatures(app *application.Application) error {
	l, h, each := new(limit), newLimitHash(), peerFeatures()
	var ours feature.Vector
	feature.Compute(feature.Catalogue1, app.History, app.Statement, app.AsOf, &ours)
	l.compute(app.History, app.Statement)
	p := newPeer(app.History, app.Statement)
	for f := range feature.Count {
		value, known := ours.Get(f)
		byPass, knownByPass := each[f].value(p)
		if l.vector.values[f] != value || l.vector.known[f] != known || byPass != value || knownByPass != known {
			return fmt.Errorf("%s: ours %d %v, by hand %d %v, by passes %d %v", feature.NameAt(f),
				value, known, l.vector.values[f], l.vector.known[f], byPass, knownByPass)
		}
	}
	if got := h.sum(&l.vector); got != ours.Hash() {
		return fmt.Errorf("our hash is %s, that by hand %s", ours.Hash(), got)
	}
	return nil
}

// extractedOf returns the part of the application that extract also gets from a
// JSON library.
func extractedOf(app *application.Application) *extracted {
	e := &extracted{reported: app.History.Reported}
	for _, a := range app.History.Accounts {
		e.accounts = append(e.accounts, report.Account{
			Opened:          a.Opened,
			Closed:          a.Closed,
			Reported:        a.Reported,
			SanctionedPaise: a.SanctionedPaise,
			BalancePaise:    a.BalancePaise,
			OverduePaise:    a.OverduePaise,
			InstalmentPaise: a.InstalmentPaise,
			History:         a.History,
		})
	}
	for _, q := range app.History.Enquiries {
		e.enquiries = append(e.enquiries, report.Enquiry{Made: q.Made, AmountPaise: q.AmountPaise})
	}
	for _, r := range app.Statement.Transactions {
		e.transactions = append(e.transactions, report.Transaction{
			Day:          r.Day,
			Credit:       r.Credit,
			AmountPaise:  r.AmountPaise,
			BalancePaise: r.BalancePaise,
		})
	}
	return e
}
