package httpapi

import (
	"context"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

// scorecardHandlers serve stored scorecards, scoring, and fitting a scorecard to rows.
type scorecardHandlers struct {
	policies *policydesk.Service
	fitting  *study.Fitting
}

func (h *scorecardHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/scorecards", handle: h.list, bucket: bucketRead},
		{pattern: "POST /v1/scorecards", handle: h.createOrScore, bucket: bucketDecide, body: required, once: true},
		{
			pattern: "POST /v1/scorecards/fit", handle: h.fit, bucket: bucketBacktest,
			body: required, rows: true, once: true,
		},
	}
}

// createOrScore creates a scorecard or scores applicants with a scorecard, depending
// on the body. Creating a scorecard also counts against the rate limit of writes.
func (h *scorecardHandlers) createOrScore(c *call) error {
	if document.Scores(c.body) {
		return h.score(c)
	}
	if err := c.takeToken(bucketWrite); err != nil {
		return err
	}
	card, err := readAs(c, tenant.PolicyWrite, document.ReadScorecard)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.Scorecard]{Idempotency: c.once, Encode: document.EncodeScorecard}
	stored, err := h.policies.CreateScorecard(c.ctx, c.caller, card, reply)
	return sendReply(c, reply, stored, err)
}

func (h *scorecardHandlers) score(c *call) error {
	request, err := readAs(c, tenant.Decide, document.ReadScoring)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.Scores]{Idempotency: c.once, Encode: document.EncodeScores}
	scores, err := h.policies.Score(c.ctx, c.caller, request, reply)
	return sendReply(c, reply, scores, err)
}

// fit fits a scorecard to rows. Fitting takes longer than other requests, so it has
// its own timeout.
func (h *scorecardHandlers) fit(c *call) error {
	ctx, cancel := context.WithTimeout(c.r.Context(), rowsTimeout)
	defer cancel()
	ctx = c.resources.Slot.Extend(ctx)
	request, err := readAs(c, tenant.PolicyWrite, document.ReadFit)
	if err != nil {
		return err
	}
	reply := &operation.Reply[study.Fitted]{Idempotency: c.once, Encode: document.EncodeFitted}
	fitted, err := h.fitting.Fit(ctx, c.caller, request, reply)
	return sendReply(c, reply, fitted, err)
}

func (h *scorecardHandlers) list(c *call) error {
	q := c.query()
	name := q.text("name")
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.policies.Scorecards(c.ctx, c.caller, name, list)
	return sendPage(c, page, err, document.WriteScorecard)
}
