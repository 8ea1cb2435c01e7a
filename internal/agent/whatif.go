package agent

import (
	"cmp"
	"fmt"
	"slices"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// variant is the decision of the engine for changed values. It is not stored as a
// decision.
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

// explorer finds out what the engine would decide for other amounts and tenures.
type explorer struct {
	study    *study       // the study whose facts are varied; its trace records each what-if
	whatIfs  []variant    // in the order in which they were tried
	offers   []variant    // the counter-offers, the largest amount first
	warnings []fault.Item // about members of the request that had no effect
}

// explore tries the what-ifs and collects the counter-offers. It adds warnings
// about the members of the request's "explore" that had no effect.
func (st *study) explore() {
	x := explorer{study: st}
	x.tryIdeas()
	x.collectOffers()
	x.warnUnused()
	st.whatIfs, st.offers, st.warnings = x.whatIfs, x.offers, x.warnings
}

// preview returns the decision on the facts with the changes applied.
func (x *explorer) preview(changes ...advice.Change) variant {
	if x.study.interrupted() {
		return variant{}
	}
	var d engine.Decision
	x.study.plan.Decide(advice.Apply(x.study.plan, x.study.facts, changes...), &d)
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

// change returns a change of one field from its present value to the value "to".
func (x *explorer) change(name string, to rule.Number) advice.Change {
	return advice.Change{Field: name, From: x.study.facts.Get(name), To: rule.Num(to)}
}

// tryIdeas tries other tenures and a smaller amount until the allowed number of
// steps is used up.
func (x *explorer) tryIdeas() {
	for _, changes := range x.ideas() {
		if len(x.study.trace.steps) >= x.study.ask.steps {
			return
		}
		v := x.preview(changes...)
		var in wire.Writer
		writeChanges(&in, changes)
		result := v.status.String()
		if v.limitPaise > 0 {
			result += fmt.Sprintf(": %s over %d months", rule.Rupees(v.limitPaise), v.tenure)
		}
		if v.notAvailable {
			result += ", the tenure is not available"
		}
		x.study.trace.record(toolWhatIf, in.Buf, result)
		x.whatIfs = append(x.whatIfs, v)
	}
}

// ideas returns the changes to try: each other tenure that the policy allows and
// the caller wants to explore, and the smallest amount that the caller accepts.
func (x *explorer) ideas() [][]advice.Change {
	var out [][]advice.Change
	present := x.tenureNow()
	for _, months := range x.tenures() {
		if months != present {
			out = append(out, []advice.Change{x.change(field.RequestedTenureMonths, rule.Int(int64(months)))})
		}
	}
	least := rule.Rupees(x.study.ask.minPaise)
	if asked, ok := x.study.requested(); ok && least > 0 && least < asked {
		out = append(out, []advice.Change{x.change(field.RequestedAmount, least)})
	}
	return out
}

// tenureNow returns the tenure of the offer in months. Without an offer it returns the requested tenure, or else the
// tenure of the applicant's band, or 0.
func (x *explorer) tenureNow() int {
	st := x.study
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

// tenures returns the allowed tenures that the caller wants to explore.
func (x *explorer) tenures() []int {
	out := x.allowedTenures()
	if x.study.ask.tenures == nil {
		return out
	}
	return slices.DeleteFunc(out, func(months int) bool { return !slices.Contains(x.study.ask.tenures, months) })
}

// allowedTenures returns the tenures of the applicant's band, or of all bands if
// that band has no price.
func (x *explorer) allowedTenures() []int {
	st := x.study
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

// maxOffers is the maximum number of counter-offers.
const maxOffers = 5

// collectOffers collects at most maxOffers counter-offers, unless the application was approved in full. They are the
// lower limit that the engine offered, and the variants that were approved after a change of only the amount or the
// tenure.
func (x *explorer) collectOffers() {
	st := x.study
	if st.status == engine.Approved && !st.offer.CounterOffer {
		return
	}
	if st.status == engine.Approved {
		x.offers = append(x.offers, x.preview(x.change(field.RequestedAmount, rule.Rupees(st.offer.LimitPaise))))
	}
	for i := range st.improvements {
		better := &st.improvements[i]
		if better.Status == engine.Approved && !slices.ContainsFunc(better.Changes, notAsked) {
			x.offers = append(x.offers, x.preview(better.Changes...))
		}
	}
	x.offers = append(x.offers, x.whatIfs...)
	x.offers = slices.DeleteFunc(x.offers, func(v variant) bool {
		return v.status != engine.Approved || v.notAvailable || v.limitPaise < st.ask.minPaise
	})
	slices.SortStableFunc(x.offers, func(a, b variant) int {
		return cmp.Or(
			cmp.Compare(b.limitPaise, a.limitPaise),
			cmp.Compare(len(a.changes), len(b.changes)),
			cmp.Compare(a.tenure, b.tenure),
		)
	})
	x.offers = slices.CompactFunc(x.offers, func(a, b variant) bool {
		return a.limitPaise == b.limitPaise && a.tenure == b.tenure
	})
	x.offers = x.offers[:min(len(x.offers), maxOffers)]
}

// notAsked reports whether c changes a field other than the requested amount and
// tenure.
func notAsked(c advice.Change) bool {
	return c.Field != field.RequestedAmount && c.Field != field.RequestedTenureMonths
}

// changeNames maps fields to their member names in the answer, if the names
// differ.
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
