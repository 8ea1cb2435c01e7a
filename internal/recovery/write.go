package recovery

import (
	"time"

	"verdict/internal/loan"
	"verdict/internal/wire"
)

// WriteMembers writes the members of the advice into the current object. The
// caller writes the id of the run before them and the creation time after them.
func (a *Advice) WriteMembers(w *wire.Writer) {
	w.Key("bucket").Plain(a.Arrears.Bucket.String()).Key("asset_class").Plain(a.Arrears.Class.String())
	w.Key("priority").Plain(a.Priority.Band).Key("priority_score").Int(int64(a.Priority.Score))
	a.writeNext(w.Key("next_best_action"))
	w.Key("plan").Array()
	for i := range a.Plan {
		a.Plan[i].write(w)
	}
	w.EndArray()
	a.Promise.write(w.Key("promise"))
	w.Key("roll_risk").Decimal(a.RollRisk, 4)
	a.Settlement.write(w.Key("settlement"))
	a.writeRestructure(w.Key("restructure"))
	a.Compliance.write(w.Key("compliance"))
	w.Key("reasons").Strings(a.Reasons)

	a.Arrears.write(w.Key("arrears"))
	w.Key("priority_detail").Object().
		Key("value").Decimal(a.Priority.ValuePaise, 2).
		Key("recovery_probability").Decimal(a.Priority.Probability, 4).
		Key("expected_recovery").Decimal(a.Priority.ExpectedPaise, 2)
	// Omit the basis if the ranking is by recovery, because runs that are older than the choice of a basis do not
	// have it. A repetition of such a run must give the same bytes.
	if a.Priority.Basis != ByRecovery {
		w.Key("basis").Plain(a.Priority.Basis.String()).Key("amount_at_risk").Decimal(a.Priority.AtRiskPaise, 2)
	}
	w.EndObject()
	w.Key("roll_risk_table").String(a.RollTable)
	w.Key("mandate").Object()
	if a.Mandate != "" {
		w.Key("status").Plain(a.Mandate)
	}
	w.Key("can_present").Bool(a.Mandate == mandateActive).EndObject()
	a.Held.write(w)
	if a.Message.Template != "" {
		w.Key("message").Object().Key("template").Plain(a.Message.Template).
			Key("language").Plain(a.Message.Language.String()).Key("text").String(a.Message.Text).EndObject()
	}
	w.Key("needs_human").Bool(a.NeedsHuman)
	a.writeWarnings(w)
	// Write the fraction of the second too, because this time is used to repeat the
	// run.
	w.Key("as_of").Plain(a.AsOf.Format("2006-01-02T15:04:05.999999999-07:00"))
}

// clock formats a time with the offset of the borrower's zone.
func clock(t time.Time) string { return t.Format("2006-01-02T15:04:05-07:00") }

func (a *Advice) writeNext(w *wire.Writer) {
	e := &a.Next
	w.Object().Key("action").Plain(e.Action.String())
	if e.Channel != NoChannel {
		w.Key("channel").Plain(e.Channel.String())
		w.Key("not_before").Plain(clock(e.NotBefore)).Key("not_after").Plain(clock(e.NotAfter))
		w.Key("template").Plain(e.Template)
		e.writeTerms(w)
	}
	if e.Action == Hold && !a.Held.Until.IsZero() {
		w.Key("until").Plain(clock(a.Held.Until))
	}
	w.EndObject()
}

func (e *Entry) writeTerms(w *wire.Writer) {
	if e.Requires != "" {
		w.Key("requires").String(e.Requires)
	}
	if e.Place != "" {
		w.Key("place").Plain(e.Place)
	}
}

func (e *Entry) write(w *wire.Writer) {
	w.Object().Key("day").Int(int64(e.Day)).Key("action").Plain(e.Action.String())
	e.writeTerms(w)
	w.Key("channel").Plain(e.Channel.String()).
		Key("not_before").Plain(clock(e.NotBefore)).Key("not_after").Plain(clock(e.NotAfter)).
		Key("template").Plain(e.Template).EndObject()
}

func (r *Record) write(w *wire.Writer) {
	w.Object().Key("kept").Int(int64(r.Kept)).Key("broken").Int(int64(r.Broken))
	if part, ok := r.reliability(); ok {
		w.Key("reliability").Decimal(part, 4)
	}
	w.Key("open").Int(int64(r.Open)).EndObject()
}

func (s *Settlement) write(w *wire.Writer) {
	w.Object().Key("eligible").Bool(s.Eligible).Key("reason").String(s.Reason).Key("min_settlement_pct")
	if !s.Eligible {
		w.Null().EndObject()
		return
	}
	w.Decimal(s.Part, 2).Key("base_amount").Decimal(s.BasePaise, 2).Key("amount").Decimal(s.Paise, 2)
	w.Key("instalments").Array()
	for i, paise := range s.Instalment {
		w.Object().Key("month").Int(int64(i)+1).Key("amount").Decimal(paise, 2).EndObject()
	}
	w.EndArray().Key("cooling_months").Int(int64(s.Cooling)).Key("approval").Plain(approvalAbove).EndObject()
}

func (a *Advice) writeRestructure(w *wire.Writer) {
	r := &a.Restructure
	w.Object().Key("eligible").Bool(r.Eligible)
	if !r.Eligible {
		w.Key("reason").String(r.Reason).EndObject()
		return
	}
	w.Key("proposed_tenure_months").Int(int64(r.Months)).Key("proposed_emi").Decimal(r.EMIPaise, 2)
	// Under the asset classification norms, a loan is downgraded if it is
	// restructured because its borrower is in difficulty.
	w.Key("asset_class_after").Plain(loan.NPA.String()).Key("requires").String(r.Requires)
	w.Key("arithmetic").Object().
		Key("principal").Decimal(r.principalPaise, 2).
		Key("interest_rate").Decimal(r.rateBP, 2).
		Key("current_emi").Decimal(r.currentPaise, 2)
	if r.Remaining > 0 {
		w.Key("remaining_months").Int(int64(r.Remaining))
	}
	w.Key("emi_reduction_pct").Decimal(r.Reduction, 2).EndObject().EndObject()
}

func (c *Compliance) write(w *wire.Writer) {
	w.Object().Key("contact_allowed_now").Bool(c.Allowed).Key("window")
	c.Legal.write(w)
	w.Key("timezone").Plain(c.Zone).EndObject()
	w.Key("attempts_today").Int(int64(c.AttemptsToday)).Key("max_attempts_per_day").Int(int64(c.MaxPerDay))
	w.Key("notes").Strings(c.Notes)
	w.Key("permitted_hours")
	if c.Window.empty() {
		w.Null()
	} else {
		c.Window.write(w)
		w.EndObject()
	}
	w.Key("attempts_week").Int(int64(c.AttemptsWeek)).Key("max_attempts_per_week").Int(int64(c.MaxPerWeek)).EndObject()
}

func (r *Arrears) write(w *wire.Writer) {
	source := "sent"
	if r.Counted {
		source = "due_date"
	}
	w.Object().Key("dpd").Int(int64(r.DPD)).Key("source").Plain(source).Key("day_end").Plain(r.DayEnd.String())
	if r.HasFirst {
		w.Key("sma_0_on").Plain(r.First.String()).
			Key("sma_1_on").Plain((r.First + 30).String()).
			Key("sma_2_on").Plain((r.First + 60).String()).
			Key("npa_on").Plain((r.First + 90).String())
	}
	w.EndObject()
}

func (h *Held) write(w *wire.Writer) {
	if h.Reason == "" {
		return
	}
	w.Key("hold").Object().Key("reason").Plain(h.Reason).Key("detail").String(h.Detail)
	if !h.Until.IsZero() {
		w.Key("until").Plain(clock(h.Until))
	}
	w.Key("person").Bool(h.Person).EndObject()
}

func (a *Advice) writeWarnings(w *wire.Writer) {
	w.Key("warnings").Array()
	for _, item := range a.Warnings {
		w.Object().Key("code").String(item.Code)
		if item.Pointer != "" {
			w.Key("pointer").String(item.Pointer)
		}
		w.Key("detail").String(item.Detail)
		if item.Nearest != "" {
			w.Key("nearest").String(item.Nearest)
		}
		w.EndObject()
	}
	w.EndArray()
}
