package httpapi

import (
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

func (a *API) underwrite(c *call) error {
	reply := &operation.Reply[decisioning.Underwritten]{Once: c.once}
	run, err := a.agents.Underwrite(c.ctx, c.caller, document.UnderwriteRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, run, err)
}

func (a *API) collect(c *call) error {
	reply := &operation.Reply[agentdesk.Run]{Once: c.once}
	run, err := a.agents.Collect(c.ctx, c.caller, document.CollectRequest(c.body, c.strict()), reply)
	return sendReply(c, reply, run, err)
}

func (a *API) agentRun(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	run, err := a.agents.Run(c.ctx, c.caller, c.id)
	return sendValue(c, run, err, document.WriteRun)
}

func (a *API) agentRuns(c *call) error {
	q := c.query()
	filter := agentdesk.RunFilter{
		Agent:   q.choice("agent", decisioning.AgentUnderwriting, agentdesk.AgentCollections),
		Outcome: q.text("outcome"), SubjectRef: q.text("subject_ref"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Agents.AgentRuns(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteRunSummary)
}

func (a *API) strategy(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	strategy, err := a.service.Agents.CollectionsStrategy(c.ctx, c.caller)
	return sendVersioned(c, strategy, strategy.Version, err, document.WriteStrategy)
}

func (a *API) changeStrategy(c *call) error {
	expected, err := c.expectedVersion()
	if err != nil {
		return err
	}
	change, err := readAs(c, tenant.PolicyWrite, document.ReadStrategyPatch)
	if err != nil {
		return err
	}
	strategy, err := a.service.Agents.ChangeCollectionsStrategy(c.ctx, c.caller, change, expected)
	return sendVersioned(c, strategy, strategy.Version, err, document.WriteStrategy)
}
