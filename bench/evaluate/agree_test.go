package evaluate

import (
	"github.com/google/go-cmp/cmp"

	"testing"

	"verdict/internal/feature"
	"verdict/internal/report"
)

// TestFeaturesAgree holds the features written by hand, their hash, and those
// by a pass each against ours on every request.
func TestFeaturesAgree(t *testing.T) {
	t.Parallel()
	l, h, each := new(limit), newLimitHash(), peerFeatures()
	for i, app := range applications() {
		var ours feature.Vector
		feature.Compute(app.History, app.Statement, app.AsOf, &ours)
		l.compute(app.History, app.Statement)
		p := newPeer(app.History, app.Statement)
		bad := 0
		for f := range feature.Count {
			value, known := ours.Get(f)
			byPass, knownByPass := each[f].value(p)
			if l.vector.values[f] == value && l.vector.known[f] == known && byPass == value && knownByPass == known {
				continue
			}
			if bad++; bad < 10 {
				t.Errorf("request %d, %s: ours %d %v, by hand %d %v, by passes %d %v", i, feature.NameAt(f),
					value, known, l.vector.values[f], l.vector.known[f], byPass, knownByPass)
			}
		}
		if got := h.sum(&l.vector); got != ours.Hash() {
			t.Errorf("request %d: our hash is %s, that by hand %s", i, ours.Hash(), got)
		}
	}
}

// TestDecodersAgree holds the days and paise that a JSON library brings
// against ours.
func TestDecodersAgree(t *testing.T) {
	t.Parallel()
	decoders := []func([]byte) *request{decode}
	if decodeV2 != nil {
		decoders = append(decoders, decodeV2)
	}
	for i, body := range bodies() {
		app := read(body)
		if len(app.Statement.Transactions) != rowCount || len(app.History.Accounts) != tradelines {
			t.Fatalf("request %d was not read whole", i)
		}
		ours := &extracted{reported: app.History.Reported}
		for _, a := range app.History.Accounts {
			ours.accounts = append(ours.accounts, report.Account{
				Opened: a.Opened, Closed: a.Closed, Reported: a.Reported, SanctionedPaise: a.SanctionedPaise,
				BalancePaise: a.BalancePaise, OverduePaise: a.OverduePaise, InstalmentPaise: a.InstalmentPaise, History: a.History,
			})
		}
		for _, e := range app.History.Enquiries {
			ours.enquiries = append(ours.enquiries, report.Enquiry{Made: e.Made, AmountPaise: e.AmountPaise})
		}
		for _, r := range app.Statement.Transactions {
			ours.transactions = append(ours.transactions, report.Transaction{
				Day: r.Day, Credit: r.Credit, AmountPaise: r.AmountPaise, BalancePaise: r.BalancePaise,
			})
		}
		for _, decode := range decoders {
			if diff := cmp.Diff(ours, extract(decode(body)), cmp.AllowUnexported(extracted{})); diff != "" {
				t.Errorf("request %d (-ours +theirs):\n%s", i, diff)
			}
		}
	}
}

// TestTheRequestsAreLarge keeps the size that the targets name.
func TestTheRequestsAreLarge(t *testing.T) {
	t.Parallel()
	for i, body := range bodies() {
		if len(body) < 320_000 || len(body) > 340_000 {
			t.Errorf("request %d has %d bytes", i, len(body))
		}
	}
}

// TestReadingAllocatesLittle: what is allocated grows with the accounts and
// enquiries, not with the months and transactions.
func TestReadingAllocatesLittle(t *testing.T) { //nolint:paralleltest // It counts the allocations of the whole process.
	list := bodies()
	i := 0
	n := testing.AllocsPerRun(2*len(list), func() { keep(read(list[i%len(list)])); i++ })
	if n > 200 {
		t.Errorf("%v allocations to read a request", n)
	}
	t.Logf("%v allocations", n)
}
