package console

import (
	"net/url"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/privacydesk"
	"verdict/internal/tenant"
)

// decisionPages serves the decisions: the list, one decision and how it was made, its features,
// its reviews, and the queue of referrals.
type decisionPages struct {
	decisions *decisioning.Service
	policies  *policydesk.Service
	privacy   *privacydesk.Service
	offers    *offerdesk.Service
	exposures *exposuredesk.Service
	people    directory
}

func (p *decisionPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/decisions", handle: p.list, scope: tenant.Read},
		{pattern: "GET /console/{env}/decisions/{id}", handle: p.decision, scope: tenant.Read},
		{pattern: "POST /console/{env}/decisions/{id}/review", handle: p.review, scope: tenant.Decide},
		{pattern: "GET /console/{env}/decisions/{id}/features", handle: p.features, scope: tenant.Read},
		{pattern: "GET /console/{env}/referrals", handle: p.referrals, scope: tenant.Read},
		{pattern: "POST /console/{env}/referrals/{id}/review", handle: p.settle, scope: tenant.Decide},
	}
}

// list renders the decisions, newest first. The search field takes an applicant's reference or
// the id of a decision. If the text is an id, list redirects to the decision.
func (p *decisionPages) list(v *visit) error {
	list, filters := v.listing(), v.filters()
	sought := filters.Value("q")
	if tenant.Valid(tenant.KindDecision, sought) {
		return v.redirect(v.at("/decisions/" + url.PathEscape(sought)))
	}

	filter := decisioning.DecisionFilter{
		Status:      filters.Value("status"),
		Grade:       strings.ToUpper(filters.Value("grade")),
		ApplicantID: sought,
		RuleSetID:   filters.Value("policy"),
	}
	page, err := seek(v, list, func(l operation.List) (operation.Page[decisioning.DecisionSummary], error) {
		return p.decisions.Decisions(v.ctx, v.caller(), filter, l)
	})
	if err != nil {
		return err
	}

	versions, err := p.versionOptions(v, filters.Value("policy"))
	if err != nil {
		return err
	}

	owed, err := p.owedBy(v, sought)
	if err != nil {
		return err
	}

	roles, err := p.rolesOf(v, sought)
	if err != nil {
		return err
	}

	return v.render("decisions", "Decisions", struct {
		Filters  *form
		Rows     []decisioning.DecisionSummary
		Versions []option
		Pager    pager
		Narrowed bool
		Owed     []exposuredesk.Exposure
		Roles    []decisioning.RoleSummary
	}{
		Filters:  filters,
		Rows:     page.Data,
		Versions: versions,
		Pager:    v.pager(page.NextCursor),
		Narrowed: len(v.r.URL.Query()) > 0,
		Owed:     owed,
		Roles:    roles,
	})
}

// rolesOf returns the newest decisions in which the person who is sought is a co-applicant or a guarantor.
func (p *decisionPages) rolesOf(v *visit, reference string) ([]decisioning.RoleSummary, error) {
	if reference == "" || v.query("cursor") != "" {
		return nil, nil
	}
	return p.decisions.OtherRoles(v.ctx, v.caller(), reference, perPage)
}

// owedBy returns the newest loans that the lender has reported for an applicant, none if nobody is sought or the person
// may not read facts.
func (p *decisionPages) owedBy(v *visit, reference string) ([]exposuredesk.Exposure, error) {
	if reference == "" || !v.caller().Scopes.Has(tenant.FactsRead) || v.query("cursor") != "" {
		return nil, nil
	}
	page, err := p.exposures.Exposures(v.ctx, v.caller(), reference, operation.List{Limit: perPage})
	if fault.KindOf(err) == fault.Invalid {
		return nil, nil // a text that cannot be a reference
	}
	return page.Data, err
}

// versionOptions returns the newest rule sets that may have made decisions. It includes the
// chosen rule set even if it is older.
func (p *decisionPages) versionOptions(v *visit, chosen string) ([]option, error) {
	page, err := p.policies.RuleSets(v.ctx, v.caller(), policydesk.RuleSetFilter{}, operation.List{Limit: perPage})
	if err != nil {
		return nil, err
	}

	list := []option{{Label: "Any"}}
	for i := range page.Data {
		set := &page.Data[i]
		if set.Status == "draft" {
			continue
		}

		label := set.PolicyKey + " v" + grouped(itoa(int(set.Version)))
		if set.Status == "active" {
			label += ", active"
		}

		list = append(list, option{Value: set.ID, Label: label})
		if set.ID == chosen {
			chosen = ""
		}
	}
	if chosen != "" {
		list = append(list, option{Value: chosen, Label: short(chosen)})
	}

	return list, nil
}
