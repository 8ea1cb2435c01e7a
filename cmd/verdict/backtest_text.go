package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"verdict/internal/backtest"
	"verdict/internal/chart"
	"verdict/internal/fault"
	"verdict/internal/sheet"
)

// These constants limit the number of lines of each list in the summary. The
// full report has all lines.
const (
	shownErrors  = 5
	shownReasons = 8
	shownFields  = 5
	shownColumns = 20
)

// backtestText returns the report for a terminal, as tables of the figures that
// a risk officer asks for first. The flags -json and -html give the full
// report.
func backtestText(r *backtest.Report, title, source, challenger string, run *backtest.Run) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s on %s\n\n", title, source)
	writeRows(&b, r)
	writeColumns(&b, r, run)
	writeOutcome(&b, &r.Side)
	writeGrades(&b, r.ByGrade)
	writePerformance(&b, r, run)
	writeEconomics(&b, &r.Side)
	writeReasons(&b, &r.Side)
	writeFairness(&b, r.Fairness)
	if r.Challenger != nil {
		writeChallenger(&b, r, challenger)
	}
	return b.Bytes()
}

func count(n int64) string { return chart.Count.Format(float64(n)) }

// formatFigure formats a figure in a unit. An unknown figure is a dash.
func formatFigure(unit chart.Unit, f backtest.Figure) string {
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

// percent formats a figure that is already in percent.
func percent(f backtest.Figure) string {
	if !f.Known {
		return "–"
	}
	return strings.Replace(fmt.Sprintf("%.2f %%", f.Float()), "-", "−", 1)
}

// interval formats the confidence interval of a bad rate, or returns "–" if
// there is none.
func interval(s backtest.Share) string {
	if !s.Low.Known {
		return "–"
	}
	return formatFigure(chart.Percent, s.Low) + " to " + formatFigure(chart.Percent, s.High)
}

func writeRows(b *bytes.Buffer, r *backtest.Report) {
	if 2*r.RowsEvaluated < r.RowsTotal {
		fmt.Fprintf(b, "Only %s of %s rows could be decided. The figures below are of these rows.\n",
			count(r.RowsEvaluated), count(r.RowsTotal))
	}
	fmt.Fprintf(b, "%s rows, %s decided, %s not readable\n",
		count(r.RowsTotal), count(r.RowsEvaluated), count(r.RowsFailed))
	if r.Weighted {
		fmt.Fprintf(b, "The rows have weights, which add up to %s. Rates and money are weighted; "+
			"counts are numbers of rows.\n", formatFigure(chart.Count, r.TotalWeight))
	}
	for i, e := range r.RowErrors {
		if i == shownErrors {
			fmt.Fprintf(b, "  and %s more\n", count(r.RowsFailed-shownErrors))
			break
		}
		line := ""
		if e.Line > 0 {
			line = fmt.Sprintf(" (line %d)", e.Line)
		}
		fmt.Fprintf(b, "  row %d%s: %s\n", e.Row, line, strings.TrimPrefix(e.Field+": "+e.Code, ": "))
	}
	writeRemedies(b, r.RowErrorsByCode)
	for _, w := range r.Warnings {
		fmt.Fprintf(b, "Warning %s: %s", w.Code, unitFlag.Replace(w.Detail))
		if len(w.Fields) > 0 {
			fmt.Fprintf(b, " (%s)", strings.Join(w.Fields, ", "))
		}
		fmt.Fprintln(b)
	}
}

// writeRemedies says what to do about the rows that could not be read, for each code.
func writeRemedies(b *bytes.Buffer, codes []backtest.CodeCount) {
	heading := "What to do about these rows:\n"
	for _, c := range codes {
		remedy := fault.Remedy(c.Code)
		if remedy == "" {
			continue
		}
		rows := "rows"
		if c.Count == 1 {
			rows = "row"
		}
		fmt.Fprintf(b, "%s  %s, %s %s: %s\n", heading, c.Code, count(c.Count), rows, remedy)
		heading = ""
	}
}

// unitFlag replaces the hints about a member of the API's request by hints about the flag of the command.
var unitFlag = strings.NewReplacer(`send "foir_unit": "percent"`, "give -foir percent",
	"leave foir_unit out", "leave -foir percent out")

// writeColumns names the columns that were ignored, with the names that were probably meant, and the fields that no
// column has.
func writeColumns(b *bytes.Buffer, r *backtest.Report, run *backtest.Run) {
	var ignored []string
	for i, name := range r.ColumnsIgnored {
		text := printable(name)
		if i < shownColumns {
			if near := run.Meant(name); near != "" {
				text += " (did you mean " + near + "?)"
			}
		}
		ignored = append(ignored, text)
	}
	if len(ignored) == 0 {
		return
	}
	fmt.Fprintf(b, "Columns that were ignored: %s\n", sheet.Names(ignored))
	missing := run.Missing()
	if len(missing) == 0 {
		return
	}
	slices.SortStableFunc(missing, func(x, y string) int { // those that the applicant states come first
		return cmp.Compare(strings.Count(x, "bureau_"), strings.Count(y, "bureau_"))
	})
	more := ""
	if rest := len(missing) - shownFields; rest > 0 {
		missing, more = missing[:shownFields], fmt.Sprintf(" and %d more", rest)
	}
	fmt.Fprintf(b, "The policy reads fields that no column has: %s%s\n", strings.Join(missing, ", "), more)
}

// printable returns a name from a file without the characters that a terminal would execute.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

func writeOutcome(b *bytes.Buffer, s *backtest.Side) {
	b.WriteString("\nOUTCOME\n")
	var t figureTable
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
		t.add(line.name, count(line.rows), formatFigure(chart.Percent, line.share),
			formatFigure(chart.Percent, line.bad.Rate), interval(line.bad), count(line.bad.Labelled))
	}
	all := s.Performance.All
	t.add("all", count(s.Summary.Approved+s.Summary.Referred+s.Summary.Declined), "",
		formatFigure(chart.Percent, all.Rate), interval(all), count(all.Labelled))
	t.write(b)
	fmt.Fprintf(b, "  approved: %s in all, %s on average, at %s a year (APR %s)\n  mean score of all: %s\n",
		rupees(s.Summary.TotalLimit), rupees(s.Summary.AvgLimit), percent(s.Summary.AvgInterestRate),
		percent(s.Summary.AvgAPR), formatFigure(chart.Score, s.Summary.AvgScore))
}

func writeGrades(b *bytes.Buffer, grades []backtest.Grade) {
	b.WriteString("\nGRADES\n")
	var t figureTable
	t.add("grade", "rows", "share", "approved", "bad rate", "95 % interval", "labelled", "rate", "average limit")
	for i := range grades {
		g := &grades[i]
		t.add(g.Grade, count(g.Count), formatFigure(chart.Percent, g.Share),
			formatFigure(chart.Percent, g.ApprovalRate), formatFigure(chart.Percent, g.BadRate.Rate),
			interval(g.BadRate), count(g.BadRate.Labelled), percent(g.AvgRate), rupees(g.AvgLimit))
	}
	t.write(b)
}

func writePerformance(b *bytes.Buffer, r *backtest.Report, run *backtest.Run) {
	p := &r.Performance
	b.WriteString("\nPERFORMANCE\n")
	if p.Labelled == 0 {
		b.WriteString("  No row has an outcome.")
		if run.NoOutcome() {
			b.WriteString(" Name the column that has it: -outcome COLUMN, with -bad or -good for its values.")
		}
		b.WriteString("\n")
	} else {
		fmt.Fprintf(b, "  %s labelled rows: %s good, %s bad\n", count(p.Labelled), count(p.Good), count(p.Bad))
		fmt.Fprintf(b, "  AUC %s   Gini %s   KS %s at score %s\n",
			formatFigure(chart.Ratio, p.AUC), formatFigure(chart.Ratio, p.Gini), formatFigure(chart.Ratio, p.KS),
			formatFigure(chart.Score, p.KSAt))
	}
	if r.PSI != nil {
		fmt.Fprintf(b, "  PSI against the reference %s\n", formatFigure(chart.Ratio, r.PSI.PSI))
	}
	if a := r.Actual; a != nil {
		fmt.Fprintf(b, "  agrees with the decision made at the time on %s of %s rows\n",
			formatFigure(chart.Percent, a.AgreementRate), count(a.Count))
	}
}

func writeEconomics(b *bytes.Buffer, s *backtest.Side) {
	e := &s.Economics
	b.WriteString("\nMONEY over the life of the approved loans\n")
	var t figureTable
	t.add("interest", rupees(e.InterestIncome))
	t.add("fees", rupees(e.FeeIncome))
	t.add("funding", rupees(e.FundingCost))
	t.add("expected loss", rupees(e.ExpectedLoss))
	t.add("net margin", rupees(e.NetMargin), percent(e.NetMarginPct)+" of the limits")
	t.write(b)
	switch s.Performance.PDSource {
	case backtest.PDScorecard:
		fmt.Fprintf(b, "  The expected loss uses the scorecard's PD and an LGD of %s.\n",
			formatFigure(chart.Percent, s.Performance.LGD))
	case backtest.PDByGrade:
		fmt.Fprintf(b, "  The expected loss uses each grade's own bad rate and an LGD of %s.\n",
			formatFigure(chart.Percent, s.Performance.LGD))
	case backtest.PDNone:
	}
}

func writeReasons(b *bytes.Buffer, s *backtest.Side) {
	if len(s.TopDeclineReasons) > 0 {
		b.WriteString("\nREASONS given with declines (knockouts and weak factors, often several per decline)\n")
		var t figureTable
		for _, r := range s.TopDeclineReasons[:min(shownReasons, len(s.TopDeclineReasons))] {
			t.add(r.Code, count(r.Count))
		}
		t.write(b)
	}
	b.WriteString("\nKNOCKOUTS\n")
	t := figureTable{left: 2}
	t.add("rule", "action", "hits", "alone", "bad rate of those", "labelled")
	silent := 0
	for i := range s.SoleReasons {
		k := &s.SoleReasons[i]
		if k.Hits == 0 {
			silent++
			continue
		}
		t.add(k.Rule, k.Action, count(k.Hits), count(k.SoleDeclines+k.SoleReferrals),
			formatFigure(chart.Percent, k.BadRateSole.Rate), count(k.BadRateSole.Labelled))
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
	var t figureTable
	t.add("group", "rows", "approved", "of the best", "bad rate of approved", "")
	for i := range f.Groups {
		g := &f.Groups[i]
		note := ""
		if g.Ratio.Known && !g.FourFifths {
			note = "below four fifths"
		}
		// Quote the name, which comes from the file, because a terminal
		// executes control characters.
		t.add(fmt.Sprintf("%q", g.Name), count(g.Count), formatFigure(chart.Percent, g.ApprovalRate),
			formatFigure(chart.Ratio, g.Ratio), formatFigure(chart.Percent, g.BadRateApproved.Rate), note)
	}
	t.write(b)
}
