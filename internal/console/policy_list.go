package console

import (
	"verdict/internal/account"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// policyPages serves the policies: the list, one version, the comparison of two versions,
// activation, promotion to live, and deletion.
type policyPages struct {
	policies *policydesk.Service
	edits    *policydesk.Edits
	accounts *account.People
	versions policyVersions
	people   directory
}

func (p *policyPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/policies", handle: p.list, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/compare", handle: p.comparePolicies, scope: tenant.Read},
		{pattern: "GET /console/{env}/policies/{id}", handle: p.policy, scope: tenant.Read},
		{pattern: "POST /console/{env}/policies/{id}/activate", handle: p.activatePolicy, scope: tenant.PolicyActivate},
		{pattern: "POST /console/{env}/policies/{id}/delete", handle: p.deletePolicy, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/policies/{id}/promote", handle: p.promotePolicy, scope: tenant.PolicyWrite},
	}
}

// policySeries holds the listed versions of one policy_key, newest first.
type policySeries struct {
	Key  string
	Sets []policydesk.RuleSet
}

func (p *policyPages) list(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.policies.RuleSets(v.ctx, v.caller(),
		policydesk.RuleSetFilter{Status: filters.Value("status"), PolicyKey: filters.Value("policy_key")}, list)
	if err != nil {
		return err
	}

	deciding := policydesk.RuleSetFilter{Status: "active"}
	active, err := p.policies.RuleSets(v.ctx, v.caller(), deciding, operation.List{Limit: perPage})
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	return v.render("policies", "Policies", struct {
		Filters *form
		Active  []policydesk.RuleSet
		Series  []policySeries
		Names   map[string]string
		Pager   pager
	}{
		Filters: filters,
		Active:  active.Data,
		Series:  seriesOf(page.Data),
		Names:   names,
		Pager:   v.pager(page.NextCursor),
	})
}

// seriesOf groups versions by their policy_key, in the order in which the keys first appear.
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
