package decisioning

import (
	"context"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Review is what a person said of a decision. It is added beside it and never
// changes it.
type Review store.Review

// The outcomes of a review.
var reviewOutcomes = []string{"upheld", "overturned", store.OutcomeAsks}

// maxReasonCode bounds the code of a review's reason, in bytes.
const maxReasonCode = 64

// ReviewDecision adds a review to a decision.
func (s *Service) ReviewDecision(ctx context.Context, p tenant.Principal, decisionID string, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return operation.Answer{}, operation.Missing("decision")
	}
	review, err := readReview(body)
	if err != nil {
		return operation.Answer{}, err
	}
	now := s.core.Moment()
	review.ID, review.DecisionID = s.core.IDs.New(tenant.KindReview, now), decisionID
	review.CreatedMicros, review.Actor = now.UnixMicro(), operation.Actor(p)
	return s.core.Write(ctx, s.core.Scope(p), o, func(tx *store.Tx) (operation.Answer, error) {
		if err := tx.Decisions().AddReview(store.Review(review)); err != nil {
			return operation.Answer{}, err
		}
		if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionReviewed, decisionID, review.Outcome)); err != nil {
			return operation.Answer{}, err
		}
		var w wire.Writer
		review.Write(&w)
		return operation.Answer{Status: operation.StatusCreated, Location: "/v1/decisions/" + decisionID, Body: w.Buf}, nil
	})
}

func readReview(body wire.Value) (Review, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	var r Review
	if f.Require("outcome", "upheld, overturned or more_information") {
		if at := f.Choice("outcome", -1, reviewOutcomes...); at >= 0 {
			r.Outcome = reviewOutcomes[at]
		}
	}
	if code, ok := f.Text("reason_code", maxReasonCode); ok {
		if r.ReasonCode = strings.Clone(code); !isReasonCode(code) {
			f.Fail("reason_code", fault.CodeInvalidField, "must be capitals, digits and _, and begin with a capital")
		}
	}
	if note, ok := f.Text("note", operation.MaxNote); ok {
		r.Note = strings.Clone(note)
	}
	f.Done()
	return r, faults.Err()
}

func isReasonCode(s string) bool {
	return s != "" && s[0] >= 'A' && s[0] <= 'Z' && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}

// Write writes the review.
func (r Review) Write(w *wire.Writer) {
	w.Object().Key("id").String(r.ID).Key("decision_id").String(r.DecisionID).Key("outcome").String(r.Outcome)
	operation.Optional(w, "reason_code", r.ReasonCode)
	operation.Optional(w, "note", r.Note)
	w.Key("actor").String(r.Actor).Key("created_at").String(operation.Clock(r.CreatedMicros)).EndObject()
}
