package httpapi

import (
	"time"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// ruleSetHandlers serve rule sets from draft to retired, and the list of active and draft policies.
type ruleSetHandlers struct {
	policies    *policydesk.Service
	comparisons *study.Comparisons
	now         func() time.Time
}

func (h *ruleSetHandlers) routes() []route {
	return []route{
		{pattern: "GET /v1/policies", handle: h.listPolicies, bucket: bucketRead},
		{pattern: "GET /v1/rule-sets", handle: h.ruleSets, bucket: bucketRead},
		{pattern: "POST /v1/rule-sets", handle: h.createRuleSet, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/rule-sets/{id}", handle: h.ruleSet, bucket: bucketRead},
		{pattern: "DELETE /v1/rule-sets/{id}", handle: h.deleteRuleSet, bucket: bucketWrite},
		{pattern: "POST /v1/rule-sets/{id}/diff", handle: h.diff, bucket: bucketBacktest, body: optional},
		{
			pattern: "POST /v1/rule-sets/{id}/activate", handle: h.activate, bucket: bucketWrite,
			body: optional, once: true,
		},
	}
}

func (h *ruleSetHandlers) createRuleSet(c *call) error {
	draft, err := readAs(c, tenant.PolicyWrite, document.ReadDraft)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.RuleSet]{Idempotency: c.once, Encode: document.EncodeCreatedRuleSet}
	set, err := h.policies.CreateRuleSet(c.ctx, c.caller, draft, reply)
	return sendReply(c, reply, set, err)
}

func (h *ruleSetHandlers) ruleSet(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	set, err := h.policies.RuleSet(c.ctx, c.caller, c.id)
	return sendValue(c, set, err, document.WriteRuleSet)
}

func (h *ruleSetHandlers) ruleSets(c *call) error {
	q := c.query()
	filter := policydesk.RuleSetFilter{
		Status:    q.choice("status", "draft", "active", "retired"),
		PolicyKey: q.text("policy_key"),
	}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.policies.RuleSets(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteRuleSet)
}

func (h *ruleSetHandlers) deleteRuleSet(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	if _, err := h.policies.DeleteRuleSet(c.ctx, c.caller, c.id); err != nil {
		return err
	}
	return c.response.sendNoContent()
}

func (h *ruleSetHandlers) diff(c *call) error {
	request, err := readAs(c, tenant.Read, func(body wire.Value) (study.DiffRequest, error) {
		return document.ReadComparison(body, h.now())
	})
	if err != nil {
		return err
	}
	difference, err := h.comparisons.Diff(c.ctx, c.caller, c.id, request)
	return sendValue(c, difference, err, document.WriteDifference)
}

func (h *ruleSetHandlers) activate(c *call) error {
	request, err := readAs(c, tenant.PolicyActivate, document.ReadActivation)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.RuleSet]{Idempotency: c.once, Encode: document.EncodeRuleSet}
	set, err := h.policies.Activate(c.ctx, c.caller, c.id, request, reply)
	return sendReply(c, reply, set, err)
}

// maxStatsDays is the maximum number of days for the statistics of rules.
const maxStatsDays = 90

func (h *ruleSetHandlers) listPolicies(c *call) error {
	q := c.query()
	filter := policydesk.PolicyFilter{PolicyKey: q.text("policy_key"), StatsDays: q.days("stats", maxStatsDays)}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := h.policies.Policies(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.PolicyWriter(c.pacer()))
}
