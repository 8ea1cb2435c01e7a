package httpapi

import (
	"context"
	"strconv"

	"verdict/internal/batchdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// decisionHandlers serve deciding, the stored decisions and the usage of the plan.
type decisionHandlers struct {
	decisions *decisioning.Service
	batches   *batchdesk.Service
}

func (h *decisionHandlers) routes() []route {
	return []route{
		{
			pattern: "POST /v1/evaluate", handle: h.evaluate, bucket: bucketDecide,
			body: required, report: true, once: true,
		},
		{
			pattern: "POST /v1/evaluate/batch", handle: h.evaluateBatch, bucket: bucketDecide,
			body: required, report: true, lines: true, once: true,
		},
		{pattern: "POST /v1/decisions", handle: h.decide, bucket: bucketDecide, body: required, once: true},
		{
			pattern: "POST /v1/decisions/batch", handle: h.decideBatch, bucket: bucketDecide,
			body: required, report: true, lines: true, once: true,
		},
		{pattern: "GET /v1/decisions", handle: h.list, bucket: bucketRead},
		{pattern: "POST /v1/decisions/preview", handle: h.preview, bucket: bucketDecide, body: required, report: true},
		{pattern: "GET /v1/decisions/{id}", handle: h.decision, bucket: bucketRead},
		{pattern: "GET /v1/decisions/{id}/features", handle: h.features, bucket: bucketRead},
		{pattern: "POST /v1/decisions/{id}/review", handle: h.review, bucket: bucketWrite, body: required, once: true},
		{
			pattern: "POST /v1/eligibility", handle: h.eligibility, bucket: bucketDecide,
			body: required, report: true, once: true,
		},
		{pattern: "GET /v1/usage", handle: h.usage, bucket: bucketRead},
	}
}

func (h *decisionHandlers) decide(c *call) error {
	reply := operation.Reply[decisioning.Decided]{Idempotency: c.once}
	decided, err := h.decisions.Decide(c.ctx, c.caller, document.DecisionRequest(c.body, c.strict()), &reply)
	return sendReply(c, &reply, decided, err)
}

func (h *decisionHandlers) evaluate(c *call) error {
	defer c.body.Free() // these documents are large, and nothing reads them after the decision
	reply := operation.Reply[decisioning.Decided]{Idempotency: c.once}
	decided, err := h.decisions.Evaluate(c.ctx, c.caller, document.EvaluateRequest(c.body, c.strict()), &reply)
	return sendReply(c, &reply, decided, err)
}

func (h *decisionHandlers) decideBatch(c *call) error {
	strict := c.strict()
	b := batch{c: c, endpoint: decisioning.EndpointDecisions, jobs: h.batches, decide: func(
		ctx context.Context, body wire.Value, reply *operation.Reply[decisioning.Decided],
	) (decisioning.Decided, error) {
		return h.decisions.Decide(ctx, c.caller, document.DecisionRequest(body, strict), reply)
	}}
	return b.answer()
}

func (h *decisionHandlers) evaluateBatch(c *call) error {
	strict := c.strict()
	b := batch{c: c, endpoint: decisioning.EndpointEvaluate, jobs: h.batches, decide: func(
		ctx context.Context, body wire.Value, reply *operation.Reply[decisioning.Decided],
	) (decisioning.Decided, error) {
		return h.decisions.Evaluate(ctx, c.caller, document.EvaluateRequest(body, strict), reply)
	}}
	return b.answer()
}

func (h *decisionHandlers) features(c *call) error {
	q := c.query()
	filter := decisioning.FeatureFilter{
		Name:          q.text("name"),
		Prefix:        q.text("prefix"),
		Metric:        q.choice("metric", decisioning.FeatureMetrics()...),
		Product:       q.choice("product", decisioning.FeatureProducts()...),
		Aggregation:   q.choice("aggregation", "count", "sum", "max", "avg", "trend", "ratio"),
		UsedOnly:      q.flag("used_only"),
		PopulatedOnly: q.flag("populated_only"),
		Provenance:    q.flag("provenance"),
	}
	if window := q.choice("window", "7", "30", "60", "90", "180", "365"); window != "" {
		filter.WindowDays, _ = strconv.Atoi(window)
	}
	list := q.page()
	if err := q.err(); err != nil {
		return err
	}
	vector, err := h.decisions.Features(c.ctx, c.caller, c.id, filter, list)
	return sendValue(c, vector, err, document.WriteFeatures)
}

func (h *decisionHandlers) preview(c *call) error {
	strict := c.strict()
	request, err := readAs(c, tenant.Decide, document.ReadWhatIf)
	if err != nil {
		return err
	}
	request.Request.Strict = strict
	previewed, err := h.decisions.Preview(c.ctx, c.caller, request)
	if err != nil {
		return err
	}
	answer, err := document.EncodePreviewed(previewed)
	if err != nil {
		return err
	}
	return c.response.sendAnswer(c.ctx, answer)
}

func (h *decisionHandlers) eligibility(c *call) error {
	reply := &operation.Reply[*decisioning.Eligibility]{Idempotency: c.once, Encode: document.EncodeEligibility}
	found, err := h.decisions.Eligibility(c.ctx, c.caller, document.EitherRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, found, err)
}

func (h *decisionHandlers) decision(c *call) error {
	q := c.query()
	var options []decisioning.Option
	if q.choice("include", "facts") != "" {
		options = append(options, decisioning.WithFacts)
	}
	if err := q.err(); err != nil {
		return err
	}
	explained, err := h.decisions.Decision(c.ctx, c.caller, c.id, options...)
	return sendValue(c, explained, err, document.WriteExplained)
}

func (h *decisionHandlers) list(c *call) error {
	q := c.query()
	filter := decisioning.DecisionFilter{
		Status:      q.choice("status", "APPROVED", "REFERRED", "DECLINED"),
		Grade:       q.text("grade"),
		ApplicantID: q.text("applicant_id"),
		PolicyKey:   q.text("policy_key"),
		RuleSetID:   q.text("rule_set_id"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.decisions.Decisions(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteDecisionSummary)
}

func (h *decisionHandlers) review(c *call) error {
	review, err := readAs(c, tenant.Decide, document.ReadReview)
	if err != nil {
		return err
	}
	reply := &operation.Reply[decisioning.Review]{Idempotency: c.once, Encode: document.EncodeReview}
	added, err := h.decisions.Reviews.Add(c.ctx, c.caller, c.id, review, reply)
	return sendReply(c, reply, added, err)
}

func (h *decisionHandlers) usage(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	usage, err := h.decisions.Usage.Current(c.ctx, c.caller)
	return sendValue(c, usage, err, document.WriteUsage)
}
