package backtest

import (
	"verdict/internal/engine"
	"verdict/internal/wire"
)

// WriteMembers writes the report as members of the object that is open in w. It
// leaves out parts that were not requested, such as a challenger, and writes
// undefined figures as null.
func (r *Report) WriteMembers(w *wire.Writer) {
	w.Key("rows_total").Int(r.RowsTotal).Key("rows_evaluated").Int(r.RowsEvaluated).Key("rows_failed").Int(r.RowsFailed)
	w.Key("row_errors").Array()
	for _, e := range r.RowErrors {
		w.Object().Key("row").Int(e.Row).Key("field")
		if e.Field == "" {
			w.Null()
		} else {
			w.String(e.Field)
		}
		w.Key("code").String(e.Code).EndObject()
	}
	w.EndArray()
	writeCodes(w, "row_errors_by_code", r.RowErrorsByCode)
	w.Key("columns_ignored").Strings(r.ColumnsIgnored)
	r.writeWarnings(w)
	w.Key("weighted").Bool(r.Weighted)
	if r.Weighted {
		figure(w, "total_weight", r.TotalWeight)
	}
	writeSide(w, &r.Side)
	if r.Fairness != nil {
		r.Fairness.write(w)
	}
	if r.Vintage != nil {
		r.Vintage.write(w)
	}
	if r.Actual != nil {
		w.Key("actual").Object().Key("count").Int(r.Actual.Count)
		r.Actual.Matrix.write(w)
		figure(w, "agreement_rate", r.Actual.AgreementRate)
		w.EndObject()
	}
	if r.PSI != nil {
		r.PSI.write(w, "psi", "psi_groups")
	}
	if r.Challenger != nil {
		r.Challenger.write(w)
	}
}

// writeSide writes the report of one policy. It is a function and not a method,
// because Report and Challenger embed Side and would inherit the method.
func writeSide(w *wire.Writer, s *Side) {
	s.Summary.write(w)
	s.Performance.write(w)
	w.Key("by_grade").Array()
	for i := range s.ByGrade {
		s.ByGrade[i].write(w)
	}
	w.EndArray().Key("score_bands").Array()
	for i := range s.ScoreBands {
		s.ScoreBands[i].write(w)
	}
	w.EndArray()
	writeCodes(w, "top_decline_reasons", s.TopDeclineReasons)
	w.Key("reasons").Array()
	for _, r := range s.Reasons {
		w.Object().Key("code").String(r.Code).Key("count").Int(r.Count).Key("first").Int(r.First)
		w.Key("declined").Int(r.Declined).Key("referred").Int(r.Referred).Key("approved").Int(r.Approved).EndObject()
	}
	w.EndArray().Key("sole_reasons").Array()
	for i := range s.SoleReasons {
		s.SoleReasons[i].write(w)
	}
	w.EndArray().Key("rules").Array()
	for i := range s.Rules {
		r := &s.Rules[i]
		w.Object().Key("id").String(r.Rule).Key("kind").Plain(r.Kind).Key("evaluated").Int(r.Evaluated)
		w.Key("hit").Int(r.Hit).Key("unknown").Int(r.Unknown)
		figure(w, "hit_rate", r.HitRate)
		r.BadRate.write(w)
		w.EndObject()
	}
	w.EndArray()
	writeScores(w, s)
	s.Economics.write(w)
}

// writeScores writes the data of the charts about scores.
func writeScores(w *wire.Writer, s *Side) {
	w.Key("calibration").Array()
	for i := range s.Calibration {
		d := &s.Calibration[i]
		w.Object().Key("group").Int(int64(d.Number))
		figure(w, "min_score", d.MinScore)
		figure(w, "max_score", d.MaxScore)
		figure(w, "predicted", d.Predicted)
		d.Observed.write(w)
		w.EndObject()
	}
	w.EndArray().Key("distribution").Array()
	for _, c := range s.Distribution.Cells {
		w.Object().Key("min").Int(c.Min).Key("max").Int(c.Min + s.Distribution.Width - 1)
		w.Key("good").Int(c.Good).Key("bad").Int(c.Bad).Key("unlabelled").Int(c.Unlabelled)
		w.Key("weight").Decimal(c.Weight, weightPlaces).EndObject()
	}
	w.EndArray().Key("roc").Array()
	for _, p := range s.ROC {
		w.Object()
		figure(w, "score", p.Score)
		figure(w, "good", p.Good)
		figure(w, "bad", p.Bad)
		w.EndObject()
	}
	w.EndArray()
}

func (s *Summary) write(w *wire.Writer) {
	w.Key("summary").Object()
	w.Key("approved").Int(s.Approved).Key("referred").Int(s.Referred).Key("declined").Int(s.Declined)
	figure(w, "approval_rate", s.ApprovalRate)
	figure(w, "referral_rate", s.ReferralRate)
	figure(w, "decline_rate", s.DeclineRate)
	money(w, "avg_limit", s.AvgLimit)
	money(w, "total_limit", s.TotalLimit)
	figure(w, "avg_interest_rate", s.AvgInterestRate)
	figure(w, "avg_apr", s.AvgAPR)
	figure(w, "avg_score", s.AvgScore)
	money(w, "total_limit_referred", s.TotalLimitReferred)
	w.EndObject()
}

func (p *Performance) write(w *wire.Writer) {
	w.Key("performance").Object()
	w.Key("labelled").Int(p.Labelled).Key("good").Int(p.Good).Key("bad").Int(p.Bad)
	figure(w, "bad_rate_all", p.All.Rate)
	p.Approved.writeNamed(w, "approved")
	p.Referred.writeNamed(w, "referred")
	p.Declined.writeNamed(w, "declined")
	figure(w, "auc", p.AUC)
	figure(w, "gini", p.Gini)
	figure(w, "ks", p.KS)
	figure(w, "ks_at", p.KSAt)
	figure(w, "iv", p.IV)
	figure(w, "hosmer_lemeshow", p.HosmerLemeshow)
	money(w, "expected_loss", p.ExpectedLoss)
	w.Key("pd_source")
	if p.PDSource == PDNone {
		w.Null()
	} else {
		w.Plain(string(p.PDSource))
	}
	figure(w, "lgd", p.LGD)
	w.EndObject()
}

// write writes a bad rate with its counts and its interval.
func (s Share) write(w *wire.Writer) {
	w.Key("labelled").Int(s.Labelled).Key("bad").Int(s.Bad)
	figure(w, "bad_rate", s.Rate)
	figure(w, "bad_rate_low", s.Low)
	figure(w, "bad_rate_high", s.High)
}

// writeNamed writes one of several bad rates of an object, with its number of labelled rows. The names of both members
// end with suffix.
func (s Share) writeNamed(w *wire.Writer, suffix string) {
	figure(w, "bad_rate_"+suffix, s.Rate)
	w.Key("labelled_" + suffix).Int(s.Labelled)
}

func (g *Grade) write(w *wire.Writer) {
	w.Object().Key("grade").String(g.Grade).Key("count").Int(g.Count)
	figure(w, "share", g.Share)
	w.Key("approved").Int(g.Approved).Key("referred").Int(g.Referred).Key("declined").Int(g.Declined)
	figure(w, "approval_rate", g.ApprovalRate)
	g.BadRate.write(w)
	g.BadRateApproved.writeNamed(w, "approved")
	figure(w, "avg_rate", g.AvgRate)
	money(w, "avg_limit", g.AvgLimit)
	money(w, "total_limit", g.TotalLimit)
	w.EndObject()
}

func (b *ScoreBand) write(w *wire.Writer) {
	w.Object().Key("place").Plain(string(b.Place))
	if b.Place == InBand {
		w.Key("band").String(b.Band).Key("grade").String(b.Grade)
	}
	bound := func(name string, n int64, has bool) {
		w.Key(name)
		if has {
			w.Int(n)
		} else {
			w.Null()
		}
	}
	bound("min", b.Min, b.HasMin)
	bound("max", b.Max, b.HasMax)
	w.Key("count").Int(b.Count).Key("good").Int(b.Good)
	b.BadRate.write(w)
	figure(w, "woe", b.WOE)
	figure(w, "iv", b.IV)
	w.EndObject()
}

func (s *SoleReason) write(w *wire.Writer) {
	w.Object().Key("id").String(s.Rule).Key("reason_code").String(s.ReasonCode).Key("action").Plain(s.Action)
	w.Key("hits").Int(s.Hits).Key("declines").Int(s.Declines)
	w.Key("sole_declines").Int(s.SoleDeclines).Key("sole_referrals").Int(s.SoleReferrals)
	w.Key("first").Int(s.First).Key("overlap").Int(s.Overlap)
	s.BadRateSole.write(w)
	w.EndObject()
}

func (e *Economics) write(w *wire.Writer) {
	w.Key("economics").Object()
	money(w, "interest_income", e.InterestIncome)
	money(w, "fee_income", e.FeeIncome)
	money(w, "funding_cost", e.FundingCost)
	money(w, "expected_loss", e.ExpectedLoss)
	money(w, "net_margin", e.NetMargin)
	figure(w, "net_margin_pct", e.NetMarginPct)
	figure(w, "funding_rate", e.FundingRate)
	w.EndObject()
}

func (m *Matrix) write(w *wire.Writer) {
	w.Key("matrix").Object()
	for a := range m {
		w.Key(engine.Status(a).String()).Object()
		for b, n := range m[a] {
			w.Key(engine.Status(b).String()).Int(n)
		}
		w.EndObject()
	}
	w.EndObject()
}

func figure(w *wire.Writer, name string, f Figure) { f.write(w.Key(name)) }

func money(w *wire.Writer, name string, m Money) { m.write(w.Key(name)) }

func writeCodes(w *wire.Writer, name string, list []CodeCount) {
	w.Key(name).Array()
	for _, c := range list {
		w.Object().Key("code").String(c.Code).Key("count").Int(c.Count).EndObject()
	}
	w.EndArray()
}
