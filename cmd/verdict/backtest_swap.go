package main

import (
	"bytes"
	"fmt"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// writeChallenger writes the comparison of the two policies: their results, the
// swapped applicants, and the changes of the policy that caused the swaps.
func writeChallenger(b *bytes.Buffer, r *backtest.Report, name string) {
	c := r.Challenger
	fmt.Fprintf(b, "\nCHALLENGER %s\n", name)
	var t figureTable
	t.add("", "champion", "challenger")
	for _, line := range []struct {
		what string
		of   func(*backtest.Side) string
	}{
		{"approved", func(s *backtest.Side) string { return count(s.Summary.Approved) }},
		{"referred", func(s *backtest.Side) string { return count(s.Summary.Referred) }},
		{"declined", func(s *backtest.Side) string { return count(s.Summary.Declined) }},
		{"approval rate", func(s *backtest.Side) string { return formatFigure(chart.Percent, s.Summary.ApprovalRate) }},
		{"bad rate of approved",
			func(s *backtest.Side) string { return formatFigure(chart.Percent, s.Performance.Approved.Rate) }},
		{"total limit", func(s *backtest.Side) string { return rupees(s.Summary.TotalLimit) }},
		{"average rate", func(s *backtest.Side) string { return percent(s.Summary.AvgInterestRate) }},
		{"Gini", func(s *backtest.Side) string { return formatFigure(chart.Ratio, s.Performance.Gini) }},
		{"expected loss", func(s *backtest.Side) string { return rupees(s.Economics.ExpectedLoss) }},
		{"net margin", func(s *backtest.Side) string { return rupees(s.Economics.NetMargin) }},
	} {
		t.add(line.what, line.of(&r.Side), line.of(&c.Side))
	}
	t.write(b)
	fmt.Fprintf(b, "  PSI of the scores %s\n", formatFigure(chart.Ratio, c.PSI.PSI))
	writeSwapSet(b, c)
	writeAttribution(b, c)
}

func writeSwapSet(b *bytes.Buffer, c *backtest.Challenger) {
	b.WriteString("\nSWAP SET\n")
	var t figureTable
	t.add("", "rows", "bad rate", "95 % interval", "labelled")
	for _, line := range []struct {
		who  string
		rows int64
		bad  backtest.Share
	}{
		{"both approve", c.SwapSet.BothApprove, c.SwapSet.Both},
		{"swapped in: only the challenger approves", c.SwapSet.ChallengerOnly, c.SwapSet.SwapIn},
		{"swapped out: only the champion approves", c.SwapSet.ChampionOnly, c.SwapSet.SwapOut},
	} {
		t.add(line.who, count(line.rows), formatFigure(chart.Percent, line.bad.Rate), interval(line.bad),
			count(line.bad.Labelled))
	}
	t.add("neither approves", count(c.SwapSet.BothDecline))
	t.write(b)
}

// writeAttribution lists the changes of the policy. "Alone" counts the rows that the champion with only this
// change decides like the challenger. "Needed" counts the rows that the challenger without this change decides
// like the champion.
func writeAttribution(b *bytes.Buffer, c *backtest.Challenger) {
	if len(c.Changes) == 0 {
		b.WriteString("\nCHANGES\n  The two policies make the same decisions.\n")
		return
	}
	b.WriteString("\nCHANGES: rows that each change swaps on its own, and swapped rows that need the change\n")
	t := figureTable{left: 2}
	t.add("change", "", "in: alone", "needed", "out: alone", "needed")
	for i, change := range c.Changes {
		in, out := backtest.ChangeCount{}, backtest.ChangeCount{}
		if i < len(c.SwapIn.ByChange) {
			in = c.SwapIn.ByChange[i]
		}
		if i < len(c.SwapOut.ByChange) {
			out = c.SwapOut.ByChange[i]
		}
		what := change.Section
		if change.ID != "" {
			what += " " + change.ID
		}
		t.add(what, change.What, count(in.Alone), count(in.Needed), count(out.Alone), count(out.Needed))
	}
	t.add("several together", "", count(c.SwapIn.Together), "", count(c.SwapOut.Together))
	t.write(b)
}
