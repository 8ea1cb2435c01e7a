package recovery

import (
	"slices"

	"verdict/internal/fault"
)

// stages reads the stages, which replace all default stages.
func (f *strategyReader) stages(s *Strategy) {
	var stages []Stage
	last := 0
	given := f.each("stages", maxStages, func(f *strategyReader) {
		var st Stage
		if f.needed("from_dpd", 1, maxDPD, &st.FromDPD) {
			if st.FromDPD <= last {
				f.Fail("from_dpd", fault.CodeOutOfRange, "must be above that of the previous stage")
			}
			last = st.FromDPD
		}
		st.Tone = Tone(f.Choice("tone", int(Neutral), toneNames...))
		f.steps(&st)
		stages = append(stages, st)
	})
	if given {
		s.Stages = stages
	}
}

// steps reads the steps of a stage. It refuses an action that is not allowed on
// the first day of the stage, so that a strategy lists only actions that are
// taken. Advise checks the same rule again.
func (f *strategyReader) steps(st *Stage) {
	if !f.Require("steps", "what is done, day by day") {
		return
	}
	last := 0
	f.each("steps", maxSteps, func(f *strategyReader) {
		var step Step
		if f.needed("day", 0, maxStepDay, &step.Day) {
			if step.Day < last {
				f.Fail("day", fault.CodeOutOfRange, "must not be before that of the previous step")
			}
			last = step.Day
		}
		if f.Require("action", "what is done") {
			step.Action = RemindSMS + Action(f.Choice("action", 0, actionNames[RemindSMS:Hold]...))
		}
		if least := step.Action.minDPD(); st.FromDPD > 0 && st.FromDPD < least {
			f.Fail("action", fault.CodeOutOfRange,
				"%s is not allowed below %d days past due; put it into a stage that begins there", step.Action, least)
		}
		st.Steps = append(st.Steps, step)
	})
}

func (f *strategyReader) rollRisk(r *RollRisk) {
	f.text("table", maxText, &r.Table)
	f.section("buckets", func(f *strategyReader) {
		for i, name := range bucketNames {
			f.part(name, 4, 0, whole, &r.Buckets[i])
		}
	})
	f.part("promise_swing", 4, 0, whole, &r.PromiseSwing)
}

func (f *strategyReader) priority(p *Priority) {
	p.Basis = Basis(f.Choice("basis", int(p.Basis), basisNames...))
	var scale []ScalePoint
	given := f.each("scale", maxScale, func(f *strategyReader) {
		var point ScalePoint
		if f.Require("expected", "an amount in rupees") {
			point.ExpectedPaise, _ = f.Decimal("expected", 2, 0, maxPaise)
		}
		f.needed("score", 0, 100, &point.Score)
		if n := len(scale); n > 0 &&
			(point.ExpectedPaise <= scale[n-1].ExpectedPaise || point.Score < scale[n-1].Score) {
			f.Fail("expected", fault.CodeOutOfRange,
				"must be above that of the previous point, and its score must not be below that of the previous point")
		}
		scale = append(scale, point)
	})
	if given {
		p.Scale = scale
		if len(scale) == 0 || scale[0].ExpectedPaise != 0 {
			f.Fail("scale", fault.CodeOutOfRange, "must begin with a point at 0 rupees")
		}
	}
	known := f.faults.Len()
	f.section("bands", func(f *strategyReader) {
		f.integer("medium", 0, 100, &p.Medium)
		f.integer("high", 0, 100, &p.High)
		f.integer("critical", 0, 100, &p.Critical)
		if f.faults.Len() == known && (p.High <= p.Medium || p.Critical <= p.High) {
			f.Fail("high", fault.CodeOutOfRange, "must lie above \"medium\" and below \"critical\"")
		}
	})
}

func (f *strategyReader) restructure(r *RestructureTerms) {
	known := f.faults.Len()
	f.integer("from_dpd", reshapeFromDPD, maxDPD, &r.FromDPD)
	f.integer("offer_from_dpd", reshapeFromDPD, maxDPD, &r.OfferFromDPD)
	if f.faults.Len() == known && r.OfferFromDPD < r.FromDPD {
		f.Fail("offer_from_dpd", fault.CodeOutOfRange, "must not be below from_dpd")
	}
	if f.Get("tenures").Given() {
		r.Tenures = f.numbers("tenures", 1, maxMonths)
		slices.Sort(r.Tenures)
	}
	f.part("min_reduction_pct", 2, 0, whole, &r.MinReduction)
	f.text("requires", maxText, &r.Requires)
	if r.Requires == "" {
		f.Fail("requires", fault.CodeOutOfRange, "must name who agrees to a new schedule")
	}
}

func (f *strategyReader) settlement(s *SettlementTerms) {
	f.integer("from_dpd", settleFromDPD, maxDPD, &s.FromDPD)
	var floors []SettlementFloor
	given := f.each("min_settlement_pct", maxFloors, func(f *strategyReader) {
		var floor SettlementFloor
		f.needed("from_dpd", settleFromDPD, maxDPD, &floor.FromDPD)
		if f.Require("pct", "a part of the debt, in percent") {
			f.part("pct", 2, 1, whole, &floor.Part)
		}
		if n := len(floors); n > 0 && floor.FromDPD <= floors[n-1].FromDPD {
			f.Fail("from_dpd", fault.CodeOutOfRange, "must be above that of the previous entry")
		}
		floors = append(floors, floor)
	})
	if given {
		s.MinPercent = floors
		if len(floors) == 0 {
			f.Fail("min_settlement_pct", fault.CodeOutOfRange,
				"must have an entry: without one nothing could be settled")
		}
	}
	if v := f.Get("max_months"); v.Given() {
		f.integer("max_months", 1, maxSettleMonths, &s.MaxMonths)
	}
	f.integer("cooling_months", minCoolingMonths, maxCooling, &s.CoolingMonths)
}
