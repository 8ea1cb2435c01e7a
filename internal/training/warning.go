package training

import "fmt"

// fewRows are too few to say much about a bad rate.
const fewRows = 50

// suspiciousPSI is where a population counts as another one.
const suspiciousPSI = 0.25

// warn notes what a person should look at.
func (r *Result) warn(c *chosen, all []*binning) {
	out := r.Report
	add := func(column, code, format string, args ...any) {
		out.Warnings = append(out.Warnings, Warning{column, code, fmt.Sprintf(format, args...)})
	}
	for _, b := range all {
		if b.iv > suspiciousIV {
			add(b.column.name, "suspicious_information", "information value %.4f: does the column know the outcome already?", b.iv)
		}
		if b.column.outside > 0 {
			add(b.column.name, "unreadable_values", "%d values that the field cannot hold were taken for missing", b.column.outside)
		}
	}
	if c.model != nil && !c.model.converged {
		add("", "not_converged", "the regression did not settle; some columns may separate good from bad entirely")
	}
	for _, f := range r.points.features {
		for k := range f.bins {
			b := &f.bins[k]
			switch {
			case b.rows() == 0:
			case b.good == 0 || b.bad == 0:
				add(f.column.name, "one_sided_bin", "the bin %q has no goods or no bads", f.label(k))
			case b.rows() < fewRows:
				add(f.column.name, "small_bin", "the bin %q has %d rows", f.label(k), b.rows())
			}
		}
	}
	for i := range out.Features {
		if f := &out.Features[i]; f.PSI > suspiciousPSI {
			add(f.Column, "unstable", "stability index %.4f between training rows and hold-out", f.PSI)
		}
	}
	if out.HasHoldOut && !out.HoldOut.Measured {
		add("", "hold_out_one_sided", "the hold-out has only goods or only bads: nothing can be measured on it")
	}
	if out.HasHoldOut && out.ScorePSI > suspiciousPSI {
		add("", "unstable", "stability index of the score %.4f between training rows and hold-out", out.ScorePSI)
	}
	if out.HoldOut.Measured && out.Train.AUC-out.HoldOut.AUC > 0.03 {
		add("", "overfit", "AUC falls from %.4f to %.4f on rows that were not learnt from", out.Train.AUC, out.HoldOut.AUC)
	}
}
