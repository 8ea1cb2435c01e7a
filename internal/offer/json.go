package offer

import (
	"time"

	"verdict/internal/loan"
	"verdict/internal/wire"
)

// writeAPR writes an annual percentage rate, and notes if the real rate is higher.
func writeAPR(w *wire.Writer, hundredths int64) {
	w.Key("apr").Decimal(hundredths, 2)
	if hundredths >= loan.MaxAPR {
		w.Key("apr_is_higher").Bool(true)
	}
}

// writeEnvironment writes the environment of the decision, so that nobody takes the document of a test for an offer.
func writeEnvironment(w *wire.Writer, sandbox bool) {
	name := "live"
	if sandbox {
		name = "sandbox"
	}
	w.Key("environment").String(name)
}

func amount(w *wire.Writer, key string, paise int64) { w.Key(key).Decimal(paise, 2) }

// Write writes the statement as JSON. The members are those of the annexes of the circular.
func (k *KFS) Write(w *wire.Writer) {
	o := &k.Offer
	w.Object().Key("decision_id").String(k.DecisionID).Key("proposal_number").String(k.Proposal)
	writeEnvironment(w, k.Sandbox)
	w.Key("language").String(k.Language.Tag).Key("issued_on").String(k.IssuedOn.String())
	w.Key("valid_until").String(k.ValidUntil.UTC().Format(time.RFC3339))
	w.Key("disbursed_on").String(k.DisbursedOn.String())
	w.Key("dates_text").String(k.Language.Text("kfs.dates", "date", k.Language.Day(k.DisbursedOn)))

	w.Key("lender")
	writeLender(w, k.Profile, k.Language, k.ProfileVersion)

	w.Key("loan").Object().Key("type").String(k.LoanType())
	amount(w, "sanctioned_amount", o.LimitPaise)
	w.Key("disbursal").String("upfront").Key("term_months").Int(int64(o.TenureMonths))
	k.writeInstalments(w)
	w.Key("interest_rate").Decimal(o.RateBP, 2).Key("rate_type").String("fixed")
	w.Key("method").String("reducing_balance").EndObject()

	w.Key("fees").Object().Key("lender")
	k.LenderFees.write(w)
	w.Key("third_party")
	k.OtherFees.write(w)
	amount(w, "total", k.FeesPaise())
	w.EndObject()
	writeAPR(w, o.APR)

	w.Key("contingent_charges").Object()
	for _, name := range termNames[:5] {
		w.Key(name).String(k.Term(name))
	}
	w.EndObject()
	k.writeInformation(w)
	k.writeComputation(w)
	k.writeSchedule(w)
	w.Optional("note", k.Note())
	w.EndObject()
}

func (k *KFS) writeInstalments(w *wire.Writer) {
	w.Key("instalments").Object().Key("type").String("monthly").Key("number").Int(int64(len(k.Rows)))
	amount(w, "amount", k.Offer.InstalmentPaise)
	amount(w, "last_amount", k.Offer.LastPaise)
	w.Key("first_due_on").String(k.FirstDue().String()).Key("last_due_on").String(k.LastDue().String()).EndObject()
}

// writeInformation writes the second part of the statement.
func (k *KFS) writeInformation(w *wire.Writer) {
	w.Key("recovery").Object().Key("clause").String(k.Term("recovery_clause")).Key("agents").Array()
	for i := range k.Profile.RecoveryAgents {
		k.Profile.RecoveryAgents[i].write(w)
	}
	w.EndArray().EndObject()
	w.Key("grievance").Object().Key("clause").String(k.Term("grievance_clause")).Key("officer")
	officer := k.Officer()
	officer.write(w)
	w.EndObject().Key("transferable").Bool(k.Profile.Transferable)
	if c := k.Profile.Collaboration; c != nil {
		w.Key("collaboration").Object().Key("originator")
		c.Originator.write(w)
		w.Key("partner")
		c.Partner.write(w)
		if c.BlendedRateBP > 0 {
			w.Key("blended_rate").Decimal(c.BlendedRateBP, 2)
		}
		w.EndObject()
	}
	w.Key("cooling_off").Object().Key("days").Int(int64(k.Profile.CoolingOffDays))
	w.Key("until").String(k.CoolingOffEnd().String()).EndObject()
}

// writeComputation writes the sheet that computes the APR.
func (k *KFS) writeComputation(w *wire.Writer) {
	o := &k.Offer
	w.Key("apr_computation").Object()
	amount(w, "sanctioned_amount", o.LimitPaise)
	w.Key("term_months").Int(int64(o.TenureMonths))
	k.writeInstalments(w)
	w.Key("rate_type").String("fixed").Key("interest_rate").Decimal(o.RateBP, 2)
	amount(w, "total_interest", o.InterestPaise)
	amount(w, "fees_lender", k.LenderFees.Paise)
	amount(w, "fees_third_party", k.OtherFees.Paise)
	amount(w, "net_disbursed", o.NetPaise)
	amount(w, "total_payable", o.PayablePaise)
	writeAPR(w, o.APR)
	w.Key("disbursed_on").String(k.DisbursedOn.String()).EndObject()
}

func (k *KFS) writeSchedule(w *wire.Writer) {
	w.Key("schedule").Array()
	for i := range k.Rows {
		row := &k.Rows[i]
		w.Object().Key("number").Int(int64(row.Number)).Key("due_on").String(row.DueOn.String())
		amount(w, "outstanding", row.OutstandingPaise)
		amount(w, "principal", row.PrincipalPaise)
		amount(w, "interest", row.InterestPaise)
		amount(w, "instalment", row.PaidPaise)
		w.EndObject()
	}
	w.EndArray()
}

func (f *Fees) write(w *wire.Writer) {
	w.Object().Key("lines").Array()
	for _, line := range f.Lines {
		w.Object().Key("id").String(line.ID).Key("name").String(line.Name).Key("frequency").String("one_time")
		amount(w, "amount", line.Paise)
		amount(w, "gst", line.TaxPaise)
		amount(w, "total", line.TotalPaise())
		w.EndObject()
	}
	w.EndArray()
	amount(w, "total", f.Paise)
	w.EndObject()
}

func writeLender(w *wire.Writer, p *Profile, l *Language, version int64) {
	w.Object().Key("name").String(p.name(l)).Key("address").String(p.address(l))
	w.Optional("registration", p.Registration)
	w.Optional("website", p.Website)
	w.Key("profile_version").Int(version).EndObject()
}

// Write writes the letter as JSON.
func (x *Letter) Write(w *wire.Writer) {
	w.Object().Key("decision_id").String(x.DecisionID).Key("kind").String(x.Kind)
	writeEnvironment(w, x.Sandbox)
	w.Key("language").String(x.Language.Tag).Key("date").String(x.On.String()).Key("lender")
	writeLender(w, x.Profile, x.Language, x.ProfileVersion)
	w.Key("title").String(x.Title()).Key("text").String(x.Text()).Key("reasons").Strings(x.Reasons)
	if x.IsCounterOffer() {
		o := &x.Offer
		w.Key("offer").Object()
		if o.HasRequested {
			amount(w, "requested_amount", o.RequestedPaise)
		}
		amount(w, "amount", o.LimitPaise)
		w.Key("interest_rate").Decimal(o.RateBP, 2).Key("term_months").Int(int64(o.TenureMonths))
		amount(w, "instalment", x.InstalmentPaise())
		amount(w, "net_disbursed", o.NetPaise)
		writeAPR(w, o.APR)
		w.Key("valid_until").String(x.ValidUntil.UTC().Format(time.RFC3339)).EndObject()
	}
	w.Key("next").String(x.Next()).Key("grievance")
	officer := x.Officer()
	officer.write(w)
	w.Optional("note", x.Note())
	w.EndObject()
}
