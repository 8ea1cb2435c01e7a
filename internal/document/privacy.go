package document

import (
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/wire"
)

// ReadErasure reads whom to erase and why. The use case checks the values.
func ReadErasure(body wire.Value) (n privacydesk.NewErasure, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	n.ApplicantRef, n.DecisionID = text(&f, "applicant_ref"), text(&f, "decision_id")
	if f.Require("reason", privacydesk.ReasonChoices) {
		if at := f.Choice("reason", -1, privacydesk.Reasons()...); at >= 0 {
			n.Reason = privacydesk.Reasons()[at]
		}
	}
	f.Done()
	return n, faults.Err()
}

// EncodeErasure answers 201 with the receipt of an erasure, and 202 with an erasure that is deferred.
func EncodeErasure(e privacydesk.Erasure) operation.Answer {
	status := operation.StatusCreated
	if e.State == privacydesk.Deferred {
		status = operation.StatusAccepted
	}
	out := answer(status, func(w *wire.Writer) { WriteErasure(w, e) })
	out.Location = "/v1/erasures/" + e.ID
	return out
}

// EncodeWithdrawn answers 200 with an erasure that was withdrawn.
func EncodeWithdrawn(e privacydesk.Erasure) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) { WriteErasure(w, e) })
}

// WriteErasure writes the receipt of an erasure.
func WriteErasure(w *wire.Writer, e privacydesk.Erasure) {
	w.Object().Key("id").String(e.ID).Key("state").String(e.State).Key("reason").String(e.Reason)
	optional(w, "applicant_ref", e.ApplicantRef)
	optional(w, "decision_id", e.DecisionID)
	w.Key("actor").String(e.Actor).Key("requested_at").String(operation.Clock(e.RequestedMicros))
	if e.State == privacydesk.Deferred {
		w.Key("basis")
		writeStrings(w, e.Basis)
		timeOrNull(w, "deferred_until", e.DeferredUntilMicros)
	}
	optionalTime(w, "withdrawn_at", e.WithdrawnMicros)
	optional(w, "withdrawn_by", e.WithdrawnBy)
	timeOrNull(w, "erased_at", e.ErasedMicros)
	timeOrNull(w, "beyond_recovery_at", e.BeyondMicros)
	w.Key("erased").Object()
	w.Key("decisions").Int(e.Counts.Decisions).Key("features").Int(e.Counts.Features)
	w.Key("agent_runs").Int(e.Counts.Runs).Key("answers").Int(e.Counts.Answers)
	w.Key("alert_references").Int(e.Counts.AlertRefs).Key("fraud_links").Int(e.Counts.Links)
	if e.Counts.Exposures > 0 {
		w.Key("exposures").Int(e.Counts.Exposures)
	}
	w.Key("zones").Object()
	for _, z := range e.Zones {
		w.Key(z.Zone).Int(z.Count)
	}
	w.EndObject().EndObject()
	w.Key("replaced_by")
	writeStrings(w, e.ReplacedBy)
	w.Key("kept").Array()
	for _, k := range e.Kept {
		w.Object().Key("what").String(k.What).Key("basis").String(k.Basis)
		timeOrNull(w, "until", k.UntilMicros)
		w.EndObject()
	}
	w.EndArray().EndObject()
}

// timeOrNull writes a stored time, or null if it is 0, which means never.
func timeOrNull(w *wire.Writer, key string, micros int64) {
	if micros == 0 {
		w.Key(key).Null()
		return
	}
	w.Key(key).String(timeText(micros))
}
