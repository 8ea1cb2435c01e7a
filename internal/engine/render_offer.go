package engine

import (
	"cmp"
	"slices"

	"verdict/internal/wire"
)

// offerMember is a member of the offer. The response has the members in the order
// of these constants; the canonical form that is hashed has them in name order.
type offerMember uint8

const (
	offerLimit offerMember = iota
	offerCurrency
	offerIndicative
	offerRequested
	offerCounter
	offerRate
	offerRateType
	offerMethod
	offerTenure
	offerEMI
	offerLastEMI
	offerFee
	offerGST
	offerCharges
	offerNet
	offerInterest
	offerPayable
	offerAPR
	offerMaxEMI
	offerPostFOIR
	offerBinding
	offerLimitCap
	offerBand
	offerValidUntil
	offerConditions
	offerAlternatives
)

type memberKind uint8

const (
	memberNumber memberKind = iota
	memberText
	memberFlag
	memberTerms
	memberAlternatives
	memberCharges
)

// offerTable has the name and format of each member.
var offerTable = [...]struct {
	name   string
	kind   memberKind
	places int // decimals of a number
}{
	offerLimit:        {"limit", memberNumber, 2},
	offerCurrency:     {"currency", memberText, 0},
	offerIndicative:   {"indicative", memberFlag, 0},
	offerRequested:    {"requested_amount", memberNumber, 2},
	offerCounter:      {"is_counter_offer", memberFlag, 0},
	offerRate:         {"interest_rate", memberNumber, 2},
	offerRateType:     {"rate_type", memberText, 0},
	offerMethod:       {"method", memberText, 0},
	offerTenure:       {"tenure_months", memberNumber, 0},
	offerEMI:          {"emi", memberNumber, 2},
	offerLastEMI:      {"last_emi", memberNumber, 2},
	offerFee:          {"processing_fee", memberNumber, 2},
	offerGST:          {"processing_fee_gst", memberNumber, 2},
	offerCharges:      {sectionCharges, memberCharges, 0},
	offerNet:          {"net_disbursed", memberNumber, 2},
	offerInterest:     {"total_interest", memberNumber, 2},
	offerPayable:      {"total_payable", memberNumber, 2},
	offerAPR:          {"apr", memberNumber, 2},
	offerMaxEMI:       {"max_emi", memberNumber, 2},
	offerPostFOIR:     {"post_offer_foir", memberNumber, 4},
	offerBinding:      {"binding_constraint", memberText, 0},
	offerLimitCap:     {"limit_cap_id", memberText, 0},
	offerBand:         {"pricing_band_id", memberText, 0},
	offerValidUntil:   {"valid_until", memberText, 0},
	offerConditions:   {"conditions", memberTerms, 0},
	offerAlternatives: {"alternatives", memberAlternatives, 0},
}

// canonicalOrder lists the members in name order.
var canonicalOrder = func() (order [len(offerTable)]offerMember) {
	for i := range order {
		order[i] = offerMember(i)
	}
	slices.SortFunc(order[:], func(a, b offerMember) int { return cmp.Compare(offerTable[a].name, offerTable[b].name) })
	return order
}()

// offerValues has the values of an offer's members and says which members are
// given.
type offerValues struct {
	given   [len(offerTable)]bool
	numbers [len(offerTable)]int64 // for a flag, 1 is true
	texts   [len(offerTable)]string
}

func (v *offerValues) number(m offerMember, n int64) { v.given[m], v.numbers[m] = true, n }
func (v *offerValues) text(m offerMember, s string)  { v.given[m], v.texts[m] = true, s }
func (v *offerValues) flag(m offerMember, given bool) {
	v.given[m], v.numbers[m] = true, flagNumber(given)
}

func flagNumber(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// fill sets the members of an offer. validUntil is "" in the canonical form.
func (v *offerValues) fill(o *Offer, validUntil string) {
	v.number(offerLimit, o.LimitPaise)
	v.text(offerCurrency, "INR")
	if !o.Made {
		return
	}
	if o.Indicative {
		v.flag(offerIndicative, true)
	}
	if o.HasRequested {
		v.number(offerRequested, o.RequestedPaise)
	}
	v.flag(offerCounter, o.CounterOffer)
	v.number(offerRate, o.RateBP)
	v.text(offerRateType, "fixed")
	v.text(offerMethod, "reducing_balance")
	v.number(offerTenure, int64(o.TenureMonths))
	v.number(offerEMI, o.InstalmentPaise)
	v.number(offerLastEMI, o.LastPaise)
	v.number(offerFee, o.FeePaise)
	v.number(offerGST, o.GSTPaise)
	v.given[offerCharges] = o.Charged
	v.number(offerNet, o.NetPaise)
	v.number(offerInterest, o.InterestPaise)
	v.number(offerPayable, o.PayablePaise)
	v.number(offerAPR, o.APR)
	if o.HasCapacity {
		v.number(offerMaxEMI, o.CapacityPaise)
	}
	if o.HasPostFOIR {
		v.number(offerPostFOIR, o.PostFOIR)
	}
	v.text(offerBinding, o.Binding.String())
	if o.LimitCapID != "" {
		v.text(offerLimitCap, o.LimitCapID)
	}
	v.text(offerBand, o.BandID)
	if validUntil != "" {
		v.text(offerValidUntil, validUntil)
	}
	v.given[offerConditions], v.given[offerAlternatives] = true, true
}

// offerWriter writes the offer of a decision, either for the response or in the canonical form.
type offerWriter struct {
	decision  *Decision
	values    offerValues
	canonical bool
}

// writeOffer writes the offer as an object, with the members in the order of the
// response or of the canonical form.
func writeOffer(w *wire.Writer, d *Decision, validUntil string, canonical bool) {
	o := offerWriter{decision: d, canonical: canonical}
	o.values.fill(&d.Offer, validUntil)
	w.Object()
	for i := range offerMember(len(offerTable)) {
		m := i
		if canonical {
			m = canonicalOrder[i]
		}
		o.writeMember(w, m)
	}
	w.EndObject()
}

// writeMember writes a member if the offer has it.
func (o *offerWriter) writeMember(w *wire.Writer, m offerMember) {
	v := &o.values
	if !v.given[m] {
		return
	}
	how := &offerTable[m]
	w.Key(how.name)
	switch how.kind {
	case memberNumber:
		w.Decimal(v.numbers[m], how.places)
	case memberText:
		w.String(v.texts[m])
	case memberFlag:
		w.Bool(v.numbers[m] == 1)
	case memberTerms:
		o.writeTerms(w)
	case memberAlternatives:
		o.writeAlternatives(w)
	case memberCharges:
		o.writeCharges(w)
	}
}

// writeTerms writes the conditions. The hash covers only their codes because
// texts may be reworded.
func (o *offerWriter) writeTerms(w *wire.Writer) {
	w.Array()
	for _, t := range o.decision.Offer.Terms {
		if o.canonical {
			w.String(t.Code)
			continue
		}
		w.Object().Key("code").String(t.Code).Key("text").String(t.Text).EndObject()
	}
	w.EndArray()
}

func (o *offerWriter) writeAlternatives(w *wire.Writer) {
	w.Array()
	for _, a := range o.decision.Alternatives() {
		w.Object()
		if o.canonical {
			rupees(w, "emi", a.InstalmentPaise)
		}
		rupees(w, "limit", o.decision.Offer.LimitPaise)
		w.Key("tenure_months").Int(int64(a.TenureMonths))
		if !o.canonical {
			rupees(w, "emi", a.InstalmentPaise)
		}
		w.EndObject()
	}
	w.EndArray()
}
