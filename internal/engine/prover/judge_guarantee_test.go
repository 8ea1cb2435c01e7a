package prover

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/prover/smt"
)

// promise returns a random guarantee about the status, the score, the grade or the rate of a full-sized policy. Its
// constants are near the thresholds of the default policy.
func (b *breeder) promise(i int) object {
	g := object{"id": fmt.Sprintf("G_%d", i), "text": "it holds"}
	number := func(name string, about ...float64) object {
		return object{
			"op": []string{"lt", "lte", "gt", "gte"}[b.IntN(4)], "field": name,
			"value": about[b.IntN(len(about))] + float64(b.IntN(3)-1),
		}
	}
	fact := func() object {
		return []object{
			number("age", 21, 23, 58, 60), number("bureau_score", 650, 700, 750), number("enquiries_6m", 4, 8, 12),
			number("monthly_income", 15_000, 25_000, 50_000), number("max_dpd_12m", 30, 60),
			{"op": "eq", "field": "bureau_is_ntc", "value": b.IntN(2) == 0}, {"op": "absent", "field": "bureau_score"},
			{"op": "exists", "field": "age"},
		}[b.IntN(8)]
	}
	outcome := func() object {
		return []object{
			{"op": []string{"eq", "ne"}[b.IntN(2)], "field": "status",
				"value": []string{"APPROVED", "REFERRED", "DECLINED"}[b.IntN(3)]},
			{"op": []string{"eq", "ne"}[b.IntN(2)], "field": "grade",
				"value": []string{"A+", "A", "D", "NTC"}[b.IntN(4)]},
			number("interest_rate", 12, 14, 18, 24, 28), number("final_score", 600, 650, 700, 750, 800),
		}[b.IntN(4)]
	}
	if b.IntN(3) == 0 {
		of := []string{"status", "grade", "interest_rate"}
		b.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		names := []string{"age", "bureau_score", "enquiries_6m", "max_dpd_12m", "active_tradelines"}
		g["monotone"] = object{
			"field": names[b.IntN(len(names))], "towards": []string{"up", "down"}[b.IntN(2)], "of": of[:1+b.IntN(3)],
		}
		return g
	}
	if b.IntN(4) > 0 {
		g["when"] = fact()
		if b.IntN(3) == 0 {
			g["when"] = object{"op": "and", "args": []any{fact(), fact()}}
		}
	}
	g["never"] = outcome()
	if b.IntN(2) == 0 {
		g["never"] = object{"op": []string{"and", "or"}[b.IntN(2)], "args": []any{outcome(), outcome()}}
	}
	return g
}

// TestSolversAgreeOnGuarantees proves random guarantees of full-sized policies. The guarantees are about Stage 1, the
// score, the grade and the rate. The test asks z3 and cvc5 whether there is an applicant for whom a guarantee does not
// hold.
func TestSolversAgreeOnGuarantees(t *testing.T) {
	t.Parallel()
	from, to := rangeOfPairs(t, 15)
	list, count := judges(t), map[string]int{}
	proving, started := time.Duration(0), time.Now()
	for i := from; i < to; i++ {
		b := &breeder{Rand: rand.New(rand.NewPCG(8, uint64(i))), tb: t}
		document, _ := b.pair(i)
		text, err := json.Marshal([]object{b.promise(0)})
		if err != nil {
			t.Fatal(err)
		}
		p := guaranteed(t, document, string(text))
		g := &p.Policy().Guarantees[0]
		q, why := smt.Violate(p, g)
		if why != "" {
			count["not asked: "+why]++
			continue
		}
		begun := time.Now()
		proof, err := Prove(projected(p.Policy()), g, Options{})
		if err != nil {
			t.Fatal(err)
		}
		proving += time.Since(begun)
		if count[string(proof.Standing)]++; proof.Standing == Undecided {
			continue // an undecided proof claims nothing
		}
		name := fmt.Sprintf("policy %d, does somebody violate the guarantee", i)
		if !agree(t, list, name, q.Text, proof.Standing == Refuted) {
			t.Logf("%s\n%s", text, document)
		}
	}
	t.Logf("guarantees %d to %d: %s; proved in %v", from, to-1, counts(count), proving.Round(time.Millisecond))
	report(t, list, judged{
		what: "guarantees", from: from, to: to - 1, yes: count[string(Refuted)], no: count[string(Proved)],
		open: to - from - count[string(Refuted)] - count[string(Proved)], took: time.Since(started),
	})
	if count[string(Proved)] == 0 || count[string(Refuted)] == 0 || count[string(Undecided)] > (to-from)/10 {
		t.Errorf("%v", count)
	}
}

// TestGuaranteesThatSolversAreNotAsked checks that smt.Violate refuses a guarantee about a limit.
func TestGuaranteesThatSolversAreNotAsked(t *testing.T) {
	t.Parallel()
	p := guaranteed(t, engine.DefaultPolicyJSON(), `[
		{"id": "G_LIMIT", "text": "no", "never": {"op": "gt", "field": "offer_limit", "value": 1}},
		{"id": "G_APR", "text": "no", "never": {"op": "gt", "field": "apr", "value": 1}},
		{"id": "G_UP", "text": "no", "monotone": {"field": "age", "towards": "up", "of": ["offer_limit"]}}]`)
	for i := range p.Policy().Guarantees {
		if _, why := smt.Violate(p, &p.Policy().Guarantees[i]); why == "" {
			t.Errorf("%s is turned into a question", p.Policy().Guarantees[i].ID)
		}
	}
}
