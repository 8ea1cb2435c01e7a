package main

import (
	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Record is a whole decision in a form that is the same for all contestants, so
// that decisions can be compared. Records are made only in checks, never in
// measurements.
type Record struct {
	Status  string
	Grade   string
	Score   string
	Rules   []string // "id result" of each knockout and each adjustment that applied
	Points  []string // "factor points" of the base, each factor and the clamp
	Reasons []string
	Offer   *Offer
}

func (o *Outcome) record() Record {
	r := Record{Status: o.Status.String(), Grade: o.Grade, Score: rule.Int(int64(o.Score)).String()}
	for _, f := range o.Rules {
		r.Rules = append(r.Rules, f.ID+" "+f.Result.String())
	}
	for _, a := range o.Adjust {
		if a.Applied {
			r.Rules = append(r.Rules, a.ID+" "+engine.ResultApplied.String())
		}
	}
	entry := func(name string, points int) {
		r.Points = append(r.Points, name+" "+rule.Int(int64(points)).String())
	}
	entry("base", basePoints)
	for _, f := range o.Points {
		entry(f.Factor, f.Points)
	}
	if o.Clamp != 0 {
		entry("clamp", o.Clamp)
	}
	r.Reasons = append(r.Reasons, o.Reasons...)
	if o.Offer.Made {
		offer := o.Offer
		offer.Terms = append([]string(nil), offer.Terms...)
		offer.Alternatives = append([]engine.Alternative(nil), offer.Alternatives...)
		r.Offer = &offer
	}
	return r
}

// recordOf returns the record of a decision of our engine.
func recordOf(d *engine.Decision) Record {
	r := Record{Status: d.Status.String(), Grade: d.Grade, Score: d.FinalScore.String()}
	for _, f := range d.Rules() {
		r.Rules = append(r.Rules, f.ID+" "+f.Result.String())
	}
	for _, c := range d.Contributions() {
		r.Points = append(r.Points, c.Factor+" "+c.Points.String())
	}
	for _, reason := range d.Reasons {
		r.Reasons = append(r.Reasons, reason.Code)
	}
	o := &d.Offer
	if !o.Made {
		return r
	}
	r.Offer = &Offer{
		Made:           true,
		Indicative:     o.Indicative,
		CounterOffer:   o.CounterOffer,
		NotAvailable:   o.TenureNotAvailable,
		Binding:        o.Binding,
		BandID:         o.BandID,
		RateBP:         o.RateBP,
		TenureMonths:   o.TenureMonths,
		LimitPaise:     o.LimitPaise,
		RequestedPaise: o.RequestedPaise,
		EMIPaise:       o.InstalmentPaise,
		LastPaise:      o.LastPaise,
		InterestPaise:  o.InterestPaise,
		PayablePaise:   o.PayablePaise,
		FeePaise:       o.FeePaise,
		GSTPaise:       o.GSTPaise,
		NetPaise:       o.NetPaise,
		APR:            o.APR,
		CapacityPaise:  o.CapacityPaise,
		PostFOIR:       o.PostFOIR,
		Alternatives:   append([]engine.Alternative(nil), d.Alternatives()...),
	}
	for i := range o.Terms {
		r.Offer.Terms = append(r.Offer.Terms, o.Terms[i].Code)
	}
	return r
}
