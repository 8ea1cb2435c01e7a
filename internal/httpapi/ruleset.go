package httpapi

import (
	"context"
	"net/http"

	"verdict/internal/document"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
)

func (a *API) createRuleSet(c *call) error {
	draft, err := readAs(c, tenant.PolicyWrite, document.ReadDraft)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.RuleSet]{Once: c.once, Encode: document.EncodeCreatedRuleSet}
	set, err := a.service.Policies.CreateRuleSet(c.ctx, c.caller, draft, reply)
	return sendReply(c, reply, set, err)
}

func (a *API) ruleSet(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	set, err := a.service.Policies.RuleSet(c.ctx, c.caller, c.id)
	return sendValue(c, set, err, document.WriteRuleSet)
}

func (a *API) ruleSets(c *call) error {
	q := c.query()
	filter := policydesk.RuleSetFilter{Status: q.choice("status", "draft", "active", "retired"), PolicyKey: q.text("policy_key")}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Policies.RuleSets(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.WriteRuleSet)
}

func (a *API) deleteRuleSet(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	if _, err := a.service.Policies.DeleteRuleSet(c.ctx, c.caller, c.id); err != nil {
		return err
	}
	c.status = http.StatusNoContent
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *API) activate(c *call) error {
	ask, err := readAs(c, tenant.PolicyActivate, document.ReadActivation)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.RuleSet]{Once: c.once, Encode: document.EncodeRuleSet}
	set, err := a.service.Policies.Activate(c.ctx, c.caller, c.id, ask, reply)
	return sendReply(c, reply, set, err)
}

// maxStatsDays is as far back as statistics can be asked for.
const maxStatsDays = 90

func (a *API) policies(c *call) error {
	q := c.query()
	filter := policydesk.PolicyFilter{PolicyKey: q.text("policy_key"), StatsDays: q.days("stats", maxStatsDays)}
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Policies.Policies(c.ctx, c.caller, filter, list)
	return sendPage(c, page, err, document.PolicyWriter(c.pacer()))
}

// scorecard creates a scorecard, which is a write of configuration, or scores
// with one.
func (a *API) scorecard(c *call) error {
	if document.Scores(c.body) {
		return a.score(c)
	}
	if err := c.take(bucketWrite); err != nil {
		return err
	}
	card, err := readAs(c, tenant.PolicyWrite, document.ReadScorecard)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.Scorecard]{Once: c.once, Encode: document.EncodeScorecard}
	stored, err := a.service.Policies.CreateScorecard(c.ctx, c.caller, card, reply)
	return sendReply(c, reply, stored, err)
}

func (a *API) score(c *call) error {
	ask, err := readAs(c, tenant.Decide, document.ReadScoring)
	if err != nil {
		return err
	}
	reply := &operation.Reply[policydesk.Scores]{Once: c.once, Encode: document.EncodeScores}
	scores, err := a.service.Policies.Score(c.ctx, c.caller, ask, reply)
	return sendReply(c, reply, scores, err)
}

// fitScorecard makes a scorecard from rows, which takes longer than a request
// usually may.
func (a *API) fitScorecard(c *call) error {
	ctx, cancel := context.WithTimeout(c.r.Context(), rowsPatience)
	defer cancel()
	request, err := readAs(c, tenant.PolicyWrite, document.ReadFit)
	if err != nil {
		return err
	}
	reply := &operation.Reply[study.Fitted]{Once: c.once, Encode: document.EncodeFitted}
	fitted, err := a.service.Fitting.Fit(ctx, c.caller, request, reply)
	return sendReply(c, reply, fitted, err)
}

func (a *API) scorecards(c *call) error {
	q := c.query()
	name := q.text("name")
	list := q.list()
	if err := q.err(); err != nil {
		return err
	}
	page, err := a.service.Policies.Scorecards(c.ctx, c.caller, name, list)
	return sendPage(c, page, err, document.WriteScorecard)
}
