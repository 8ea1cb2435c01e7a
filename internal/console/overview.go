package console

import (
	"time"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
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

// overviewData is the data of the overview. Each query reads at most one page of rows, and no
// query counts a whole table.
type overviewData struct {
	Today     int64 // today's decisions, from the usage counters
	Mix       chart.Share
	MixOf     int
	Referrals []decisioning.Referral
	MoreRefer bool
	Alerts    []frauddesk.Alert
	MoreAlert bool
	Active    []policydesk.RuleSet
	Recent    []decisioning.DecisionSummary
	Usage     usageFigures
	Deciding  bool // whether a policy is active
	Disabled  int  // webhooks that were disabled
}

const (
	overviewRows = 8
	mixRows      = operation.MaxLimit
)

func (p *overviewPages) overview(v *visit) error {
	var d overviewData
	who := v.caller()
	recent, err := p.decisions.Decisions(v.ctx, who, decisioning.DecisionFilter{}, operation.List{Limit: mixRows})
	if err != nil {
		return err
	}

	referred, err := p.decisions.Referrals(v.ctx, who, operation.List{Limit: overviewRows})
	if err != nil {
		return err
	}

	open := frauddesk.AlertFilter{Status: "open"}
	alerts, err := p.fraud.Alerts(v.ctx, who, open, operation.List{Limit: overviewRows})
	if err != nil {
		return err
	}

	deciding := policydesk.RuleSetFilter{Status: "active"}
	active, err := p.policies.RuleSets(v.ctx, who, deciding, operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	usage, err := p.decisions.Usage(v.ctx, who)
	if err != nil {
		return err
	}

	if d.Disabled, err = disabledWebhooks(v, p.webhooks); err != nil {
		return err
	}

	d.Mix, d.MixOf = mixOf(recent.Data), len(recent.Data)
	d.Recent = recent.Data[:min(len(recent.Data), overviewRows)]
	d.Referrals, d.MoreRefer = referred.Data, referred.NextCursor != ""
	d.Alerts, d.MoreAlert = alerts.Data, alerts.NextCursor != ""
	d.Active, d.Deciding = active.Data, len(active.Data) > 0
	d.Usage = figuresOf(usage)
	d.Today = decidedOn(usage, tenant.BusinessDay(p.now()))
	return v.render("overview", "Overview", d)
}

// mixOf counts the outcomes of decisions, for a chart.
func mixOf(rows []decisioning.DecisionSummary) chart.Share {
	var approved, referred, declined float64
	for _, r := range rows {
		switch r.Status {
		case "APPROVED":
			approved++
		case "REFERRED":
			referred++
		default:
			declined++
		}
	}
	return chart.Share{
		Head: chart.Head{
			ID:          "mix",
			Title:       "Outcomes of the newest decisions",
			Description: "Of the last " + grouped(itoa(len(rows))) + ".",
		},
		Unit: chart.Count,
		Slices: []chart.Slice{
			{
				Name:  "Approved",
				Tone:  chart.Teal,
				Value: approved,
			}, {
				Name:  "Referred",
				Tone:  chart.Orange,
				Value: referred,
			},
			{Name: "Declined", Tone: chart.Grey, Value: declined},
		},
	}
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
