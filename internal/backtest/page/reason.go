package page

import (
	"verdict/internal/backtest"
	"verdict/internal/chart"
)

// reasons shows why applications were not approved as requested, and the effect
// of each rule.
func reasons(r *backtest.Report) section {
	s := section{
		ID:    "reasons",
		Title: "Reasons and rules",
		Lead:  "Why applications were not approved as requested, and what each rule does that no other rule does.",
	}
	if p := reasonPicture(r.Reasons); len(p.Rows) > 0 {
		s.figure(p)
	}
	if p := solePicture(r.SoleReasons); len(p.Rows) > 0 {
		s.figure(p)
	}
	s.table("Sole-reason ledger", "Applications that one knockout alone keeps out: without it, the application "+
		"would not have been declined or, if it was referred, "+
		"would have been approved.", across, soleTable(r.SoleReasons))
	s.table("Every rule", "Unknown: the rule read a field that the row does not have.", across, ruleTable(r.Rules))
	return s
}

// mostReasons is the maximum number of reasons in the chart.
const mostReasons = 12

func reasonPicture(reasons []backtest.ReasonCount) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Principal reasons",
			Description: "How often each was among the reasons given, by the status of the application.",
		},
		Of: "Reason",
		Parts: []chart.Part{
			{Name: "declined", Tone: chart.Declined},
			{Name: "referred", Tone: chart.Referred},
			{Name: "approved for less", Tone: chart.Approved},
		},
	}
	for _, r := range reasons[:min(len(reasons), mostReasons)] {
		c.Rows = append(c.Rows, chart.Bar{
			Label:  r.Code,
			Text:   count(r.Count),
			Values: []float64{float64(r.Declined), float64(r.Referred), float64(r.Approved)},
		})
	}
	return c
}

func solePicture(sole []backtest.SoleReason) chart.Bars {
	c := chart.Bars{
		Head: chart.Head{
			Title:       "Declines by knockout",
			Description: "Declined by this knockout alone, or by others as well.",
		},
		Of:    "Knockout",
		Parts: []chart.Part{{Name: "alone", Tone: chart.Orange}, {Name: "others as well", Tone: chart.Grey}},
	}
	for _, r := range sole {
		if r.Declines > 0 {
			c.Rows = append(c.Rows, chart.Bar{
				Label:  r.Rule,
				Text:   count(r.SoleDeclines) + " of " + count(r.Declines),
				Values: []float64{float64(r.SoleDeclines), float64(r.Declines - r.SoleDeclines)},
			})
		}
	}
	return c
}

func soleTable(sole []backtest.SoleReason) chart.Table {
	t := chart.Table{Columns: []string{
		"Knockout",
		"Reason",
		"Action",
		"Hits",
		"Alone declines",
		"Alone refers",
		"First",
		"Overlap",
		"Bad rate of those",
	}, Texts: []int{1, 2}}
	for _, r := range sole {
		t.Rows = append(t.Rows, []string{
			r.Rule, r.ReasonCode, r.Action, count(r.Hits), count(r.SoleDeclines), count(r.SoleReferrals),
			count(r.First), count(r.Overlap), rated(r.BadRateSole),
		})
	}
	return t
}

func ruleTable(rules []backtest.RuleCount) chart.Table {
	t := chart.Table{Columns: []string{
		"Rule",
		"Kind",
		"Evaluated",
		"Hit",
		"Hit rate",
		"Unknown",
		"Bad rate of those hit",
		"95 % interval",
	}, Texts: []int{1}}
	for _, r := range rules {
		t.Rows = append(t.Rows, []string{
			r.Rule, r.Kind, count(r.Evaluated), count(r.Hit), percent(r.HitRate), count(r.Unknown), rated(r.BadRate),
			interval(r.BadRate),
		})
	}
	return t
}
