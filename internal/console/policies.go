package console

import (
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

func (c *Console) policyPages() []page {
	return []page{
		{pattern: "GET /console/{env}/policies", handle: c.policies, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/compare", handle: c.comparePolicies, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/fields", handle: c.findFields, scope: tenant.Read},
		{pattern: "POST /console/{env}/policies/condition", handle: c.checkCondition, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/policies/{id}", handle: c.policy, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/{id}/edit", handle: c.editor, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/policies/{id}/edit", handle: c.edit, resume: c.resumeEdit, scope: tenant.PolicyWrite},
		{pattern: "GET /console/{env}/policies/{id}/try", handle: c.sample, scope: tenant.Decide},
		{pattern: "POST /console/{env}/policies/{id}/try", handle: c.trySample, scope: tenant.Decide},
		{pattern: "GET /console/{env}/policies/{id}/impact", handle: c.impact, scope: tenant.Read},
		{pattern: "POST /console/{env}/policies/{id}/impact", handle: c.runImpact, scope: tenant.Decide},
		{pattern: "POST /console/{env}/policies/{id}/activate", handle: c.activatePolicy, scope: tenant.PolicyActivate},
		{pattern: "POST /console/{env}/policies/{id}/delete", handle: c.deletePolicy, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/policies/{id}/promote", handle: c.promotePolicy, scope: tenant.PolicyWrite},
	}
}

// policySeries is the versions of one policy_key, the newest first, as far as
// they are on the page.
type policySeries struct {
	Key  string
	Sets []policydesk.RuleSet
}

func (c *Console) policies(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := c.service.Policies.RuleSets(v.ctx, v.caller(),
		policydesk.RuleSetFilter{Status: filters.Value("status"), PolicyKey: filters.Value("policy_key")}, list)
	if err != nil {
		return err
	}
	active, err := c.service.Policies.RuleSets(v.ctx, v.caller(), policydesk.RuleSetFilter{Status: "active"}, operation.List{Limit: perPage})
	if err != nil {
		return err
	}
	names, err := c.names(v)
	if err != nil {
		return err
	}
	return v.render("policies", "Policies", struct {
		Filters *form
		Active  []policydesk.RuleSet
		Series  []policySeries
		Names   map[string]string
		Pager   pager
	}{filters, active.Data, seriesOf(page.Data), names, v.pager(page.NextCursor)})
}

// seriesOf groups versions by their policy_key, in the order in which the keys
// first turn up.
func seriesOf(sets []policydesk.RuleSet) []policySeries {
	var list []policySeries
	at := map[string]int{}
	for _, set := range sets {
		i, known := at[set.PolicyKey]
		if !known {
			i = len(list)
			at[set.PolicyKey] = i
			list = append(list, policySeries{Key: set.PolicyKey})
		}
		list[i].Sets = append(list[i].Sets, set)
	}
	return list
}

// activeOf is the version that decides for a policy_key; nil when none does.
func (c *Console) activeOf(v *visit, key string) (*policydesk.RuleSet, error) {
	page, err := c.service.Policies.RuleSets(v.ctx, v.caller(),
		policydesk.RuleSetFilter{Status: "active", PolicyKey: key}, operation.List{Limit: 1})
	if err != nil || len(page.Data) == 0 {
		return nil, err
	}
	return &page.Data[0], nil
}
