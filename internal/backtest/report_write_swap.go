package backtest

import "verdict/internal/wire"

func (c *Challenger) write(w *wire.Writer) {
	w.Key("challenger").Object()
	if c.RuleSetID != "" {
		w.Key("rule_set_id").String(c.RuleSetID)
	}
	writeSide(w, &c.Side)
	c.SwapSet.write(w)
	c.Matrix.write(w)
	c.Shift.write(w)
	c.PSI.write(w, "psi_score", "psi_groups")
	w.Key("changes").Array()
	for i := range c.Changes {
		c.Changes[i].write(w, i)
	}
	w.EndArray()
	c.SwapIn.write(w, "swap_in", c.Changes)
	c.SwapOut.write(w, "swap_out", c.Changes)
	w.EndObject()
}

func (s *SwapSet) write(w *wire.Writer) {
	w.Key("swap_set").Object()
	w.Key("both_approve").Int(s.BothApprove).Key("champion_only").Int(s.ChampionOnly)
	w.Key("challenger_only").Int(s.ChallengerOnly).Key("both_decline").Int(s.BothDecline)
	s.SwapIn.writeNamed(w, "swap_in")
	s.SwapOut.writeNamed(w, "swap_out")
	s.Both.writeNamed(w, "both_approve")
	w.EndObject()
}

func (c *Change) write(w *wire.Writer) {
	w.Key("both_approve").Object().Key("count").Int(c.Count)
	w.Key("limit_higher").Int(c.LimitHigher).Key("limit_lower").Int(c.LimitLower).Key("limit_same").Int(c.LimitSame)
	money(w, "avg_limit_change", c.AvgLimitChange)
	money(w, "total_limit_change", c.TotalLimitChange)
	w.Key("rate_higher").Int(c.RateHigher).Key("rate_lower").Int(c.RateLower).Key("rate_same").Int(c.RateSame)
	figure(w, "avg_rate_change", c.AvgRateChange)
	figure(w, "avg_apr_change", c.AvgAPRChange)
	w.EndObject()
}

func (s *Shift) write(w *wire.Writer, name, groups string) {
	figure(w, name, s.PSI)
	w.Key(groups).Array()
	for _, g := range s.Groups {
		w.Object().Key("min")
		if g.HasMin {
			w.Int(g.Min)
		} else {
			w.Null()
		}
		figure(w, "expected", g.Expected)
		figure(w, "actual", g.Actual)
		w.EndObject()
	}
	w.EndArray()
}

// write writes a change with its number, by which the attributions refer to it.
func (c *PolicyChange) write(w *wire.Writer, number int) {
	w.Object().Key("change").Int(int64(number + 1)).Key("section").Plain(c.Section)
	optional := func(name, text string) {
		w.Key(name)
		if text == "" {
			w.Null()
		} else {
			w.String(text)
		}
	}
	optional("id", c.ID)
	w.Key("what").Plain(c.What)
	optional("before", c.Before)
	optional("after", c.After)
	w.EndObject()
}

func (a *Attribution) write(w *wire.Writer, name string, changes []PolicyChange) {
	w.Key(name).Object().Key("count").Int(a.Count).Key("explained").Int(a.Explained).Key("together").Int(a.Together)
	w.Key("by_change").Array()
	for i, c := range a.ByChange {
		if c.Alone == 0 && c.Needed == 0 {
			continue
		}
		w.Object().Key("change").Int(int64(i + 1)).Key("section").Plain(changes[i].Section).Key("id")
		if changes[i].ID == "" {
			w.Null()
		} else {
			w.String(changes[i].ID)
		}
		w.Key("alone").Int(c.Alone).Key("needed").Int(c.Needed)
		c.BadRate.write(w)
		w.EndObject()
	}
	w.EndArray().EndObject()
}

func (f *Fairness) write(w *wire.Writer) {
	w.Key("fairness").Object().Key("column").String(f.Column).Key("four_fifths").Bool(f.FourFifths).Key(
		"groups").Array()
	for i := range f.Groups {
		g := &f.Groups[i]
		w.Object().Key("group").String(g.Name).Key("count").Int(g.Count).Key("approved").Int(g.Approved)
		figure(w, "approval_rate", g.ApprovalRate)
		figure(w, "ratio", g.Ratio)
		w.Key("four_fifths").Bool(g.FourFifths)
		g.BadRateApproved.writeNamed(w, "approved")
		w.EndObject()
	}
	w.EndArray().EndObject()
}

func (v *Vintage) write(w *wire.Writer) {
	w.Key("vintage").Array()
	for _, m := range v.ByMonth {
		w.Object().Key("mob").Int(int64(m.Month)).Key("labelled").Int(v.Approved).Key("bad").Int(m.Bad)
		figure(w, "ever_90_plus", m.Share)
		w.EndObject()
	}
	w.EndArray().Key("vintage_without_month").Int(v.NoMonth)
}
