package document

import (
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// ReadReview reads a review of a decision.
func ReadReview(body wire.Value) (decisioning.NewReview, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	var n decisioning.NewReview
	if f.Require("outcome", decisioning.ReviewOutcomeChoices) {
		outcomes := decisioning.ReviewOutcomes()
		if at := f.Choice("outcome", -1, outcomes...); at >= 0 {
			n.Outcome = outcomes[at]
		}
	}
	n.ReasonCode = text(&f, "reason_code")
	if code := f.Get("reason_code"); code.Kind() == wire.String && n.ReasonCode == "" {
		f.Fail("reason_code", fault.CodeInvalidField, "%s", decisioning.ReasonCodeForm)
	}
	n.Note = text(&f, "note")
	n.Check(&faults)
	f.Done()
	return n, faults.Err()
}

// EncodeReview answers 201 with a review and the address of its decision.
func EncodeReview(r decisioning.Review) operation.Answer {
	out := answer(operation.StatusCreated, func(w *wire.Writer) { WriteReview(w, r) })
	out.Location = "/v1/decisions/" + r.DecisionID
	return out
}

// WriteReview writes a review.
func WriteReview(w *wire.Writer, r decisioning.Review) {
	w.Object().Key("id").String(r.ID).Key("decision_id").String(r.DecisionID).Key("outcome").String(r.Outcome)
	optional(w, "reason_code", r.ReasonCode)
	optional(w, "note", r.Note)
	w.Key("actor").String(r.Actor).Key("created_at").String(operation.Clock(r.CreatedMicros)).EndObject()
}

// WriteDecisionSummary writes a decision in the form of a list entry.
func WriteDecisionSummary(w *wire.Writer, d decisioning.DecisionSummary) {
	w.Object().Key("decision_id").String(d.ID).Key("status").String(d.Status).Key("grade").String(d.Grade)
	optional(w, "applicant_id", d.ApplicantRef)
	w.Key("policy").Object().Key("id").String(d.PolicyID).Key("version").Int(d.PolicyVersion)
	w.Key("key").String(d.PolicyKey).EndObject()
	w.Key("endpoint").String(d.Endpoint).Key("engine_version").String(d.EngineVersion)
	w.Key("decision_hash").String(d.Hash).Key("created_at").String(operation.Clock(d.CreatedMicros)).EndObject()
}
