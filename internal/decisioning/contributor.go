package decisioning

import (
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
)

// hitWeight is the effect of a knockout, from the weakest to the strongest: no hit, refers, declines.
type hitWeight uint8

const (
	noHit hitWeight = iota
	hitRefers
	hitDeclines
)

// featureHit is the effect of all rules that hit and name a feature.
type featureHit struct {
	weight hitWeight   // the highest weight of the knockouts
	delta  rule.Number // the sum of the adjustments
}

// hitFeatures returns the features that are named by rules that hit.
func hitFeatures(p *policydesk.Policy, d *engine.Decision) map[string]featureHit {
	fired := map[string]engine.FiredRule{}
	for _, r := range d.Rules() {
		fired[r.ID] = r
	}
	hits := map[string]featureHit{}
	note := func(c *rule.Condition, weight hitWeight, delta rule.Number) {
		seen := map[string]bool{}
		c.Fields(func(ref rule.Ref) {
			if ref.ID < 0 || seen[ref.Name] || !field.IsFeature(ref.Name) {
				return
			}
			seen[ref.Name] = true
			hit := hits[ref.Name]
			hit.weight, hit.delta = max(hit.weight, weight), hit.delta+delta
			hits[ref.Name] = hit
		})
	}
	for i := range p.Plan.Policy().Knockouts {
		k := &p.Plan.Policy().Knockouts[i]
		switch fired[k.ID].Result {
		case engine.ResultFail:
			note(&k.Condition, hitDeclines, 0)
		case engine.ResultRefer:
			note(&k.Condition, hitRefers, 0)
		default:
		}
	}
	for i := range p.Plan.Policy().Adjustments {
		a := &p.Plan.Policy().Adjustments[i]
		if r, ok := fired[a.ID]; ok && r.Result == engine.ResultApplied {
			note(&a.Condition, noHit, r.Delta)
		}
	}
	return hits
}
