package engine

import (
	"cmp"
	"slices"
	"strconv"

	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const (
	maxBands   = 500
	maxTenures = 60
	// maxAmountPaise is a hundred thousand crore rupees.
	maxAmountPaise = 1_000_000_000_000_00
)

// elementPointer is the place of an array's element. It is worked out only for
// a fault, so that a sound policy pays nothing for it.
func elementPointer(list wire.Value, i int) string { return list.Pointer() + "/" + strconv.Itoa(i) }

func (r *policyReader) bands(f *wire.Form) {
	f.Require("pricing_bands", "at least one band")
	list := f.Array("pricing_bands", maxBands)
	if list.Given() && list.Len() == 0 {
		f.Fail("pricing_bands", fault.CodeRequired, "needs at least one band")
	}
	seen := map[string]bool{}
	before := r.faults.Len()
	r.policy.Bands = make([]Band, 0, list.Len())
	for _, v := range list.Elements() {
		r.policy.Bands = append(r.policy.Bands, r.band(v, seen))
	}
	if r.faults.Len() == before {
		r.ladder(list, false)
		r.ladder(list, true)
	}
}

func (r *policyReader) band(v wire.Value, seen map[string]bool) Band {
	form := wire.NewForm(v, &r.faults)
	f := &form
	b := Band{ID: r.id(f, seen), NTC: f.Bool("ntc", false)}
	f.Require("grade", "the grade of this band")
	if grade, ok := f.Text("grade", 8); ok {
		b.Grade = grade
		if !isGrade(grade) {
			f.Fail("grade", fault.CodeInvalidField, "must be a capital letter followed by up to seven of A-Z, 0-9, + and -")
		}
		if grade == noGrade {
			f.Fail("grade", fault.CodeInvalidField, "NA is what an application without a band gets")
		}
	}
	least, hasMin := f.Decimal("min_score", 0, -maxPoints, maxPoints)
	most, hasMax := f.Decimal("max_score", 0, -maxPoints, maxPoints)
	b.MinScore, b.MaxScore, b.Ranged = least, most, hasMin && hasMax
	switch {
	case b.Ranged && least > most:
		f.Fail("max_score", fault.CodeOutOfRange, "must not be below min_score")
	case hasMin != hasMax || !b.Ranged && !b.NTC:
		f.Require("min_score", "the lowest score of the band")
		f.Require("max_score", "the highest score of the band")
	}
	before := r.faults.Len()
	b.Action = Action(f.Choice("action", int(Approve), actionNames[:]...))
	r.price(f, &b, r.faults.Len() == before)
	f.Done()
	return b
}

// price reads what a loan of this band costs. Only a declining band may go
// without a price; one whose action is not understood may be one of those.
func (r *policyReader) price(f *wire.Form, b *Band, understood bool) {
	b.Priced = b.Action != Decline && understood || f.Value().Get("interest_rate").Given()
	need := func(name, what string) {
		if b.Priced {
			f.Require(name, what)
		}
	}
	before := r.faults.Len()
	need("interest_rate", "the annual rate in percent")
	b.RateBP, _ = f.Decimal("interest_rate", 2, 0, 100_00)
	need("tenure_months", "the usual tenure")
	months, hasTenure := f.Decimal("tenure_months", 0, 1, 480)
	b.TenureMonths = int(months)
	tenures := f.Array("tenures_allowed", maxTenures)
	b.Tenures = make([]int, 0, max(1, tenures.Len()))
	for _, v := range tenures.Elements() {
		n, exact, ok := wire.ParseDecimal(v.Text(), 0)
		if v.Kind() != wire.Number || !ok || !exact || n < 1 || n > 480 {
			r.faults.Add(v.Pointer(), fault.CodeOutOfRange, "must be a whole number of months between 1 and 480")
			continue
		}
		b.Tenures = append(b.Tenures, int(n))
	}
	if len(b.Tenures) == 0 && hasTenure {
		b.Tenures = append(b.Tenures, b.TenureMonths)
	}
	slices.Sort(b.Tenures)
	b.Tenures = slices.Compact(b.Tenures)
	if hasTenure && !slices.Contains(b.Tenures, b.TenureMonths) {
		f.Fail("tenures_allowed", fault.CodeInvalidField, "must hold tenure_months")
	}
	need("min_limit", "the smallest loan")
	b.MinLimitPaise, _ = f.Decimal("min_limit", 2, 1_00, maxAmountPaise)
	need("max_limit", "the largest loan")
	b.MaxLimitPaise, _ = f.Decimal("max_limit", 2, 1_00, maxAmountPaise)
	need("default_limit", "the loan when income or FOIR is not known")
	b.DefaultLimitPaise, _ = f.Decimal("default_limit", 2, 1_00, maxAmountPaise)
	if n, ok := f.Decimal("income_multiple", 4, 1, 1000*10_000); ok {
		b.IncomeMultiple, b.HasIncomeMultiple = rule.Number(n)*(rule.One/10_000), true
	}
	need("foir_cap", "the highest share of income that instalments may take")
	cap6, _ := f.Decimal("foir_cap", 6, 0, 5*int64(rule.One))
	b.FOIRCap = rule.Number(cap6)
	fee, _ := f.Decimal("processing_fee_pct", 4, 0, 20*10_000)
	b.FeePct = rule.Number(fee) * (rule.One / 10_000)
	b.FeeMinPaise, _ = f.Decimal("processing_fee_min", 2, 0, maxAmountPaise)
	b.GSTPct = rule.Int(18)
	if gst, ok := f.Decimal("gst_pct", 4, 0, 50*10_000); ok {
		b.GSTPct = rule.Number(gst) * (rule.One / 10_000)
	}
	if b.Priced && len(b.Tenures) > 0 && r.faults.Len() == before { // what is no object has none, and was refused as that
		priceConsistency(f, b)
	}
}

// priceConsistency refuses a price that could not be paid out or paid back.
func priceConsistency(f *wire.Form, b *Band) {
	if b.MaxLimitPaise < b.MinLimitPaise {
		f.Fail("max_limit", fault.CodeOutOfRange, "must not be below min_limit")
	}
	if b.DefaultLimitPaise < b.MinLimitPaise || b.DefaultLimitPaise > b.MaxLimitPaise {
		f.Fail("default_limit", fault.CodeOutOfRange, "must lie between min_limit and max_limit")
	}
	if longest := b.Tenures[len(b.Tenures)-1]; b.MinLimitPaise < int64(longest)*100 {
		f.Fail("min_limit", fault.CodeOutOfRange, "must be at least a rupee for every month of the longest tenure")
	}
	fee := loan.Fee(b.MinLimitPaise, int64(b.FeePct), b.FeeMinPaise)
	if fee+loan.Tax(fee, int64(b.GSTPct)) > b.MinLimitPaise/2 {
		f.Fail("processing_fee_min", fault.CodeOutOfRange, "fee and tax would take more than half of the smallest loan")
	}
}

// ladder refuses overlapping bands, and gaps between two bands unless the
// policy allows them.
func (r *policyReader) ladder(list wire.Value, ntc bool) {
	var order []int
	for i := range r.policy.Bands {
		b := &r.policy.Bands[i]
		if b.NTC != ntc {
			continue
		}
		if !b.Ranged && len(order) > 0 || len(order) > 0 && !r.policy.Bands[order[0]].Ranged {
			r.faults.Add(elementPointer(list, i), "band_overlap", "a new-to-credit band without min_score and max_score takes every score: it must be the only one")
			return
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(r.policy.Bands[i].MinScore, r.policy.Bands[j].MinScore)
	})
	for k := 1; k < len(order); k++ {
		low, high := &r.policy.Bands[order[k-1]], &r.policy.Bands[order[k]]
		switch {
		case high.MinScore <= low.MaxScore:
			r.faults.Add(elementPointer(list, order[k]), "band_overlap", "scores %d to %d stand in %s too",
				high.MinScore, min(low.MaxScore, high.MaxScore), low.ID)
		case high.MinScore > low.MaxScore+1 && !r.policy.AllowGaps:
			r.faults.Add(elementPointer(list, order[k]), "band_gap", "scores %d to %d, between %s and %s, have no band; close the gap or set allow_gaps",
				low.MaxScore+1, high.MinScore-1, low.ID, high.ID)
		}
	}
}
