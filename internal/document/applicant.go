package document

import (
	"slices"

	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/wire"
)

// WriteApplicant writes everything that is held about an applicant, for the lender.
func WriteApplicant(w *wire.Writer, a privacydesk.Applicant) {
	w.Object().Key("applicant_ref").String(a.Ref)
	writeZones(w, a.Zones)
	w.Key("legal_holds").Array()
	for _, h := range a.Holds {
		WriteHold(w, h)
	}
	w.EndArray()
	if a.Erasure != nil {
		w.Key("erasure")
		WriteErasure(w, *a.Erasure)
	}
	w.Key("alerts").Array()
	for _, alert := range a.Alerts {
		w.Object().Key("id").String(alert.ID).Key("type").String(alert.Type).Key("severity").String(alert.Severity)
		w.Key("status").String(alert.Status)
		optional(w, "resolution", alert.Resolution)
		w.Key("created_at").String(operation.Clock(alert.CreatedMicros)).EndObject()
	}
	w.EndArray().Key("fraud_links").Bool(a.Linked)
	writeExposures(w, &a)
	writeApplicantRuns(w, &a, true)
	w.Key("decision_count").Int(a.DecisionCount).Key("data").Array()
	for _, d := range a.Decisions.Data {
		WriteExplained(w, d)
	}
	w.EndArray()
	writePagination(w, a.Decisions.Limit, a.Decisions.NextCursor)
	w.EndObject()
}

// WriteForApplicant writes what is held about an applicant in a form that can be given to the applicant. It leaves
// out scores, rules, thresholds, reviews, and everything about fraud. A reason is the text that is meant for
// applicants, without its code, because the codes of fraud checks would give them away.
func WriteForApplicant(w *wire.Writer, a privacydesk.Applicant) {
	w.Object().Key("applicant_ref").String(a.Ref)
	writeZones(w, a.Zones)
	if a.Erasure != nil {
		w.Key("erasure").Object().Key("state").String(a.Erasure.State)
		w.Key("requested_at").String(operation.Clock(a.Erasure.RequestedMicros)).EndObject()
	}
	writeExposures(w, &a)
	writeApplicantRuns(w, &a, false)
	w.Key("decision_count").Int(a.DecisionCount).Key("data").Array()
	for _, d := range a.Decisions.Data {
		writeForApplicant(w, d)
	}
	w.EndArray()
	writePagination(w, a.Decisions.Limit, a.Decisions.NextCursor)
	w.EndObject()
}

func writeZones(w *wire.Writer, zones []privacydesk.ApplicantZone) {
	w.Key("stored").Array()
	for _, z := range zones {
		w.Object().Key("zone").String(z.Zone)
		orNull(w, "period", z.Period)
		orNull(w, "basis", z.Basis)
		timeOrNull(w, "until", z.UntilMicros)
		w.EndObject()
	}
	w.EndArray()
}

// writeExposures writes the loans that the lender has reported, if there are any.
func writeExposures(w *wire.Writer, a *privacydesk.Applicant) {
	if len(a.Exposures) == 0 {
		return
	}
	w.Key("exposures").Array()
	for _, e := range a.Exposures {
		WriteExposure(w, e)
	}
	w.EndArray()
}

// writeApplicantRuns writes the runs of agents, with what came out of them if outcomes is set.
func writeApplicantRuns(w *wire.Writer, a *privacydesk.Applicant, outcomes bool) {
	w.Key("agent_run_count").Int(a.RunCount).Key("agent_runs").Array()
	for _, r := range a.Runs {
		w.Object().Key("run_id").String(r.ID).Key("agent").String(r.Agent)
		if outcomes {
			w.Key("outcome").String(r.Outcome)
		}
		optional(w, "decision_id", r.DecisionID)
		w.Key("created_at").String(operation.Clock(r.CreatedMicros)).EndObject()
	}
	w.EndArray()
}

// writeForApplicant writes a decision for the applicant.
func writeForApplicant(w *wire.Writer, d decisioning.Explained) {
	var answer engine.Answer
	if d.Kept != nil {
		answer = engine.Answer{
			DecisionID: d.Kept.Summary.ID,
			Status:     d.Kept.Summary.Status,
			CreatedAt:  operation.Clock(d.Kept.Summary.CreatedMicros),
		}
		answer.Offer.LimitPaise, answer.Offer.RateBP = d.Kept.LimitPaise, d.Kept.RateBP
		for _, code := range d.Kept.Reasons {
			answer.Reasons = append(answer.Reasons, engine.AnswerReason{Message: engine.ApplicantMessage(code)})
		}
	} else if read, err := ReadDecision(d.Response); err == nil {
		answer = read.Answer
	}
	w.Object().Key("decision_id").String(answer.DecisionID).Key("status").String(answer.Status)
	w.Key("created_at").String(answer.CreatedAt)
	// An approval that a person has overturned is no offer, and a referral is one only if a person has overturned it.
	overturned := d.Overturned()
	if overturned {
		w.Key("changed_by_review").Bool(true)
	}
	offered := answer.Status == "APPROVED" && !overturned || answer.Status == "REFERRED" && overturned
	if offered && answer.Offer.LimitPaise != 0 {
		w.Key("offer").Object().Key("limit").Decimal(answer.Offer.LimitPaise, 2)
		w.Key("interest_rate").Decimal(answer.Offer.RateBP, 2)
		optional(w, "valid_until", answer.ValidUntil)
		w.EndObject()
	}
	var messages []string
	for _, r := range answer.Reasons {
		if !slices.Contains(messages, r.Message) {
			messages = append(messages, r.Message)
		}
	}
	w.Key("reasons")
	writeStrings(w, messages)
	if len(d.InputsErased) > 0 {
		w.Key("inputs_erased")
		writeStrings(w, d.InputsErased)
	}
	w.EndObject()
}
