package agent

import (
	"crypto/sha256"
	"encoding/hex"

	"verdict/internal/wire"
)

// The names of the tools in the trace.
const (
	toolCompleteness = "completeness"
	toolEligibility  = "eligibility"
	toolSignals      = "signals"
	toolBank         = "bank_checks"
	toolDecide       = "decide"
	toolWhatIf       = "what_if"
	toolImprove      = "improve"
)

// step is one call of a tool in the trace. hash covers the facts, the policy, the
// tool and the input, so it covers all data that a repetition of the call needs.
type step struct {
	tool, result string
	input        []byte // a JSON object; nil if the tool has no input besides the application
	hash         string
}

// trace records the calls of the tools of one run, in order.
type trace struct {
	facts    []byte // the stored facts of the application
	checksum string // the checksum of the policy
	steps    []step
}

// record adds the call of a tool. input is a JSON object, or nil if the tool has
// no input besides the application.
func (t *trace) record(tool string, input []byte, result string) {
	var w wire.Writer
	w.Object().Key("facts").Raw(t.facts).Key("input")
	if input == nil {
		w.Object().EndObject()
	} else {
		w.Raw(input)
	}
	w.Key("policy").String(t.checksum).Key("tool").String(tool).EndObject()
	t.steps = append(t.steps, step{tool: tool, input: input, result: result, hash: digest(w.Buf)})
}

// digest returns the SHA-256 of data in hexadecimal, prefixed with "sha256:".
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// write writes the member "steps".
func (t *trace) write(w *wire.Writer) {
	w.Key("steps").Array()
	for i, s := range t.steps {
		w.Object().Key("n").Int(int64(i) + 1).Key("tool").String(s.tool)
		if s.input != nil {
			w.Key("input").Raw(s.input)
		}
		w.Key("input_hash").String(s.hash).Key("result").String(s.result).EndObject()
	}
	w.EndArray()
}
