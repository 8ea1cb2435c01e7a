package training

import (
	"fmt"

	"verdict/internal/backtest"
	"verdict/internal/fault"
	"verdict/internal/rule"
)

// fewRows is the number of rows below which a bad rate is unreliable.
const fewRows = 50

// suspiciousPSI is the population stability index above which a population counts
// as changed.
const suspiciousPSI = 0.25

// warn adds the warnings to the report.
func (r *Result) warn(c *chosen, all []*binning) {
	out := r.Report
	add := func(column, code, format string, args ...any) {
		out.Warnings = append(out.Warnings, Warning{column, code, fmt.Sprintf(format, args...)})
	}
	for _, d := range r.plan.dropped {
		if d.Code == codeLeak || d.Code == fault.CodeFOIRLooksLikePercent || d.Code == fault.CodeUnreadableColumn {
			add(d.Column, d.Code, "left out: %s", d.Detail)
		}
	}
	for _, b := range all {
		if b.iv > suspiciousIV {
			add(b.column.name, codeSuspiciousInformation,
				"information value %.4f: the column may contain the outcome", b.iv)
		}
		if b.column.outside > 0 {
			add(b.column.name, codeUnreadableValues, "%d values that are not valid for the field count as missing%s",
				b.column.outside, b.column.unitHint())
		}
		if most, ok := b.column.mostFOIR(); ok && most <= backtest.MostLikelyRatio {
			add(b.column.name, fault.CodeFOIRLooksLikeRatio,
				"no row has a foir above 1, and it was read as a percentage: "+
					"0.35 as 0.35 %%; leave foir_unit out if the column contains ratios")
		}
	}
	if c.model != nil && !c.model.converged {
		add("", codeNotConverged, "the regression did not converge; some columns may separate good from bad completely")
	}
	for _, f := range r.points.features {
		rows := r.table.rowsOf(f, r.table.train)
		for k := range f.bins {
			b := &f.bins[k]
			switch {
			case b.rows() == 0:
			case b.good == 0 || b.bad == 0:
				only := "good"
				if b.good == 0 {
					only = "bad"
				}
				add(f.column.name, codeOneSidedBin,
					"all rows of the bin %q are %s; half a row of each kind was added to it, "+
						"so that its weight of evidence is finite", f.label(k), only)
			case rows[k].rows < fewRows:
				add(f.column.name, codeSmallBin, "the bin %q has %d rows", f.label(k), rows[k].rows)
			}
		}
		r.warnReversed(f, add)
	}
	for i := range out.Features {
		if f := &out.Features[i]; f.PSI > suspiciousPSI {
			add(f.Column, codeUnstable, "the values of the hold-out are distributed differently from those of the "+
				"training rows: population stability index %.4f, above %.2f", f.PSI, suspiciousPSI)
		}
	}
	if out.HasHoldOut && !out.HoldOut.Measured {
		add("", codeHoldOutOneSided, "the hold-out has only goods or only bads: nothing can be measured on it")
	}
	if out.HasHoldOut && out.ScorePSI > suspiciousPSI {
		add("", codeUnstable, "the scores of the hold-out are distributed differently from those of the training "+
			"rows: population stability index %.4f, above %.2f", out.ScorePSI, suspiciousPSI)
	}
	if out.HoldOut.Measured && out.Train.AUC-out.HoldOut.AUC > 0.03 {
		add("", codeOverfit, "AUC falls from %.4f on the training rows to %.4f on the hold-out",
			out.Train.AUC, out.HoldOut.AUC)
	}
}

// warnReversed adds a warning for points that contradict the weights of evidence.
func (r *Result) warnReversed(f *feature, add func(column, code, format string, args ...any)) {
	whole, bins := f.reversals(&r.plan.Options)
	if whole {
		add(f.column.name, codeSignReversal, "its points contradict its evidence: bins with fewer bads earn fewer "+
			"points. Another column has the same information; leave one of them out")
	}
	for _, k := range bins {
		add(f.column.name, codeSignReversal,
			"the bin %q earns %s points, which contradicts its weight of evidence of %.4f: "+
				"another column explains its bad rate",
			f.label(k), f.points[k], f.bins[k].woe)
	}
}

// mostFOIR returns the largest cut of a column that was read as percentages. ok
// is false for other columns.
func (c *column) mostFOIR() (most rule.Number, ok bool) {
	if !c.percent || len(c.cuts) == 0 {
		return 0, false
	}
	return c.cuts[len(c.cuts)-1], true
}

// unitHint returns advice for a foir column that may hold percentages. It
// returns "" for other columns, and for a column that was read as percentages.
func (c *column) unitHint() string {
	if !c.foir || c.percent {
		return ""
	}
	return "; send \"foir_unit\": \"percent\" (-foir percent) if the column contains percentages"
}
