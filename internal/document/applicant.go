package document

import (
	"slices"
	"time"

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
	writeRoles(w, &a)
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
// applicants, without its code, because a code could reveal a fraud check.
func WriteForApplicant(w *wire.Writer, a privacydesk.Applicant) {
	w.Object().Key("applicant_ref").String(a.Ref)
	writeZones(w, a.Zones)
	if a.Erasure != nil {
		w.Key("erasure").Object().Key("state").String(a.Erasure.State)
		w.Key("requested_at").String(operation.Clock(a.Erasure.RequestedMicros)).EndObject()
	}
	writeExposures(w, &a)
	writeRoles(w, &a)
	writeApplicantRuns(w, &a, false)
	w.Key("decision_count").Int(a.DecisionCount).Key("data").Array()
	for _, d := range a.Decisions.Data {
		writeForApplicant(w, d, a.Offers)
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

// writeRoles writes the decisions in which the person is not the primary applicant, if there are any: the outcome, who
// the others are, and the facts about the person.
func writeRoles(w *wire.Writer, a *privacydesk.Applicant) {
	if len(a.Roles) == 0 {
		return
	}
	w.Key("other_role_count").Int(a.RoleCount).Key("other_roles").Array()
	for _, r := range a.Roles {
		w.Object().Key("decision_id").String(r.DecisionID).Key("role").String(r.Role).Key("status").String(r.Status)
		w.Key("created_at").String(operation.Clock(r.CreatedMicros))
		writeReviewed(w, r.Status, r.StatusAfterReview())
		writePeople(w, r.People)
		if r.Facts != nil {
			w.Key("facts")
			r.Facts.Write(w)
		}
		if r.FactsErased {
			w.Key("inputs_erased")
			writeStrings(w, []string{r.Role})
		}
		w.EndObject()
	}
	w.EndArray()
}

// The statuses of a decision.
const (
	approvedStatus = "APPROVED"
	declinedStatus = "DECLINED"
)

// writeReviewed writes the status after a review, if the review has changed it.
func writeReviewed(w *wire.Writer, status, after string) {
	if after != status {
		w.Key("changed_by_review").Bool(true).Key("status_after_review").String(after)
	}
}

// writePeople writes the roles and references of people, if there are any.
func writePeople(w *wire.Writer, people []decisioning.PersonRef) {
	if len(people) == 0 {
		return
	}
	w.Key("people").Array()
	for _, p := range people {
		w.Object().Key("role").String(p.Role).Key("applicant_ref").String(p.Ref).EndObject()
	}
	w.EndArray()
}

// writeApplicantRuns writes the runs of agents and, if outcomes is set, their outcomes.
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

// writeForApplicant writes a decision for the applicant. offers has, by decision id, the validity of the offer and
// the reasons of a decline by a person.
func writeForApplicant(w *wire.Writer, d decisioning.Explained, offers map[string]decisioning.OfferState) {
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
	// An approval that a person has overturned is not an offer. A referral is an offer only if a person has turned it
	// into an approval.
	after := d.StatusAfterReview(answer.Status)
	writeReviewed(w, answer.Status, after)
	state := offers[answer.DecisionID]
	offered := after == approvedStatus && answer.Status != declinedStatus
	if offered && answer.Offer.LimitPaise != 0 {
		w.Key("offer").Object().Key("limit").Decimal(answer.Offer.LimitPaise, 2)
		w.Key("interest_rate").Decimal(answer.Offer.RateBP, 2)
		if !state.ValidUntil.IsZero() {
			w.Key("valid_until").String(state.ValidUntil.Format(time.RFC3339))
		}
		if state.Replaced {
			w.Key("replaced").Bool(true)
		}
		w.EndObject()
	}
	var messages []string
	if after == declinedStatus && answer.Status != declinedStatus { // a person has declined, for other reasons
		messages, answer.Reasons = state.Reasons, nil
	}
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
