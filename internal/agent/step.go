package agent

import (
	"crypto/sha256"
	"encoding/hex"

	"verdict/internal/wire"
)

// The tools, as steps name them.
const (
	toolCompleteness = "completeness"
	toolEligibility  = "eligibility"
	toolSignals      = "signals"
	toolBank         = "bank_checks"
	toolDecide       = "decide"
	toolWhatIf       = "what_if"
	toolImprove      = "improve"
)

// step is one call of a tool. Whoever has the facts, the policy and the input
// can make it again: the hash is of these three.
type step struct {
	tool, result string
	input        []byte // a JSON object; nil when the application is all there is
	hash         string
}

func (st *study) step(tool string, input []byte, result string) {
	var w wire.Writer
	w.Object().Key("facts").Raw(st.storedFacts).Key("input")
	if input == nil {
		w.Object().EndObject()
	} else {
		w.Raw(input)
	}
	w.Key("policy").String(st.checksum).Key("tool").String(tool).EndObject()
	st.steps = append(st.steps, step{tool: tool, input: input, result: result, hash: digest(w.Buf)})
}

// digest is a hash that says how it was made.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (st *study) writeSteps(w *wire.Writer) {
	w.Key("steps").Array()
	for i, s := range st.steps {
		w.Object().Key("n").Int(int64(i) + 1).Key("tool").String(s.tool)
		if s.input != nil {
			w.Key("input").Raw(s.input)
		}
		w.Key("input_hash").String(s.hash).Key("result").String(s.result).EndObject()
	}
	w.EndArray()
}
