package engine

import (
	"errors"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const typedCard = `{"name":"Own","base_points":600,"factors":[{"factor":"pay","field":"applicant.pay_0","type":"number",
	"bins":[{"lt":1,"points":10},{"gte":1,"points":-40}],"missing_points":-40}]}`

func readCard(t *testing.T, document string) (*Scorecard, error) {
	t.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return ReadScorecard(v, field.Catalogue())
}

// TestTypedFactor checks that a standalone scorecard may read a request path
// that is not in the catalogue if the factor states the type.
func TestTypedFactor(t *testing.T) {
	t.Parallel()
	card, err := readCard(t, typedCard)
	if err != nil {
		t.Fatal(err)
	}
	again, err := readCard(t, string(card.Document()))
	if err != nil || string(again.Document()) != string(card.Document()) {
		t.Fatalf("the document does not read back: %v", err)
	}
	facts := rule.NewFacts(field.Catalogue())
	facts.Set("applicant.pay_0", rule.Num(rule.Int(2)))
	if got := CompileScorecard(again, field.Catalogue()).Score(facts).Final; got != rule.Int(560) {
		t.Errorf("score %s", got)
	}
	for _, c := range []struct{ name, from, to, pointer string }{
		{"no type", `"type":"number",`, ``, "/factors/0/field"},
		{"no such type", `"type":"number"`, `"type":"money"`, "/factors/0/type"},
		{"not a path of one's own", `applicant.pay_0`, `elsewhere.pay_0`, "/factors/0/field"},
		{"another type than the catalogue's", `"applicant.pay_0","type":"number"`,
			`"foir","type":"string"`, "/factors/0/type"},
	} {
		_, err := readCard(t, strings.Replace(typedCard, c.from, c.to, 1))
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Items[0].Pointer != c.pointer {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestAdoptedInputs checks that a policy that refers to a scorecard with its
// own inputs also declares those inputs, and that the stored document lists
// them.
func TestAdoptedInputs(t *testing.T) {
	t.Parallel()
	card, err := readCard(t, typedCard)
	if err != nil {
		t.Fatal(err)
	}
	src := Sources{Catalogue: field.Catalogue(), Scorecard: func(string) (*Scorecard, bool) { return card, true }}
	read := func(inputs string) (*Policy, error) {
		v, err := wire.Parse(DefaultPolicyJSON())
		if err != nil {
			t.Fatal(err)
		}
		var w wire.Writer
		w.Object()
		for name, member := range v.Members() {
			if name != "scorecard" && name != "inputs" {
				w.Name(name).Value(member)
			}
		}
		w.Key("scorecard_id").String("sc_1").Key("inputs").Raw([]byte(inputs)).EndObject()
		return ParsePolicy(w.Buf, src)
	}
	policy, err := read(`[]`)
	if err != nil {
		t.Fatal(err)
	}
	if len(policy.Inputs) != 1 || policy.Inputs[0] != (Input{Name: "applicant.pay_0", Type: rule.NumberType}) {
		t.Errorf("inputs %v", policy.Inputs)
	}
	stored, err := ParsePolicy(policy.Document(), Sources{Catalogue: field.Catalogue()})
	if err != nil || stored.Checksum() != policy.Checksum() {
		t.Errorf("the document does not read back: %v", err)
	}
	if same, err := read(`[{"name":"applicant.pay_0","type":"number"}]`); err != nil || len(same.Inputs) != 1 {
		t.Errorf("declared twice: %v", err)
	}
	if _, err := read(`[{"name":"applicant.pay_0","type":"string"}]`); err == nil || !strings.Contains(err.Error(),
		"/inputs") {
		t.Errorf("declared otherwise: %v", err)
	}
}
