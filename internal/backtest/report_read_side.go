package backtest

// side reads the report of one policy that writeSide wrote.
func (o written) side() Side {
	s := Side{
		Summary:           o.in("summary").summary(),
		Performance:       o.in("performance").performance(),
		TopDeclineReasons: o.codes("top_decline_reasons"),
		Distribution:      o.distribution(),
		Economics:         o.in("economics").economics(),
	}
	for _, g := range o.list("by_grade") {
		s.ByGrade = append(s.ByGrade, g.grade())
	}
	for _, b := range o.list("score_bands") {
		s.ScoreBands = append(s.ScoreBands, b.scoreBand())
	}
	for _, r := range o.list("reasons") {
		s.Reasons = append(s.Reasons, ReasonCount{
			Code:     r.text("code"),
			Count:    r.int("count"),
			First:    r.int("first"),
			Declined: r.int("declined"),
			Referred: r.int("referred"),
			Approved: r.int("approved"),
		})
	}
	for _, r := range o.list("sole_reasons") {
		s.SoleReasons = append(s.SoleReasons, SoleReason{
			Rule:          r.text("id"),
			ReasonCode:    r.text("reason_code"),
			Action:        r.text("action"),
			Hits:          r.int("hits"),
			Declines:      r.int("declines"),
			SoleDeclines:  r.int("sole_declines"),
			SoleReferrals: r.int("sole_referrals"),
			First:         r.int("first"),
			Overlap:       r.int("overlap"),
			BadRateSole:   r.share(),
		})
	}
	for _, r := range o.list("rules") {
		s.Rules = append(s.Rules, RuleCount{
			Rule:      r.text("id"),
			Kind:      r.text("kind"),
			Evaluated: r.int("evaluated"),
			Hit:       r.int("hit"),
			Unknown:   r.int("unknown"),
			HitRate:   r.figure("hit_rate"),
			BadRate:   r.share(),
		})
	}
	for _, d := range o.list("calibration") {
		observed := d.share()
		s.Calibration = append(s.Calibration, Decile{
			Number:    int(d.int("group")),
			MinScore:  d.figure("min_score"),
			MaxScore:  d.figure("max_score"),
			Count:     observed.Labelled,
			Predicted: d.figure("predicted"),
			Observed:  observed,
		})
	}
	for _, p := range o.list("roc") {
		s.ROC = append(s.ROC, ROCPoint{Score: p.figure("score"), Good: p.figure("good"), Bad: p.figure("bad")})
	}
	return s
}

func (o written) summary() Summary {
	return Summary{
		Approved:           o.int("approved"),
		Referred:           o.int("referred"),
		Declined:           o.int("declined"),
		ApprovalRate:       o.figure("approval_rate"),
		ReferralRate:       o.figure("referral_rate"),
		DeclineRate:        o.figure("decline_rate"),
		AvgLimit:           o.money("avg_limit"),
		TotalLimit:         o.money("total_limit"),
		AvgInterestRate:    o.figure("avg_interest_rate"),
		AvgAPR:             o.figure("avg_apr"),
		AvgScore:           o.figure("avg_score"),
		TotalLimitReferred: o.money("total_limit_referred"),
	}
}

func (o written) performance() Performance {
	return Performance{
		Labelled:       o.int("labelled"),
		Good:           o.int("good"),
		Bad:            o.int("bad"),
		All:            Share{Labelled: o.int("labelled"), Bad: o.int("bad"), Rate: o.figure("bad_rate_all")},
		Approved:       o.shareOf("approved"),
		Referred:       o.shareOf("referred"),
		Declined:       o.shareOf("declined"),
		AUC:            o.figure("auc"),
		Gini:           o.figure("gini"),
		KS:             o.figure("ks"),
		KSAt:           o.figure("ks_at"),
		IV:             o.figure("iv"),
		HosmerLemeshow: o.figure("hosmer_lemeshow"),
		ExpectedLoss:   o.money("expected_loss"),
		PDSource:       PDSource(o.text("pd_source")),
		LGD:            o.figure("lgd"),
	}
}

func (o written) grade() Grade {
	return Grade{
		Grade:           o.text("grade"),
		Count:           o.int("count"),
		Share:           o.figure("share"),
		Approved:        o.int("approved"),
		Referred:        o.int("referred"),
		Declined:        o.int("declined"),
		ApprovalRate:    o.figure("approval_rate"),
		BadRate:         o.share(),
		BadRateApproved: o.shareOf("approved"),
		AvgRate:         o.figure("avg_rate"),
		AvgLimit:        o.money("avg_limit"),
		TotalLimit:      o.money("total_limit"),
	}
}

func (o written) scoreBand() ScoreBand {
	return ScoreBand{
		Place:   Place(o.text("place")),
		Band:    o.text("band"),
		Grade:   o.text("grade"),
		HasMin:  o.object.Get("min").Given(),
		Min:     o.int("min"),
		HasMax:  o.object.Get("max").Given(),
		Max:     o.int("max"),
		Count:   o.int("count"),
		Good:    o.int("good"),
		BadRate: o.share(),
		WOE:     o.figure("woe"),
		IV:      o.figure("iv"),
	}
}

func (o written) distribution() (d Distribution) {
	for _, c := range o.list("distribution") {
		cell := DistributionCell{
			Min:        c.int("min"),
			Good:       c.int("good"),
			Bad:        c.int("bad"),
			Unlabelled: c.int("unlabelled"),
		}
		cell.Weight, _ = c.decimal("weight", weightPlaces)
		d.Width = c.int("max") - cell.Min + 1
		d.Cells = append(d.Cells, cell)
	}
	return d
}

func (o written) economics() Economics {
	return Economics{
		InterestIncome: o.money("interest_income"),
		FeeIncome:      o.money("fee_income"),
		FundingCost:    o.money("funding_cost"),
		ExpectedLoss:   o.money("expected_loss"),
		NetMargin:      o.money("net_margin"),
		NetMarginPct:   o.figure("net_margin_pct"),
		FundingRate:    o.figure("funding_rate"),
	}
}

// challenger reads a report that Challenger.write wrote.
func (o written) challenger() *Challenger {
	swap, both := o.in("swap_set"), o.in("both_approve")
	c := &Challenger{
		RuleSetID: o.text("rule_set_id"),
		Side:      o.side(),
		Matrix:    o.matrix(),
		SwapSet: SwapSet{
			BothApprove:    swap.int("both_approve"),
			ChampionOnly:   swap.int("champion_only"),
			ChallengerOnly: swap.int("challenger_only"),
			BothDecline:    swap.int("both_decline"),
			SwapIn:         swap.shareOf("swap_in"),
			SwapOut:        swap.shareOf("swap_out"),
			Both:           swap.shareOf("both_approve"),
		},
		Shift: Change{
			Count:            both.int("count"),
			LimitHigher:      both.int("limit_higher"),
			LimitLower:       both.int("limit_lower"),
			LimitSame:        both.int("limit_same"),
			RateHigher:       both.int("rate_higher"),
			RateLower:        both.int("rate_lower"),
			RateSame:         both.int("rate_same"),
			AvgLimitChange:   both.money("avg_limit_change"),
			TotalLimitChange: both.money("total_limit_change"),
			AvgRateChange:    both.figure("avg_rate_change"),
			AvgAPRChange:     both.figure("avg_apr_change"),
		},
		PSI: o.shift("psi_score"),
	}
	for _, ch := range o.list("changes") {
		c.Changes = append(c.Changes, PolicyChange{
			Section: ch.text("section"),
			ID:      ch.text("id"),
			What:    ch.text("what"),
			Before:  ch.text("before"),
			After:   ch.text("after"),
		})
	}
	c.SwapIn = o.in("swap_in").attribution(len(c.Changes))
	c.SwapOut = o.in("swap_out").attribution(len(c.Changes))
	return c
}

// attribution reads an attribution that Attribution.write wrote. changes is the
// total number of changes, because Attribution.write leaves out changes that
// move no rows.
func (o written) attribution(changes int) Attribution {
	a := Attribution{
		Count:     o.int("count"),
		Explained: o.int("explained"),
		Together:  o.int("together"),
		ByChange:  make([]ChangeCount, changes),
	}
	for _, c := range o.list("by_change") {
		if n := c.int("change"); n >= 1 && n <= int64(changes) {
			a.ByChange[n-1] = ChangeCount{Alone: c.int("alone"), Needed: c.int("needed"), BadRate: c.share()}
		}
	}
	return a
}
