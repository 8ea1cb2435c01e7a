package decisioning

import (
	"context"
	"slices"

	"verdict/internal/exposure"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// ReviewDesk lists the decisions that wait for a person, and stores the reviews of these decisions.
type ReviewDesk struct {
	core   *operation.Core
	decode func(answer []byte) (Answered, error) // Options.Decode
}

// Review is a person's judgement of a decision. It is stored in addition to the decision
// and never changes it.
type Review struct {
	ID            string
	DecisionID    string
	CreatedMicros int64
	Actor         string
	Outcome       string
	ReasonCode    string
	Note          string
}

// OutcomeAsks is the outcome of a review that asks for more information. The decision
// then still waits for a final review.
const OutcomeAsks = store.OutcomeAsks

// Overturned is the outcome of a review that decides differently from the engine.
const Overturned = "overturned"

// StatusAfterReview returns the status of the decision after its last final review. The argument is the status that the
// engine has decided.
func (e *Explained) StatusAfterReview(status string) string {
	for _, r := range slices.Backward(e.Reviews) {
		if r.Outcome != OutcomeAsks {
			return exposure.StatusAfter(status, r.Outcome)
		}
	}
	return status
}

// ReviewOutcomes returns the outcomes of a review.
func ReviewOutcomes() []string { return []string{"upheld", Overturned, OutcomeAsks} }

// The texts of refusals about an outcome and a reason code.
const (
	ReviewOutcomeChoices = "upheld, overturned or more_information"
	ReasonCodeForm       = "must be capitals, digits and _, and begin with a capital"
)

// maxReasonCode limits the reason code of a review, in bytes.
const maxReasonCode = 64

// NewReview is a review to be added to a decision.
type NewReview struct {
	Outcome    string
	ReasonCode string // "" for none
	Note       string // "" for none
}

// Check adds the faults of the review to faults.
func (n NewReview) Check(faults *fault.List) {
	c := faults.Check("")
	if c.Require("outcome", n.Outcome != "", ReviewOutcomeChoices) {
		c.Choice("outcome", n.Outcome, ReviewOutcomes()...)
	}
	c.Text("reason_code", n.ReasonCode, maxReasonCode)
	if n.ReasonCode != "" && !isReasonCode(n.ReasonCode) {
		c.Fail("reason_code", fault.CodeInvalidField, "%s", ReasonCodeForm)
	}
	c.Text("note", n.Note, operation.MaxNote)
}

func isReasonCode(s string) bool {
	return s[0] >= 'A' && s[0] <= 'Z' && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_'
	})
}

// Add adds a review to a decision. It returns NotFound if there is no such
// decision.
func (d *ReviewDesk) Add(
	ctx context.Context, p tenant.Principal, decisionID string, n NewReview, r *operation.Reply[Review],
) (Review, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Review{}, err
	}
	if !tenant.Valid(tenant.KindDecision, decisionID) {
		return Review{}, fault.Missing("decision")
	}
	var faults fault.List
	n.Check(&faults)
	if err := faults.Err(); err != nil {
		return Review{}, err
	}

	now := d.core.Moment()
	review := Review{
		ID:            d.core.IDs.New(tenant.KindReview, now),
		DecisionID:    decisionID,
		CreatedMicros: now.UnixMicro(),
		Actor:         operation.Actor(p),
		Outcome:       n.Outcome,
		ReasonCode:    n.ReasonCode,
		Note:          n.Note,
	}
	return operation.Write(ctx, d.core, d.core.Scope(p), r, func(tx *store.Tx) (Review, error) {
		if err := tx.Decisions().AddReview(store.Review(review)); err != nil {
			return Review{}, err
		}
		return review, tx.Audit().Add(d.core.Audit(p, now, operation.ActionReviewed, decisionID, review.Outcome))
	})
}
