package engine_test

import (
	"os"
	"strings"
	"testing"

	"verdict/internal/engine"
)

// TestFindingsPage: docs/POLICY.md explains every code of a finding.
func TestFindingsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/POLICY.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Findings")
	table, _, _ = strings.Cut(table, "## Activation")
	for _, code := range []string{
		engine.CodeNeverFires, engine.CodeAlwaysFires, engine.CodeImpliedBy, engine.CodeDuplicate, engine.CodeContradictory,
		engine.CodeUnsupplied, engine.CodeSilentForNTC, engine.CodeSilentWhenAbsent, engine.CodeUnreachableGrade,
		engine.CodeWorsePrice, engine.CodeNoNTCBand, engine.CodeNonMonotoneBins, engine.CodeDeadAdjustment, engine.CodeDeadBin,
		engine.CodeNoMessage, engine.CodeAnalysisTruncated, engine.CodeUnlendable, engine.CodeRunaway, engine.CodeScoresNoBand,
		engine.CodeUnitMismatch, engine.CodeSemanticsOld, engine.CodeRulesRemoved, engine.CodeBandsRemoved, engine.CodeFactorsRemoved,
		engine.CodeSourcesRemoved,
	} {
		if !strings.Contains(table, "`"+code+"`") {
			t.Errorf("docs/POLICY.md does not explain %s", code)
		}
	}
}
