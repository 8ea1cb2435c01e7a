package agent

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// variant is the decision of the engine on changed values. The decision itself is
// not stored.
type variant struct {
	changes      []advice.Change
	status       engine.Status
	grade        string
	bandID       string
	limitPaise   int64
	tenure       int
	rateBP       int64
	instalment   int64
	apr          int64
	isCounter    bool
	notAvailable bool
}

// preview decides on the facts with changes made.
func (st *study) preview(changes ...advice.Change) variant {
	if st.interrupted() {
		return variant{}
	}
	var d engine.Decision
	st.plan.Decide(advice.Apply(st.plan, st.facts, changes...), &d)
	o := &d.Offer
	return variant{
		changes:      changes,
		status:       d.Status,
		grade:        d.Grade,
		bandID:       o.BandID,
		limitPaise:   o.LimitPaise,
		tenure:       o.TenureMonths,
		rateBP:       o.RateBP,
		instalment:   o.InstalmentPaise,
		apr:          o.APR,
		isCounter:    o.CounterOffer,
		notAvailable: o.TenureNotAvailable,
	}
}

// change returns the change of one field from its present value.
func (st *study) change(name string, to rule.Number) advice.Change {
	return advice.Change{Field: name, From: st.facts.Get(name), To: rule.Num(to)}
}

// whatIf tries other tenures and a smaller amount until the steps are used up.
func (st *study) whatIf() {
	for _, changes := range st.ideas() {
		if len(st.steps) >= st.ask.steps {
			return
		}
		v := st.preview(changes...)
		var in wire.Writer
		writeChanges(&in, changes)
		result := v.status.String()
		if v.limitPaise > 0 {
			result += fmt.Sprintf(": %s over %d months", rule.Rupees(v.limitPaise), v.tenure)
		}
		if v.notAvailable {
			result += ", the tenure is not available"
		}
		st.step(toolWhatIf, in.Buf, result)
		st.whatIfs = append(st.whatIfs, v)
	}
}

// ideas returns the changes to try: each other tenure that the policy allows and
// the caller wants explored, and the smallest amount that the caller accepts.
func (st *study) ideas() [][]advice.Change {
	var out [][]advice.Change
	present := st.tenureNow()
	for _, months := range st.tenures() {
		if months != present {
			out = append(out, []advice.Change{st.change(field.RequestedTenureMonths, rule.Int(int64(months)))})
		}
	}
	if asked, ok := st.requested(); ok && st.ask.minPaise > 0 && rule.Rupees(st.ask.minPaise) < asked {
		out = append(out, []advice.Change{st.change(field.RequestedAmount, rule.Rupees(st.ask.minPaise))})
	}
	return out
}

// tenureNow returns the tenure of the decision, in months.
func (st *study) tenureNow() int {
	if st.offer.Made {
		return st.offer.TenureMonths
	}
	if n, ok := st.number(field.RequestedTenureMonths); ok {
		return int(n.Floor())
	}
	if st.band != nil {
		return st.band.TenureMonths
	}
	return 0
}

// tenures returns the allowed tenures that the caller wants explored.
func (st *study) tenures() []int {
	out := st.allowedTenures()
	if st.ask.tenures == nil {
		return out
	}
	return slices.DeleteFunc(out, func(months int) bool { return !slices.Contains(st.ask.tenures, months) })
}

// allowedTenures returns the tenures of the applicant's band, or of all bands if
// that band has no price.
func (st *study) allowedTenures() []int {
	var out []int
	if st.band != nil && st.band.Priced {
		out = slices.Clone(st.band.Tenures)
	} else {
		policy := st.plan.Policy()
		for i := range policy.Bands {
			out = append(out, policy.Bands[i].Tenures...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// maxOffers is the largest number of counter-offers.
const maxOffers = 5

// counter collects the counter-offers, the largest amount first: the lower limit
// that the engine offered, and every variant that was approved by changing only
// the amount or the tenure.
func (st *study) counter() {
	if st.status == engine.Approved && !st.offer.CounterOffer {
		return
	}
	if st.status == engine.Approved {
		st.offers = append(st.offers, st.preview(st.change(field.RequestedAmount, rule.Rupees(st.offer.LimitPaise))))
	}
	for i := range st.improvements {
		if x := &st.improvements[i]; x.Status == engine.Approved && !slices.ContainsFunc(x.Changes, notAsked) {
			st.offers = append(st.offers, st.preview(x.Changes...))
		}
	}
	st.offers = append(st.offers, st.whatIfs...)
	st.offers = slices.DeleteFunc(st.offers, func(v variant) bool {
		return v.status != engine.Approved || v.notAvailable || v.limitPaise < st.ask.minPaise
	})
	slices.SortStableFunc(st.offers, func(a, b variant) int {
		return cmp.Or(
			cmp.Compare(b.limitPaise, a.limitPaise),
			cmp.Compare(len(a.changes), len(b.changes)),
			cmp.Compare(a.tenure, b.tenure),
		)
	})
	st.offers = slices.CompactFunc(st.offers, func(a, b variant) bool {
		return a.limitPaise == b.limitPaise && a.tenure == b.tenure
	})
	st.offers = st.offers[:min(len(st.offers), maxOffers)]
}

// notAsked reports whether a change is of another field than the requested amount
// and tenure.
func notAsked(c advice.Change) bool {
	return c.Field != field.RequestedAmount && c.Field != field.RequestedTenureMonths
}

// changeNames maps fields to the member names of the answer, where they differ.
var changeNames = map[string]string{field.RequestedTenureMonths: "tenure_months"}

func writeChanges(w *wire.Writer, changes []advice.Change) {
	w.Object()
	for _, c := range changes {
		w.Key(cmp.Or(changeNames[c.Field], c.Field))
		c.To.Write(w)
	}
	w.EndObject()
}

func (v *variant) write(w *wire.Writer, withStatus bool) {
	w.Object()
	if withStatus {
		w.Key("status").String(v.status.String()).Key("grade").String(v.grade)
	}
	if v.limitPaise > 0 {
		w.Key("limit").Decimal(v.limitPaise, 2).Key("tenure_months").Int(int64(v.tenure))
		w.Key("interest_rate").Decimal(v.rateBP, 2).Key("emi").Decimal(v.instalment, 2).Key("apr").Decimal(v.apr, 2)
		w.Key("pricing_band_id").String(v.bandID)
	}
	w.Key("changes")
	writeChanges(w, v.changes)
	w.EndObject()
}
