package prover

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// modelled lists the members of a policy document that a comparison covers, by kind of object. Members that have no
// effect on what is compared are listed too. A member that is not listed makes a comparison incomplete.
var modelled = map[string][]string{
	"": {
		"actionable_fields", "adjustments", "affordability", "allow_gaps", "conditions", "exposure", "features",
		"include_defaults", "inputs", "knockouts", "limit_step", "name", "offer_validity_days", "policy_key",
		"pricing_bands", "required_fields", "scorecard", "scorecard_id", "semantics", "tables",
	},
	"adjustments": {"condition_ast", "delta", "id", "reason_code"},
	"conditions":  {"code", "condition_ast", "text"},
	"knockouts": {
		"action", "applicant_message", "condition_ast", "id", "message", "on_absent", "reason_code", "stage", "system",
	},
	"pricing_bands": {
		"action", "default_limit", "foir_cap", "grade", "gst_pct", "id", "income_multiple", "interest_rate",
		"max_limit", "max_score", "min_limit", "min_score", "ntc", "processing_fee_min", "processing_fee_pct",
		"tenure_months", "tenures_allowed",
	},
	"scorecard":     {"anchor_odds", "anchor_score", "base_points", "factors", "max_score", "min_score", "name", "pdo"},
	"factors":       {"bins", "factor", "field", "label", "missing_points", "reason_code", "type", "weight", "when"},
	"bins":          {"else", "gte", "in", "lt", "points", "reason_code", "special", "woe"},
	"exposure":      {"max_total"},
	"affordability": {"income", "obligations"},
}

// unmodelled lists, one sentence for each, the parts of two policies that a comparison does not cover.
func unmodelled(old, changed *engine.Policy) (list []string) {
	add := func(text string) {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	for _, p := range []*engine.Policy{old, changed} {
		document, err := wire.Parse(p.Document())
		if err != nil {
			add("a policy document cannot be read")
			continue
		}
		walkMembers(document, "", add)
	}
	features := readsFeatures(old) || readsFeatures(changed)
	if features && (old.Semantics != changed.Semantics || old.FeaturesAuto != changed.FeaturesAuto) {
		add("the policies compute features differently, so the same request can have other features under each")
	}
	return list
}

// walkMembers checks the members of an object and of the objects in it.
func walkMembers(v wire.Value, kind string, add func(string)) {
	for name, member := range v.Members() {
		if !slices.Contains(modelled[kind], name) {
			where := "the policy"
			if kind != "" {
				where = kind
			}
			add(fmt.Sprintf("the comparison does not cover the member %q of %s", name, where))
			continue
		}
		if _, known := modelled[name]; !known || kind == "affordability" {
			continue
		}
		if member.Kind() == wire.Array {
			for _, e := range member.Elements() {
				walkMembers(e, name, add)
			}
		} else {
			walkMembers(member, name, add)
		}
	}
}

func readsFeatures(p *engine.Policy) bool {
	return slices.ContainsFunc(p.ReferencedFields(), field.IsFeature)
}
