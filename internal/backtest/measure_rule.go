package backtest

import (
	"cmp"
	"slices"
	"strings"

	"verdict/internal/engine"
)

// maxTopReasons is the maximum number of listed decline reasons.
const maxTopReasons = 10

// reasons returns two lists, each with the most frequent reason first: at most maxTopReasons reasons for declines,
// and all principal reasons.
func reasons(by *side, s *sides) (top []CodeCount, all []ReasonCount) {
	top, all = []CodeCount{}, []ReasonCount{}
	for i, code := range by.codes {
		r := &s.reasons[i]
		count := r.status[engine.Approved] + r.status[engine.Referred] + r.status[engine.Declined]
		if count == 0 {
			continue
		}
		all = append(all, ReasonCount{
			Code: code, Count: count, First: r.first,
			Declined: r.status[engine.Declined], Referred: r.status[engine.Referred],
			Approved: r.status[engine.Approved],
		})
		if n := r.status[engine.Declined]; n > 0 {
			top = append(top, CodeCount{code, n})
		}
	}
	slices.SortFunc(all, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Code, b.Code))
	})
	slices.SortFunc(top, func(a, b CodeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Code, b.Code))
	})
	return top[:min(len(top), maxTopReasons)], all
}

// rules returns, in declared order, how often each knockout alone caused a
// status, and the counts of every knockout and adjustment.
func rules(by *side, s *sides, evaluated int64) (soles []SoleReason, all []RuleCount) {
	p := by.plan.Policy()
	soles, all = []SoleReason{}, []RuleCount{}
	count := func(id, kind string, r *ruleSum) {
		hit := r.hit.all()
		all = append(all, RuleCount{
			Rule: id, Kind: kind, Evaluated: evaluated - r.unknown, Hit: hit.rows, Unknown: r.unknown,
			BadRate: shareOf(&r.hit),
		})
	}
	for i := range p.Knockouts {
		k, sole := &p.Knockouts[i], &s.soles[i]
		count(k.ID, "knockout", &s.rules[i])
		soles = append(soles, SoleReason{
			Rule: k.ID, ReasonCode: k.Code(), Action: k.Action.String(),
			Hits: s.rules[i].hit.all().rows, Declines: sole.declines,
			SoleDeclines: sole.soleDeclines, SoleReferrals: sole.soleReferrals,
			First: sole.first, Overlap: sole.overlap, BadRateSole: shareOf(&sole.sole),
		})
	}
	for i := range p.Adjustments {
		count(p.Adjustments[i].ID, "adjustment", &s.rules[len(p.Knockouts)+i])
	}
	total := s.byStatus()
	var weight int64
	for i := range total {
		weight += total[i].all().weight
	}
	for i := range all {
		all[i].HitRate = ratio(s.rules[i].hit.all().weight, weight)
	}
	return soles, all
}
