package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// specialCard returns a scorecard with one factor, "UTIL", that has the given bins.
func specialCard(bins string) string {
	return `{"base_points": 600, ` +
		`"factors": [{"factor": "UTIL", "field": "applicant.util", "type": "number", "bins": [` +
		bins +
		`]}]}`
}

func readSpecial(t *testing.T, document string) (*engine.Scorecard, error) {
	t.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return engine.ReadScorecard(v, field.Catalogue())
}

// TestSpecialBin checks that a special value gets the points of its own bin,
// and that neighbouring values get the points of their range.
func TestSpecialBin(t *testing.T) {
	t.Parallel()
	card, err := readSpecial(t, specialCard(`{"lt": 0.5, "points": 40}, {"gte": 0.5, "points": 10},
		{"special": [-1, -9.5], "points": 25, "woe": 0.1}, {"special": [999], "points": -5,
			"reason_code": "NO_LIMIT"}`))
	if err != nil {
		t.Fatal(err)
	}
	scorer := engine.CompileScorecard(card, field.Catalogue())
	for value, want := range map[string]string{
		"-9.5": "625", "-1": "625", "-1.000001": "640", "-0.999999": "640", "-9": "640", "0.4": "640",
		"0.5": "610", "998": "610", "999": "595", "1000": "610",
	} {
		n, _, _ := rule.ParseNumber(value)
		facts := rule.NewFacts(field.Catalogue())
		facts.Set("applicant.util", rule.Num(n))
		if got := scorer.Score(facts).Final.String(); got != want {
			t.Errorf("%s scores %s, want %s", value, got, want)
		}
	}
	again, err := readSpecial(t, string(card.Document()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(card.Document()), string(again.Document())); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(card.Document()), `{"points":25,"special":[-9.5,-1],"woe":0.1}`) {
		t.Errorf("document %s", card.Document())
	}
}

// TestSpecialBinFaults checks that invalid special values are rejected with
// their pointer.
func TestSpecialBinFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ bins, want string }{
		"in a range": {`{"lt": 1, "special": [0], "points": 1}, {"gte": 1, "points": 2}`,
			"/factors/0/bins/0/special"},
		"none":     {`{"points": 1}, {"special": [], "points": 2}`, "/factors/0/bins/1/special"},
		"a text":   {`{"points": 1}, {"special": ["-1"], "points": 2}`, "/factors/0/bins/1/special/0"},
		"too fine": {`{"points": 1}, {"special": [0.0000001], "points": 2}`, "/factors/0/bins/1/special/0"},
		"twice": {`{"points": 1}, {"special": [-1], "points": 2}, {"special": [-1], "points": 3}`,
			"/factors/0/bins/2"},
		"twice in one": {`{"points": 1}, {"special": [-1, -1], "points": 2}`, "/factors/0/bins/1"},
		"before":       {`{"special": [-1], "points": 2}, {"points": 1}`, "/factors/0/bins/0"},
		"alone":        {`{"special": [-1], "points": 2}`, "/factors/0/bins"},
		"gap": {`{"lt": 1, "points": 1}, {"gte": 2, "points": 1}, {"special": [1.5], "points": 2}`,
			"/factors/0/bins/1"},
	} {
		_, err := readSpecial(t, specialCard(c.bins))
		if err == nil || !strings.Contains(err.Error(), c.want+" ") && !strings.Contains(err.Error(), c.want+":") {
			t.Errorf("%s: %v, want a fault at %s", name, err, c.want)
		}
	}
}
