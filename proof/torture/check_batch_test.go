package torture

import (
	"strings"
	"testing"
)

func TestResultsOfBatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, promise, of string
		results           []string
	}{
		{name: "all", results: []string{`{"index":0,"decision_id":"dec_2"}`, `{"index":1,"decision_id":"dec_3"}`}},
		{"one is lost", "batches-complete", "1 results", []string{`{"index":0,"decision_id":"dec_2"}`}},
		{"one failed", "batches-complete", "result 1", []string{
			`{"index":0,"decision_id":"dec_2"}`, `{"index":1,"error":{"code":"internal_error"}}`,
		}},
		{"one decision for two rows", "nothing-twice", "dec_2", []string{
			`{"index":0,"decision_id":"dec_2"}`, `{"index":1,"decision_id":"dec_2"}`,
		}},
		{"a decision of another request", "nothing-twice", "dec_1", []string{
			`{"index":0,"decision_id":"dec_1"}`, `{"index":1,"decision_id":"dec_2"}`,
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.decide("dec_1", "h", "pol_first")
			b.one.batches["bat_1"] = &batch{rows: 2}
			b.m.resultsTold(b.one, "bat_1", []byte(strings.Join(test.results, "\n")+"\n"))
			if test.promise == "" {
				b.holds()
			} else {
				b.broken(test.promise, test.of)
			}
		})
	}
}

// TestRowOfBatch checks that the decision of a row is billed. It also checks that two decisions on the same facts
// with different hashes are a violation.
func TestRowOfBatch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sent := &batch{rows: 2, first: 3, sent: &request{scope: b.one, began: b.tick()}}
	b.m.rowDecided(b.one, sent, 0, []byte(decisionBody("dec_1", "h", "pol_first")), b.tick())
	b.holds()
	if b.one.totalBilled() != 1 || b.one.decisions["dec_1"] == nil {
		t.Errorf("billed %d, decisions %v", b.one.totalBilled(), b.one.decisions)
	}
	sent.first = 2 // now row 1 has the facts that row 0 had before
	b.m.rowDecided(b.one, sent, 1, []byte(decisionBody("dec_2", "other", "pol_first")), b.tick())
	b.broken("hash-stable", "decision 3")
}
