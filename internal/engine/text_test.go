package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// TestTextOfTheSample checks the text that the documentation shows. It is
// separate from the golden files, so that -update cannot hide a change.
func TestTextOfTheSample(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	var d engine.Decision
	plan.Decide(goldenFacts(t, []byte(`{"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,
		"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000}`)), &d)
	want := []string{
		"Approved: grade B, score 712",
		"Limit capped by PB_B maximum 500000",
		"ADJ_RECENT_ENQUIRIES took 5 points",
		"Condition ECONOMIC_PROFILE: Age and occupation on record before disbursal",
	}
	if diff := cmp.Diff(want, d.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTextOfAnyDecision checks the properties of every text: it is the same
// each time, begins with the outcome and has no empty line. It names every
// adjustment that applied and every rule that hit, unless the rule has its own
// message.
func TestTextOfAnyDecision(t *testing.T) {
	t.Parallel()
	eachGenerated(t, 40, 20, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		text := d.Text()
		if diff := cmp.Diff(text, d.Text()); diff != "" {
			t.Fatalf("asked twice:\n%s", diff)
		}
		if !strings.HasPrefix(strings.ToUpper(text[0]),
			d.Status.String()+": GRADE "+d.Grade+", SCORE "+d.FinalScore.String()) {
			t.Errorf("%s %s begins with %q", d.Status, d.Grade, text[0])
		}
		if slices.ContainsFunc(text, func(line string) bool { return strings.TrimSpace(line) == "" }) {
			t.Errorf("an empty line in %q", text)
		}
		all := strings.Join(text, "\n")
		if d.Offer.Made != strings.Contains(all, "\nLimit ") && !strings.Contains(all, "is below") {
			t.Errorf("an offer of %d with the text %q", d.Offer.LimitPaise, text)
		}
		spoken := map[string]bool{}
		for _, k := range plan.Policy().Knockouts {
			spoken[k.ID] = k.Message != ""
		}
		for _, r := range d.Rules() {
			if r.Result != engine.ResultPass && !spoken[r.ID] && !strings.Contains(all, r.ID) {
				t.Errorf("%s is %s, and nobody says so: %q", r.ID, r.Result, text)
			}
		}
	})
}
