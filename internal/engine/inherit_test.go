package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

func parsed(tb testing.TB, document []byte) wire.Value {
	tb.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestInheritWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	const base = `{"adjustments":[1],"checksum":"sha256:x","include_defaults":false,"knockouts":[{"id":"A"}],` +
		`"limit_step":500,` +
		`"name":"Base","policy_key":"gold","required_fields":null,"scorecard":{"name":"card"},"scorecard_id":"sc_1"}`
	for _, c := range []struct {
		name, request, base, want string
		inherited                 []string
	}{
		{
			"everything but the name and the key", `{"name":"New"}`, base,
			`{"name":"New","adjustments":[1],"include_defaults":false,"knockouts":[{"id":"A"}],"limit_step":500,` +
				`"scorecard":{"name":"card"},"scorecard_id":"sc_1"}`,
			[]string{"adjustments", "include_defaults", "knockouts", "limit_step", "scorecard"},
		},
		{
			"a null is left out, an empty section and a false are given",
			`{"knockouts":null,"adjustments":[],"include_defaults":false,"limit_step":null,"scorecard_id":null,` +
				`"scorecard":null}`, base,
			`{"adjustments":[],"include_defaults":false,"knockouts":[{"id":"A"}],"limit_step":500,` +
				`"scorecard":{"name":"card"},"scorecard_id":"sc_1"}`,
			[]string{"knockouts", "limit_step", "scorecard"},
		},
		{
			"an id replaces the card and its id",
			`{"scorecard_id":"sc_2","scorecard":null,"limit_step":1,"knockouts":[],"adjustments":[],` +
				`"include_defaults":true}`,
			base,
			`{"scorecard_id":"sc_2","scorecard":null,"limit_step":1,"knockouts":[],"adjustments":[],` +
				`"include_defaults":true}`, nil,
		},
		{
			"a card replaces the id too",
			`{"scorecard":{"base_points":1},"limit_step":1,"knockouts":[],"adjustments":[],"include_defaults":true}`,
			base,
			`{"scorecard":{"base_points":1},"limit_step":1,"knockouts":[],"adjustments":[],"include_defaults":true}`,
			nil,
		},
		{
			"what is wrong or unknown is passed on", `{"knokcouts":[],"\u0022":null,"limit_step":"x","base":"pol_1"}`,
			`{"limit_step":500,"knockouts":[]}`,
			`{"knokcouts":[],"\"":null,"limit_step":"x","base":"pol_1","knockouts":[]}`, []string{"knockouts"},
		},
		{"an empty base", `{"name":"New","limit_step":1.50}`, `{}`, `{"name":"New","limit_step":1.50}`, nil},
		{"a base that is no object", `{"name":"New"}`, `[1]`, `{"name":"New","semantics":2}`, nil},
		{"semantics of the base", `{"name":"New"}`, `{"semantics":2}`, `{"name":"New","semantics":2}`,
			[]string{"semantics"}},
		{"other semantics", `{"name":"New","semantics":2}`,
			`{"limit_step":1}`, `{"name":"New","semantics":2,"limit_step":1}`, []string{"limit_step"}},
		{"a request that is no object", `[{"name":"New"}]`, base, `[{"name":"New"}]`, nil},
	} {
		merged, inherited := engine.Inherit(parsed(t, []byte(c.request)), parsed(t, []byte(c.base)))
		if diff := cmp.Diff(c.want, string(merged)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.inherited, inherited); diff != "" {
			t.Errorf("%s, inherited (-want +got):\n%s", c.name, diff)
		}
	}
	// Without a base, a draft gets the newest semantics unless it names
	// another.
	for request, want := range map[string]string{
		`{"name":"New"}`:                    `{"name":"New","semantics":2}`,
		`{"semantics":null,"name":"New"}`:   `{"name":"New","semantics":2}`,
		`{"name":"New","semantics":1}`:      `{"name":"New","semantics":1}`,
		`{"name":"New","semantics":"late"}`: `{"name":"New","semantics":"late"}`,
	} {
		merged, inherited := engine.Inherit(parsed(t, []byte(request)), wire.Value{})
		if string(merged) != want || inherited != nil {
			t.Errorf("from no base %s became %s, and %v were inherited", request, merged, inherited)
		}
	}
}

// forked reads the policy that results from a request and a stored base.
func forked(tb testing.TB, request string, stored *engine.Policy) (*engine.Policy, []string) {
	tb.Helper()
	merged, inherited := engine.Inherit(parsed(tb, []byte(request)), parsed(tb, stored.Document()))
	p, err := engine.ParsePolicy(merged, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%s: %v", request, err)
	}
	return p, inherited
}

// TestInheritEverySection checks all sections of the document of rightPolicy. A request with only a name inherits all
// of them, and a request that repeats all sections inherits nothing. The test fails if one of these sections is
// missing from the list of inherited sections.
func TestInheritEverySection(t *testing.T) {
	t.Parallel()
	base, err := parse([]byte(rightPolicy))
	if err != nil {
		t.Fatal(err)
	}
	fork, inherited := forked(t, `{"name":"Fork"}`, base)
	if fork.Checksum() != base.Checksum() || fork.Name != "Fork" || fork.Key != "default" {
		t.Errorf("the fork %s of %s has the checksum %s, want %s",
			fork.Name, fork.Key, fork.Checksum(), base.Checksum())
	}
	var want []string
	for name := range parsed(t, base.Document()).Members() {
		if !slices.Contains([]string{"name", "policy_key"}, name) {
			want = append(want, name)
		}
	}
	if diff := cmp.Diff(want, inherited); diff != "" {
		t.Errorf("inherited (-want +got):\n%s", diff)
	}
	same, inherited := forked(t, string(base.Document()), base)
	if len(inherited) > 0 || !cmp.Equal(string(base.Document()), string(same.Document())) {
		t.Errorf("a complete request inherited %v", inherited)
	}
}

// TestInheritSystemKnockouts checks that "include_defaults" can be turned off
// and on again for an inherited list that already has the merged rules.
func TestInheritSystemKnockouts(t *testing.T) {
	t.Parallel()
	ids := func(p *engine.Policy) (out []string) {
		for i := range p.Knockouts {
			out = append(out, fmt.Sprint(p.Knockouts[i].ID, " ", p.Knockouts[i].System))
		}
		return out
	}
	check := func(what string, p *engine.Policy, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, ids(p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	const emulator, mule = "KO_DEVICE_EMULATOR true", "KO_FRAUD_MULE_ACCOUNT true"
	base, err := parse([]byte(rightPolicy))
	if err != nil {
		t.Fatal(err)
	}
	check("the base", base, "KO_SCORE false", "RF_LIMIT false", emulator, mule)
	off, _ := forked(t, `{"name":"Off","include_defaults":false}`, base)
	check("turned off", off, "KO_SCORE false", "RF_LIMIT false")
	stillOff, _ := forked(t, `{"name":"Still off"}`, off)
	check("still off", stillOff, "KO_SCORE false", "RF_LIMIT false")
	on, _ := forked(t, `{"name":"On","include_defaults":true}`, stillOff)
	check("turned on again", on, "KO_SCORE false", "RF_LIMIT false", emulator, mule)
	if on.Checksum() != base.Checksum() {
		t.Errorf("off and on again is %s, was %s", on.Checksum(), base.Checksum())
	}
	own := `[{"id":"KO_DEVICE_EMULATOR","action":"refer","reason_code":"X",` +
		`"condition_ast":{"op":"eq","field":"device_is_emulator","value":true}}]`
	replaced, _ := forked(t, `{"name":"Own","knockouts":`+own+`}`, base)
	check("a rule of one's own under a system rule's id", replaced, "KO_DEVICE_EMULATOR false", mule)
	ownOff, _ := forked(t, `{"name":"Own off","include_defaults":false}`, replaced)
	check("and it stays when the others go", ownOff, "KO_DEVICE_EMULATOR false")
}

// TestStoredScorecardIsPinned checks that a stored document uses the scorecard
// that it contains and does not look up the scorecard id again. The checksum
// stays the same.
func TestStoredScorecardIsPinned(t *testing.T) {
	t.Parallel()
	card, err := engine.ReadScorecard(
		parsed(t, []byte(`{"name":"Card","base_points":640,"pdo":40,"anchor_score":700,"anchor_odds":30,"factors":[
		{"factor":"score","field":"bureau_score","bins":[{"lt":700,"points":0,"woe":-0.5},
			{"gte":700,"points":50}]}]}`)),
		field.Catalogue())
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	find := func(id string) (*engine.Scorecard, bool) {
		asked++
		return card, id == "sc_1"
	}
	base, err := parse([]byte(rightPolicy))
	if err != nil {
		t.Fatal(err)
	}
	merged, _ := engine.Inherit(parsed(t, []byte(`{"name":"Carded","scorecard_id":"sc_1"}`)),
		parsed(t, base.Document()))
	saved, err := engine.ParsePolicy(merged, engine.Sources{Catalogue: field.Catalogue(), Scorecard: find})
	if err != nil || asked != 1 {
		t.Fatalf("the scorecard was looked up %d times: %v", asked, err)
	}
	stored, err := parse(saved.Document())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(saved.Document()), string(stored.Document())); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if stored.ScorecardID != "sc_1" || stored.Checksum() != saved.Checksum() || stored.Scorecard.Base != card.Base {
		t.Errorf("the stored policy has the scorecard %q of base %s", stored.ScorecardID, stored.Scorecard.Base)
	}
	fork, inherited := forked(t, `{"name":"Fork"}`, stored)
	if fork.ScorecardID != "sc_1" || fork.Checksum() != saved.Checksum() || !slices.Contains(inherited, "scorecard") {
		t.Errorf("the fork has the scorecard %q, and inherits %v", fork.ScorecardID, inherited)
	}
	var inline wire.Writer
	inline.Object().Key("name").String("Inline").Key("scorecard").Raw(card.Document()).EndObject()
	same, _ := forked(t, string(inline.Buf), stored)
	if same.ScorecardID != "" || same.Checksum() != saved.Checksum() {
		t.Errorf("the same card inline is %s, by id it was %s", same.Checksum(), saved.Checksum())
	}
}
