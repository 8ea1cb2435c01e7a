package prover

import (
	"fmt"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// modelled lists the members of a policy document that a comparison covers, by kind of object. Members that have no
// effect on what is compared are listed too. A member that is not listed makes a comparison incomplete.
var modelled = map[string][]string{
	"": {
		"actionable_fields", "adjustments", "affordability", "allow_gaps", "charges", "conditions", "exposure",
		"features", "guarantees", "include_defaults", "inputs", "knockouts", "limit_caps", "limit_step", "name",
		"offer_validity_days", "people", "policy_key", "pricing_bands", "required_fields", "scorecard", "scorecard_id",
		"semantics", "tables",
	},
	"adjustments": {"condition_ast", "delta", "id", "reason_code"},
	"conditions":  {"code", "condition_ast", "text"},
	"knockouts": {
		"action", "applicant_message", "condition_ast", "id", "message", "on_absent", "reason_code", "stage", "system",
	},
	"pricing_bands": {
		"action", "default_limit", "foir_cap", "grade", "gst_pct", "id", "income_multiple", "interest_rate",
		"max_limit", "max_score", "min_limit", "min_score", "ntc", "processing_fee_min", "processing_fee_pct",
		"tenure_months", "tenures_allowed", "when",
	},
	"scorecard":     {"anchor_odds", "anchor_score", "base_points", "factors", "max_score", "min_score", "name", "pdo"},
	"factors":       {"bins", "factor", "field", "label", "missing_points", "reason_code", "type", "weight", "when"},
	"bins":          {"else", "gte", "in", "lt", "points", "reason_code", "special", "woe"},
	"exposure":      {"max_total"},
	"affordability": {"income", "obligations", "people"},
	"people":        {"score"},
	"limit_caps":    {"applicant_message", "id", "of", "reason_code", "when"},
	"charges":       {"amount", "gst", "id", "kind", "max", "min", "to"},
}

// uncovered is a member of policy documents that a comparison does not cover.
type uncovered struct {
	name, kind string // kind is the kind of object that has the member, "" for the policy itself
}

// String returns the name of the part for use in a sentence.
func (u uncovered) String() string {
	switch u.kind {
	case "":
		return u.name
	case "affordability", "exposure", "scorecard":
		return u.kind + "." + u.name
	default: // a list whose entries can have the member
		return u.kind + " with " + u.name
	}
}

// unmodelled lists the parts of two policies that a comparison does not cover, one sentence for each. The result
// "differ" has the names of those parts in which the policies differ.
func unmodelled(old, changed *engine.Policy) (list, differ []string) {
	var order []uncovered
	var texts [2]map[uncovered]string
	for i, p := range []*engine.Policy{old, changed} {
		texts[i] = map[uncovered]string{}
		document, err := wire.Parse(p.Document())
		if err != nil {
			return []string{"a policy document cannot be read"}, nil
		}
		walkMembers(document, "", false, func(u uncovered, text []byte) {
			if !slices.Contains(order, u) {
				order = append(order, u)
			}
			texts[i][u] += string(text) + "\n"
		})
	}
	for _, u := range order {
		where := "the policy"
		if u.kind != "" {
			where = u.kind
		}
		list = append(list, fmt.Sprintf("the comparison does not cover the member %q of %s", u.name, where))
		if texts[0][u] != texts[1][u] {
			list[len(list)-1] += ", in which the policies differ"
			differ = append(differ, u.String())
		}
	}
	for _, name := range ambiguous(old, changed) {
		list = append(list,
			"the policies differ in what "+name+" means, so the same request can give each of them different facts")
		differ = append(differ, "the meaning of "+name)
	}
	features := readsFeatures(old) || readsFeatures(changed)
	if features && (old.Semantics != changed.Semantics || old.FeaturesAuto != changed.FeaturesAuto) {
		list = append(list,
			"the policies compute features differently, so the same request can give each of them different features")
	}
	return list, differ
}

// ambiguous lists the names that have different meanings in two policies: inputs of different types, and tables that
// are looked up by different fields or whose columns have different types.
func ambiguous(old, changed *engine.Policy) (names []string) {
	types := old.InputTypes()
	for _, in := range changed.Inputs {
		if typ, known := types[in.Name]; known && typ != in.Type {
			names = append(names, in.Name)
		}
	}
	for i := range changed.Tables {
		t := &changed.Tables[i]
		at := slices.IndexFunc(old.Tables, func(x rule.Table) bool { return x.Name == t.Name })
		if at >= 0 && !sameTable(&old.Tables[at], t) {
			names = append(names, "the table "+t.Name)
		}
	}
	return names
}

// sameTable reports whether two descriptions of a table give the same facts. A policy describes only the columns that
// it names, so columns that only one description has are not compared.
func sameTable(x, y *rule.Table) bool {
	sameKey := func(a, b rule.TableKey) bool {
		return a.Field.Name == b.Field.Name && a.Field.Type == b.Field.Type && a.Range == b.Range
	}
	return x.Default == y.Default && slices.EqualFunc(x.Keys, y.Keys, sameKey) &&
		!slices.ContainsFunc(x.Columns, func(c rule.TableColumn) bool {
			other, named := y.Column(c.Name)
			return named && other.Type != c.Type
		})
}

// walkMembers calls add for each member of an object, and of the objects in it, that a comparison does not cover.
// The argument text of add is the value of the member: two policies have the same member if their texts are
// equal. If v is an entry of a list, the text is the whole entry, because the effect of the entry's other members
// depends on the member that is not covered.
func walkMembers(v wire.Value, kind string, listed bool, add func(u uncovered, text []byte)) {
	for name, member := range v.Members() {
		if !slices.Contains(modelled[kind], name) {
			var w wire.Writer
			if listed {
				w.Value(v)
			} else {
				w.Value(member)
			}
			add(uncovered{name: name, kind: kind}, w.Buf)
			continue
		}
		if _, known := modelled[name]; !known || kind == "affordability" {
			continue
		}
		if member.Kind() == wire.Array {
			for _, e := range member.Elements() {
				walkMembers(e, name, true, add)
			}
		} else {
			walkMembers(member, name, false, add)
		}
	}
}

func readsFeatures(p *engine.Policy) bool {
	return slices.ContainsFunc(p.ReferencedFields(), field.IsFeature)
}
