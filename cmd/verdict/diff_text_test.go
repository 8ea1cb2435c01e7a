package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The policies of TestDiffListsTenKinds: a scorecard is replaced, so that applicants move between many bands.
const manyBands = `{"name": "Bands", "semantics": 2, "include_defaults": false,
 "required_fields": ["bureau_score", "age"],
 "knockouts": [{"id": "KO_AGE_RANGE", "reason_code": "AGE_RANGE",
   "condition_ast": {"op": "lt", "field": "age", "value": 21}}],
 "scorecard": {"base_points": 500, "factors": [
  {"factor": "score", "field": "bureau_score", "reason_code": "BUR_SCORE", "missing_points": 0,
   "bins": [{"lt": 600, "points": 0}, {"gte": 600, "lt": 700, "points": 100}, {"gte": 700, "points": 200}]},
  {"factor": "age", "field": "age", "reason_code": "AGE_RANGE", "missing_points": 0,
   "bins": [{"lt": 30, "points": 0}, {"gte": 30, "lt": 40, "points": 60}, {"gte": 40, "points": 120}]}]},
 "pricing_bands": [
  {"id": "PB_A", "grade": "A", "min_score": 750, "max_score": 900, "interest_rate": 14, "tenure_months": 36,
   "min_limit": 20000, "max_limit": 500000, "default_limit": 50000, "foir_cap": 0.55},
  {"id": "PB_B", "grade": "B", "min_score": 700, "max_score": 749, "interest_rate": 16, "tenure_months": 36,
   "min_limit": 20000, "max_limit": 400000, "default_limit": 50000, "foir_cap": 0.5},
  {"id": "PB_C", "grade": "C", "min_score": 650, "max_score": 699, "interest_rate": 18, "tenure_months": 24,
   "min_limit": 20000, "max_limit": 300000, "default_limit": 50000, "foir_cap": 0.45},
  {"id": "PB_D", "grade": "D", "min_score": 550, "max_score": 649, "interest_rate": 20, "tenure_months": 24,
   "min_limit": 20000, "max_limit": 200000, "default_limit": 50000, "foir_cap": 0.4},
  {"id": "PB_F", "grade": "F", "min_score": 300, "max_score": 549, "action": "decline"}]}
`

// TestDiffListsTenKinds compares policies with many kinds of applicants. What changed, the summary and the reason why
// the comparison is not complete come first, and only ten kinds are listed without -all.
func TestDiffListsTenKinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	older, newer := filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
	changed := strings.NewReplacer(`"field": "age", "value": 21`, `"field": "age", "value": 23`, `"points": 60`,
		`"points": 180`, `"points": 120`, `"points": 10`, `"points": 200`, `"points": 70`).Replace(manyBands)
	for name, text := range map[string]string{older: manyBands, newer: changed} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	diff := func(args ...string) string {
		t.Helper()
		var out, complaints bytes.Buffer
		if code := run(append([]string{"diff", older, newer}, args...), nil, &out, &complaints); code != exitOK {
			t.Fatalf("exit %d: %s", code, &complaints)
		}
		return out.String()
	}
	kinds := func(text string) int { return strings.Count(text, "\n  applicant: ") }
	short, all := diff(), diff("-all")
	if kinds(all) <= 10 || strings.Contains(all, "-all lists them") {
		t.Fatalf("-all lists %d kinds:\n%s", kinds(all), all)
	}
	if kinds(short) != 10 || !strings.Contains(short, " more; -all lists them\n") {
		t.Errorf("%d kinds are listed without -all:\n%s", kinds(short), short)
	}
	wantInOrder(t, short, "  changed factors age", "  changed knockouts KO_AGE_RANGE: age < 21", " → age < 23",
		"kinds of applicant are treated differently", " (worse)\n", "… and ", "The comparison covers")
	first, _, _ := strings.Cut(short, "… and ")
	if !strings.HasPrefix(all, first) {
		t.Errorf("the first kinds are not those of -all:\n%s", short)
	}
	wantInOrder(t, diff("-time", "0s"), "changed knockouts", "The comparison is not complete", "\nnot complete: ",
		"The comparison covers")
	if diff("-json") != diff("-json", "-all") {
		t.Error("-all changes the JSON")
	}
}

// wantInOrder fails the test unless the text has all parts in this order.
func wantInOrder(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("%q is not in its place:\n%s", part, text)
			return
		}
		rest = after
	}
}
