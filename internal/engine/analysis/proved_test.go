package analysis_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/golden"
)

// TestFindingsAreProved checks which findings of the golden policies are proved. Findings about conditions that nobody
// or everybody satisfies, and findings that follow from the document itself, are proved. Findings about values that
// only look like a mistake are not.
func TestFindingsAreProved(t *testing.T) {
	t.Parallel()
	always := []string{
		fault.CodeNeverFires, fault.CodeAlwaysFires, fault.CodeUnsuppliedFields, fault.CodeContradictoryCondition,
		fault.CodeImpliedBy, fault.CodeDuplicateCondition, fault.CodeSilentForNTC, fault.CodeDeadBin,
		fault.CodeDeadAdjustment, fault.CodeUnreachableGrade, fault.CodeNoNTCBand, fault.CodeNonMonotoneBins,
		fault.CodeShadowedBand, fault.CodeUnlendableBand, fault.CodeChargesExceedLoan, fault.CodeSemanticsOld,
		fault.CodeOverlappingBands,
	}
	never := []string{fault.CodeReasonCodeUntrue, fault.CodeRunawayLastInstalment, fault.CodeAnalysisTruncated}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden policies: %v", len(files), err)
	}
	seen := map[bool]int{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		policy := completed(t, golden.Section(txtar.Parse(data), "policy.json"))
		for _, f := range analysis.Run(policy, field.Catalogue()) {
			seen[f.Proved]++
			looks := strings.Contains(f.Detail, "looks like")
			switch {
			case slices.Contains(always, f.Code) && !f.Proved:
				t.Errorf("%s: %s at %s is not proved: %s", name, f.Code, f.Pointer, f.Detail)
			case (slices.Contains(never, f.Code) || looks) && f.Proved:
				t.Errorf("%s: %s at %s is proved: %s", name, f.Code, f.Pointer, f.Detail)
			}
		}
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%d findings are proved and %d are not", seen[true], seen[false])
	}
}

// TestScoresWithoutBandAreProved checks that a score without a band is proved if an applicant has it, and only then.
// The analysis treats factors as independent, so it also reports a score that two factors of one field can never add
// up to.
func TestScoresWithoutBandAreProved(t *testing.T) {
	t.Parallel()
	const bands = `"pricing_bands": [
		{"id": "PB_A", "grade": "A", "min_score": 711, "max_score": 900, "interest_rate": 14, "tenure_months": 36,
		 "min_limit": 20000, "max_limit": 500000, "default_limit": 50000, "foir_cap": 0.5},
		{"id": "PB_F", "grade": "F", "min_score": 300, "max_score": 689, "action": "decline"}]`
	const score = `{"factor": "score", "field": "bureau_score",
		"bins": [{"lt": 700, "points": 0}, {"gte": 700, "points": 60}]}`
	for name, c := range map[string]struct {
		factors string
		proved  bool
	}{
		"two fields": {score + `, {"factor": "age", "field": "age", "bins": [{"lt": 30, "points": 40},
			{"gte": 30, "points": 0}]}`, true},
		"one field twice": {score + `, {"factor": "low_score", "field": "bureau_score", "bins": [
			{"lt": 700, "points": 40}, {"gte": 700, "points": 0}]}`, false},
		"with a condition that holds": {score +
			`, {"factor": "age", "field": "age", "when": {"op": "gt", "field": "age",
			"value": 20}, "bins": [{"lt": 30, "points": 40}, {"gte": 30, "points": 0}]}`, true},
	} {
		policy := completed(t, []byte(`{"allow_gaps": true, "required_fields": ["requested_amount"], `+bands+`,
			"scorecard": {"base_points": 600, "factors": [`+c.factors+`]}}`))
		found := analysis.Run(policy, field.Catalogue())
		at := slices.IndexFunc(found, func(f analysis.Finding) bool { return f.Code == fault.CodeScoresWithoutBand })
		if at < 0 {
			t.Errorf("%s: no score without a band among %d findings", name, len(found))
			continue
		}
		if found[at].Proved != c.proved {
			t.Errorf("%s: proved is %v", name, found[at].Proved)
		}
	}
}
