package console

import (
	"slices"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
)

// searchPages serves the search box that every page of an environment has.
type searchPages struct {
	decisions *decisioning.Service
	policies  *policydesk.Service
	fraud     *frauddesk.Service
}

func (p *searchPages) routes() []page {
	return []page{{pattern: "GET /console/{env}" + searchPath, handle: p.search, scope: tenant.Read}}
}

// searchPath is the path of the page with the results, below the environment.
const searchPath = "/search"

// The limits of a search. Decisions are found with an index. Policies and alerts are searched only among the newest
// ones.
const (
	searchRows     = 10
	searchPolicies = 50
	searchAlerts   = operation.MaxLimit
	longestSearch  = 200 // bytes
)

// foundRule is a rule of a policy that was found.
type foundRule struct {
	ID, Code, Condition, Kind string
	Policy                    *policydesk.PolicyView
}

// searchData is the data of the page with the results.
type searchData struct {
	Text      string
	Decisions []decisioning.DecisionRow
	More      string // address of all decisions that were found; "" if the page has them all
	Policies  []policydesk.PolicyView
	Rules     []foundRule
	Alerts    []frauddesk.Alert
}

// Found reports whether anything was found.
func (d *searchData) Found() bool {
	return len(d.Decisions)+len(d.Policies)+len(d.Rules)+len(d.Alerts) > 0
}

// search renders what a text finds: decisions and applicants by the beginning of their id or reference, policies and
// rules by a part of their name or id, alerts by an applicant's reference or a part of their type. If the text is the
// id of an object that has a page, search redirects to that page.
func (p *searchPages) search(v *visit) error {
	text := v.filters().Value("q")
	if len(text) > longestSearch {
		text = strings.ToValidUTF8(text[:longestSearch], "")
	}
	for kind, path := range detailPaths {
		if tenant.Valid(kind, text) {
			return v.redirect(v.at(path + text))
		}
	}
	data := &searchData{Text: text}
	if text != "" {
		for _, find := range []func(*visit, *searchData) error{p.findDecisions, p.findPolicies, p.findAlerts} {
			if err := find(v, data); err != nil {
				return err
			}
		}
	}
	return v.render("search", "Search", data)
}

func (p *searchPages) findDecisions(v *visit, d *searchData) error {
	filter := decisioning.DecisionFilter{ReferencePrefix: strings.TrimSuffix(d.Text, "*")}
	if id := strings.ToUpper(strings.TrimPrefix(d.Text, string(tenant.KindDecision))); decisioning.IsIDPrefix(
		string(tenant.KindDecision)+id) && strings.HasPrefix(d.Text, string(tenant.KindDecision)) {
		filter = decisioning.DecisionFilter{IDPrefix: string(tenant.KindDecision) + id}
	}
	if filter == (decisioning.DecisionFilter{}) {
		return nil
	}
	page, err := p.decisions.DecisionRows(v.ctx, v.caller(), filter, operation.List{Limit: searchRows})
	if err != nil {
		return err
	}
	d.Decisions = page.Data
	if page.NextCursor != "" {
		d.More = addressOf(v.at("/decisions"),
			map[string][]string{"q": {filter.IDPrefix + filter.ReferencePrefix + "*"}})
		if filter.IDPrefix != "" {
			d.More = addressOf(v.at("/decisions"), map[string][]string{"q": {filter.IDPrefix}})
		}
	}
	return nil
}

// findPolicies finds the active policies and drafts, and their rules.
func (p *searchPages) findPolicies(v *visit, d *searchData) error {
	page, err := p.policies.Policies(v.ctx, v.caller(), policydesk.PolicyFilter{},
		operation.List{Limit: searchPolicies})
	if err != nil {
		return err
	}
	// Active policies come before drafts, because people search for them more often.
	slices.SortStableFunc(page.Data, func(a, b policydesk.PolicyView) int {
		return strings.Compare(a.Status, b.Status) // "active" before "draft"
	})
	for i := range page.Data {
		view := &page.Data[i]
		if contains(d.Text, view.Name, view.PolicyKey) && len(d.Policies) < searchRows {
			d.Policies = append(d.Policies, *view)
		}
		for k := range view.Policy.Knockouts {
			r := &view.Policy.Knockouts[k]
			if contains(d.Text, r.ID, r.Code(), r.Message) {
				when := lenderText(r.Condition.Text())
				d.Rules = append(d.Rules, foundRule{r.ID, r.Code(), when, r.Action.String(), view})
			}
		}
		for k := range view.Policy.Adjustments {
			r := &view.Policy.Adjustments[k]
			if contains(d.Text, r.ID, r.ReasonCode) {
				kind := withSign(r.Delta.String()) + " points"
				d.Rules = append(d.Rules, foundRule{r.ID, r.ReasonCode, lenderText(r.Condition.Text()), kind, view})
			}
		}
	}
	d.Rules = d.Rules[:min(len(d.Rules), searchRows)]
	return nil
}

func (p *searchPages) findAlerts(v *visit, d *searchData) error {
	page, err := p.fraud.Alerts(v.ctx, v.caller(), frauddesk.AlertFilter{}, operation.List{Limit: searchAlerts})
	if err != nil {
		return err
	}
	for i := range page.Data {
		a := &page.Data[i]
		named := slices.ContainsFunc(a.ApplicantRefs, func(ref string) bool { return strings.HasPrefix(ref, d.Text) })
		if (named || contains(d.Text, words(a.Type), a.Type)) && len(d.Alerts) < searchRows {
			d.Alerts = append(d.Alerts, *a)
		}
	}
	return nil
}

// contains reports whether one of the texts contains the sought text. It ignores case.
func contains(sought string, texts ...string) bool {
	sought = strings.ToLower(sought)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), sought) })
}
