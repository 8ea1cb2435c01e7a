package analysis

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// largePolicy returns a policy of n knockouts, each of which has to be compared
// with every other one.
func largePolicy(tb testing.TB, n int) *engine.Policy {
	tb.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	knockouts := make([]object, n)
	for i := range knockouts {
		args := []object{
			{"op": "lt", "field": "foir", "value": float64(r.IntN(500)) / 100},
			{"op": "gte", "field": "monthly_income", "value": r.IntN(100_000)},
			{"op": "in", "field": "enquiries_6m", "values": []int{i % 7, i % 11, i % 13}},
		}
		knockouts[i] = object{
			"id":            fmt.Sprintf("KO_%d", i),
			"reason_code":   "FOIR_HIGH",
			"condition_ast": object{"op": "and", "args": args},
		}
	}
	return labPolicy(tb, object{"knockouts": knockouts})
}

// labPolicy parses a valid policy in which the given parts replace or add
// sections.
func labPolicy(tb testing.TB, parts object) *engine.Policy {
	tb.Helper()
	document := object{
		"name": "bounds", "include_defaults": false, "scorecard": object{"base_points": 600, "factors": []object{}},
		"pricing_bands": []object{{"id": "PB", "grade": "F", "min_score": 300, "max_score": 900, "action": "decline"}},
	}
	for name, part := range parts {
		document[name] = part
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

func TestAnalysisIsBounded(t *testing.T) {
	t.Parallel()
	wide := make([]object, 400)
	for i := range wide {
		wide[i] = object{"op": "or", "args": []object{
			{"op": "lt", "field": specimens[i%8].name, "value": i},
			{"op": "gt", "field": specimens[(i+1)%8].name, "value": i},
		}}
	}
	crossed := wide[:100]
	codes := make([]object, 3000)
	for i := range codes {
		codes[i] = object{
			"id":            fmt.Sprintf("KO_%d", i),
			"reason_code":   fmt.Sprintf("OWN_%d", i),
			"condition_ast": object{"op": "and", "args": crossed[:2+i%9]},
		}
	}
	for name, p := range map[string]*engine.Policy{
		"many rules": largePolicy(t, 5000),
		"one wide and": labPolicy(t, object{
			"inputs": labInputs,
			"knockouts": []object{{
				"id":            "KO",
				"reason_code":   "PAUSED",
				"condition_ast": object{"op": "and", "args": crossed},
			}},
		}),
		"many wide rules": labPolicy(t, object{"inputs": labInputs, "knockouts": codes}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAnalysis()
			a.begin(p, field.Catalogue(), nil)
			a.clauses()
			(&conditionCheck{analysis: a}).run()
			redundancy := &redundancyCheck{analysis: a}
			redundancy.run()
			budget := &a.solver.Budget
			if budget.Steps() > maxSteps+10_000 || redundancy.comparisons > maxComparisons+1 {
				t.Errorf("%d steps, %d comparisons", budget.Steps(), redundancy.comparisons)
			}
			cut := slices.ContainsFunc(Run(p, field.Catalogue()),
				func(f Finding) bool { return f.Code == fault.CodeAnalysisTruncated })
			if short := budget.Exhausted() || len(a.unknown) > 0; cut != short {
				t.Errorf("truncated: %v, and the findings say %v", short, cut)
			}
			t.Logf("%d steps, %d comparisons", budget.Steps(), redundancy.comparisons)
		})
	}
}

// TestAnalysisOnlyReads checks that an analysis does not change the policy and
// that two analyses give the same result.
func TestAnalysisOnlyReads(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		p := newLab(seed).policy(t)
		before := string(p.Document())
		first, second := Run(p, field.Catalogue()), Run(p, field.Catalogue())
		if !reflect.DeepEqual(first, second) || string(p.Document()) != before {
			t.Fatalf("seed %d: two answers, or a changed policy", seed)
		}
	}
}

// TestAnalysisWithAnotherCatalogue analyses a policy with a catalogue that has
// no scores and no new-to-credit field, but has a field that no request
// supplies.
func TestAnalysisWithAnotherCatalogue(t *testing.T) {
	t.Parallel()
	catalogue, err := rule.NewCatalogue([]rule.Field{
		{Name: "x", Type: rule.NumberType, Supply: space.AnyRequest}, {Name: "lost", Type: rule.StringType},
	})
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.ParsePolicy([]byte(`{"name": "other", "knockouts": [
		{"id": "LOW", "reason_code": "PAUSED", "condition_ast": {"op": "lt", "field": "x", "value": 0}},
		{"id": "LOWER", "reason_code": "PAUSED", "condition_ast": {"op": "or",
			"args": [{"op": "lt", "field": "x", "value": -2}, {"op": "eq", "field": "x", "value": -1}]}},
		{"id": "LOST", "reason_code": "PAUSED", "condition_ast": {"op": "eq", "field": "lost", "value": "a"}}],
		"scorecard": {"base_points": 600, "factors": []}, "pricing_bands": [
		{"id": "PB", "grade": "F", "min_score": 300, "max_score": 900, "action": "decline"},
		{"id": "PBN", "grade": "N", "ntc": true, "min_score": 300, "max_score": 900, "action": "decline"}]}`),
		engine.Sources{Catalogue: catalogue})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range Run(p, catalogue) {
		got = append(got, f.Code+f.Pointer)
	}
	want := []string{
		"unsupplied_fields/knockouts/2",
		"implied_by/knockouts/1", "semantics_old/semantics", "silent_when_absent/knockouts/0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestReach compares the set of sums with an enumeration of all sums.
func TestReach(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		unit := []rule.Number{rule.One, rule.One / 2, rule.One / 10_000}[r.IntN(3)]
		card := &engine.Scorecard{
			Base:     rule.Int(600),
			MinScore: rule.Int(int64(580 + r.IntN(20))),
			MaxScore: rule.Int(int64(600 + r.IntN(40))),
		}
		got := newReach(card)
		sums := []rule.Number{card.Base}
		for range r.IntN(6) {
			options := make([]rule.Number, 1+r.IntN(4))
			for i := range options {
				options[i] = rule.Number(r.IntN(41)-20) * unit
			}
			got.choose(options)
			var next []rule.Number
			for _, sum := range sums {
				for _, n := range options {
					next = append(next, sum+n)
				}
			}
			slices.Sort(next)
			sums = slices.Compact(next)
		}
		got.settle()
		for low := rule.Int(570); low < rule.Int(650); low += rule.One {
			high := low + rule.Int(int64(r.IntN(3))) + rule.One - 1
			want := slices.ContainsFunc(sums, func(sum rule.Number) bool {
				score := min(max(sum, card.MinScore), card.MaxScore)
				return low <= score && score <= high
			})
			if got.hits(low, high) != want {
				t.Fatalf("seed %d: %s to %s is %v, want %v; sums %v", seed, low, high, !want, want, sums)
			}
		}
	}
}

func BenchmarkAnalyse(b *testing.B) {
	for name, p := range map[string]*engine.Policy{
		"default":     engine.DefaultPolicy(),
		"1000_rules":  largePolicy(b, 1000),
		"10000_rules": largePolicy(b, 10_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Run(p, field.Catalogue())
			}
		})
	}
}
