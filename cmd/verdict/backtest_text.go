package main

import (
	"bytes"
	"fmt"
	"strings"

	"verdict/internal/backtest"
	"verdict/internal/chart"
	"verdict/internal/engine"
)

// How many lines a list of the summary has at most; the report has them all.
const (
	shownErrors  = 5
	shownReasons = 8
)

// backtestText is the report for people at a terminal: what a risk officer
// asks first, in tables. The whole of it is in -json and -html.
func backtestText(r *backtest.Report, title, source string, challenger *engine.Policy) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s on %s\n\n", title, source)
	writeRows(&b, r)
	writeOutcome(&b, &r.Side)
	writeGrades(&b, r.ByGrade)
	writePerformance(&b, r)
	writeEconomics(&b, &r.Side)
	writeReasons(&b, &r.Side)
	writeFairness(&b, r.Fairness)
	if r.Challenger != nil && challenger != nil {
		writeChallenger(&b, r, challenger.Name)
	}
	return b.Bytes()
}

func count(n int64) string { return chart.Count.Format(float64(n)) }

// of writes a figure in a unit, a dash when it is unknown.
func of(unit chart.Unit, f backtest.Figure) string {
	if !f.Known {
		return "–"
	}
	return unit.Format(f.Float())
}

func rupees(m backtest.Money) string {
	if !m.Known {
		return "–"
	}
	return chart.Rupees.Format(m.Float())
}

// percent writes a figure that is in percent already.
func percent(f backtest.Figure) string {
	if !f.Known {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.2f %%", f.Float()), "-", "−", 1)
}

// interval is a bad rate's, where there is one.
func interval(s backtest.Share) string {
	if !s.Low.Known {
		return "–"
	}
	return of(chart.Percent, s.Low) + " to " + of(chart.Percent, s.High)
}

func writeRows(b *bytes.Buffer, r *backtest.Report) {
	fmt.Fprintf(b, "%s rows, %s decided, %s not readable\n", count(r.RowsTotal), count(r.RowsEvaluated), count(r.RowsFailed))
	if r.Weighted {
		fmt.Fprintf(b, "Rows carry weights, %s in all: counts are rows, rates and money are weighted.\n", of(chart.Count, r.TotalWeight))
	}
	for i, e := range r.RowErrors {
		if i == shownErrors {
			fmt.Fprintf(b, "  and %s more\n", count(r.RowsFailed-shownErrors))
			break
		}
		fmt.Fprintf(b, "  row %d: %s\n", e.Row, strings.TrimPrefix(e.Field+": "+e.Code, ": "))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Warning %s: %s", w.Code, w.Detail)
		if len(w.Fields) > 0 {
			fmt.Fprintf(b, " (%s)", strings.Join(w.Fields, ", "))
		}
		fmt.Fprintln(b)
	}
	if len(r.ColumnsIgnored) > 0 {
		fmt.Fprintf(b, "Columns that were ignored: %q\n", r.ColumnsIgnored)
	}
}

func writeOutcome(b *bytes.Buffer, s *backtest.Side) {
	b.WriteString("\nOUTCOME\n")
	var t figures
	t.add("", "rows", "share", "bad rate", "95 % interval", "labelled")
	for _, line := range []struct {
		name  string
		rows  int64
		share backtest.Figure
		bad   backtest.Share
	}{
		{"approved", s.Summary.Approved, s.Summary.ApprovalRate, s.Performance.Approved},
		{"referred", s.Summary.Referred, s.Summary.ReferralRate, s.Performance.Referred},
		{"declined", s.Summary.Declined, s.Summary.DeclineRate, s.Performance.Declined},
	} {
		t.add(line.name, count(line.rows), of(chart.Percent, line.share), of(chart.Percent, line.bad.Rate), interval(line.bad), count(line.bad.Labelled))
	}
	all := s.Performance.All
	t.add("all", count(s.Summary.Approved+s.Summary.Referred+s.Summary.Declined), "", of(chart.Percent, all.Rate), interval(all), count(all.Labelled))
	t.write(b)
	fmt.Fprintf(b, "  approved: %s in all, %s on average, at %s a year (APR %s)\n  mean score of all: %s\n",
		rupees(s.Summary.TotalLimit), rupees(s.Summary.AvgLimit), percent(s.Summary.AvgInterestRate), percent(s.Summary.AvgAPR),
		of(chart.Score, s.Summary.AvgScore))
}

func writeGrades(b *bytes.Buffer, grades []backtest.Grade) {
	b.WriteString("\nGRADES\n")
	var t figures
	t.add("grade", "rows", "share", "approved", "bad rate", "95 % interval", "labelled", "rate", "average limit")
	for i := range grades {
		g := &grades[i]
		t.add(g.Grade, count(g.Count), of(chart.Percent, g.Share), of(chart.Percent, g.ApprovalRate), of(chart.Percent, g.BadRate.Rate),
			interval(g.BadRate), count(g.BadRate.Labelled), percent(g.AvgRate), rupees(g.AvgLimit))
	}
	t.write(b)
}

func writePerformance(b *bytes.Buffer, r *backtest.Report) {
	p := &r.Performance
	b.WriteString("\nPERFORMANCE\n")
	if p.Labelled == 0 {
		b.WriteString("  No row has an outcome.\n")
	} else {
		fmt.Fprintf(b, "  %s labelled rows: %s good, %s bad\n", count(p.Labelled), count(p.Good), count(p.Bad))
		fmt.Fprintf(b, "  AUC %s   Gini %s   KS %s at score %s\n",
			of(chart.Ratio, p.AUC), of(chart.Ratio, p.Gini), of(chart.Ratio, p.KS), of(chart.Score, p.KSAt))
	}
	if r.PSI != nil {
		fmt.Fprintf(b, "  PSI against the reference %s\n", of(chart.Ratio, r.PSI.PSI))
	}
	if a := r.Actual; a != nil {
		fmt.Fprintf(b, "  agrees with the decision made at the time on %s of %s rows\n", of(chart.Percent, a.AgreementRate), count(a.Count))
	}
}

func writeEconomics(b *bytes.Buffer, s *backtest.Side) {
	e := &s.Economics
	b.WriteString("\nMONEY over the life of the approved loans\n")
	var t figures
	t.add("interest", rupees(e.InterestIncome))
	t.add("fees", rupees(e.FeeIncome))
	t.add("funding", rupees(e.FundingCost))
	t.add("expected loss", rupees(e.ExpectedLoss))
	t.add("net margin", rupees(e.NetMargin), percent(e.NetMarginPct)+" of the limits")
	t.write(b)
	switch s.Performance.PDSource {
	case backtest.PDScorecard:
		fmt.Fprintf(b, "  The expected loss takes the scorecard's PD and an LGD of %s.\n", of(chart.Percent, s.Performance.LGD))
	case backtest.PDByGrade:
		fmt.Fprintf(b, "  The expected loss takes each grade's own bad rate and an LGD of %s.\n", of(chart.Percent, s.Performance.LGD))
	case backtest.PDNone:
	}
}

func writeReasons(b *bytes.Buffer, s *backtest.Side) {
	if len(s.TopDeclineReasons) > 0 {
		b.WriteString("\nREASONS of declines\n")
		var t figures
		for _, r := range s.TopDeclineReasons[:min(shownReasons, len(s.TopDeclineReasons))] {
			t.add(r.Code, count(r.Count))
		}
		t.write(b)
	}
	b.WriteString("\nKNOCKOUTS\n")
	t := figures{left: 2}
	t.add("rule", "action", "hits", "alone", "bad rate of those", "labelled")
	silent := 0
	for i := range s.SoleReasons {
		k := &s.SoleReasons[i]
		if k.Hits == 0 {
			silent++
			continue
		}
		t.add(k.Rule, k.Action, count(k.Hits), count(k.SoleDeclines+k.SoleReferrals), of(chart.Percent, k.BadRateSole.Rate), count(k.BadRateSole.Labelled))
	}
	t.write(b)
	if silent > 0 {
		fmt.Fprintf(b, "  %d more hit nobody.\n", silent)
	}
}

func writeFairness(b *bytes.Buffer, f *backtest.Fairness) {
	if f == nil {
		return
	}
	fmt.Fprintf(b, "\nAPPROVALS by %q\n", f.Column)
	var t figures
	t.add("group", "rows", "approved", "of the best", "bad rate of approved", "")
	for i := range f.Groups {
		g := &f.Groups[i]
		note := ""
		if g.Ratio.Known && !g.FourFifths {
			note = "below four fifths"
		}
		// Quoted: it is a stranger's text, and a terminal obeys what it shows.
		t.add(fmt.Sprintf("%q", g.Name), count(g.Count), of(chart.Percent, g.ApprovalRate), of(chart.Ratio, g.Ratio), of(chart.Percent, g.BadRateApproved.Rate), note)
	}
	t.write(b)
}
