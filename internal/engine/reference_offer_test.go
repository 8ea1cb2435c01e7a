package engine_test

import (
	"cmp"
	"math/big"
	"slices"
)

// offer is a priced loan; amounts are in rupees.
type offer struct {
	band           object
	limit          *big.Rat
	requested      *big.Rat // nil if no amount was requested
	isCounterOffer bool
	months         int64
	loan           loan
	fee, gst       *big.Rat
	charges        []any
	net            *big.Rat
	apr            *big.Rat
	capacity       *big.Rat // nil if income or FOIR is unknown
	postFOIR       *big.Rat // nil if income or FOIR is unknown
	binding        string
	cap            object // the limit cap that is the binding constraint; nil if another constraint is
	alternatives   []any
}

// amount returns a money fact rounded half up to the paisa, or nil if the fact
// is absent.
func (a *application) amount(name string) *big.Rat {
	if n, ok := a.read(name).(*big.Rat); ok {
		return round(n, 2)
	}
	return nil
}

// income returns the monthly income, or nil if it is unknown or negative.
func (a *application) income() *big.Rat {
	name := "monthly_income"
	if a.namesSources() {
		name = "income_effective"
	}
	if n, ok := a.read(name).(*big.Rat); ok && n.Sign() >= 0 {
		return round(n, 2)
	}
	return nil
}

// foir returns the share of the income that is already committed, or nil if it
// is unknown.
func (a *application) foir() *big.Rat {
	name := "foir"
	if a.namesSources() {
		name = "foir_effective"
	}
	n, _ := a.read(name).(*big.Rat)
	return n
}

// namesSources reports whether the policy counts sources other than the
// declared income and obligations.
func (r *reference) namesSources() bool {
	section, _ := r.policy["affordability"].(object)
	income, _ := section["income"].(object)
	obligations, _ := section["obligations"].(object)
	return text(section, "people") == "all" ||
		income != nil && !slices.Equal(list(income, "of"), []any{"monthly_income"}) ||
		obligations != nil && !slices.Equal(list(obligations, "of"), []any{"declared"})
}

// derive replaces the effective income and the effective FOIR in the facts. It
// leaves them out if they are unknown or if the policy has semantics 1.
func (a *application) derive() {
	delete(a.facts, "income_effective")
	delete(a.facts, "foir_effective")
	if a.semantics() == 1 {
		return
	}
	section, _ := a.policy["affordability"].(object)
	source := func(name, otherwise, take string) ([]any, string) {
		s, ok := section[name].(object)
		if !ok {
			return []any{otherwise}, take
		}
		if given := text(s, "take"); given != "" {
			take = given
		}
		return list(s, "of"), take
	}
	amount := func(name string) *big.Rat {
		if n, ok := a.read(name).(*big.Rat); ok && n.Sign() >= 0 {
			return n
		}
		return nil
	}
	choose := func(from []*big.Rat, take string) *big.Rat {
		from = slices.DeleteFunc(from, func(n *big.Rat) bool { return n == nil })
		if len(from) == 0 {
			return nil
		}
		if take == "lowest" {
			return slices.MinFunc(from, (*big.Rat).Cmp)
		}
		if take == "highest" {
			return slices.MaxFunc(from, (*big.Rat).Cmp)
		}
		return from[0]
	}

	names, take := source("income", "monthly_income", "first")
	var incomes []*big.Rat
	for _, name := range names {
		incomes = append(incomes, amount(as[string](name)))
	}
	income := choose(incomes, take)

	names, take = source("obligations", "declared", "highest")
	most := big.NewRat(5, 1)
	share := func(obligations *big.Rat) *big.Rat {
		switch {
		case obligations == nil || income == nil:
			return nil
		case obligations.Sign() == 0:
			return new(big.Rat)
		case income.Sign() == 0:
			return most
		}
		return halfUp(least(quo(obligations, income), most), 6)
	}
	var shares []*big.Rat
	for _, name := range names {
		switch name {
		case "declared":
			foir, monthly := amount("foir"), amount("monthly_income")
			if foir != nil && monthly != nil && income != nil && monthly.Cmp(income) != 0 {
				foir = share(mul(foir, monthly))
			}
			shares = append(shares, foir)
		case "bureau":
			shares = append(shares, share(amount("bureau_own_emi")))
		case "bank":
			shares = append(shares, share(amount("bank_due_emi")))
		}
	}
	foir := choose(shares, take)
	if income != nil && text(section, "people") == "all" {
		income, foir = a.addPartner(income, foir, section)
	}
	if income != nil {
		a.facts["income_effective"] = income
	}
	if foir != nil {
		a.facts["foir_effective"] = foir
	}
}

// price computes the limit and the price of the band, even if the application
// has already failed.
func (a *application) price() {
	b := a.band
	if b == nil || text(b, "action") == "decline" {
		return
	}
	bp := floorOf(mul(num(b, "interest_rate", 0), big.NewRat(100, 1)))
	o := &offer{band: b, months: a.months(b), requested: a.amount("requested_amount")}
	income := a.income()
	foir := a.foir()
	if income != nil && foir != nil {
		room := greatest(sub(num(b, "foir_cap", 0), foir), new(big.Rat))
		o.capacity = wholePaise(mul(income, room))
	}

	// The terms are in order of priority: if two amounts are equal, the first
	// one counts.
	var terms []term
	if o.requested != nil {
		terms = append(terms, term{name: "requested_amount", amount: o.requested})
	}
	switch {
	case o.capacity != nil:
		terms = append(terms, term{name: "foir_capacity", amount: wholePaise(mul(o.capacity, a.annuity(bp, o.months)))})
	case foir != nil && foir.Cmp(num(b, "foir_cap", 0)) >= 0:
		terms = append(terms, term{name: "foir_capacity", amount: new(big.Rat)})
	default:
		terms = append(terms, term{name: "default_limit", amount: num(b, "default_limit", 0)})
	}
	if income != nil && b["income_multiple"] != nil {
		terms = append(terms, term{
			name: "income_multiple", amount: wholePaise(mul(income, num(b, "income_multiple", 0))),
		})
	}
	terms = append(terms, term{name: "band_max_limit", amount: num(b, "max_limit", 0)})
	unknownCap := false
	for _, c := range objects(a.policy, "limit_caps") {
		if when, ok := c["when"].(object); ok && a.truth(when) != yes {
			continue
		}
		amount, ok := a.operand(as[object](c["of"])).(*big.Rat)
		if !ok { // the cap applies but has no amount, so nothing can be lent
			terms, unknownCap = []term{{"limit_cap", new(big.Rat), c}}, true
			break
		}
		terms = append(terms, term{"limit_cap", floorTo(greatest(amount, new(big.Rat)), big.NewRat(1, 100)), c})
	}
	bound := slices.MinFunc(terms, func(x, y term) int { return x.amount.Cmp(y.amount) })

	step := num(a.policy, "limit_step", 1000)
	o.binding, o.limit, o.cap = bound.name, floorTo(bound.amount, step), bound.cap
	for o.capacity != nil && o.limit.Sign() > 0 && a.emi(o.limit, bp, o.months).Cmp(o.capacity) > 0 {
		o.limit = sub(o.limit, step)
		o.binding, o.cap = "foir_capacity", nil // the instalment did not fit the capacity
	}
	if o.limit.Cmp(num(b, "min_limit", 0)) < 0 {
		a.worsen(declined)
		a.belowMinimum = true
		a.limitCode = map[string]string{
			"foir_capacity": "FOIR_HIGH", "income_multiple": "INC_LOW", "requested_amount": "AMT_MIN",
		}[o.binding]
		if o.cap != nil {
			a.limitCode = a.capCode(o.cap)
		}
		if unknownCap {
			a.limitCode = "MISSING_REQUIRED_INPUT"
		}
		return
	}

	hundred := big.NewRat(100, 1)
	o.fee = greatest(round(quo(mul(o.limit, num(b, "processing_fee_pct", 0)), hundred), 2),
		num(b, "processing_fee_min", 0))
	o.gst = round(quo(mul(o.fee, num(b, "gst_pct", 18)), hundred), 2)
	o.net = sub(sub(o.limit, o.fee), o.gst)
	for _, c := range objects(a.policy, "charges") {
		amount := num(c, "amount", 0)
		if text(c, "kind") == "percent" {
			amount = round(quo(mul(o.limit, amount), hundred), 2)
			amount = greatest(amount, num(c, "min", 0))
			if c["max"] != nil {
				amount = least(amount, num(c, "max", 0))
			}
		}
		tax := round(quo(mul(amount, num(c, "gst", 0)), hundred), 2)
		o.net = sub(sub(o.net, amount), tax)
		o.charges = append(o.charges, object{
			"id": c["id"], "to": c["to"], "amount": decimal(amount, 2), "gst": decimal(tax, 2),
		})
	}
	if o.charges != nil && o.net.Sign() <= 0 {
		a.worsen(declined)
		a.belowMinimum, a.limitCode = true, "CHARGES_EXCEED_LIMIT"
		return
	}

	o.isCounterOffer = o.requested != nil && o.limit.Cmp(floorTo(o.requested, step)) < 0
	o.loan = amortise(o.limit, a.emi(o.limit, bp, o.months), bp, o.months)
	o.apr = apr(o.net, o.loan.emi, o.loan.last, o.months)
	if o.capacity != nil {
		o.postFOIR = halfUp(add(foir, quo(o.loan.emi, income)), 4)
	}
	for _, months := range tenures(b) {
		emi := a.emi(o.limit, bp, months)
		if months != o.months && (o.capacity == nil || emi.Cmp(o.capacity) <= 0) {
			other := amortise(o.limit, emi, bp, months)
			o.alternatives = append(o.alternatives, object{
				"limit": decimal(o.limit, 2), "tenure_months": months, "emi": decimal(other.emi, 2),
			})
		}
	}
	a.offer = o
}

// wholePaise rounds a computed amount down to the paisa, because rounding up
// would exceed the capacity. The largest amount is 10^12 rupees.
func wholePaise(amount *big.Rat) *big.Rat { return floorTo(least(amount, million), big.NewRat(1, 100)) }

// term is one of the amounts that bound the limit. The smallest one is the
// limit.
type term struct {
	name   string
	amount *big.Rat
	cap    object // nil unless the term is a limit cap
}

// tenures returns the allowed tenures of a band in months, ascending.
func tenures(b object) []int64 {
	out := []int64{}
	for _, months := range list(b, "tenures_allowed") {
		out = append(out, floorOf(as[*big.Rat](months)))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// months returns the requested tenure if the band allows it, otherwise the
// tenure of the band.
func (a *application) months(b object) int64 {
	if asked, ok := a.read("requested_tenure_months").(*big.Rat); ok && asked.IsInt() {
		if slices.Contains(tenures(b), floorOf(asked)) {
			return floorOf(asked)
		}
	}
	return whole(b, "tenure_months", 0)
}

// annuity returns AF(i, n) = (1−(1+i)^−n)/i, or n if there is no interest.
func (r *reference) annuity(bp, months int64) *big.Rat {
	if bp == 0 {
		return big.NewRat(months, 1)
	}
	af := r.annuities[[2]int64{bp, months}]
	if af == nil {
		// i = bp/120000, so (1+i)^n is a quotient of two powers.
		n := big.NewInt(months)
		grown := new(big.Int).Exp(big.NewInt(120_000+bp), n, nil)
		start := new(big.Int).Exp(big.NewInt(120_000), n, nil)
		factor := new(big.Rat).SetFrac(new(big.Int).Sub(grown, start), grown)
		af = quo(factor, big.NewRat(bp, 120_000))
		r.annuities[[2]int64{bp, months}] = af
	}
	return af
}

// emi returns the instalment rounded half up to the rupee.
func (r *reference) emi(principal *big.Rat, bp, months int64) *big.Rat {
	return round(quo(principal, r.annuity(bp, months)), 0)
}

// loan has the instalments and totals of a schedule. Amounts are in rupees.
type loan struct{ emi, last, interest, payable *big.Rat }

// amortise computes the schedule in whole paise. The last instalment absorbs
// every rounding difference. If the rounded instalment would repay the loan
// before its last month, the instalment is one rupee lower.
func amortise(principal, emi *big.Rat, bp, months int64) loan {
	hundred := big.NewRat(100, 1)
	principalPaise, emiPaise := floorOf(mul(principal, hundred)), floorOf(mul(emi, hundred))
	interestOn := func(balancePaise int64) int64 { return (2*balancePaise*bp + 120_000) / 240_000 }
	run := func() (balancePaise int64) {
		balancePaise = principalPaise
		for range months - 1 {
			balancePaise += interestOn(balancePaise) - emiPaise
			if balancePaise <= 0 {
				break
			}
		}
		return balancePaise
	}
	balancePaise := run()
	if balancePaise <= 0 {
		emiPaise -= 100
		balancePaise = run()
	}
	lastPaise := balancePaise + interestOn(balancePaise)
	payablePaise := emiPaise*(months-1) + lastPaise
	rupees := func(paise int64) *big.Rat { return big.NewRat(paise, 100) }
	return loan{rupees(emiPaise), rupees(lastPaise), rupees(payablePaise - principalPaise), rupees(payablePaise)}
}

// apr returns the annual rate, twelve times the monthly rate, at which the present value of the instalments is the net
// amount. The rate is in percent, rounded half up to two decimals. The function searches for the greatest k, in
// hundredths of a percent, for which the instalments discounted at the rate k − ½ are still worth at least the net
// amount.
func apr(net, emi, last *big.Rat, months int64) *big.Rat {
	paid := add(mul(emi, big.NewRat(months-1, 1)), last)
	if paid.Cmp(net) <= 0 {
		return new(big.Rat)
	}
	const precision = 256
	float := func(r *big.Rat) *big.Float { return new(big.Float).SetPrec(precision).SetRat(r) }
	netF, emiF, lastF, one := float(net), float(emi), float(last), float(big.NewRat(1, 1))
	worthNet := func(k int64) bool {
		i := float(big.NewRat(2*k-1, 240_000))
		discount := new(big.Float).Quo(one, new(big.Float).Add(one, i))
		before := power(discount, months-1)
		value := new(big.Float).Sub(one, before) // emi·(1−v^(n−1))/i
		value.Mul(value, emiF).Quo(value, i)
		final := new(big.Float).Mul(before, discount)
		value.Add(value, final.Mul(final, lastF))
		return value.Cmp(netF) >= 0
	}
	low, high := int64(0), int64(12_000_001) // at most 120,000 %
	for high-low > 1 {
		if middle := (low + high) / 2; worthNet(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return big.NewRat(low, 100)
}

func power(x *big.Float, n int64) *big.Float {
	result := new(big.Float).SetPrec(x.Prec()).SetInt64(1)
	for square := new(big.Float).Set(x); n > 0; n /= 2 {
		if n%2 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	return result
}

// floorTo returns the largest multiple of step that does not exceed amount.
func floorTo(amount, step *big.Rat) *big.Rat {
	return mul(big.NewRat(floorOf(quo(amount, step)), 1), step)
}

// constraintCode returns the reason code of a counter-offer.
func (a *application) constraintCode() string {
	switch a.offer.binding {
	case "foir_capacity":
		return "FOIR_HIGH"
	case "income_multiple":
		return "INC_LOW"
	case "band_max_limit":
		return "AMT_BAND_CAP"
	case "limit_cap":
		return cmp.Or(a.capCode(a.offer.cap), "AMT_BAND_CAP")
	case "default_limit":
		if a.income() == nil {
			return "INC_MISSING"
		}
		return "MISSING_REQUIRED_INPUT"
	}
	return ""
}

// stage2Facts returns the facts and the engine's results that Stage 2 can read.
func (a *application) stage2Facts() object {
	facts := object{}
	for name, value := range a.facts {
		facts[name] = value
	}
	for _, name := range []string{"offer_limit", "offer_emi", "offer_apr", "post_offer_foir"} {
		delete(facts, name)
	}
	facts["final_score"], facts["grade"] = a.score, a.grade
	if o := a.offer; o != nil {
		facts["offer_limit"], facts["offer_emi"], facts["offer_apr"] = o.limit, o.loan.emi, o.apr
		if o.postFOIR != nil {
			facts["post_offer_foir"] = o.postFOIR
		}
	}
	return facts
}

// offerShown returns the offer as the decision contains it.
func (a *application) offerShown() object {
	o := a.offer
	if a.status == declined {
		return object{"limit": 0, "currency": "INR"}
	}
	shown := object{
		"limit": decimal(o.limit, 2), "currency": "INR", "is_counter_offer": o.isCounterOffer,
		"interest_rate": decimal(num(o.band, "interest_rate", 0), 2), "rate_type": "fixed",
		"method": "reducing_balance", "tenure_months": o.months,
		"emi": decimal(o.loan.emi, 2), "last_emi": decimal(o.loan.last, 2),
		"processing_fee": decimal(o.fee, 2), "processing_fee_gst": decimal(o.gst, 2),
		"net_disbursed":  decimal(o.net, 2),
		"total_interest": decimal(o.loan.interest, 2), "total_payable": decimal(o.loan.payable, 2),
		"apr": decimal(o.apr, 2), "binding_constraint": o.binding, "pricing_band_id": o.band["id"],
		"conditions": a.conditions(), "alternatives": o.alternatives,
	}
	if o.alternatives == nil {
		shown["alternatives"] = []any{}
	}
	if o.cap != nil {
		shown["limit_cap_id"] = o.cap["id"]
	}
	if a.status == referred {
		shown["indicative"] = true
	}
	if o.requested != nil {
		shown["requested_amount"] = decimal(o.requested, 2)
	}
	if o.charges != nil {
		shown["charges"] = o.charges
	}
	if o.capacity != nil {
		shown["max_emi"] = decimal(o.capacity, 2)
		shown["post_offer_foir"] = decimal(o.postFOIR, 4)
	}
	return shown
}

// conditions returns the codes of the conditions that the applicant must still
// meet.
func (a *application) conditions() []any {
	codes := []any{}
	for _, c := range objects(a.policy, "conditions") {
		if a.truth(as[object](c["condition_ast"])) == yes {
			codes = append(codes, c["code"])
		}
	}
	return codes
}
