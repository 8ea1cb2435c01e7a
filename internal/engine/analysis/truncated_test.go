package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
)

const aFeature = "enquiry__personal_loan__90d__count"

// wideCondition returns a condition that needs more boxes than a region may
// have: an "and" of "or" conditions, each over two fields with different
// thresholds.
func wideCondition(last ...object) object {
	names := []string{"bureau_score", "age", "foir", "monthly_income", "enquiries_6m", "max_dpd_12m",
		"active_tradelines", "requested_amount"}
	args := make([]object, 0, 16)
	for i := range names {
		args = append(args, object{"op": "or", "args": []object{
			{"op": "gt", "field": names[i], "value": 1}, {"op": "lt", "field": names[(i+3)%len(names)], "value": 4},
		}})
	}
	return object{"op": "and", "args": append(args, last...)}
}

// exhausting returns so many knockouts that comparing them exceeds the limit of
// one analysis.
func exhausting() []object {
	list := make([]object, 400)
	for i := range list {
		list[i] = object{"id": fmt.Sprintf("KO_FILL_%d", i), "reason_code": "INC_LOW",
			"condition_ast": object{"op": "and", "args": []object{
				{"op": "lt", "field": "monthly_income", "value": 1000 + i},
				{"op": "gt", "field": "age", "value": 100 - i%70},
				{"op": "in", "field": "enquiries_6m", "values": []int{i % 7, i % 11, i % 13}},
			}}}
	}
	return list
}

func knockout(id string, condition object) object {
	return object{"id": id, "reason_code": "BUR_ENQ", "condition_ast": condition}
}

func hasFinding(found []Finding, s Severity, key string) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Key == key && f.Severity == s })
}

// TestErrorsSurviveATruncatedAnalysis checks that errors are reported even if a policy or a condition is too large
// for a complete analysis. An error blocks activation in "live".
func TestErrorsSurviveATruncatedAnalysis(t *testing.T) {
	t.Parallel()
	feature := object{"op": "gt", "field": aFeature, "value": 5}
	percent := object{"op": "gt", "field": "foir", "value": 35}
	codes := make([]object, 2500)
	for i := range codes {
		codes[i] = knockout(fmt.Sprintf("KO_WIDE_%d", i), wideCondition())
	}
	wide := labPolicy(t, object{"knockouts": []object{
		knockout("KO_FEATURE", wideCondition(feature)), knockout("KO_UNIT", wideCondition(percent)),
	}, "adjustments": []object{{"id": "ADJ", "delta": -5, "condition_ast": wideCondition(feature)}}})
	for name, p := range map[string]*engine.Policy{
		"wide conditions": wide,
		"many rules": labPolicy(t,
			object{"knockouts": append(exhausting(), knockout("KO_FEATURE", feature), knockout("KO_UNIT", percent)),
				"adjustments": []object{{"id": "ADJ", "delta": -5, "condition_ast": feature}}}),
		"many wide rules": labPolicy(t,
			object{"knockouts": append(codes, knockout("KO_FEATURE", feature), knockout("KO_UNIT", percent)),
				"adjustments": []object{{"id": "ADJ", "delta": -5, "condition_ast": feature}}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := Run(p, field.Catalogue())
			for _, key := range []string{
				"silent_when_absent@/knockouts/KO_FEATURE",
				"unit_mismatch@/knockouts/KO_UNIT", "silent_when_absent@/adjustments/ADJ",
			} {
				if !hasFinding(found, SeverityError, key) {
					t.Errorf("no error %s", key)
				}
			}
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Code == fault.CodeAnalysisTruncated }) {
				t.Error("the findings do not say that the analysis was truncated")
			}
		})
	}
}

// TestTruncatedConditionsAreNamed checks that a finding names the conditions that could not be analysed. The finding
// is an error if such a condition may hide an error.
func TestTruncatedConditionsAreNamed(t *testing.T) {
	t.Parallel()
	both := []object{
		{"op": "eq", "field": "applicant.employment_type", "value": "a"},
		{"op": "eq", "field": "report.desk", "value": "b"},
	}
	p := labPolicy(t, object{
		"inputs":    []object{{"name": "report.desk", "type": "string"}},
		"knockouts": []object{knockout("KO_APART", wideCondition(both...)), knockout("KO_WIDE", wideCondition())},
	})
	found := Run(p, field.Catalogue())
	if !hasFinding(found, SeverityError, "analysis_truncated@/knockouts/KO_APART") {
		t.Error("a rule that needs what no request carries together is not held up")
	}
	at := slices.IndexFunc(found, func(f Finding) bool { return f.Key == "analysis_truncated@/" })
	if at < 0 || found[at].Severity != SeverityInfo || !slices.Equal(found[at].IDs, []string{"KO_APART", "KO_WIDE"}) ||
		!strings.Contains(found[at].Detail, "KO_APART and KO_WIDE") {
		t.Errorf("the findings are %+v", found)
	}
	if hasFinding(found, SeverityError, "analysis_truncated@/knockouts/KO_WIDE") {
		t.Error("KO_WIDE can hide no error")
	}
}

// TestDeclaredApplicantField checks that a rule may combine a declared field of the applicant with a declared field of
// the report: an evaluate request can contain both.
func TestDeclaredApplicantField(t *testing.T) {
	t.Parallel()
	p := labPolicy(t, object{
		"inputs": []object{{"name": "applicant.desk", "type": "string"}, {"name": "report.desk", "type": "string"}},
		"knockouts": []object{knockout("KO_BOTH", object{"op": "and", "args": []object{
			{"op": "eq", "field": "applicant.desk", "value": "a"}, {"op": "eq", "field": "report.desk", "value": "b"},
		}})},
	})
	for _, f := range Run(p, field.Catalogue()) {
		if f.Code == fault.CodeUnsuppliedFields {
			t.Errorf("%s: %s", f.Code, f.Detail)
		}
	}
}

// TestFractionOfACharge checks that a tax that looks like a fraction is reported, and that the finding is not marked
// as proved.
func TestFractionOfACharge(t *testing.T) {
	t.Parallel()
	p := labPolicy(t, object{"charges": []object{
		{"id": "doc", "to": "lender", "kind": "fixed", "amount": 500, "gst": 0.18},
	}})
	found := Run(p, field.Catalogue())
	at := slices.IndexFunc(found, func(f Finding) bool { return f.Code == fault.CodeUnitMismatch })
	if at < 0 || found[at].Proved {
		t.Errorf("the findings are %+v", found)
	}
}
