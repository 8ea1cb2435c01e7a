package document

import (
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/wire"
)

// ReadHold reads a legal hold to be placed. The use case checks the values.
func ReadHold(body wire.Value) (n privacydesk.NewHold, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	n.ApplicantRef, n.DecisionID = text(&f, "applicant_ref"), text(&f, "decision_id")
	if f.Require("reason", privacydesk.HoldReasonChoices) {
		if at := f.Choice("reason", -1, privacydesk.HoldReasons()...); at >= 0 {
			n.Reason = privacydesk.HoldReasons()[at]
		}
	}
	n.Until = readTime(&f, "until")
	f.Done()
	return n, faults.Err()
}

// EncodeHold answers 201 with a new legal hold.
func EncodeHold(h privacydesk.Hold) operation.Answer {
	out := answer(operation.StatusCreated, func(w *wire.Writer) { WriteHold(w, h) })
	out.Location = "/v1/legal-holds/" + h.ID
	return out
}

// EncodeReleased answers 200 with a legal hold that was released.
func EncodeReleased(h privacydesk.Hold) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) { WriteHold(w, h) })
}

// WriteHold writes a legal hold.
func WriteHold(w *wire.Writer, h privacydesk.Hold) {
	w.Object().Key("id").String(h.ID).Key("state").String(h.State)
	optional(w, "applicant_ref", h.ApplicantRef)
	optional(w, "decision_id", h.DecisionID)
	w.Key("reason").String(h.Reason).Key("actor").String(h.Actor)
	w.Key("placed_at").String(operation.Clock(h.PlacedMicros))
	timeOrNull(w, "until", h.UntilMicros)
	optionalTime(w, "released_at", h.ReleasedMicros)
	optional(w, "released_by", h.ReleasedBy)
	w.EndObject()
}
