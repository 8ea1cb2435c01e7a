package httpapi

import (
	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// agentHandlers serve the agents, their stored runs and the collections strategy.
type agentHandlers struct {
	agents *agent.Service
	runs   *agentdesk.Service
}

func (h *agentHandlers) routes() []route {
	return []route{
		{
			pattern: "POST /v1/agents/underwrite", handle: h.underwrite, bucket: bucketDecide,
			body: required, report: true, once: true,
		},
		{
			pattern: "POST /v1/agents/collections", handle: h.collect, bucket: bucketDecide,
			body: required, once: true,
		},
		{pattern: "GET /v1/agents/collections/strategy", handle: h.strategy, bucket: bucketRead},
		{
			pattern: "PUT /v1/agents/collections/strategy", handle: h.changeStrategy, bucket: bucketWrite,
			body: required,
		},
		{pattern: "GET /v1/agents/runs", handle: h.agentRuns, bucket: bucketRead},
		{pattern: "GET /v1/agents/runs/{id}", handle: h.agentRun, bucket: bucketRead},
	}
}

func (h *agentHandlers) underwrite(c *call) error {
	reply := &operation.Reply[decisioning.Underwritten]{Idempotency: c.once}
	run, err := h.agents.Underwrite(c.ctx, c.caller, document.UnderwriteRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, run, err)
}

func (h *agentHandlers) collect(c *call) error {
	reply := &operation.Reply[agentdesk.Run]{Idempotency: c.once}
	run, err := h.agents.Collect(c.ctx, c.caller, document.CollectRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, run, err)
}

func (h *agentHandlers) agentRun(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	run, err := h.agents.Run(c.ctx, c.caller, c.id)
	return sendValue(c, run, err, document.WriteRun)
}

func (h *agentHandlers) agentRuns(c *call) error {
	q := c.query()
	filter := agentdesk.RunFilter{
		Agent:      q.choice("agent", decisioning.AgentUnderwriting, agentdesk.AgentCollections),
		Outcome:    q.text("outcome"),
		SubjectRef: q.text("subject_ref"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.runs.AgentRuns(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteRunSummary)
}

func (h *agentHandlers) strategy(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	strategy, err := h.runs.CollectionsStrategy(c.ctx, c.caller)
	return sendVersioned(c, strategy, strategy.Version, err, document.WriteStrategy)
}

func (h *agentHandlers) changeStrategy(c *call) error {
	expected, err := expectedVersion(c.r)
	if err != nil {
		return err
	}
	change, err := readAs(c, tenant.PolicyWrite, document.ReadStrategyPatch)
	if err != nil {
		return err
	}
	strategy, err := h.runs.ChangeCollectionsStrategy(c.ctx, c.caller, change, expected)
	return sendVersioned(c, strategy, strategy.Version, err, document.WriteStrategy)
}
