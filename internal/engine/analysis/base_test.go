package analysis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
)

// TestAgainstTheBase checks that removed entries are reported in a finding that
// lists their ids, and that a finding counts as new if the base does not have
// it.
func TestAgainstTheBase(t *testing.T) {
	t.Parallel()
	catalogue := field.Catalogue()
	base := completed(t, []byte(`{"required_fields": ["bureau_score|bureau_is_ntc"], "knockouts": [
		{"id": "KO_DPD", "condition_ast": {"op": "gt", "field": "max_dpd_12m", "value": 60}},
		{"id": "KO_AGE", "condition_ast": {"op": "gt", "field": "age", "value": 200}}]}`))
	p := completed(t, []byte(`{"required_fields": ["bureau_score|bureau_is_ntc"], "knockouts": [
		{"id": "KO_OTHER", "condition_ast": {"op": "lt", "field": "age", "value": 0}},
		{"id": "KO_DPD", "condition_ast": {"op": "gt", "field": "max_dpd_12m", "value": 60}}],
		"scorecard": {"base_points": 650, "factors": []}}`))
	var got []string
	for _, f := range analysis.Against(analysis.Run(p, catalogue), p, analysis.Run(base, catalogue), base) {
		got = append(got, f.Severity.String()+" "+f.Key+" "+f.Origin.String()+" "+strings.Join(f.IDs, ","))
	}
	want := []string{
		"warning rules_removed@/knockouts new KO_AGE",
		"warning factors_removed@/scorecard/factors new bureau_score",
		"warning never_fires@/knockouts/KO_OTHER new ",
		"warning silent_when_absent@/fields/max_dpd_12m inherited KO_DPD",
		"warning unreachable_grade@/pricing_bands/PB_F new ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if found := analysis.Against(analysis.Run(p, catalogue), p, nil, nil); slices.ContainsFunc(found,
		func(f analysis.Finding) bool {
			return f.Origin != analysis.OriginNew || strings.HasSuffix(f.Code, "_removed")
		}) {
		t.Errorf("without a base: %v", found)
	}
	// A rule that is added to a finding makes the finding new.
	more := completed(t, []byte(`{"required_fields": ["bureau_score|bureau_is_ntc"], "knockouts": [
		{"id": "KO_DPD", "condition_ast": {"op": "gt", "field": "max_dpd_12m", "value": 60}},
		{"id": "RF_DPD", "action": "refer", "condition_ast": {"op": "between", "field": "max_dpd_12m", "min": 30,
			"max": 60}}]}`))
	for _, f := range analysis.Against(analysis.Run(more, catalogue), more, analysis.Run(base, catalogue), base) {
		if f.Code == fault.CodeSilentWhenAbsent && f.Origin != analysis.OriginNew {
			t.Errorf("%s is %s", f.Key, f.Origin)
		}
	}
}
