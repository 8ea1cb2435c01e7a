//go:build !race

package rule_test

import (
	"testing"

	"verdict/internal/rule"
)

// TestAllocations checks that Load and Eval allocate nothing, because
// conditions are evaluated for every decision and every row of a backtest.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	p := compile(readCondition(t, typical))
	facts := readFacts(t, typicalFacts)
	var frame rule.Frame
	// The order matters: Eval reads the frame that Load fills.
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Load", func() { p.slots.Load(facts, &frame) }},
		{"Eval", func() { p.code.Eval(p.tests[0], &frame) }},
	} {
		step.do()
		if n := testing.AllocsPerRun(100, step.do); n > 0 {
			t.Errorf("%s allocates %v times", step.name, n)
		}
	}
}
