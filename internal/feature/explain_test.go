package feature

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/civil"
	"verdict/internal/report"
)

// recompute computes the value of a feature from its provenance alone.
func recompute(p *Provenance, f fraction) (value int64, ok bool) {
	n, sum := map[string]int64{}, map[string]int64{}
	largest := int64(-1 << 63)
	for _, r := range p.Records {
		n[r.Part]++
		sum[r.Part] += r.Value
		largest = max(largest, r.Value)
	}
	switch p.Name.Aggregation {
	case CountOf:
		return n[EventPart] * one, true
	case Sum:
		return max(min(sum[EventPart], mostValue), -mostValue), true
	case Max:
		return largest, n[EventPart] > 0
	case Avg:
		if n[EventPart] == 0 {
			return 0, false
		}
		return quotient(sum[EventPart], n[EventPart], 1), true
	case Trend:
		size := magnitude(sum[NewerPart]) + magnitude(sum[OlderPart])
		if size == 0 {
			return 0, false
		}
		return quotient(sum[NewerPart]-sum[OlderPart], size, one), true
	default:
		over, under := sum[EventPart], sum[BasePart]
		if f.counts {
			over, under = n[EventPart], n[BasePart]
		}
		if f.plus {
			under += over
		}
		if f.times > 0 {
			under *= f.times
		}
		if under == 0 {
			return 0, false
		}
		return quotient(over, under, one), true
	}
}

func pointers(list []report.Account) (all []*report.Account) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// smaller limits the amounts, because the recomputation would overflow for
// ten-thousandths of a large sum. Compute clamps such a result.
func smaller(h *report.History, s *report.Statement) {
	const most = 1_000_000_000
	if h != nil {
		for _, a := range slices.Concat(pointers(h.Accounts), pointers(h.Microfinance)) {
			for _, paise := range []*int64{&a.SanctionedPaise, &a.BalancePaise, &a.OverduePaise, &a.InstalmentPaise,
				&a.AdversePaise} {
				*paise = min(*paise, most)
			}
		}
		for i := range h.Enquiries {
			h.Enquiries[i].AmountPaise = min(h.Enquiries[i].AmountPaise, most)
		}
	}
	if s != nil {
		s.DeclaredIncomePaise = min(s.DeclaredIncomePaise, most)
		for i := range s.Transactions {
			t := &s.Transactions[i]
			t.AmountPaise, t.BalancePaise = min(t.AmountPaise, most), min(t.BalancePaise, most)
		}
	}
}

// TestExplainAgreesWithCompute checks that recomputing features from the
// records of Explain gives the values of Compute.
func TestExplainAgreesWithCompute(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		r := newSource(seed)
		asOf := r.asOf()
		h, s := r.history(asOf), r.statement(asOf)
		smaller(h, s)
		c := Catalogue1 + Catalogue(seed%2)
		var v Vector
		Compute(c, h, s, asOf, &v)
		for range 250 {
			i := r.IntN(Count)
			p, ok := Explain(c, h, s, asOf, NameAt(i))
			value, known := v.Get(i)
			if !ok || p.Value != value || p.Known != known {
				t.Fatalf("seed %d: %s is %d, %t; explained as %d, %t", seed, NameAt(i), value, known, p.Value, p.Known)
			}
			pair, _, _ := place(i)
			again, _ := recompute(&p, pair.metric.fraction)
			if known && again != value {
				t.Errorf("seed %d: %s is %d, and %d by its %d records", seed, NameAt(i), value, again, len(p.Records))
			}
			checkRecords(t, &p, pair.metric.Monthly, asOf)
		}
	}
}

func checkRecords(t *testing.T, p *Provenance, monthly bool, asOf civil.Day) {
	t.Helper()
	for _, r := range p.Records {
		if (r.Part == EventPart || r.Part == NewerPart) && (r.Date < p.From || r.Date > p.To) {
			t.Errorf("%s: a record of %s is outside %s to %s", p.Name, r.Date, p.From, p.To)
		}
		if !monthly && r.Date > asOf {
			t.Errorf("%s: a record of %s is later than %s", p.Name, r.Date, asOf)
		}
		if (r.At == NoPlace) != (r.Kind == DayRecord || r.Kind == MonthRecord) {
			t.Errorf("%s: %s at %d", p.Name, r.Kind, r.At)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	asOf := civil.DayOf(2026, time.November, 10)
	h := &report.History{HasEnquiries: true, HasAccounts: true,
		Enquiries: []report.Enquiry{
			{Made: asOf - 29, Product: report.PersonalLoan, AmountPaise: 10_000_000, At: 0},
			{Made: asOf - 30, Product: report.PersonalLoan, AmountPaise: 1, At: 1},
			{Made: asOf, Product: report.GoldLoan, AmountPaise: 1, At: 2},
			{Made: asOf, Product: report.PersonalLoan, AmountPaise: report.NoAmount, At: 3},
		},
		Accounts: []report.Account{{
			Product: report.PersonalLoan, Opened: asOf - 3, Closed: civil.NoDay, Reported: asOf,
			SanctionedPaise: 20_000_000, At: 7,
		}},
	}
	got, ok := Explain(Catalogue1, h, nil, asOf, "enquiry__personal_loan__30d__ratio")
	want := Provenance{
		Name: Name{"enquiry", "personal_loan", 30, Ratio},
		Meaning: "Hard enquiries (personal loans) made in the last 30 days: enquiries ÷ (enquiries + accounts " +
			"opened), by number.",
		Formula: "enquiries ÷ (enquiries + accounts opened), by number",
		From:    asOf - 29, To: asOf, CoveredFrom: civil.NoDay, Value: 6667, Known: true,
		Records: []Record{
			{EventPart, EnquiryRecord, 0, asOf - 29, 100_000 * one},
			{EventPart, EnquiryRecord, 3, asOf, 0},
			{BasePart, AccountRecord, 7, asOf - 3, 200_000 * one},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("%t (-want +got):\n%s", ok, diff)
	}
	if got, ok := Explain(Catalogue1, h, nil, asOf, "salary__all__30d__sum"); !ok || got.Known || got.Records != nil ||
		got.From.Known() {
		t.Errorf("without a statement: %+v, %t", got, ok)
	}
	if _, ok := Explain(Catalogue1, h, nil, asOf, "salary__all__31d__sum"); ok {
		t.Error("no such feature, and yet it is explained")
	}
}
