package engine_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const sampleCard = `{"name":"PL v1","base_points":650,"pdo":40,"anchor_score":700,"anchor_odds":30,"min_score":300,
	"max_score":720,"factors":[
	{"factor":"foir","field":"foir","weight":1.5,"bins":[{"lt":0.3,"points":30,"woe":0.62},{"gte":0.3,"points":10}]},
	{"factor":"foir_again","field":"foir","bins":[{"lt":0.5,"points":1},{"gte":0.5,"points":0}]},
	{"factor":"income","field":"monthly_income","missing_points":-7,
		"bins":[{"lt":30000,"points":-5},{"gte":30000,"points":12.5}]},
	{"factor":"job","field":"employment_type","when":{"op":"gt","field":"age","value":30},
		"bins":[{"in":["SALARIED"],"points":5},{"else":true,"points":-5}]}]}`

func readCard(tb testing.TB, document string) *engine.Scorecard {
	tb.Helper()
	card, err := engine.ReadScorecard(parsed(tb, []byte(document)), field.Catalogue())
	if err != nil {
		tb.Fatal(err)
	}
	return card
}

func TestScoreAlone(t *testing.T) {
	t.Parallel()
	scorer := engine.CompileScorecard(readCard(t, sampleCard), field.Catalogue())
	for _, c := range []struct{ name, facts, want string }{
		{
			"everything given", `{"foir":0.4,"monthly_income":50000,"employment_type":"SALARIED","age":40}`,
			`{"final_score":683.5,"score_contributions":[{"factor":"base","points":650},` +
				`{"factor":"foir","points":15},{"factor":"foir_again","points":1},` +
				`{"factor":"income","points":12.5},{"factor":"job","points":5}],"odds":22.54,"pd":0.0425}`,
		},
		{
			// A missing income gets "missing_points". A factor that does not
			// apply adds no field to "missing".
			"nothing given", `{}`,
			`{"final_score":643,"score_contributions":[{"factor":"base","points":650},` +
				`{"factor":"income","points":-7}],"odds":11.17,"pd":0.0822,"missing":["foir"]}`,
		},
		{
			"a factor that applies misses its field", `{"foir":0.1,"monthly_income":50000,"age":31}`,
			`{"final_score":708.5,"score_contributions":[{"factor":"base","points":650},` +
				`{"factor":"foir","points":45},{"factor":"foir_again","points":1},` +
				`{"factor":"income","points":12.5}],"odds":34.76,"pd":0.028,"missing":["employment_type"]}`,
		},
	} {
		facts, err := rule.ReadFacts(parsed(t, []byte(c.facts)), field.Catalogue())
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		w.Object()
		scorer.Score(facts).WriteMembers(&w)
		if diff := cmp.Diff(c.want, string(w.EndObject().Buf)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestScoreWithoutOdds(t *testing.T) {
	t.Parallel()
	scorer := engine.CompileScorecard(readCard(t, `{"base_points":1000,"factors":[]}`), field.Catalogue())
	var w wire.Writer
	w.Object().Key("scorecard_id").String("sc_1")
	scorer.Score(rule.NewFacts(field.Catalogue())).WriteMembers(&w)
	w.Key("grade").String("A").EndObject()
	want := `{"scorecard_id":"sc_1","final_score":900,"score_contributions":[{"factor":"base","points":1000},` +
		`{"factor":"clamp","points":-100}],"grade":"A"}`
	if diff := cmp.Diff(want, string(w.Buf)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestScoreIsThePolicys scores with the cards of many policies, standalone and
// in decisions. Without adjustments the score and all contributions must be the
// same in both. A field that is given must not be listed as missing.
func TestScoreIsThePolicys(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(60, 2000)) {
		g := generatePolicy(seed + 3_000_000)
		document := readDocument(t, g.document)
		document["adjustments"] = []any{}
		bare, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		plan := compile(t, bare)
		scorer := engine.CompileScorecard(plan.Policy().Scorecard, field.Catalogue())
		dice := newDice(^seed)
		for range 10 {
			facts := decodeFacts(t, encode(t, g.facts(dice)))
			var d engine.Decision
			plan.Decide(facts, &d)
			score := scorer.Score(facts)
			if score.Final != d.FinalScore {
				t.Fatalf("seed %d: alone %s, in a decision %s", seed, score.Final, d.FinalScore)
			}
			if diff := cmp.Diff(d.Contributions(), score.Contributions); diff != "" {
				t.Fatalf("seed %d (-decision +alone):\n%s", seed, diff)
			}
			for _, name := range score.Missing {
				if facts.Get(name).Type() != rule.Absent && typeOfField(plan, name) == facts.Get(name).Type() {
					t.Fatalf("seed %d: %s is given, and said to be missing", seed, name)
				}
			}
		}
	}
}

// readDocument parses a document and keeps its numbers as written.
func readDocument(tb testing.TB, document []byte) object {
	tb.Helper()
	o, ok := decodeAny(tb, document).(object)
	if !ok {
		tb.Fatalf("%T is no object", decodeAny(tb, document))
	}
	return o
}

// typeOfField returns the type under which a policy reads a field.
func typeOfField(plan *engine.Plan, name string) rule.Type {
	for _, in := range plan.Policy().Inputs {
		if in.Name == name {
			return in.Type
		}
	}
	id, _ := field.Catalogue().Lookup(name)
	return field.Catalogue().Field(id).Type
}

func TestGradeOf(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	for _, c := range []struct {
		score       rule.Number
		newToCredit bool
		grade       string
		ok          bool
	}{
		{rule.Int(712), false, "B", true}, {rule.Int(629), false, "F", true}, {rule.Int(630) - 1, false, "F", true},
		{rule.Int(630), false, "E", true}, {rule.Int(900), false, "A+", true}, {rule.Int(901), false, "", false},
		{rule.Int(299), false, "", false}, {rule.Int(712), true, "NTC", true},
	} {
		if grade, ok := plan.GradeOf(c.score, c.newToCredit); grade != c.grade || ok != c.ok {
			t.Errorf("the grade of %s is %q (%t), want %q (%t)", c.score, grade, ok, c.grade, c.ok)
		}
	}
}

func TestScorecardBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, card, least, greatest string }{
		{"weights, missing points and the clamp", sampleCard, "653", "713.5"},
		{"nothing but a base", `{"base_points":640.5,"factors":[]}`, "640.5", "640.5"},
		{
			"clamped at both ends", `{"base_points":600,"min_score":590,"max_score":610,"factors":[
				{"factor":"age","field":"age","bins":[{"lt":30,"points":-50},{"gte":30,"points":50}]}]}`, "590", "610",
		},
		{
			"missing points are the best", `{"base_points":600,"factors":[
				{"factor":"age","field":"age","missing_points":9,
					"bins":[{"lt":30,"points":-50},{"gte":30,"points":5}]}]}`,
			"550", "609",
		},
	} {
		least, greatest := readCard(t, c.card).Bounds()
		if least.String() != c.least || greatest.String() != c.greatest {
			t.Errorf("%s: from %s to %s, want from %s to %s", c.name, least, greatest, c.least, c.greatest)
		}
	}
}

func TestScorecardChecksum(t *testing.T) {
	t.Parallel()
	card := readCard(t, sampleCard)
	again := readCard(t, string(card.Document()))
	again.Name = "renamed"
	if card.Checksum() != again.Checksum() {
		t.Errorf("read again the checksum is %s, was %s", again.Checksum(), card.Checksum())
	}
	again.Factors[0].Weight++
	if card.Checksum() == again.Checksum() {
		t.Error("another weight has the same checksum")
	}
}
