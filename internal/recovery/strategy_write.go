package recovery

import "verdict/internal/wire"

// Write writes the strategy as an object that ReadStrategy can read. A caller adds
// the version and the author with wire.Writer's Members.
func (s *Strategy) Write(w *wire.Writer) {
	w.Object().Key("name").String(s.Name)
	w.Key("lender_name").String(s.LenderName).Key("contact").String(s.Contact)
	s.Window.write(w.Key("window"))
	w.EndObject().Key("microfinance_window")
	s.MicrofinanceWindow.write(w)
	w.EndObject().Key("closed_weekdays").Array()
	for i, closed := range s.ClosedWeekdays {
		if closed {
			w.Plain(weekdayNames[i])
		}
	}
	w.EndArray().Key("holidays").Array()
	for _, d := range s.Holidays {
		w.Plain(d.String())
	}
	w.EndArray()
	w.Key("max_attempts_per_day").Int(int64(s.MaxPerDay)).Key("max_attempts_per_week").Int(int64(s.MaxPerWeek))
	w.Key("payment_hold_days").Int(int64(s.PaymentHoldDays)).Key("max_promise_days").Int(int64(s.MaxPromiseDays))
	writeNumbers(w.Key("pre_due_days"), s.PreDueDays)
	w.Key("stages").Array()
	for i := range s.Stages {
		s.Stages[i].write(w)
	}
	w.EndArray()
	s.RollRisk.write(w.Key("roll_risk"))
	s.Priority.write(w.Key("priority"))
	s.Restructure.write(w.Key("restructure"))
	s.Settlement.write(w.Key("settlement"))
	w.EndObject()
}

// write writes the members of the hours. The caller must end the object.
func (w Window) write(to *wire.Writer) {
	to.Object().Key("from").Plain(clockText(w.From)).Key("to").Plain(clockText(w.To))
}

func (st *Stage) write(w *wire.Writer) {
	w.Object().Key("from_dpd").Int(int64(st.FromDPD)).Key("tone").Plain(st.Tone.String()).Key("steps").Array()
	for _, step := range st.Steps {
		w.Object().Key("day").Int(int64(step.Day)).Key("action").Plain(step.Action.String()).EndObject()
	}
	w.EndArray().EndObject()
}

func (r *RollRisk) write(w *wire.Writer) {
	w.Object().Key("table").String(r.Table).Key("buckets").Object()
	for i, risk := range r.Buckets {
		w.Key(bucketNames[i]).Decimal(risk, 4)
	}
	w.EndObject().Key("promise_swing").Decimal(r.PromiseSwing, 4).EndObject()
}

func (p *Priority) write(w *wire.Writer) {
	w.Object().Key("basis").Plain(p.Basis.String()).Key("scale").Array()
	for _, point := range p.Scale {
		w.Object().Key("expected").Decimal(point.ExpectedPaise, 2).Key("score").Int(int64(point.Score)).EndObject()
	}
	w.EndArray().Key("bands").Object().
		Key("medium").Int(int64(p.Medium)).
		Key("high").Int(int64(p.High)).
		Key("critical").Int(int64(p.Critical)).EndObject().EndObject()
}

func (r *RestructureTerms) write(w *wire.Writer) {
	w.Object().Key("from_dpd").Int(int64(r.FromDPD)).Key("offer_from_dpd").Int(int64(r.OfferFromDPD))
	writeNumbers(w.Key("tenures"), r.Tenures)
	w.Key("min_reduction_pct").Decimal(r.MinReduction, 2).Key("requires").String(r.Requires).EndObject()
}

func (s *SettlementTerms) write(w *wire.Writer) {
	w.Object().Key("from_dpd").Int(int64(s.FromDPD)).Key("min_settlement_pct").Array()
	for _, floor := range s.MinPercent {
		w.Object().Key("from_dpd").Int(int64(floor.FromDPD)).Key("pct").Decimal(floor.Part, 2).EndObject()
	}
	w.EndArray().Key("max_months").Int(int64(s.MaxMonths)).Key("cooling_months").Int(int64(s.CoolingMonths)).EndObject()
}

func writeNumbers(w *wire.Writer, list []int) {
	w.Array()
	for _, n := range list {
		w.Int(int64(n))
	}
	w.EndArray()
}
