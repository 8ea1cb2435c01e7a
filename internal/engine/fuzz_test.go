package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// FuzzDecide decides arbitrary facts under an arbitrary policy. The result must
// equal that of the naive reference interpreter byte for byte. It must stay the
// same with reused memory, with the policy read back from its own document, and
// with facts read back from their stored form.
func FuzzDecide(f *testing.F) {
	f.Add(engine.DefaultPolicyJSON(),
		[]byte(`{"bureau_score":742,"monthly_income":85000,"foir":0.32,"requested_amount":250000}`))
	f.Add(engine.DefaultPolicyJSON(),
		[]byte(`{"bureau_is_ntc":true,"bureau_ntc_index":2,"monthly_income":31000,"age":20}`))
	f.Add([]byte(rightPolicy), []byte(`{"bureau_is_ntc":true,"applicant.employer_category":"A"}`))
	for seed := range uint64(8) {
		g := generatePolicy(seed)
		f.Add(g.document, encode(f, g.facts(newDice(seed))))
	}
	var used engine.Decision
	f.Fuzz(func(t *testing.T, document, facts []byte) {
		policy, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			return // FuzzParsePolicy checks rejected policies
		}
		v, err := wire.Parse(facts)
		if err != nil {
			return
		}
		known, err := rule.ReadFacts(v, field.Catalogue())
		if err != nil {
			return
		}
		var stored wire.Writer
		known.Write(&stored)
		plan := engine.Compile(policy, field.Catalogue())
		var first, again engine.Decision
		plan.Decide(known, &first)
		want := bytes.Clone(first.Canonical())
		compile(t, policy.Document()).Decide(decodeFacts(t, stored.Buf), &again)
		if !bytes.Equal(again.Canonical(), want) {
			t.Errorf("decided otherwise from what is stored:\n%s\n%s", want, again.Canonical())
		}
		if plan.Decide(known, &used); used.Hash() != first.Hash() {
			t.Errorf("decided otherwise with used memory:\n%s\n%s", want, used.Canonical())
		}
		if got := newReference(t, policy.Document(), plan.Checksum()).decide(t, stored.Buf); !bytes.Equal(got, want) {
			t.Errorf("the naive interpreter decides otherwise:\n%s\n%s", want, got)
		}
	})
}

// FuzzReadScorecard reads an arbitrary scorecard. The scorecard must either be rejected with a list of faults or be
// readable from its own document.
func FuzzReadScorecard(f *testing.F) {
	f.Add([]byte(
		`{"base_points":650,"min_score":300,"max_score":900,"pdo":40,"anchor_score":700,"anchor_odds":30,"factors":[
		{"factor":"foir","field":"foir","reason_code":"FOIR_HIGH",
			"bins":[{"lt":0.2,"points":15},{"gte":0.2,"points":-8}],"missing_points":null}]}`))
	f.Add(
		[]byte(
			`{"base_points":700,"factors":[{"factor":"e","field":"employment_type","weight":0.5,
		"bins":[{"in":["SALARIED"],"points":6,"woe":1.25},{"else":true,"points":-10}],
		"when":{"op":"eq","field":"bureau_is_ntc","value":false}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		card, err := engine.ReadScorecard(v, field.Catalogue())
		if err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) || len(refusal.Items) == 0 || len(refusal.Items) > fault.MaxItems {
				t.Fatalf("refused without saying why: %v", err)
			}
			return
		}
		document := card.Document()
		parsed, err := wire.Parse(document)
		if err != nil {
			t.Fatalf("its document is not JSON: %v\n%s", err, document)
		}
		again, err := engine.ReadScorecard(parsed, field.Catalogue())
		if err != nil || !bytes.Equal(again.Document(), document) {
			t.Fatalf("read back as another: %v\n%s", err, document)
		}
	})
}
