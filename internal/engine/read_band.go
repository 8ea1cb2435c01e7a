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
	// maxAmountPaise is one lakh crore (10^12) rupees.
	maxAmountPaise = 1_000_000_000_000_00
)

// elementPointer returns the pointer of an array's element. It is called only
// to report a fault, so reading a valid policy builds no pointers.
func elementPointer(list wire.Value, i int) string { return list.Pointer() + "/" + strconv.Itoa(i) }

func (r *policyReader) bands(f *wire.Form) {
	f.Require("pricing_bands", "at least one band")
	list := f.Array("pricing_bands", maxBands)
	if list.Given() && list.Len() == 0 {
		f.Fail("pricing_bands", fault.CodeRequired, "needs at least one band")
	}
	seen := map[string]bool{}
	r.policy.Bands = make([]Band, 0, list.Len())
	placed := make([]bool, 0, list.Len()) // for each band: whether its scores could be read
	for _, v := range list.Elements() {
		b, ok := r.band(v, seen)
		r.policy.Bands, placed = append(r.policy.Bands, b), append(placed, ok)
	}
	r.ladder(list, false, placed)
	r.ladder(list, true, placed)
}

// band reads a band. placed reports whether its scores are known, even if it
// has other faults.
func (r *policyReader) band(v wire.Value, seen map[string]bool) (b Band, placed bool) {
	form := wire.NewForm(v, &r.faults)
	f := &form
	b.ID = r.id(f, seen)
	before := r.faults.Len()
	b.NTC = f.Bool("ntc", false)
	placed = r.faults.Len() == before
	f.Require("grade", "the grade of this band")
	if grade, ok := f.Text("grade", 8); ok {
		b.Grade = grade
		if !isGrade(grade) {
			f.Fail("grade", fault.CodeInvalidField,
				"must be a capital letter followed by up to seven of A-Z, 0-9, + and -")
		}
		if grade == NoGrade {
			f.Fail("grade", fault.CodeInvalidField, `must not be "NA", the grade of an application without a band`)
		}
	}
	before = r.faults.Len()
	placed = r.scores(f, &b) && r.faults.Len() == before && placed
	before = r.faults.Len()
	if b.When = r.when(f); b.When != nil {
		r.fromSemantics2(f, "when")
	}
	b.Action = Action(f.Choice("action", int(Approve), actionNames[:]...))
	r.price(f, &b, r.faults.Len() == before)
	f.Done()
	return b, placed
}

// scores reads the score range of a band. It reports whether the band is an
// object; if not, the scores are unknown.
func (r *policyReader) scores(f *wire.Form, b *Band) bool {
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
	return f.Value().Kind() == wire.Object
}

// price reads the price of a band. Only a declining band may leave it out.
// understood is false if the action is invalid; such a band might be a
// declining one, so no price is required.
func (r *policyReader) price(f *wire.Form, b *Band, understood bool) {
	b.Priced = b.Action != Decline && understood || f.Value().Get("interest_rate").Given()
	need := func(name, what string) {
		if b.Priced {
			f.Require(name, what)
		}
	}
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
		f.Fail("tenures_allowed", fault.CodeInvalidField, "must include the value of tenure_months")
	}

	var known pricedParts
	need("min_limit", "the smallest loan")
	b.MinLimitPaise, known.least = f.Decimal("min_limit", 2, 1_00, maxAmountPaise)
	need("max_limit", "the largest loan")
	b.MaxLimitPaise, known.most = f.Decimal("max_limit", 2, 1_00, maxAmountPaise)
	need("default_limit", "the loan when income or FOIR is not known")
	b.DefaultLimitPaise, known.usual = f.Decimal("default_limit", 2, 1_00, maxAmountPaise)
	if n, ok := f.Decimal("income_multiple", 4, 1, 1000*10_000); ok {
		b.IncomeMultiple, b.HasIncomeMultiple = rule.Number(n)*(rule.One/10_000), true
	}

	need("foir_cap", "the highest share of income that instalments may take")
	cap6, _ := f.Decimal("foir_cap", 6, 0, 5*int64(rule.One))
	b.FOIRCap = rule.Number(cap6)

	before := r.faults.Len()
	fee, _ := f.Decimal("processing_fee_pct", 4, 0, 20*10_000)
	b.FeePct = rule.Number(fee) * (rule.One / 10_000)
	b.FeeMinPaise, _ = f.Decimal("processing_fee_min", 2, 0, maxAmountPaise)
	b.GSTPct = rule.Int(18)
	if gst, ok := f.Decimal("gst_pct", 4, 0, 50*10_000); ok {
		b.GSTPct = rule.Number(gst) * (rule.One / 10_000)
	}

	known.fees = r.faults.Len() == before
	if b.Priced {
		priceConsistency(f, b, known)
	}
}

// pricedParts says which amounts of a price could be read. priceConsistency does not check the other amounts.
type pricedParts struct{ least, most, usual, fees bool }

// priceConsistency rejects a price in three cases: its limits contradict each other, its smallest loan is less than a
// rupee for every month of the longest tenure, or fee and tax take more than half of its smallest loan.
func priceConsistency(f *wire.Form, b *Band, known pricedParts) {
	if known.least && known.most && b.MaxLimitPaise < b.MinLimitPaise {
		f.Fail("max_limit", fault.CodeOutOfRange, "must not be below min_limit")
	}
	if known.usual && (known.least && b.DefaultLimitPaise < b.MinLimitPaise ||
		known.most && b.DefaultLimitPaise > b.MaxLimitPaise) {
		f.Fail("default_limit", fault.CodeOutOfRange, "must lie between min_limit and max_limit")
	}
	if !known.least {
		return
	}
	if len(b.Tenures) > 0 && b.MinLimitPaise < int64(b.Tenures[len(b.Tenures)-1])*100 {
		f.Fail("min_limit", fault.CodeOutOfRange, "must be at least a rupee for every month of the longest tenure")
	}
	fee := loan.Fee(b.MinLimitPaise, int64(b.FeePct), b.FeeMinPaise)
	if known.fees && fee+loan.Tax(fee, int64(b.GSTPct)) > b.MinLimitPaise/2 {
		f.Fail("processing_fee_min", fault.CodeOutOfRange, "fee and tax would take more than half of the smallest loan")
	}
}

// ladder rejects overlapping bands, and gaps between bands unless the policy allows them. Bands with a condition may
// overlap. It skips bands whose scores could not be read (placed is false). If there is such a band, it does not look
// for gaps, because that band might fill a gap.
func (r *policyReader) ladder(list wire.Value, ntc bool, placed []bool) {
	var order []int
	all, open := true, false
	for i := range r.policy.Bands {
		b := &r.policy.Bands[i]
		all = all && placed[i]
		if !placed[i] || b.NTC != ntc {
			continue
		}
		if b.When == nil && (open || !b.Ranged && slices.ContainsFunc(order, r.unconditional)) {
			r.faults.Add(elementPointer(list, i), fault.CodeBandOverlap,
				"a new-to-credit band without min_score and max_score accepts every score, "+
					"so it must be the only new-to-credit band")
		}
		if b.Ranged {
			order = append(order, i)
		} else if b.When == nil {
			open = true
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(r.policy.Bands[i].MinScore, r.policy.Bands[j].MinScore)
	})
	gaps := all && !r.policy.AllowGaps
	free := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return !r.unconditional(i) })
	segmented := len(free) < len(order)
	r.steps(list, free, gaps && !segmented)
	if segmented && gaps && !r.takesAll(ntc) {
		r.gaps(list, order)
	}
}

// unconditional reports whether the band with index i has no condition.
func (r *policyReader) unconditional(i int) bool { return r.policy.Bands[i].When == nil }

// takesAll reports whether a band with a condition accepts every score. If so, every score has a band.
func (r *policyReader) takesAll(ntc bool) bool {
	return slices.ContainsFunc(r.policy.Bands, func(b Band) bool { return b.NTC == ntc && b.When != nil && !b.Ranged })
}

// steps rejects bands that share a score and, if gaps is set, scores between two bands. order has bands without
// conditions, sorted by lowest score.
func (r *policyReader) steps(list wire.Value, order []int, gaps bool) {
	for k := 1; k < len(order); k++ {
		low, high := &r.policy.Bands[order[k-1]], &r.policy.Bands[order[k]]
		switch {
		case high.MinScore <= low.MaxScore:
			r.faults.Add(elementPointer(list, order[k]), fault.CodeBandOverlap,
				"scores %d to %d are also in %s; bands must not overlap",
				high.MinScore, min(low.MaxScore, high.MaxScore), bandName(low))
		case high.MinScore > low.MaxScore+1 && gaps:
			r.gap(list, order[k], low, high)
		}
	}
}

// gaps rejects scores that lie between two bands but in no band. Bands with and without conditions count. order has
// the bands sorted by lowest score.
func (r *policyReader) gaps(list wire.Value, order []int) {
	for k, top := 1, order[0]; k < len(order); k++ {
		low, high := &r.policy.Bands[top], &r.policy.Bands[order[k]]
		if high.MinScore > low.MaxScore+1 {
			r.gap(list, order[k], low, high)
		}
		if high.MaxScore > low.MaxScore {
			top = order[k]
		}
	}
}

func (r *policyReader) gap(list wire.Value, at int, low, high *Band) {
	r.faults.Add(elementPointer(list, at), fault.CodeBandGap,
		"scores %d to %d, between %s and %s, have no band; close the gap or set allow_gaps",
		low.MaxScore+1, high.MinScore-1, bandName(low), bandName(high))
}

// bandName returns the name of a band in a fault; a band may have no id.
func bandName(b *Band) string {
	if b.ID == "" {
		return "another band"
	}
	return b.ID
}
