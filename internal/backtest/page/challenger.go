package page

import (
	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// challenger shows which applications only one of the two policies approves,
// how their loans turned out, and which changes of the policy caused the
// difference.
func challenger(r *backtest.Report) section {
	s := section{ID: "challenger", Title: "Challenger"}
	c := r.Challenger
	if c == nil {
		return s
	}
	w := c.SwapSet
	s.Lead = "The challenger approves " + plural(w.ChallengerOnly, "application",
		"applications") + " that the champion does not, and does not approve " + count(w.ChampionOnly) + " that the " +
		"champion approves."
	notes := map[[2]int]string{}
	if w.Both.Rate.Known {
		notes[[2]int{0, 0}] = badRate(w.Both.Rate) + " bad"
	}
	s.figure(statusMatrix(chart.Head{
		Title:       "Swap matrix",
		Description: "Rows are the champion's status, columns the challenger's. Teal: more lenient; orange: stricter.",
	}, "Champion", "Challenger", c.Matrix, notes))
	s.figure(swapPicture(w))
	s.table("Side by side", "", column, sideBySide(r))
	s.table("Where both approve", plural(c.Shift.Count, "application", "applications")+".", column,
		shiftOfTerms(c.Shift))
	if c.PSI.PSI.Known && c.PSI.PSI.Value > 0 {
		s.table("Shift of scores", "PSI "+ratio(c.PSI.PSI)+" of the challenger's scores against the champion's.",
			under, shiftTable(c.PSI, "Champion", "Challenger"))
	}
	s.table("What caused the swaps",
		"“Alone” counts the applications that this change swaps by itself: the champion with only this change "+
			"decides them as the challenger does. “Needed” counts the applications that are not swapped without "+
			"it: the challenger without this change decides them as the champion does."+together(c), across,
		attribution(c))
	s.table("Challenger by grade", "", across, gradeTable(c.ByGrade))
	return s
}

func swapPicture(w backtest.SwapSet) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Bad rates of the swap",
			Description: "A good swap approves applications that turn out better than those it no longer approves.",
		},
		Of:    "Group",
		Unit:  chart.Percent,
		Parts: []chart.Part{{Tone: chart.Orange}},
	}
	for _, g := range []struct {
		name string
		rows int64
		bad  backtest.Share
	}{
		{"Both approve", w.BothApprove, w.Both},
		{"Swapped in", w.ChallengerOnly, w.SwapIn},
		{"Swapped out", w.ChampionOnly, w.SwapOut},
	} {
		text := "outcome unknown"
		var values []float64 // without a value, the table has a dash
		if g.bad.Rate.Known {
			text = badRate(g.bad.Rate) + " (" + interval(g.bad) + ")"
			values = []float64{g.bad.Rate.Float()}
		}
		c.Rows = append(c.Rows, chart.Bar{
			Label:  g.name + " · " + count(g.rows),
			Text:   text,
			Values: values,
		})
	}
	return c
}

func sideBySide(r *backtest.Report) chart.Table {
	a, b := r.Side, r.Challenger.Side
	t := chart.Table{Columns: []string{"", "Champion", "Challenger", "Change"}}
	row := func(name, champion, other, change string) {
		t.Rows = append(t.Rows, []string{name, champion, other, change})
	}
	rate := func(name string, x, y backtest.Figure) { row(name, percent(x), percent(y), points(x, y)) }
	metric := func(name string, x, y backtest.Figure) { row(name, ratio(x), ratio(y), difference(chart.Ratio, x, y)) }
	amount := func(name string, x, y backtest.Money) {
		row(name, shortMoney(x), shortMoney(y), moneyDifference(x, y))
	}
	price := func(name string, x, y backtest.Figure) {
		change := none
		if x.Known && y.Known {
			change = pointsOf(y.Float()-x.Float(), 1)
		}
		row(name, yearly(x), yearly(y), change)
	}
	rate("Approval rate", a.Summary.ApprovalRate, b.Summary.ApprovalRate)
	rate("Referral rate", a.Summary.ReferralRate, b.Summary.ReferralRate)
	rate("Decline rate", a.Summary.DeclineRate, b.Summary.DeclineRate)
	row("Bad rate of approved", badRate(a.Performance.Approved.Rate), badRate(b.Performance.Approved.Rate),
		points(a.Performance.Approved.Rate, b.Performance.Approved.Rate))
	metric("Gini", a.Performance.Gini, b.Performance.Gini)
	metric("KS", a.Performance.KS, b.Performance.KS)
	row("Average score", score(a.Summary.AvgScore), score(b.Summary.AvgScore),
		difference(chart.Score, a.Summary.AvgScore, b.Summary.AvgScore))
	amount("Average limit", a.Summary.AvgLimit, b.Summary.AvgLimit)
	price("Average rate", a.Summary.AvgInterestRate, b.Summary.AvgInterestRate)
	price("Average APR", a.Summary.AvgAPR, b.Summary.AvgAPR)
	amount("Expected loss", a.Performance.ExpectedLoss, b.Performance.ExpectedLoss)
	amount("Net margin", a.Economics.NetMargin, b.Economics.NetMargin)
	return t
}

func shiftOfTerms(c backtest.Change) chart.Table {
	if c.Count == 0 {
		return chart.Table{}
	}
	rate, apr := none, none
	if c.AvgRateChange.Known {
		rate = pointsOf(c.AvgRateChange.Float(), 1)
	}
	if c.AvgAPRChange.Known {
		apr = pointsOf(c.AvgAPRChange.Float(), 1)
	}
	return chart.Table{
		Columns: []string{"", "Higher", "Same", "Lower", "On average"},
		Rows: [][]string{
			{"Limit", count(c.LimitHigher), count(c.LimitSame), count(c.LimitLower), signedMoney(c.AvgLimitChange)},
			{"Rate", count(c.RateHigher), count(c.RateSame), count(c.RateLower), rate},
			{"APR", "", "", "", apr},
		},
	}
}

// together returns a sentence that says how many swapped rows cannot be explained by a single change.
func together(c *backtest.Challenger) string {
	n := c.SwapIn.Together + c.SwapOut.Together
	if n == 0 {
		return ""
	}
	return " " + plural(n, "application is swapped", "applications are swapped") + " only by several changes together."
}

func attribution(c *backtest.Challenger) chart.Table {
	t := chart.Table{
		Columns: []string{
			"Change",
			"From and to",
			"In alone",
			"In needed",
			"Bad rate",
			"Out alone",
			"Out needed",
			"Bad rate",
		},
		Prose: []int{1},
	}
	for i, change := range c.Changes {
		in, out := changeAt(c.SwapIn, i), changeAt(c.SwapOut, i)
		t.Rows = append(t.Rows, []string{
			changeName(change), changeText(change),
			count(in.Alone), count(in.Needed), rated(in.BadRate), count(out.Alone), count(out.Needed),
			rated(out.BadRate),
		})
	}
	return t
}

// changeName returns the name of a change for people: its section and its id.
func changeName(c backtest.PolicyChange) string {
	name := c.Section
	switch c.Section {
	case "knockouts":
		name = "Knockout"
	case "adjustments":
		name = "Adjustment"
	case "factors":
		name = "Score factor"
	case "base_points":
		name = "Base points"
	case "score_range":
		name = "Score range"
	case "pricing_bands":
		name = "Pricing band"
	case "required_fields":
		name = "Required fields"
	case "limit_step":
		name = "Limit step"
	}
	if c.ID != "" {
		return name + " " + c.ID
	}
	return name
}

func changeText(c backtest.PolicyChange) string {
	switch {
	case c.Before != "" && c.After != "":
		return c.Before + " → " + c.After
	case c.Before != "":
		return c.What + ": " + c.Before
	case c.After != "":
		return c.What + ": " + c.After
	}
	return c.What
}

func changeAt(a backtest.Attribution, i int) backtest.ChangeCount {
	if i >= len(a.ByChange) {
		return backtest.ChangeCount{}
	}
	return a.ByChange[i]
}
