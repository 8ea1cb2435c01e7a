package decisioning

import (
	"context"
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Review is what a person said of a decision. It is added beside it and never
// changes it.
type Review store.Review

// The outcomes of a review.
var reviewOutcomes = []string{"upheld", "overturned", store.OutcomeAsks}

// Bounds on what a review holds, in bytes.
const (
	maxReasonCode = 64
	maxNote       = 2_000
)

// ReviewDecision adds a review to a decision.
func (s *Service) ReviewDecision(ctx context.Context, p tenant.Principal, decisionID string, body wire.Value, o *Once) (Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Answer{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return Answer{}, missing("decision")
	}
	review, err := readReview(body)
	if err != nil {
		return Answer{}, err
	}
	now := s.moment()
	review.ID, review.DecisionID = s.ids.New(tenant.KindReview, now), decisionID
	review.CreatedMicros, review.Actor = now.UnixMicro(), actor(p)
	return s.write(ctx, s.scope(p), o, func(tx *store.Tx) (Answer, error) {
		if err := tx.InsertReview(store.Review(review)); err != nil {
			return Answer{}, err
		}
		if err := tx.Audit(s.audit(p, now, actionReviewed, decisionID, review.Outcome)); err != nil {
			return Answer{}, err
		}
		var w wire.Writer
		review.Write(&w)
		return Answer{Status: statusCreated, Location: "/v1/decisions/" + decisionID, Body: w.Buf}, nil
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
	if note, ok := f.Text("note", maxNote); ok {
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
	optional(w, "reason_code", r.ReasonCode)
	optional(w, "note", r.Note)
	w.Key("actor").String(r.Actor).Key("created_at").String(clock(r.CreatedMicros)).EndObject()
}
