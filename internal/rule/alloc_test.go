//go:build !race

package rule_test

import (
	"testing"

	"verdict/internal/rule"
)

// Conditions are evaluated for every decision and every row of a backtest.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of everybody.
func TestAllocations(t *testing.T) {
	p := compile(readCondition(t, typical))
	facts := readFacts(t, typicalFacts)
	var frame rule.Frame
	for name, do := range map[string]func(){
		"Load": func() { p.slots.Load(facts, &frame) },
		"Eval": func() { p.code.Eval(p.tests[0], &frame) },
	} {
		do()
		if n := testing.AllocsPerRun(100, do); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}
