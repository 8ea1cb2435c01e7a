package analysis_test

import (
	"os"
	"strings"
	"testing"

	"verdict/internal/fault"
)

// TestFindingsPage checks that docs/POLICY.md explains the listed codes of findings.
func TestFindingsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/POLICY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Findings")
	table, _, _ = strings.Cut(table, "## Activation")
	for _, code := range []string{
		fault.CodeNeverFires, fault.CodeAlwaysFires, fault.CodeImpliedBy, fault.CodeDuplicateCondition,
		fault.CodeContradictoryCondition, fault.CodeUnsuppliedFields, fault.CodeSilentForNTC,
		fault.CodeSilentWhenAbsent, fault.CodeUnreachableGrade, fault.CodeBetterScoreWorsePrice, fault.CodeNoNTCBand,
		fault.CodeNonMonotoneBins, fault.CodeDeadAdjustment, fault.CodeDeadBin, fault.CodeNoApplicantMessage,
		fault.CodeAnalysisTruncated, fault.CodeUnlendableBand, fault.CodeRunawayLastInstalment,
		fault.CodeChargesExceedLoan, fault.CodeScoresWithoutBand, fault.CodeUnitMismatch, fault.CodeNoFallbackBand,
		fault.CodeShadowedBand, fault.CodeHighestScoreCounts, fault.CodeSemanticsOld, fault.CodeRulesRemoved,
		fault.CodeBandsRemoved, fault.CodeFactorsRemoved, fault.CodeSourcesRemoved, fault.CodeUnlendableCap,
		fault.CodeUnlendableExposure,
		fault.CodeCapNeedsField, fault.CodeGuaranteesRemoved, fault.CodeGuaranteeUndecided, fault.CodeGuaranteeViolated,
		fault.CodeNegativeCap, fault.CodeOverlappingBands,
	} {
		if !strings.Contains(table, "`"+code+"`") {
			t.Errorf("docs/POLICY.md does not explain %s", code)
		}
	}
}
