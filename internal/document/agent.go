package document

import (
	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// WriteRunSummary writes a run of an agent in the form of a list entry.
func WriteRunSummary(w *wire.Writer, r agentdesk.Run) {
	w.Object().Key("run_id").String(r.ID).Key("agent").String(r.Agent).Key("outcome").String(r.Outcome)
	optional(w, "subject_ref", r.SubjectRef)
	optional(w, "decision_id", r.DecisionID)
	w.Key("run_hash").String(r.Hash).Key("created_at").String(operation.Clock(r.CreatedMicros)).EndObject()
}

// UnderwriteRequest returns the request in a body of POST /v1/agents/underwrite. The body
// is read later, when the application is decided. If strict is set, unknown members are
// refused; otherwise they cause warnings.
func UnderwriteRequest(body wire.Value, strict bool) agent.Request {
	r := agent.NewRequest(body)
	r.Strict = strict
	return r
}

// CollectRequest returns the request in a body of POST /v1/agents/collections, like
// UnderwriteRequest.
func CollectRequest(body wire.Value, strict bool) recovery.Request {
	r := recovery.NewRequest(body)
	r.Strict = strict
	return r
}

// WriteRun writes the stored answer of a run, and whether its repetition gave the same
// result. If the inputs were erased, that is unknown.
func WriteRun(w *wire.Writer, r agent.Run) {
	w.Object().Members(r.Response).Key("replay").Object()
	if r.InputsErased {
		w.Key("inputs_erased").Bool(true)
	} else {
		w.Key("verified").Bool(r.Verified)
	}
	optional(w, "run_hash", r.RepeatedHash)
	w.EndObject().EndObject()
}

// ReadStrategyPatch reads a merge patch of the collections strategy. The returned function
// applies the patch and checks the result.
func ReadStrategyPatch(patch wire.Value) (func(recovery.Strategy) (recovery.Strategy, error), error) {
	if patch.Kind() != wire.Object {
		return nil, operation.Invalid("", fault.CodeWrongType, "must be an object")
	}
	return func(current recovery.Strategy) (recovery.Strategy, error) {
		document, err := wire.Parse(encode(func(w *wire.Writer) { current.Write(w) }))
		if err != nil {
			return recovery.Strategy{}, operation.AsDefect(err)
		}
		merged, err := wire.Parse(signal.Merge(document, patch))
		if err != nil {
			return recovery.Strategy{}, err
		}
		return recovery.ReadStrategy(merged)
	}, nil
}

// WriteStrategy writes the collections strategy.
func WriteStrategy(w *wire.Writer, s agentdesk.Strategy) {
	w.Object().Key("version").Int(s.Version)
	optionalTime(w, "updated_at", s.UpdatedMicros)
	optional(w, "updated_by", s.UpdatedBy)
	w.Members(encode(func(w *wire.Writer) { s.Recovery.Write(w) })).EndObject()
}
