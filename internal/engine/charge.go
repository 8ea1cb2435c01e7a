package engine

import (
	"fmt"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Charge is a charge on every loan of a policy, in addition to the processing fee of the band. It is deducted from the
// amount paid out and counts in the APR.
type Charge struct {
	ID         string
	ThirdParty bool // the lender collects the charge for somebody else, such as an insurer or the state
	Percent    bool // Amount is a percentage of the limit
	Amount     loan.Charge
}

const (
	sectionCharges = "charges"
	maxCharges     = 20
	// maxChargePct is the highest percentage of a charge.
	maxChargePct = 50
)

// The recipients and the kinds of charges, by their names in a policy.
var (
	chargeRecipients = [...]string{"lender", "third_party"}
	chargeKinds      = [...]string{"fixed", "percent"}
)

// To returns the recipient of the charge as the API spells it.
func (c *Charge) To() string { return chargeRecipients[flagNumber(c.ThirdParty)] }

func (c *Charge) write(w *wire.Writer) {
	w.Object().Key("amount")
	if c.Percent {
		w.Decimal(c.Amount.PctMicros, rule.Places)
	} else {
		w.Decimal(c.Amount.FixedPaise, 2)
	}
	if c.Amount.TaxMicros > 0 {
		number(w, "gst", rule.Number(c.Amount.TaxMicros))
	}
	w.Key("id").String(c.ID).Key("kind").String(chargeKinds[flagNumber(c.Percent)])
	if c.Amount.MaxPaise > 0 {
		rupees(w, "max", c.Amount.MaxPaise)
	}
	if c.Amount.MinPaise > 0 {
		rupees(w, "min", c.Amount.MinPaise)
	}
	w.Key("to").String(c.To()).EndObject()
}

// feeID is the name of the processing fee in an offer, so no charge can have this id.
const feeID = "processing_fee"

// charges reads the section "charges".
func (r *policyReader) charges(f *wire.Form) {
	seen := map[string]bool{}
	for _, v := range f.Array(sectionCharges, maxCharges).Elements() {
		r.policy.Charges = append(r.policy.Charges, r.charge(v, seen))
	}
}

func (r *policyReader) charge(v wire.Value, seen map[string]bool) (c Charge) {
	form := wire.NewForm(v, &r.faults)
	f := &form
	if c.ID = r.id(f, seen); c.ID == feeID {
		f.Fail("id", fault.CodeInvalidField, "is the name of the fee that a band charges; choose another one")
	}
	f.Require("to", "lender or third_party")
	c.ThirdParty = f.Choice("to", 0, chargeRecipients[:]...) == 1
	f.Require("kind", "fixed or percent")
	before := r.faults.Len()
	c.Percent = f.Choice("kind", 0, chargeKinds[:]...) == 1
	known := r.faults.Len() == before
	f.Require("amount", "rupees, or a percentage of the limit if kind is percent")
	switch {
	case !known: // the unit of the amount is unknown, so its range cannot be checked
		f.Known("amount")
	case c.Percent:
		pct, _ := f.Decimal("amount", 4, 1, maxChargePct*10_000)
		c.Amount.PctMicros = pct * int64(rule.One/10_000)
	default:
		c.Amount.FixedPaise, _ = f.Decimal("amount", 2, 1, maxAmountPaise)
	}
	least, hasLeast := f.Decimal("min", 2, 1, maxAmountPaise)
	most, hasMost := f.Decimal("max", 2, 1, maxAmountPaise)
	c.Amount.MinPaise, c.Amount.MaxPaise = least, most
	switch {
	case known && !c.Percent && (f.Get("min").Given() || f.Get("max").Given()):
		f.Fail("kind", fault.CodeInvalidField, "must be percent if the charge has min or max")
	case hasLeast && hasMost && most < least:
		f.Fail("max", fault.CodeOutOfRange, "must not be below min")
	}
	if gst, ok := f.Decimal("gst", 4, 0, 50*10_000); ok {
		c.Amount.TaxMicros = gst * int64(rule.One/10_000)
	}
	f.Done()
	return c
}

// ChargesText describes the charges of the policy.
func (p *Policy) ChargesText() string {
	if len(p.Charges) == 0 {
		return "none"
	}
	texts := make([]string, len(p.Charges))
	for i := range p.Charges {
		texts[i] = p.Charges[i].ID + " " + p.Charges[i].String()
	}
	return strings.Join(texts, "; ")
}

// String describes the charge without its id.
func (c *Charge) String() string {
	a := &c.Amount
	text := rule.Rupees(a.FixedPaise).String()
	if c.Percent {
		text = rule.Number(a.PctMicros).String() + " %"
	}
	if a.MinPaise > 0 {
		text += ", at least " + rule.Rupees(a.MinPaise).String()
	}
	if a.MaxPaise > 0 {
		text += ", at most " + rule.Rupees(a.MaxPaise).String()
	}
	if a.TaxMicros > 0 {
		text += ", plus " + rule.Number(a.TaxMicros).String() + " % GST"
	}
	if c.ThirdParty {
		return text + ", to a third party"
	}
	return text + ", to the lender"
}

// ChargeLine is a charge of an offer. Amounts are in paise.
type ChargeLine struct {
	ID         string
	ThirdParty bool
	Paise      int64
	TaxPaise   int64
}

// To returns the recipient of the charge as the API spells it.
func (c *ChargeLine) To() string { return chargeRecipients[flagNumber(c.ThirdParty)] }

// Charges lists the charges of the offer in the order of the policy. It is empty if no offer was made.
func (d *Decision) Charges() []ChargeLine {
	if !d.Offer.Made || !d.Offer.Charged {
		return nil
	}
	list := make([]ChargeLine, len(d.plan.policy.Charges))
	for i := range list {
		c := &d.plan.policy.Charges[i]
		paise, tax := c.Amount.On(d.Offer.LimitPaise)
		list[i] = ChargeLine{ID: c.ID, ThirdParty: c.ThirdParty, Paise: paise, TaxPaise: tax}
	}
	return list
}

// ChargesOn returns the sum of the policy's charges for a loan, with their tax.
func (p *Policy) ChargesOn(amountPaise int64) (total int64) {
	for i := range p.Charges {
		paise, tax := p.Charges[i].Amount.On(amountPaise)
		total = min(total+min(paise, maxAmountPaise)+min(tax, maxAmountPaise), maxAmountPaise)
	}
	return total
}

// consumed reports whether fee, charges and tax leave nothing of the limit to pay out. For a policy without charges it
// returns false: the reader of policies checks that the fee leaves at least half of the smallest loan.
func (x pricer) consumed() bool {
	p, d := x.plan, x.decision
	if len(p.policy.Charges) == 0 {
		return false
	}
	fee := loan.Fee(d.limit.paise, int64(d.band.FeePct), d.band.FeeMinPaise)
	return fee+loan.Tax(fee, int64(d.band.GSTPct))+p.policy.ChargesOn(d.limit.paise) >= d.limit.paise
}

// consumed explains a limit that the fee and the charges use up completely.
func (x detailer) consumed() Detail {
	d := x.decision
	return Detail{
		Text: fmt.Sprintf("fee, charges and tax leave nothing of a limit of %s to pay out; the charges alone are %s",
			rule.Rupees(d.limit.paise), rule.Rupees(d.plan.policy.ChargesOn(d.limit.paise))),
	}
}

// writeCharges writes the charges of the offer. The members are in name order, so the response and the canonical form
// have the same bytes.
func (o *offerWriter) writeCharges(w *wire.Writer) {
	w.Array()
	for _, c := range o.decision.Charges() {
		w.Object()
		rupees(w, "amount", c.Paise)
		rupees(w, "gst", c.TaxPaise)
		w.Key("id").String(c.ID).Key("to").String(c.To()).EndObject()
	}
	w.EndArray()
}

// readCharges reads the charges of a stored response.
func (a *Answer) readCharges(v wire.Value) {
	for _, c := range v.Elements() {
		line := ChargeLine{
			ID:         c.Get("id").Text(),
			ThirdParty: c.Get("to").Text() == chargeRecipients[1],
			Paise:      c.Get("amount").Decimal(2),
			TaxPaise:   c.Get("gst").Decimal(2),
		}
		a.Charges = append(a.Charges, line)
		a.Offer.ChargesPaise += line.Paise + line.TaxPaise
	}
	a.Offer.Charged = v.Given()
}
