package console

import (
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/webhookdesk"
)

// overviewPages serves the start page of the console, which redirects to an environment, and
// the overview of an environment.
type overviewPages struct {
	decisions *decisioning.Service
	policies  *policydesk.Service
	fraud     *frauddesk.Service
	webhooks  *webhookdesk.Service
	backtests *study.Backtests
	now       func() time.Time
}

func (p *overviewPages) routes() []page {
	return []page{
		{pattern: "GET /console", handle: p.home},
		{pattern: "GET /console/{$}", handle: p.home},
		{pattern: "GET /console/{env}", handle: p.overview, scope: tenant.Read},
	}
}

// home redirects to live if a policy is active there, else to the sandbox.
func (p *overviewPages) home(v *visit) error {
	active := policydesk.RuleSetFilter{Status: "active"}
	live, err := p.policies.RuleSets(v.ctx, v.as(tenant.Live), active, operation.List{Limit: 1})
	if err != nil {
		return err
	}
	if len(live.Data) > 0 {
		return v.redirect(atEnvironment(tenant.Live, ""))
	}

	return v.redirect(atEnvironment(tenant.Sandbox, ""))
}

// overviewData is the data of the overview. Each query reads at most one page of rows or counters, and no query counts
// decisions.
type overviewData struct {
	Today     int64 // today's decisions, from the usage counters
	Measures  measures
	Quiet     []policydesk.QuietRule
	QuietDays int
	Referrals []decisioning.Referral
	MoreRefer bool
	Alerts    []frauddesk.Alert
	MoreAlert bool
	Active    []policydesk.RuleSet
	Recent    []decisioning.DecisionSummary
	Usage     usageFigures
	Deciding  bool // whether a policy is active
	Disabled  int  // webhooks that were disabled
	Steps     []firstStep
}

const (
	overviewRows = 8
	// quietDays is the minimum number of days over which the overview looks for rules that have stopped hitting. Hits
	// are counted by day, so a range of hours is too short.
	quietDays = 7
)

func (p *overviewPages) overview(v *visit) error {
	var d overviewData
	if err := p.work(v, &d); err != nil {
		return err
	}
	who, shown := v.caller(), timeRangeOf(v)
	counted, err := p.decisions.Statistics.In(v.ctx, who, shown.of)
	if err != nil {
		return err
	}
	d.Measures = measuresOf(shown, &counted)
	d.QuietDays = max(shown.of.Days(), quietDays)
	if d.Quiet, err = p.policies.QuietRules(v.ctx, who, d.Active, d.QuietDays); err != nil {
		return err
	}

	usage, err := p.decisions.Usage.Current(v.ctx, who)
	if err != nil {
		return err
	}
	d.Usage = figuresOf(usage)
	d.Today = decidedOn(usage, tenant.BusinessDay(p.now()))

	if d.Disabled, err = disabledWebhooks(v, p.webhooks); err != nil {
		return err
	}
	if d.Steps, err = p.firstSteps(v); err != nil {
		return err
	}
	return v.render("overview", "Overview", d)
}

// work reads the open referrals and alerts, the active policies and the latest decisions.
func (p *overviewPages) work(v *visit, d *overviewData) error {
	who := v.caller()
	recent, err := p.decisions.Decisions(v.ctx, who, decisioning.DecisionFilter{}, operation.List{Limit: overviewRows})
	if err != nil {
		return err
	}

	referred, err := p.decisions.Reviews.Referrals(v.ctx, who, operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	open := frauddesk.AlertFilter{Status: "open"}
	alerts, err := p.fraud.Alerts(v.ctx, who, open, operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	deciding := policydesk.RuleSetFilter{Status: "active"}
	active, err := p.policies.RuleSets(v.ctx, who, deciding, operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	d.Recent = recent.Data
	d.Referrals, d.MoreRefer = referred.Data, referred.NextCursor != ""
	d.Alerts, d.MoreAlert = alerts.Data, alerts.NextCursor != ""
	d.Active, d.Deciding = active.Data, len(active.Data) > 0
	return nil
}

// decidedOn returns the number of decisions that the usage counters have for a day.
func decidedOn(u decisioning.Usage, day string) int64 {
	var n int64
	for _, c := range u.Counts {
		switch c.Endpoint {
		case decisioning.EndpointDecisions, decisioning.EndpointEvaluate, decisioning.EndpointUnderwrite:
			if c.Day == day {
				n += c.Units
			}
		}
	}
	return n
}
