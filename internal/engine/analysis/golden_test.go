package analysis_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

// plainPolicy has the sections that the policies of golden files leave out, so
// that each file contains only the sections that it is about. plainPolicy
// itself has no findings.
const plainPolicy = `{
	"name": "golden", "include_defaults": false, "semantics": 2,
	"scorecard": {"base_points": 600, "factors": [
		{"factor": "bureau_score", "field": "bureau_score", "bins": [{"lt": 700, "points": 0},
			{"gte": 700, "points": 100}]}]},
	"pricing_bands": [
		{"id": "PB_A", "grade": "A", "min_score": 650, "max_score": 900, "interest_rate": 14, "tenure_months": 36,
		 "min_limit": 20000, "max_limit": 500000, "default_limit": 50000, "foir_cap": 0.5},
		{"id": "PB_F", "grade": "F", "min_score": 300, "max_score": 649, "action": "decline"},
		{"id": "PB_NTC", "grade": "NTC", "ntc": true, "action": "refer", "interest_rate": 20, "tenure_months": 24,
		 "min_limit": 20000, "max_limit": 100000, "default_limit": 20000, "foir_cap": 0.45}]}`

// TestAnalysisGolden reads every testdata/*.txtar file. The comment of a file
// says what the file shows. The file contains policy.json, and findings.txt
// with the findings that the analysis must report.
func TestAnalysisGolden(t *testing.T) {
	t.Parallel()
	answered := func(section string) bool { return section != "policy.json" }
	golden.Archives(t, "testdata/*.txtar", answered, func(t *testing.T, given, _ *txtar.Archive) []txtar.File {
		t.Helper()
		policy := golden.Section(given, "policy.json")
		if policy == nil {
			t.Fatal("no policy.json")
		}
		findings := findingsText(analysis.Run(completed(t, policy), field.Catalogue()))
		return []txtar.File{{Name: "findings.txt", Data: []byte(findings)}}
	})
}

// completed fills in the sections that a policy leaves out and parses the
// result.
func completed(tb testing.TB, fragment []byte) *engine.Policy {
	tb.Helper()
	document := map[string]json.RawMessage{}
	for _, part := range [][]byte{[]byte(plainPolicy), fragment} {
		if err := json.Unmarshal(part, &document); err != nil {
			tb.Fatal(err)
		}
	}
	data, err := json.Marshal(document)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := engine.ParsePolicy(data, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// findingsText formats findings for golden files: a line for severity, code and
// pointer, a line for the detail and, if there is a witness, a line for the
// witness.
func findingsText(list []analysis.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s %s %s\n\t%s\n", f.Severity, f.Code, f.Pointer, f.Detail)
		for i, nv := range f.Witness {
			lead := ", "
			if i == 0 {
				lead = "\twitness: "
			}
			fmt.Fprintf(&b, "%s%s %s", lead, nv.Name, nv.Value)
		}
		if len(f.Witness) > 0 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestAnalysisOfThePlainPolicyIsSilent(t *testing.T) {
	t.Parallel()
	if got := findingsText(analysis.Run(completed(t, []byte(`{}`)), field.Catalogue())); got != "" {
		t.Errorf("got findings:\n%s", got)
	}
}

func TestAnalysisOfTheDefaultPolicyHasNoErrors(t *testing.T) {
	t.Parallel()
	for _, f := range analysis.Run(engine.DefaultPolicy(), field.Catalogue()) {
		if f.Severity == analysis.SeverityError {
			t.Errorf("%s at %s: %s", f.Code, f.Pointer, f.Detail)
		}
	}
}

// TestAnalysisKnowsEveryCode checks that each of the listed codes occurs in a
// golden file.
func TestAnalysisKnowsEveryCode(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	for _, code := range []string{
		fault.CodeNeverFires, fault.CodeAlwaysFires, fault.CodeImpliedBy, fault.CodeDuplicateCondition,
		fault.CodeContradictoryCondition, fault.CodeUnsuppliedFields, fault.CodeSilentForNTC,
		fault.CodeSilentWhenAbsent, fault.CodeUnreachableGrade, fault.CodeBetterScoreWorsePrice, fault.CodeNoNTCBand,
		fault.CodeNonMonotoneBins, fault.CodeDeadAdjustment, fault.CodeDeadBin, fault.CodeNoApplicantMessage,
		fault.CodeUnlendableBand, fault.CodeRunawayLastInstalment, fault.CodeScoresWithoutBand, fault.CodeUnitMismatch,
		fault.CodeNoFallbackBand, fault.CodeShadowedBand, fault.CodeHighestScoreCounts, fault.CodeSemanticsOld,
		fault.CodeChargesExceedLoan, fault.CodeUnlendableCap, fault.CodeUnlendableExposure, fault.CodeCapNeedsField,
		fault.CodeNegativeCap, fault.CodeOverlappingBands,
	} {
		if !strings.Contains(all.String(), " "+code+" /") {
			t.Errorf("no golden file shows %s", code)
		}
	}
}

func TestFindingWrite(t *testing.T) {
	t.Parallel()
	p := completed(t,
		[]byte(
			`{
				"knockouts": [{"id": "KO", "condition_ast": {"op": "gte", "field": "bureau_score", "value": 300}}],
				"required_fields": ["bureau_score"]
			}`))
	var w wire.Writer
	analysis.Run(p, field.Catalogue())[0].Write(&w)
	const want = `{"severity":"warning","code":"always_fires","pointer":"/knockouts/0",` +
		`"key":"always_fires@/knockouts/KO",` +
		`"detail":"KO hits every applicant who gives bureau_score: ` +
		`bureau_score >= 300 is true for all possible values.","proved":true,` +
		`"witness":{"bureau_score":300}}`
	if diff := cmp.Diff(want, string(w.Buf)); diff != "" {
		t.Error(diff)
	}
}
