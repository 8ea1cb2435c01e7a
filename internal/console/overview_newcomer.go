package console

import (
	"slices"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// firstStep is one step of the list for newcomers.
type firstStep struct {
	Title, Text string
	Href, Act   string // address and text of the link to the step; "" if the person's role cannot do it
	Curl        string // a command to try; "" for none
	Done        bool
	Next        bool // the first step that is not done
}

// firstSteps returns the first steps of a new tenant. It returns nil once a policy is active in live.
func (p *overviewPages) firstSteps(v *visit) ([]firstStep, error) {
	live, sandbox := v.as(tenant.Live), v.as(tenant.Sandbox)
	one := operation.List{Limit: 1}
	activated, err := p.policies.RuleSets(v.ctx, live, policydesk.RuleSetFilter{Status: "active"}, one)
	if err != nil || len(activated.Data) > 0 {
		return nil, err
	}
	decided, err := p.decisions.Decisions(v.ctx, sandbox, decisioning.DecisionFilter{}, operation.List{Limit: perPage})
	if err != nil {
		return nil, err
	}
	sets, err := p.policies.RuleSets(v.ctx, sandbox, policydesk.RuleSetFilter{}, operation.List{Limit: perPage})
	if err != nil {
		return nil, err
	}
	runs, err := p.backtests.List(v.ctx, sandbox, "", one)
	if err != nil {
		return nil, err
	}
	called := false
	for i := range decided.Data {
		called = called || strings.HasPrefix(decided.Data[i].Actor, string(tenant.KindKey))
	}
	steps := v.stepsOf(sets.Data, len(decided.Data) > 0, called, len(runs.Data) > 0)
	if next := slices.IndexFunc(steps, func(s firstStep) bool { return !s.Done }); next >= 0 {
		steps[next].Next = true
	}
	return steps, nil
}

// stepsOf returns the steps. sets are the newest versions of policies in the sandbox.
func (v *visit) stepsOf(sets []policydesk.RuleSet, decided, called, measured bool) []firstStep {
	at := func(path string) string { return atEnvironment(tenant.Sandbox, path) }
	newest, edit, measure := at("/policies"), at("/policies"), at("/backtests/new?from=synthetic")
	set, own := ownVersion(sets)
	if set != nil {
		newest = at("/policies/" + set.ID)
		edit = newest + "/edit"
		measure = at("/backtests/new?from=synthetic&champion=" + set.ID)
	}
	may := func(scope tenant.Scopes, step firstStep) firstStep {
		if !v.who.scopes.Has(scope) {
			step.Href, step.Act = "", ""
		}
		return step
	}
	return []firstStep{
		may(tenant.Decide, firstStep{
			Title: "Decide a sample",
			Text:  "Fill in a form or paste JSON. The decision is stored in the sandbox, with its reasons.",
			Href:  at("/decisions/new"), Act: "Decide a sample", Done: decided,
		}),
		may(tenant.Admin, firstStep{
			Title: "Call the API",
			Text:  "You need an API key. Set it as VERDICT_KEY in your shell, and send a request to this address.",
			Href:  at("/keys/new"), Act: "Make a key", Curl: curlWithVariable(v.base()), Done: called,
		}),
		may(tenant.PolicyWrite, firstStep{
			Title: "Edit the policy",
			Text:  "Change a limit or a price. Each change shows its effect on recent applications.",
			Href:  edit, Act: "Edit the policy", Done: own,
		}),
		may(tenant.Decide, firstStep{
			Title: "Backtest it",
			Text:  "Run your version on a synthetic book, or on a CSV file of past applications.",
			Href:  measure, Act: "Backtest", Done: measured,
		}),
		may(tenant.PolicyWrite, firstStep{
			Title: "Go live",
			Text:  "Promote the version to live as a draft, and activate it there.",
			Href:  newest + "#activate", Act: "Open the version",
		}),
	}
}

// ownVersion returns the newest version that a person has made, and true. If no person has made a version, it returns
// false and the active version that the service has made, or false and nil if there is no active version.
func ownVersion(sets []policydesk.RuleSet) (found *policydesk.RuleSet, own bool) {
	for i := range sets {
		switch set := &sets[i]; {
		case set.CreatedBy != operation.ActorSystem:
			return set, true
		case found == nil && set.Status == "active":
			found = set
		}
	}
	return found, false
}
