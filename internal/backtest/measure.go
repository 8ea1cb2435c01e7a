package backtest

import (
	"slices"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// Report computes the report from the merged partial of all rows.
func (r *Run) Report(p *Partial) *Report {
	whole := r.newPartial() // its lists have full length; those of p may be shorter
	whole.Merge(p)
	p = whole
	out := &Report{
		RowsTotal: p.evaluated + p.failed, RowsEvaluated: p.evaluated, RowsFailed: p.failed,
		RowErrors: p.errors, RowErrorsByCode: byCount(p.codes), ColumnsIgnored: r.ignored,
		Weighted: r.at.weight >= 0, TotalWeight: ratio(p.total.all().weight, weightUnit),
	}
	out.Warnings = r.warnings(p)
	out.Side = r.measure(r.champion, &p.champion, p)
	if r.at.protected >= 0 {
		out.Fairness = fairness(r.setup.Protected, p)
	}
	if r.at.month >= 0 {
		out.Vintage = vintage(p)
	}
	out.Actual = actual(p)
	if shift, ok := shiftFrom(r.setup.Reference, &p.champion.cells, r.champion.grid); ok {
		out.PSI = &shift
	}
	if r.challenger != nil {
		out.Challenger = r.compareSides(p)
	}
	return out
}

// measure computes the report of one policy.
func (r *Run) measure(by *side, s *sides, p *Partial) Side {
	var out Side
	status := s.byStatus()
	out.Summary = summary(by, s, &status)
	out.ByGrade = byGrade(by, s, p.total.all())
	out.ScoreBands, out.Performance.IV = scoreBands(by, s)
	out.Distribution = distribution(&s.cells, by.grid)
	out.Calibration, out.Performance.HosmerLemeshow = calibration(by, s)
	r.performance(&out.Performance, by, s, &status)
	out.ROC = roc(by, s)
	out.TopDeclineReasons, out.Reasons = reasons(by, s)
	out.SoleReasons, out.Rules = rules(by, s, p.evaluated)
	out.Economics = r.economics(s, out.Performance.ExpectedLoss)
	return out
}

// byStatus sums the grades' counts by status.
func (s *sides) byStatus() (status [3]counts) {
	for i := range s.grades {
		for k := range status {
			status[k].plus(&s.grades[i].status[k])
		}
	}
	return status
}

func summary(by *side, s *sides, status *[3]counts) Summary {
	var limit, price, apr wide
	for i := range s.grades {
		limit.plus(s.grades[i].limit)
		price.plus(s.grades[i].rate)
		apr.plus(s.grades[i].apr)
	}
	approved := status[engine.Approved].all()
	referred := status[engine.Referred].all()
	declined := status[engine.Declined].all()
	total := approved.weight + referred.weight + declined.weight
	out := Summary{
		Approved: approved.rows, Referred: referred.rows, Declined: declined.rows,
		ApprovalRate: ratio(approved.weight, total), ReferralRate: ratio(referred.weight, total),
		DeclineRate: ratio(declined.weight, total),
		AvgLimit:    limit.money(approved.weight), TotalLimit: limit.money(weightUnit),
		AvgInterestRate: price.mean(approved.weight, rule.One/100), AvgAPR: apr.mean(approved.weight, rule.One/100),
		AvgScore: s.score.mean(total, 1), TotalLimitReferred: s.limitReferred.money(weightUnit),
	}
	out.AvgScore.Value += rule.Number(b2i(out.AvgScore.Known)) * by.grid.base
	return out
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func byGrade(by *side, s *sides, total tally) []Grade {
	list := []Grade{}
	for i, name := range by.grades {
		g := &s.grades[i]
		var all counts
		for k := range g.status {
			all.plus(&g.status[k])
		}
		if all.all().rows == 0 {
			continue
		}
		approved := g.status[engine.Approved].all()
		list = append(list, Grade{
			Grade: name, Count: all.all().rows, Share: ratio(all.all().weight, total.weight),
			Approved:     approved.rows,
			Referred:     g.status[engine.Referred].all().rows,
			Declined:     g.status[engine.Declined].all().rows,
			ApprovalRate: ratio(approved.weight, all.all().weight),
			BadRate:      shareOf(&all), BadRateApproved: shareOf(&g.status[engine.Approved]),
			AvgRate:  g.rate.mean(approved.weight, rule.One/100),
			AvgLimit: g.limit.money(approved.weight), TotalLimit: g.limit.money(weightUnit),
		})
	}
	return list
}

// performance computes the metrics of the labelled rows and stores them in out.
func (r *Run) performance(out *Performance, by *side, s *sides, status *[3]counts) {
	var all counts
	for k := range status {
		all.plus(&status[k])
	}
	out.Labelled, out.Good, out.Bad = all.labelled().rows, all[good].rows, all[bad].rows
	out.All = shareOf(&all)
	out.Approved = shareOf(&status[engine.Approved])
	out.Referred = shareOf(&status[engine.Referred])
	out.Declined = shareOf(&status[engine.Declined])
	sep := separator{goods: all[good].weight, bads: all[bad].weight}
	if sep.goods > 0 && sep.bads > 0 {
		var widest int32
		for cell, c := range s.cells.each() {
			if sep.add(c[good].weight, c[bad].weight) {
				widest = cell
			}
		}
		out.AUC, out.Gini, out.KS = sep.auc(), sep.gini(), sep.ks()
		out.KSAt = Figure{by.grid.score(widest), true}
	}
	out.LGD = Figure{r.setup.LGD, true}
	out.ExpectedLoss, out.PDSource = r.expectedLoss(by, s, status)
}

// expectedLoss returns the sum of PD × LGD × limit over the approved rows. It
// uses the PD that the scorecard claims. If the scorecard claims none, it uses
// the bad rate of the grade's approved rows, or the bad rate of all approved rows
// if the grade has no labelled rows.
func (r *Run) expectedLoss(by *side, s *sides, status *[3]counts) (Money, PDSource) {
	if by.plan.Policy().Scorecard.Scaling != nil {
		return s.loss.times(int64(r.setup.LGD)).moneyOver(weightUnit, int64(rule.One), int64(rule.One)), PDScorecard
	}
	overall := &status[engine.Approved]
	if overall.labelled().weight == 0 {
		return Money{}, PDNone
	}
	loss := newFraction()
	for i := range s.grades {
		of := &s.grades[i].status[engine.Approved]
		if of.labelled().weight == 0 {
			of = overall
		}
		loss.add(&s.grades[i].limit, of[bad].weight, of.labelled().weight)
	}
	return loss.times(int64(r.setup.LGD)).moneyOver(weightUnit, int64(rule.One)), PDByGrade
}

func (r *Run) economics(s *sides, loss Money) Economics {
	var limit wide
	for i := range s.grades {
		limit.plus(s.grades[i].limit)
	}
	out := Economics{
		InterestIncome: s.interest.money(weightUnit), FeeIncome: s.fee.money(weightUnit),
		FundingCost: s.funding.money(weightUnit), ExpectedLoss: loss, FundingRate: Figure{r.setup.FundingRate, true},
	}
	if !loss.Known || !out.InterestIncome.Known || !out.FeeIncome.Known || !out.FundingCost.Known {
		return out
	}
	out.NetMargin = Money{out.InterestIncome.Paise + out.FeeIncome.Paise - out.FundingCost.Paise - loss.Paise, true}
	if total := limit.money(weightUnit); total.Known && total.Paise > 0 {
		var margin wide
		margin.add(out.NetMargin.Paise, 100*int64(rule.One))
		out.NetMarginPct = margin.mean(total.Paise, 1)
	}
	return out
}

// byCount returns the codes sorted by count, the most frequent first.
func byCount(list []CodeCount) []CodeCount {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b CodeCount) int { return int(min(max(b.Count-a.Count, -1), 1)) })
	return list
}
