package feature

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// statementFrom returns a statement from the day first to the as-of date, with
// one salary and one instalment a month and a balance after each transaction.
func statementFrom(first, asOf civil.Day) *report.Statement {
	s := &report.Statement{DeclaredIncomePaise: 6_000_000, DeclaredInstalmentPaise: 100_000}
	for day := first; day <= asOf; day++ {
		t := report.Transaction{
			Day:          day,
			Channel:      report.UPI,
			AmountPaise:  1_000,
			BalancePaise: 500_000,
			At:           int32(len(s.Transactions)),
		}
		if day == day.Month().First()+4 {
			t.Credit, t.Found, t.AmountPaise = true, report.Income|report.Salary, 5_000_000
		}
		if day == day.Month().First()+5 {
			t.Found, t.AmountPaise = report.LoanInstalment|report.Mandate, 200_000
		}
		s.Transactions = append(s.Transactions, t)
	}
	return s
}

// TestWindowBeforeTheStatement checks that in the second catalogue a window
// that begins before the statement has no values, and that the longest window
// that the statement covers has all values.
func TestWindowBeforeTheStatement(t *testing.T) {
	t.Parallel()
	const absent = "null null null null null null"
	for days, want := range map[int]map[string]string{
		// A statement of exactly 90 days from 13 August. September and October
		// are complete months.
		90: {
			"salary__all__90d":          "3 150000 50000 50000 0.3333 1",
			"salary__all__180d":         absent,
			"issued_bounce__nach__90d":  "0 0 null null null 0",
			"issued_bounce__nach__365d": absent,
			"low_balance_day__all__90d": "0 0 null null null 0",
			"eod_balance__all__180d":    absent,
			"income_gap__all__60d":      "2 20000 10000 10000 1 0.1667",
			"income_gap__all__90d":      absent,
			"emi_gap__all__60d":         "2 2000 1000 1000 1 0.5",
			"emi_gap__all__90d":         absent,
		},
		// A statement of 89 days does not cover the 90-day window.
		89: {
			"salary__all__60d": "2 100000 50000 50000 0 1",
			"salary__all__90d": absent,
			"credit__upi__90d": absent,
		},
	} {
		s := statementFrom(tenth-civil.Day(days)+1, tenth)
		var v Vector
		Compute(Catalogue2, nil, s, tenth, &v)
		checkBlocks(t, &v, want)
		if v.Catalogue() != Catalogue2 {
			t.Errorf("the vector is of catalogue %d", v.Catalogue())
		}
	}
}

// TestNothingCovered checks that a statement without transactions, or one that
// begins after the as-of date, covers no window.
func TestNothingCovered(t *testing.T) {
	t.Parallel()
	late := statementFrom(tenth+1, tenth+40)
	for _, s := range []*report.Statement{{}, late} {
		var first, second Vector
		Compute(Catalogue1, nil, s, tenth, &first)
		Compute(Catalogue2, nil, s, tenth, &second)
		if first.Populated() == 0 || second.Populated() != 0 {
			t.Errorf("%d and %d features have a value", first.Populated(), second.Populated())
		}
	}
}

// TestCataloguesDifferOnlyWhereNotCovered checks that the second catalogue
// differs from the first in only two ways. It has no value for bank features
// whose window begins before the statement. In bureau features it counts
// microfinance accounts, which the first catalogue ignores. If the statement
// covers all windows, both catalogues give the same bank features.
func TestCataloguesDifferOnlyWhereNotCovered(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := newSource(seed)
		asOf := r.asOf()
		h, s := r.history(asOf), r.statement(asOf)
		var first, second Vector
		Compute(Catalogue1, h, s, asOf, &first)
		Compute(Catalogue2, h, s, asOf, &second)
		if h != nil && len(h.Microfinance) > 0 {
			plain, without := *h, Vector{}
			plain.Microfinance = nil
			Compute(Catalogue1, &plain, s, asOf, &without)
			if without != first {
				t.Errorf("seed %d: microfinance accounts change the first catalogue", seed)
			}
		}
		for i := range Count {
			was, known := first.Get(i)
			is, still := second.Get(i)
			if was == is && known == still {
				continue
			}
			metric, _ := LookupMetric(At(i).Metric)
			if metric.Source == Bureau && len(h.Microfinance) > 0 {
				continue
			}
			begin := asOf - civil.Day(At(i).WindowDays) + 1
			early := len(s.Transactions) == 0 || metric.Monthly || begin < s.First()
			if still || metric.Source != Bank || !early {
				t.Errorf("seed %d: %s is %d, %t and by the second catalogue %d, %t",
					seed, NameAt(i), was, known, is, still)
			}
		}
	}
	h, _ := newSource(1).large(tenth)
	s := statementFrom(tenth-800, tenth)
	var first, second Vector
	Compute(Catalogue1, h, s, tenth, &first)
	Compute(Catalogue2, h, s, tenth, &second)
	if first.Hash() != second.Hash() || first == second {
		t.Error("where the statement covers everything the values are the same, and the catalogue still shows")
	}
}

// TestVersionByteIsTheCatalogue checks that vectors of both catalogues are stored
// with the version of their catalogue and can be read. An empty vector belongs to
// the first catalogue.
func TestVersionByteIsTheCatalogue(t *testing.T) {
	t.Parallel()
	s := statementFrom(tenth-20, tenth)
	for _, c := range []Catalogue{Catalogue1, Catalogue2} {
		var v, back Vector
		Compute(c, nil, s, tenth, &v)
		data := v.Encode(nil)
		if err := DecodeVector(data, &back); err != nil || data[0] != byte(c) || back.Catalogue() != c || back != v {
			t.Errorf("catalogue %d: version %d, read as %d, %v", c, data[0], back.Catalogue(), err)
		}
	}
	if (&Vector{}).Catalogue() != Catalogue1 {
		t.Error("an empty vector is not of the first catalogue")
	}
}

// TestExplainWindowNotCovered checks the explanation of a value that is missing
// because the statement begins too late. The explanation must say where the
// statement begins, and must name no records.
func TestExplainWindowNotCovered(t *testing.T) {
	t.Parallel()
	s := statementFrom(tenth-20, tenth)
	got, ok := Explain(Catalogue2, nil, s, tenth, "salary__all__30d__sum")
	want := Provenance{
		Name:    Name{"salary", "all", 30, Sum},
		Meaning: got.Meaning, Formula: got.Formula,
		From: civil.DayOf(2026, time.October, 12), To: tenth, CoveredFrom: tenth - 20,
	}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("%t (-want +got):\n%s", ok, diff)
	}
	if p, _ := Explain(Catalogue1, nil, s, tenth, "salary__all__30d__sum"); !p.Known || p.CoveredFrom.Known() ||
		len(p.Records) != 1 {
		t.Errorf("by the first catalogue: %+v", p)
	}
}

// TestMicrofinance checks that the second catalogue counts accounts that a
// bureau lists as microfinance, even if the report has no other accounts.
func TestMicrofinance(t *testing.T) {
	t.Parallel()
	lent := report.Account{
		Product: report.OtherUnsecured, Microfinance: true, Live: true, Opened: tenth - 20, Closed: civil.NoDay,
		Reported: tenth - 5, SanctionedPaise: 2_400_000, BalancePaise: 1_800_000, InstalmentPaise: 169_000, At: 3,
		History: []report.Payment{{Month: tenth.Month() - 1, DaysPastDue: 31}},
	}
	h := &report.History{Microfinance: []report.Account{lent}}
	var first, second Vector
	Compute(Catalogue1, h, nil, tenth, &first)
	Compute(Catalogue2, h, nil, tenth, &second)
	if first.Populated() != 0 {
		t.Errorf("%d features of the first catalogue have a value", first.Populated())
	}
	checkBlocks(t, &second, map[string]string{
		"account_opened__unsecured__30d": "1 24000 24000 24000 -1 1",
		"emi__unsecured__30d":            "1 1690 1690 1690 -1 1",
		"dpd_30plus__all__30d":           "1 31 31 31 1 1",
		"account_opened__secured__30d":   "0 0 null null null null",
	})
	for name, kind := range map[string]string{
		"emi__all__30d__sum": MicrofinanceRecord, "dpd_30plus__all__30d__max": MicrofinancePaymentRecord,
	} {
		p, _ := Explain(Catalogue2, h, nil, tenth, name)
		if len(p.Records) != 1 || p.Records[0].Kind != kind || p.Records[0].At != lent.At {
			t.Errorf("%s: %+v", name, p.Records)
		}
	}
}
