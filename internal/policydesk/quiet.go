package policydesk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// QuietRule is a rule of an active version that hit in a range of days, but not in the range of days after it.
type QuietRule struct {
	RuleSet   RuleSet
	RuleID    string
	HitBefore int64 // how often it hit in the earlier range
	Evaluated int64 // how often it ran without a hit in the later range
	Expected  int64 // how often it would have hit if it had hit as often as before
}

const (
	// leastExpected is the minimum of QuietRule.Expected. With three expected hits, a rule has no hit by mere
	// chance in about one of twenty ranges.
	leastExpected = 3
	// mostQuietSets is the maximum number of active versions whose rules are compared.
	mostQuietSets = 10
)

// QuietRules returns the rules of active versions that did not hit in the last days, although they hit often enough in
// the same number of days before. This finds rules that read a field which a bureau has renamed. The counts of a
// version include the counts of the version from which it was made, so that a new version has a history.
func (s *Service) QuietRules(
	ctx context.Context, p tenant.Principal, active []RuleSet, days int,
) (list []QuietRule, err error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	now := s.core.Now()
	day := func(ago int) string { return tenant.BusinessDay(now.Add(-time.Duration(ago) * 24 * time.Hour)) }
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		list = nil // the read may be repeated
		for _, set := range active[:min(len(active), mostQuietSets)] {
			quiet, err := quietRules(tx.RuleSets().RuleSetReader, set, day(2*days-1), day(days-1))
			if err != nil {
				return err
			}
			list = append(list, quiet...)
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b QuietRule) int { return cmp.Compare(b.Expected, a.Expected) })
	return list, err
}

// quietRules returns the quiet rules of one version.
func quietRules(sets store.RuleSetReader, set RuleSet, before, from string) (list []QuietRule, err error) {
	hits, err := sets.Hits(set.ID, before, from)
	if err != nil {
		return nil, err
	}
	earlier := map[string]store.RuleHits{}
	if set.Base != "" {
		base, err := sets.Hits(set.Base, before, from)
		if err != nil {
			return nil, err
		}
		for _, h := range base {
			earlier[h.RuleID] = h
		}
	}
	for _, h := range hits {
		was := earlier[h.RuleID]
		evaluated, hit := h.Evaluated+was.Evaluated, h.Hit+was.Hit
		evaluatedBefore, hitBefore := h.EvaluatedBefore+was.EvaluatedBefore, h.HitBefore+was.HitBefore
		if hit > 0 || hitBefore == 0 {
			continue
		}
		expected := int64(float64(evaluated) * float64(hitBefore) / float64(max(evaluatedBefore, 1)))
		if expected >= leastExpected {
			list = append(list, QuietRule{
				RuleSet:   set,
				RuleID:    h.RuleID,
				HitBefore: hitBefore,
				Evaluated: evaluated,
				Expected:  expected,
			})
		}
	}
	return list, nil
}
