package main

import (
	"verdict/internal/engine"
	"verdict/internal/loan"
)

// band is a pricing band of the policy, as Go values.
type band struct {
	id, grade          string
	action             engine.Action
	minScore, maxScore int
	rateBP             int64
	usual              int // index of the usual tenure in tenures
	maxLimitPaise      int64
	incomeMultiple     int64
	foirCapMicros      int64
	feePctMicros       int64
	feeMinPaise        int64
	tenures            []loan.Terms
}

const (
	stepPaise     = 1000_00
	minLimitPaise = 50_000_00
	gstPctMicros  = 18_000_000
	micros        = 1_000_000
)

// bands holds the pricing bands in the order of their scores.
var bands = [...]band{
	{id: "PB_F", grade: "F", action: engine.Decline, minScore: 300, maxScore: 599},
	{
		"PB_E2", "E", engine.Refer, 600, 611, 24_00, 2, 150_000_00, 6, 450_000, 3_000_000, 2499_00,
		terms(24_00, 12, 18, 24),
	},
	{
		"PB_E1", "E", engine.Refer, 612, 624, 21_50, 2, 200_000_00, 7, 480_000, 2_500_000, 2499_00,
		terms(21_50, 12, 18, 24),
	},
	{
		"PB_D2", "D", engine.Approve, 625, 639, 19_99, 2, 300_000_00, 9, 500_000, 2_250_000, 1999_00,
		terms(19_99, 12, 24, 36),
	},
	{
		"PB_D1", "D", engine.Approve, 640, 654, 18_25, 2, 400_000_00, 10, 520_000, 2_000_000, 1999_00,
		terms(18_25, 12, 24, 36),
	},
	{
		"PB_C2", "C", engine.Approve, 655, 669, 16_75, 2, 500_000_00, 11, 540_000, 2_000_000, 1999_00,
		terms(16_75, 12, 24, 36),
	},
	{
		"PB_C1", "C", engine.Approve, 670, 684, 15_50, 3, 700_000_00, 12, 550_000, 1_750_000, 1499_00,
		terms(15_50, 12, 24, 36, 48),
	},
	{
		"PB_B2", "B", engine.Approve, 685, 699, 14_25, 3, 900_000_00, 14, 560_000, 1_500_000, 1499_00,
		terms(14_25, 12, 24, 36, 48),
	},
	{
		"PB_B1", "B", engine.Approve, 700, 714, 13_49, 3, 1_200_000_00, 15, 580_000, 1_500_000, 1499_00,
		terms(13_49, 12, 24, 36, 48),
	},
	{
		"PB_A3", "A", engine.Approve, 715, 729, 12_50, 3, 1_500_000_00, 16, 600_000, 1_250_000, 999_00,
		terms(12_50, 24, 36, 48, 60),
	},
	{
		"PB_A2", "A", engine.Approve, 730, 749, 11_75, 3, 2_000_000_00, 18, 620_000, 1_000_000, 999_00,
		terms(11_75, 24, 36, 48, 60),
	},
	{
		"PB_A1", "A+", engine.Approve, 750, 900, 10_99, 3, 2_500_000_00, 20, 650_000, 1_000_000, 999_00,
		terms(10_99, 24, 36, 48, 60),
	},
}

// terms prepares the annuities of a band, as compiling a plan does.
func terms(rateBP int64, months ...int) (list []loan.Terms) {
	for _, m := range months {
		t, err := loan.NewTerms(rateBP, m)
		if err != nil {
			panic(err) // impossible: the tables above are constants
		}
		list = append(list, t)
	}
	return list
}

// bandAt holds the index of the band for each score from minScore to maxScore.
var bandAt = func() (at [maxScore - minScore + 1]uint8) {
	for i := range bands {
		for score := bands[i].minScore; score <= bands[i].maxScore; score++ {
			at[score-minScore] = uint8(i)
		}
	}
	return at
}()

// lend holds the limit of a band for an applicant, and the constraint that determined
// the limit.
type lend struct {
	paise         int64
	capacityPaise int64
	tenure        int
	binding       engine.Constraint
	notAvailable  bool
}

// limit returns the smallest of the requested amount, the principal that the capacity
// can repay, a multiple of the income, and the limit of the band. It rounds the limit
// down to a step and lowers it by further steps while the rounded instalment exceeds
// the capacity.
func (b *band) limit(a *Applicant) lend {
	l := lend{
		tenure:       b.usual,
		notAvailable: true,
		paise:        int64(a.RequestedAmount) * 100,
		binding:      engine.RequestedAmount,
	}
	for i := range b.tenures {
		if b.tenures[i].Months() == a.RequestedTenure {
			l.tenure, l.notAvailable = i, false
			break
		}
	}
	income := int64(a.MonthlyIncome) * 100
	if left := b.foirCapMicros - foirMicros(a); left > 0 {
		l.capacityPaise = income * left / micros
		if carried := b.tenures[l.tenure].Principal(l.capacityPaise); carried < l.paise {
			l.paise, l.binding = carried, engine.FOIRCapacity
		}
	} else if l.paise > 0 {
		l.paise, l.binding = 0, engine.FOIRCapacity
	}
	if multiple := income * b.incomeMultiple; multiple < l.paise {
		l.paise, l.binding = multiple, engine.IncomeMultiple
	}
	if b.maxLimitPaise < l.paise {
		l.paise, l.binding = b.maxLimitPaise, engine.BandMaxLimit
	}
	l.paise -= l.paise % stepPaise
	for l.paise > 0 && b.tenures[l.tenure].Instalment(l.paise) > l.capacityPaise {
		l.paise -= stepPaise
		l.binding = engine.FOIRCapacity
	}
	return l
}

// foirMicros returns the FOIR in millionths. The FOIR has three decimals.
func foirMicros(a *Applicant) int64 { return int64(a.FOIR*micros + 0.5) }

// price sets the offer for a limit: instalments, fee, tax, APR, and the other tenures at
// which the instalment for the same limit is within the capacity.
func (b *band) price(a *Applicant, l *lend, o *Offer) {
	t := &b.tenures[l.tenure]
	s := t.Schedule(l.paise)
	o.Made, o.Indicative = true, false
	o.Binding, o.BandID, o.NotAvailable = l.binding, b.id, l.notAvailable
	o.RateBP, o.TenureMonths = b.rateBP, t.Months()
	o.LimitPaise, o.RequestedPaise = l.paise, int64(a.RequestedAmount)*100
	o.CounterOffer = l.paise < o.RequestedPaise-o.RequestedPaise%stepPaise
	o.EMIPaise, o.LastPaise = s.InstalmentPaise, s.LastPaise
	o.InterestPaise, o.PayablePaise = s.InterestPaise, s.PayablePaise
	o.FeePaise = loan.Fee(l.paise, b.feePctMicros, b.feeMinPaise)
	o.GSTPaise = loan.Tax(o.FeePaise, gstPctMicros)
	o.NetPaise = l.paise - o.FeePaise - o.GSTPaise
	o.APR = loan.APR(o.NetPaise, s.InstalmentPaise, s.LastPaise, o.TenureMonths)
	o.CapacityPaise = l.capacityPaise
	income := int64(a.MonthlyIncome) * 100
	o.PostFOIR = (foirMicros(a) + s.InstalmentPaise*micros/income + 50) / 100
	o.Alternatives = o.Alternatives[:0]
	for i := range b.tenures {
		if i == l.tenure {
			continue
		}
		if emi := b.tenures[i].Instalment(l.paise); emi <= l.capacityPaise {
			o.Alternatives = append(o.Alternatives, engine.Alternative{
				TenureMonths:    b.tenures[i].Months(),
				InstalmentPaise: emi,
			})
		}
	}
}
