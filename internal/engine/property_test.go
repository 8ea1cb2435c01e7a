package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// compile parses and compiles a valid policy.
func compile(tb testing.TB, document []byte) *engine.Plan {
	tb.Helper()
	policy, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("%v in %s", err, document)
	}
	return engine.Compile(policy, field.Catalogue())
}

// TestCompiledEqualsReference compares the compiled plan with the naive interpreter, byte for byte. It uses 20,000
// pairs of a policy and facts, or a million with VERDICT_LONG=1. Equal bytes also prove that Canonical writes RFC 8785
// JSON, because the reference uses another implementation of RFC 8785.
func TestCompiledEqualsReference(t *testing.T) {
	t.Parallel()
	const applicants = 50
	policies := rounds(400, 20_000)
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		t.Run(fmt.Sprintf("worker %d", worker), func(t *testing.T) {
			t.Parallel()
			for seed := worker; seed < policies; seed += workers {
				compareWithReference(t, uint64(seed), applicants)
			}
		})
	}
}

func compareWithReference(t *testing.T, seed uint64, applicants int) {
	t.Helper()
	g := generateEither(seed)
	plan := compile(t, g.document)
	ref := newReference(t, g.document, plan.Checksum())
	d := newDice(^seed)
	var decision engine.Decision
	for i := range applicants {
		facts := encode(t, g.facts(d))
		plan.Decide(decodeFacts(t, facts), &decision)
		got, want := decision.Canonical(), ref.decide(t, facts)
		if !bytes.Equal(got, want) {
			t.Fatalf("seed %d, applicant %d\npolicy %s\nfacts %s\ncompiled (+) differs from reference (-)\n%s",
				seed, i, g.document, facts, cmp.Diff(readObject(t, want), readObject(t, got), cmp.Comparer(sameNumber)))
		}
	}
}

// rounds returns the number of rounds of a property test: usual, or long if
// VERDICT_LONG is set.
func rounds(usual, long int) int {
	if os.Getenv("VERDICT_LONG") != "" {
		return long
	}
	return usual
}

// decide returns the decision for facts, made with a new Decision.
func decide(tb testing.TB, plan *engine.Plan, facts object) *engine.Decision {
	tb.Helper()
	var d engine.Decision
	plan.Decide(decodeFacts(tb, encode(tb, facts)), &d)
	return &d
}

// eachGenerated calls check with many generated policies and applications.
func eachGenerated(
	t *testing.T, policies, applicants int, check func(t *testing.T, g *generated, plan *engine.Plan, facts object),
) {
	t.Helper()
	for seed := range uint64(policies) {
		seed += 1_000_000 // differs from the seeds of TestCompiledEqualsReference
		g := generateEither(seed)
		plan := compile(t, g.document)
		d := newDice(^seed)
		for i := range applicants {
			facts := g.facts(d)
			check(t, g, plan, facts)
			if t.Failed() {
				t.Fatalf("seed %d, applicant %d\npolicy %s\nfacts %s", seed, i, g.document, encode(t, facts))
			}
		}
	}
}

// TestSameFactsSameBytes checks that a decision depends only on the facts and
// the policy, not on the order of the facts.
func TestSameFactsSameBytes(t *testing.T) {
	t.Parallel()
	eachGenerated(t, rounds(60, 600), 5, func(t *testing.T, g *generated, plan *engine.Plan, facts object) {
		t.Helper()
		want := decide(t, plan, facts).Canonical()
		if got := decide(t, compile(t, g.document), facts).Canonical(); !bytes.Equal(got, want) {
			t.Error("another plan of the same policy decides otherwise")
		}
		backwards := rule.NewFacts(field.Catalogue())
		sorted := decodeFacts(t, encode(t, facts)).Sorted()
		slices.Reverse(sorted)
		for _, fact := range sorted {
			backwards.Set(fact.Name, fact.Value)
		}
		var d engine.Decision
		plan.Decide(backwards, &d)
		if !bytes.Equal(d.Canonical(), want) {
			t.Error("the order of the facts matters")
		}
	})
}

// named adds all string values of a policy document, split at "|", to a set. The set then includes the name of every
// field that the policy can read.
func named(v any, into map[string]bool) {
	switch v := v.(type) {
	case string:
		for _, name := range strings.Split(v, "|") {
			into[name] = true
		}
	case []any:
		for _, e := range v {
			named(e, into)
		}
	case object:
		for _, e := range v {
			named(e, into)
		}
	}
}

// lookedUp lists facts that are looked up in lists and tables, and the facts with their versions.
var lookedUp = []string{
	rule.Lookup{List: "blocked", Field: rule.Ref{Name: "applicant.employment_type"}}.Fact().Name,
	rule.ListVersionFact("blocked"),
	rule.TableFact("limits", "max_ltv"), rule.TableVersionFact("limits"),
}

// everyFact returns the names of all facts of the catalogue except features. There are thousands of features, of which
// otherFields has some.
func everyFact() (names []string) {
	c := field.Catalogue()
	for id := range rule.FieldID(c.Len()) {
		if f := c.Field(id); !strings.Contains(f.Name, "__") {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestUnnamedFactsLeaveNoTrace checks that facts that the policy does not name
// have no effect: those of the catalogue, answers of lists, columns of tables, and
// facts that nobody knows.
func TestUnnamedFactsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	pool := slices.Concat(otherFields, everyFact(), lookedUp, []string{
		"no.such.field", "applicant.undeclared", "report.undeclared.path", "",
	})
	eachGenerated(t, rounds(60, 600), 5, func(t *testing.T, g *generated, plan *engine.Plan, facts object) {
		t.Helper()
		names := map[string]bool{
			// The engine itself reads these fields to grade and price.
			"bureau_is_ntc": true, "monthly_income": true, "foir": true, "requested_amount": true,
			"requested_tenure_months": true,
			// The rules that "include_defaults" merges read these fields.
			"device_is_emulator": true, "fraud_beneficiary_reuse": true, "fraud_blocklisted": true,
		}
		named(readObject(t, g.document), names)
		// The affordability section reads these fields under the names of its sources.
		names["bureau_own_emi"] = names["bureau_own_emi"] || names["bureau"]
		names["bank_due_emi"] = names["bank_due_emi"] || names["bank"]
		if p := plan.Policy(); p.People != nil || p.Affordability != nil && p.Affordability.AllPeople {
			names["bureau_score"] = true
			for _, name := range coApplicantFacts {
				names[name] = true
			}
		}
		want := decide(t, plan, facts).Canonical()
		more, less := object{}, object{}
		dice := newDice(uint64(len(facts)))
		for _, name := range pool {
			if !names[name] {
				more[name] = pick[any](dice, true, "x", json.Number("-1"), json.Number("1"),
					json.Number("1000000000000"))
			}
		}
		for name, value := range facts {
			more[name] = value
			if names[name] {
				less[name] = value
			}
		}
		if got := decide(t, plan, more).Canonical(); !bytes.Equal(got, want) {
			t.Errorf("added facts left a trace: %s", cmp.Diff(string(want), string(got)))
		}
		if got := decide(t, plan, less).Canonical(); !bytes.Equal(got, want) {
			t.Errorf("removed facts left a trace: %s", cmp.Diff(string(want), string(got)))
		}
	})
}

// TestRequestCannotForgeResults checks that a request cannot replace the
// engine's results by sending values under their names.
func TestRequestCannotForgeResults(t *testing.T) {
	t.Parallel()
	eachGenerated(t, rounds(100, 1_000), 10, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		want := decide(t, plan, facts).Canonical()
		for _, name := range stage2Fields {
			facts[name] = pick[any](newDice(uint64(len(facts))), "B", json.Number("0"), json.Number("100000"))
		}
		if got := decide(t, plan, facts).Canonical(); !bytes.Equal(got, want) {
			t.Errorf("a forged result was read: %s", cmp.Diff(string(want), string(got)))
		}
	})
}

// pure generates a condition in which each predicate reads one of the writer's fields. Each predicate is unknown if
// its field is absent, even under a negation.
func (w *writer) pure(depth int) object {
	if depth == 0 || w.percent(20) {
		return w.predicateOn(pick(w.dice, w.fields...), false)
	}
	if w.percent(40) {
		return object{"op": "not", "arg": w.pure(depth - 1)}
	}
	args := []any{}
	for range w.between(1, 3) {
		args = append(args, w.pure(depth-1))
	}
	return object{"op": pick(w.dice, "and", "or"), "args": args}
}

// TestOmittedBlockLeavesNoRule checks that a rule that needs an omitted block is not in
// "fired_rules". Even if the condition nests "not", "ne" and "not_in", the rule neither passes nor
// hits.
func TestOmittedBlockLeavesNoRule(t *testing.T) {
	t.Parallel()
	for _, block := range []string{"device_", "location_", "fraud_", "bank_", "core"} {
		t.Run(block, func(t *testing.T) {
			t.Parallel()
			names := slices.Clone(coreFields)
			if block != "core" {
				names = slices.DeleteFunc(slices.Clone(blockFields),
					func(name string) bool { return !strings.HasPrefix(name, block) })
			}
			inBlock := func(name string) bool { return slices.Contains(names, name) }
			w := &writer{dice: newDice(7), generated: generated{near: map[string][]int64{}, fields: names}}
			for range 20 {
				policy := readDefaultPolicy(t)
				policy["include_defaults"] = false
				policy["required_fields"] = []any{}
				knockouts, adjustments := []any{}, []any{}
				for i := range 40 {
					knockouts = append(knockouts, object{
						"id": fmt.Sprintf("BLOCK_%d", i), "stage": 1 + i%2, "reason_code": "MY_OWN",
						"condition_ast": w.pure(w.below(5)),
					})
					adjustments = append(adjustments,
						object{"id": fmt.Sprintf("BLOCK_ADJ_%d", i), "delta": 1, "condition_ast": w.pure(w.below(5))})
				}
				policy["knockouts"], policy["adjustments"] = knockouts, adjustments
				plan := compile(t, encode(t, policy))
				g := generated{near: w.near, fields: slices.Concat(coreFields, blockFields)}
				facts := g.facts(w.dice)
				for name := range facts {
					if inBlock(name) {
						delete(facts, name)
					}
				}
				d := decide(t, plan, facts)
				for _, fired := range d.Rules() {
					t.Errorf("%s is %s without %s\nfacts %s\npolicy %s",
						fired.ID, fired.Result, block, encode(t, facts), encode(t, policy))
				}
				if missing := d.NotEvaluated(); len(missing) != len(knockouts)+len(adjustments) {
					t.Errorf("%d rules of %d are known to be unknown", len(missing), len(knockouts)+len(adjustments))
				}
			}
		})
	}
}

// readDefaultPolicy returns the default policy as a document to modify.
func readDefaultPolicy(tb testing.TB) object {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(engine.DefaultPolicyJSON()))
	decoder.UseNumber()
	var policy object
	if err := decoder.Decode(&policy); err != nil {
		tb.Fatal(err)
	}
	return policy
}

// TestKnockoutNeverApproves checks that adding a knockout at any position never
// improves a status.
func TestKnockoutNeverApproves(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(80, 2_000)) {
		w := &writer{
			dice:      newDice(seed),
			generated: generated{types: map[string]rule.Type{}, near: map[string][]int64{}},
		}
		g := generatePolicy(seed)
		w.fields = g.fields
		w.types = g.types
		var policy object
		decoder := json.NewDecoder(bytes.NewReader(g.document))
		decoder.UseNumber()
		if err := decoder.Decode(&policy); err != nil {
			t.Fatal(err)
		}
		added := object{
			"id": "ADDED", "stage": 1 + w.below(2), "action": pick(w.dice, "decline", "refer"), "reason_code": "MY_OWN",
			"on_absent": pick(w.dice, "pass", "refer", "fail"), "condition_ast": w.condition(3, false),
		}
		knockouts := as[[]any](policy["knockouts"])
		policy["knockouts"] = slices.Insert(knockouts, w.below(len(knockouts)+1), any(added))
		before, after := compile(t, g.document), compile(t, encode(t, policy))
		for range 20 {
			facts := g.facts(w.dice)
			was, is := decide(t, before, facts).Status, decide(t, after, facts).Status
			if is < was {
				t.Fatalf("seed %d: %s became %s\npolicy %s\nfacts %s",
					seed, was, is, encode(t, policy), encode(t, facts))
			}
		}
	}
}
