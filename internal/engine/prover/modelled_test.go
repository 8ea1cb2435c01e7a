package prover

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/loan"
	"verdict/internal/wire"
)

// known maps each field of the policy's Go types to the member of the document that it is written to. A new field of
// a policy must be listed here as soon as the comparison covers it, or as soon as it is known to have no effect on
// what is compared. Until then its member must not be in modelled, so that comparisons of policies that use it are
// incomplete.
var known = map[reflect.Type]map[string]string{
	reflect.TypeFor[engine.Policy](): {
		"Key": "policy_key", "Name": "name", "Semantics": "semantics", "FeaturesAuto": "features", "Inputs": "inputs",
		"Tables": "tables", "Required": "required_fields", "Knockouts": "knockouts", "Adjustments": "adjustments",
		"Affordability": "affordability", "Exposure": "exposure", "Scorecard": "scorecard",
		"ScorecardID": "scorecard_id", "Bands": "pricing_bands", "Terms": "conditions", "LimitStepPaise": "limit_step",
		"OfferValidityDays": "offer_validity_days", "Actionable": "actionable_fields", "AllowGaps": "allow_gaps",
		"IncludeDefaults": "include_defaults", "People": "people", "LimitCaps": "limit_caps", "Charges": "charges",
		"Guarantees": "guarantees",
	},
	reflect.TypeFor[engine.Knockout](): {
		"ID": "id", "Stage": "stage", "Action": "action", "OnAbsent": "on_absent", "ReasonCode": "reason_code",
		"Message": "message", "ApplicantMessage": "applicant_message", "Condition": "condition_ast", "System": "system",
	},
	reflect.TypeFor[engine.Adjustment](): {
		"ID": "id", "Delta": "delta", "ReasonCode": "reason_code", "Condition": "condition_ast",
	},
	reflect.TypeFor[engine.Term](): {"Code": "code", "Text": "text", "Condition": "condition_ast"},
	reflect.TypeFor[engine.Band](): {
		"ID": "id", "Grade": "grade", "NTC": "ntc", "Ranged": "min_score", "MinScore": "min_score",
		"MaxScore": "max_score", "Action": "action", "Priced": "interest_rate", "RateBP": "interest_rate",
		"TenureMonths": "tenure_months", "Tenures": "tenures_allowed", "MinLimitPaise": "min_limit",
		"MaxLimitPaise": "max_limit", "DefaultLimitPaise": "default_limit", "HasIncomeMultiple": "income_multiple",
		"IncomeMultiple": "income_multiple", "FOIRCap": "foir_cap", "FeePct": "processing_fee_pct",
		"FeeMinPaise": "processing_fee_min", "GSTPct": "gst_pct", "When": "when",
	},
	reflect.TypeFor[engine.Scorecard](): {
		"Name": "name", "Base": "base_points", "MinScore": "min_score", "MaxScore": "max_score", "Scaling": "pdo",
		"Factors": "factors",
	},
	reflect.TypeFor[engine.Factor](): {
		"Name": "factor", "Label": "label", "Field": "field", "Typed": "type", "ReasonCode": "reason_code",
		"When": "when", "Bins": "bins", "HasMissing": "missing_points", "Missing": "missing_points", "Weight": "weight",
	},
	reflect.TypeFor[engine.Bin](): {
		"HasMin": "gte", "HasMax": "lt", "Min": "gte", "Max": "lt", "Special": "special", "In": "in", "Else": "else",
		"Points": "points", "ReasonCode": "reason_code", "HasWOE": "woe", "WOE": "woe",
	},
	reflect.TypeFor[engine.Affordability](): {
		"Income": "income", "Obligations": "obligations", "AllPeople": "people",
	},
	reflect.TypeFor[engine.Exposure](): {"MaxTotalPaise": "max_total"},
	reflect.TypeFor[engine.People]():   {"Score": "score"},
	reflect.TypeFor[engine.LimitCap](): {
		"ID": "id", "Of": "of", "When": "when", "ReasonCode": "reason_code", "ApplicantMessage": "applicant_message",
	},
	reflect.TypeFor[engine.Charge](): {"ID": "id", "ThirdParty": "to", "Percent": "kind", "Amount": "amount"},
	reflect.TypeFor[loan.Charge](): {
		"FixedPaise": "amount", "PctMicros": "amount", "MinPaise": "min", "MaxPaise": "max", "TaxMicros": "gst",
	},
}

// notCovered marks a member that makes a comparison incomplete.
const notCovered = "not covered: "

// sectionOf maps each type to the kind of object that it has in modelled.
var sectionOf = map[reflect.Type]string{
	reflect.TypeFor[engine.Policy]():        "",
	reflect.TypeFor[engine.Knockout]():      "knockouts",
	reflect.TypeFor[engine.Adjustment]():    "adjustments",
	reflect.TypeFor[engine.Term]():          "conditions",
	reflect.TypeFor[engine.Band]():          "pricing_bands",
	reflect.TypeFor[engine.Scorecard]():     "scorecard",
	reflect.TypeFor[engine.Factor]():        "factors",
	reflect.TypeFor[engine.Bin]():           "bins",
	reflect.TypeFor[engine.Affordability](): "affordability",
	reflect.TypeFor[engine.Exposure]():      "exposure",
	reflect.TypeFor[engine.People]():        "people",
	reflect.TypeFor[engine.LimitCap]():      "limit_caps",
	reflect.TypeFor[engine.Charge]():        "charges",
	reflect.TypeFor[loan.Charge]():          "charges",
}

// TestEveryPartOfAPolicyIsModelled fails if a policy has a field that is not listed in known.
func TestEveryPartOfAPolicyIsModelled(t *testing.T) {
	t.Parallel()
	for typ, members := range known {
		for i := range typ.NumField() {
			name := typ.Field(i).Name
			member, ok := members[name]
			left, not := strings.CutPrefix(member, notCovered)
			switch {
			case not && slices.Contains(modelled[sectionOf[typ]], left):
				t.Errorf("%s.%s is not covered, but modelled lists %q", typ, name, left)
			case not: // walkMembers reports the member
			case !ok:
				t.Errorf("%s.%s is new: let the comparison cover it, or list it here as not covered",
					typ, name)
			case !slices.Contains(modelled[sectionOf[typ]], member):
				t.Errorf("%s.%s is written as %q, which modelled does not list", typ, name, member)
			}
		}
	}
}

// TestUnknownMembersAreReported checks that a member that the comparison does not cover is noticed.
func TestUnknownMembersAreReported(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte(
		`{"name": "x", "limit_caps": [{"id": "LC", "new": 1}], "odd": [], "pricing_bands": [{"id": "PB", "odd": {}}],
		"scorecard": {"factors": [{"bins": [{"points": 1, "odd": 2}]}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	walkMembers(v, "", false, func(u uncovered, text []byte) { list = append(list, u.String()+": "+string(text)) })
	want := []string{
		`limit_caps with new: {"id":"LC","new":1}`, `odd: []`, `pricing_bands with odd: {"id":"PB","odd":{}}`,
		`bins with odd: {"points":1,"odd":2}`,
	}
	if !slices.Equal(list, want) {
		t.Errorf("reported %q, want %q", list, want)
	}
}

// TestWhatIsNotCompared checks the summaries of results. If the policies differ in a part that the comparison does not
// cover, the summary must name that part. It must not say that nobody is treated differently.
func TestWhatIsNotCompared(t *testing.T) {
	t.Parallel()
	const none = "No applicant was found who is treated differently."
	const others = "The comparison is not complete: there may be other applicants who are treated differently."
	rate := Class{Confirmed: true, Kind: Kind{
		From: Outcome{Status: engine.Approved, Grade: "A", RateBP: 1400},
		To:   Outcome{Status: engine.Approved, Grade: "A"},
	}}
	declined := func(grade string, rate int64) Class {
		return Class{Confirmed: true, Kind: Kind{
			From: Outcome{Status: engine.Approved, Grade: grade, RateBP: rate}, To: Outcome{Status: engine.Declined},
		}}
	}
	for name, c := range map[string]struct {
		result    Result
		says, not string
	}{
		"one part": {
			Result{NotCompared: []string{"odd"}},
			"The comparison is not complete: there may be applicants who are treated differently. The policies " +
				"differ in odd, which this comparison does not cover; what changes for whom is not known.",
			none,
		},
		"two parts": {Result{NotCompared: []string{"odd", "new"}}, "differ in odd and new, which", none},
		"a part and a rate": {
			Result{NotCompared: []string{"odd"}, Classes: []Class{rate}},
			" The policies also differ in odd, which this comparison does not cover; what else changes for whom is " +
				"not known.",
			none,
		},
		"nothing found, complete": {Result{Complete: true}, none, "There may be"},
		"nothing found, incomplete": {
			Result{},
			"The comparison is not complete: it found no applicant who is treated differently, but there may be " +
				"such applicants.",
			"Nobody",
		},
		"only a rate": {
			Result{Complete: true, Classes: []Class{rate}}, "1 kind of applicant is treated differently: ", "At least",
		},
		"only a rate, incomplete": {
			Result{Classes: []Class{rate}},
			others + " At least 1 kind of applicant is treated differently: ", "differ in",
		},
		"two rates, incomplete": {
			Result{Classes: []Class{rate, rate}},
			others + " At least 2 kinds of applicant are treated differently: ", "differ in",
		},
		"declined, complete": {
			Result{Complete: true, Classes: []Class{declined("D", 2300), declined("A+", 1200)}},
			"Some of those who were approved with grade A+ or D are declined; nobody else.", "Nobody",
		},
		"declined, incomplete": {
			Result{Classes: []Class{declined("D", 2300), declined("A+", 1200)}},
			"Some of those who were approved with grade A+ or D are declined.", "Nobody",
		},
	} {
		if text := c.result.Summary(); !strings.Contains(text, c.says) || strings.Contains(text, c.not) {
			t.Errorf("%s: the summary is %q", name, text)
		}
	}
}

// TestEveryFactOfADecisionIsModelled checks which facts the engine reads for a policy with all parts, in addition
// to the facts that its conditions name. The comparison must know each of them.
func TestEveryFactOfADecisionIsModelled(t *testing.T) {
	t.Parallel()
	p := edited(t, `"semantics": 2,`,
		`"semantics": 2, "people": {"score": "highest"}, "exposure": {"max_total": 500000},
		"charges": [{"id": "CH", "to": "lender", "kind": "fixed", "amount": 500}],
		"limit_caps": [{"id": "LC", "of": {"op": "mul", "args": [{"value": 3}, {"field": "income_effective"}]}}],`,
		`"affordability": {`, `"affordability": {"people": "all",`)
	m := newModel(p, p, nil)
	sources := p.Policy().CountedSources()
	indirect := []string{
		// Only the reasons depend on this fact, and they are not compared.
		field.HasCoApplicant,
		// The derived figures are computed from these facts.
		field.MonthlyIncome, field.FOIR, field.BureauOwnEMI, field.BankDueEMI, field.OwnEMI,
	}
	indirect = append(indirect, sources.Income.Of...)
	for _, name := range slices.Clone(indirect) {
		indirect = append(indirect, field.OfRole(field.CoApplicant, name))
	}
	for _, name := range p.Fields() {
		if _, known := m.byKey[name]; !known && !slices.Contains(indirect, name) {
			t.Errorf("the engine reads %s, which the comparison does not know", name)
		}
	}
}
