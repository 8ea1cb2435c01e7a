package console

import (
	"fmt"

	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// version is one version of a policy with the data that pages show.
type version struct {
	Set    policydesk.RuleSet
	Doc    wire.Value
	Active *policydesk.RuleSet // active version of the same policy_key; nil for none
}

// Analysed reports whether the static analysis has run. A document that this
// release cannot read as a policy is not analysed and has no findings.
func (s *version) Analysed() bool { return s.Set.Findings != nil }

// Decides reports whether this version is the active one.
func (s *version) Decides() bool { return s.Active != nil && s.Active.ID == s.Set.ID }

// policyVersions looks up versions of policies. The pages of several subjects use
// it.
type policyVersions struct {
	policies *policydesk.Service
}

// find returns the version that the path names.
func (p policyVersions) find(v *visit) (*version, error) {
	set, err := p.policies.RuleSet(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return nil, err
	}

	doc, err := parseStored(set.Document)
	if err != nil {
		return nil, fmt.Errorf("rule set %s: %w", set.ID, err)
	}

	active, err := p.active(v, set.PolicyKey)
	return &version{set, doc, active}, err
}

// active returns the active version of a policy_key, or nil if there is none.
func (p policyVersions) active(v *visit, key string) (*policydesk.RuleSet, error) {
	page, err := p.policies.RuleSets(v.ctx, v.caller(),
		policydesk.RuleSetFilter{Status: "active", PolicyKey: key}, operation.List{Limit: 1})
	if err != nil || len(page.Data) == 0 {
		return nil, err
	}
	return &page.Data[0], nil
}

// policyName is the readable name of a rule set.
type policyName struct{ ID, Name, Status string }

// names returns the newest rule sets, including retired ones, as a map by id and
// as a list.
func (p policyVersions) names(v *visit) (map[string]policyName, []policyName, error) {
	page, err := p.policies.RuleSets(v.ctx, v.caller(), policydesk.RuleSetFilter{}, operation.List{Limit: 2 * perPage})
	if err != nil {
		return nil, nil, err
	}

	names := map[string]policyName{}
	var list []policyName
	for _, r := range page.Data {
		name := policyName{r.ID, fmt.Sprintf("%s, version %d", r.Name, r.Version), r.Status}
		names[r.ID] = name
		list = append(list, name)
	}

	return names, list, nil
}
