package advice_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

var exactly = cmp.AllowUnexported(advice.Improvement{}, rule.Value{})

// TestProbingFindsWhatThePlainSearchFinds checks that the search finds the same improvements with
// and without probing. Probing first evaluates the rule that declined the last trial; it must
// change only the time that the search takes.
func TestProbingFindsWhatThePlainSearchFinds(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range uint64(rounds(25, 5_000)) {
		dice := &dice{state: 1_000 + seed}
		document := policy(dice)
		if dice.percent(25) { // use a policy with many rules, of which few hit
			document = manyRules(dice)
		}
		plan := compile(t, document)
		for range 3 {
			facts := application(dice)
			var d engine.Decision
			plan.Decide(facts, &d)
			o := advice.Options{Max: 100}
			list := improve(t, plan, facts, &d, o)
			found += len(list)
			if diff := cmp.Diff(advice.ImprovePlainly(plan, facts, &d, o), list, exactly); diff != "" {
				t.Fatalf("seed %d: %s\n%s\n%v", seed, diff, document, facts.Sorted())
			}
			plan.Decide(facts, &d)
			if diff := cmp.Diff(advice.CompletePlainly(plan, facts, &d), complete(t, plan, facts, &d),
				exactly); diff != "" {
				t.Fatalf("seed %d: %s\n%s\n%v", seed, diff, document, facts.Sorted())
			}
		}
	}
	if found < 25 {
		t.Errorf("only %d improvements were compared", found)
	}
}

// manyRules generates a policy with 20 to 60 rules in both stages.
func manyRules(d *dice) string {
	var rules []string
	for i := range d.between(20, 60) {
		stage, condition := 1, onField(d)
		if d.percent(35) {
			stage, condition = 2, onOffer(d)
		}
		onAbsent := pick(d, "pass", "refer", "fail")
		rules = append(rules,
			fmt.Sprintf(`{"id":"K%d","stage":%d,"action":%q,"on_absent":%q,"reason_code":"R","condition_ast":`+
				`{"op":"and","args":[{"op":"gt","field":"monthly_income","value":%d},%s]}}`,
				i, stage, pick(d, "refer", "decline"), onAbsent, d.between(10, 160)*1_000, condition))
	}
	return `{"name":"many","knockouts":[` + strings.Join(rules,
		",") + `],"scorecard":{"base_points":700,"factors":[]},` +
		`"pricing_bands":[{"id":"B","grade":"G","min_score":300,"max_score":900,"action":"approve",` +
		`"interest_rate":12,` +
		`"tenure_months":24,"tenures_allowed":[12,24],"min_limit":20000,"max_limit":500000,"default_limit":20000,` +
		`"foir_cap":0.5}]}`
}

// TestSearchIsBoundedAndChecked checks that the work under the largest policies
// is bounded, and that a search calls its check many times.
func TestSearchIsBoundedAndChecked(t *testing.T) {
	t.Parallel()
	for name, condition := range hostilePolicies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, facts := compile(t, hostile(condition)), hostileFacts()
			checks := 0
			check := func() error { checks++; return nil }
			var d engine.Decision
			plan.Decide(facts, &d)
			if _, err := advice.Improve(plan, facts, &d, advice.Options{Check: check}); err != nil {
				t.Fatal(err)
			}
			if least, most := 100, advice.MaxSteps/10_000; checks < least || checks > most {
				t.Errorf("%d checks, not %d to %d", checks, least, most)
			}
			checks = 0
			empty := rule.NewFacts(field.Catalogue())
			plan.Decide(empty, &d)
			if _, err := advice.Complete(plan, empty, &d, check); err != nil {
				t.Fatal(err)
			}
			if checks < 2 || checks > advice.MaxSteps/10_000 {
				t.Errorf("%d checks of what is missing", checks)
			}
		})
	}
}

// TestSearchEndsWithItsCaller checks that a search ends at the first check that fails.
func TestSearchEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	plan, facts := compile(t, hostile(hostilePolicies["points"])), hostileFacts()
	var d engine.Decision
	for _, last := range []int{1, 2, 5, 17} {
		checks := 0
		check := func() error {
			if checks++; checks >= last {
				return gone
			}
			return nil
		}
		plan.Decide(facts, &d)
		if list, err := advice.Improve(plan, facts, &d, advice.Options{Check: check}); !errors.Is(err, gone) ||
			list != nil {
			t.Errorf("%v, %v", list, err)
		}
		if checks != last {
			t.Errorf("went on to check %d after %d", checks, last)
		}
	}
	empty := rule.NewFacts(field.Catalogue())
	plan.Decide(empty, &d)
	if _, err := advice.Complete(plan, empty, &d, func() error { return gone }); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// TestMissingBeyondTheBoundMatters checks that an input is reported to matter if not all of its
// values could be tried.
func TestMissingBeyondTheBoundMatters(t *testing.T) {
	t.Parallel()
	var inputs, rules []string
	for i := range 500 {
		inputs = append(inputs, fmt.Sprintf(`{"name":"applicant.x%d","type":"number"}`, i))
	}
	for i := range 9_000 {
		rules = append(rules,
			fmt.Sprintf(`{"id":"K%d","reason_code":"R","condition_ast":{"op":"eq","field":"applicant.x%d","value":%d}}`,
				i, i%500, i))
	}
	plan := compile(t, `{"name":"wide","inputs":[`+strings.Join(inputs, ",")+`],"knockouts":[`+strings.Join(rules, ",")+
		`],"scorecard":{"base_points":700,"factors":[]},`+
		`"pricing_bands":[{"id":"B","grade":"G","min_score":300,"max_score":900,`+
		`"action":"refer","interest_rate":12,"tenure_months":24,"min_limit":20000,"max_limit":500000,`+
		`"default_limit":20000,"foir_cap":0.5}]}`)
	facts := rule.NewFacts(field.Catalogue())
	var d engine.Decision
	plan.Decide(facts, &d)
	c := complete(t, plan, facts, &d)
	own := 0
	for i := range c.Missing {
		if m := &c.Missing[i]; strings.HasPrefix(m.Field, "applicant.x") {
			own++
			if !m.Matters || m.Worst != engine.Declined {
				t.Fatalf("%+v", m)
			}
		}
	}
	if own != 500 {
		t.Errorf("%d of 500 inputs", own)
	}
}
