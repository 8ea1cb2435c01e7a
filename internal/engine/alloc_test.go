//go:build !race

package engine_test

import (
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// TestAllocations checks two things. Making a decision allocates nothing, and writing facts allocates nothing.
// Writing a decision into a used buffer, and compiling a policy, stay within a fixed number of allocations.
//
//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestAllocations(t *testing.T) {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	facts := decodeFacts(t,
		[]byte(
			`{
				"bureau_score":742,"bureau_is_ntc":false,"monthly_income":85000,"foir":0.32,"enquiries_6m":2,
				"active_tradelines":4,"max_dpd_12m":0,"requested_amount":600000
			}`))
	var d engine.Decision
	var buf []byte
	envelope := engine.Envelope{
		DecisionID: "dec_00000000000000000000000000", PolicyID: "pol_00000000000000000000000000", PolicyVersion: 1,
		Environment: "sandbox", CreatedAt: "2026-11-15T05:27:51.124Z", ValidUntil: "2026-11-18T18:29:59Z",
	}
	document := engine.DefaultPolicyJSON()
	for _, c := range []struct {
		name string
		most float64
		do   func()
	}{
		{"Decide", 0, func() { plan.Decide(facts, &d) }},
		{"Write", 6, func() {
			w := wire.Writer{Buf: buf[:0]}
			d.Write(&w, &envelope)
			buf = w.Buf
		}},
		{"facts", 0, func() {
			w := wire.Writer{Buf: buf[:0]}
			facts.Write(&w)
			buf = w.Buf
		}},
		{"reading and compiling the default policy", 190, func() { compile(t, document) }},
	} {
		c.do()
		if n := testing.AllocsPerRun(100, c.do); n > c.most {
			t.Errorf("%s allocates %v times, at most %v are wanted", c.name, n, c.most)
		}
	}
}
