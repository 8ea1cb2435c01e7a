package console

import (
	"maps"
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
	filters   *decisioning.Filters
	policies  *policydesk.Service
	privacy   *privacydesk.Service
	offers    *offerdesk.Service
	exposures *exposuredesk.Service
	people    directory
}

func (p *decisionPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/decisions", handle: p.list, scope: tenant.Read},
		{pattern: "GET /console/{env}/decisions.csv", handle: p.listCSV, scope: tenant.Read, export: true},
		{pattern: "POST /console/{env}/decisions/filters", handle: p.saveFilter, scope: tenant.Read},
		{pattern: "POST /console/{env}/decisions/filters/delete", handle: p.forgetFilter, scope: tenant.Read},
		{pattern: "GET /console/{env}/decisions/{id}", handle: p.decision, scope: tenant.Read},
		{pattern: "POST /console/{env}/decisions/{id}/review", handle: p.review, scope: tenant.Decide},
		{pattern: "GET /console/{env}/decisions/{id}/features", handle: p.features, scope: tenant.Read},
		{pattern: "GET /console/{env}/referrals", handle: p.referrals, scope: tenant.Read},
		{pattern: "POST /console/{env}/referrals/several", handle: p.several, scope: tenant.Decide},
		{pattern: "POST /console/{env}/referrals/{id}/review", handle: p.settle, scope: tenant.Decide},
	}
}

// decisionSearch is a search for decisions: what the text of the search field means, and the filters.
type decisionSearch struct {
	decisioning.DecisionFilter
	text string
}

// searchOf reads the search field and the filters. The text is a reference, the beginning of an id, or, if it ends with
// an asterisk, the beginning of a reference.
func searchOf(filters *form) decisionSearch {
	s := decisionSearch{text: filters.Value("q")}
	s.DecisionFilter = decisioning.DecisionFilter{
		Status:    filters.Value("status"),
		Grade:     strings.ToUpper(filters.Value("grade")),
		RuleSetID: filters.Value("policy"),
	}
	prefix, asked := strings.CutSuffix(s.text, "*")
	id := string(tenant.KindDecision) + strings.ToUpper(strings.TrimPrefix(s.text, string(tenant.KindDecision)))
	switch {
	case strings.HasPrefix(s.text, string(tenant.KindDecision)) && decisioning.IsIDPrefix(id):
		s.IDPrefix = id
	case asked && prefix != "":
		s.ReferencePrefix = prefix
	default:
		s.ApplicantID = s.text
	}
	return s
}

// find returns a page of the decisions. If nobody has the reference that was typed, it looks for references that begin
// with it.
func (p *decisionPages) find(
	v *visit, s *decisionSearch, l operation.List,
) (operation.Page[decisioning.DecisionRow], error) {
	ask := func(l operation.List) (operation.Page[decisioning.DecisionRow], error) {
		return p.decisions.DecisionRows(v.ctx, v.caller(), s.DecisionFilter, l)
	}
	if s.ApplicantID != "" && l.Cursor == "" {
		anybody := decisioning.DecisionFilter{ApplicantID: s.ApplicantID}
		known, err := p.decisions.DecisionRows(v.ctx, v.caller(), anybody, operation.List{Limit: 1})
		if err != nil {
			return known, err
		}
		if len(known.Data) == 0 {
			s.ApplicantID, s.ReferencePrefix = "", s.ApplicantID
		}
	}
	return seek(v, l, ask)
}

// sorted returns a page of the decisions in the order that the filters name. The ranking is nil if that order is not by
// score or amount.
func (p *decisionPages) sorted(
	v *visit, s *decisionSearch, l operation.List, filters *form,
) (decisionRows, *ranking, error) {
	page, rank, err := p.ranked(v, s, l, filters)
	if err != nil || rank != nil && (rank.Sorted > 0 || s.ApplicantID == "") {
		return page, rank, err
	}
	// There is no ranking if the list is in the order of time. The ranking is empty if no decision has the reference
	// that was typed. Both cases need find.
	page, err = p.find(v, s, l)
	return page, nil, err
}

// list renders the decisions, newest first. If the text of the search field is an id, list redirects to the decision.
func (p *decisionPages) list(v *visit) error {
	list, filters := v.decisionListing()
	sought := searchOf(filters)
	if tenant.Valid(tenant.KindDecision, sought.text) {
		return v.redirect(v.at("/decisions/" + url.PathEscape(sought.text)))
	}

	page, rank, err := p.sorted(v, &sought, list, filters)
	if err != nil {
		return err
	}

	versions, err := p.versionOptions(v, filters.Value("policy"))
	if err != nil {
		return err
	}

	owed, err := p.owedBy(v, sought.ApplicantID)
	if err != nil {
		return err
	}

	roles, err := p.rolesOf(v, sought.ApplicantID)
	if err != nil {
		return err
	}

	saved, err := p.savedFilters(v)
	if err != nil {
		return err
	}

	// The links lead to the list. The path of the request differs if a filter could not be saved or deleted, because
	// that answer also shows the list.
	values, path := v.r.URL.Query(), v.at("/decisions")
	if sought.ReferencePrefix != "" {
		values.Set("q", sought.ReferencePrefix+"*")
	}
	if rank == nil && !list.Ascending {
		values.Del("sort") // a list by time cannot continue with the cursor of another order
	}
	return v.render("decisions", "Decisions", struct {
		Filters  *form
		Rows     []decisioning.DecisionRow
		Versions []option
		Pager    pager
		Narrowed bool
		Prefix   string // the beginning of the references that are listed; "" if the list is not by reference
		Order    map[string]orderLink
		Ranking  *ranking // nil if the list is not sorted by score or amount
		CSV      string
		Begins   string // address of the references that begin with the text; "" if there is no such list
		Owed     []exposuredesk.Exposure
		Roles    []decisioning.RoleSummary
		Saved    []savedFilter
		Savable  string // address that saves the filters; "" if there are none that can be saved
	}{
		Filters:  filters,
		Rows:     page.Data,
		Versions: versions,
		Pager:    pagerOf(path, values, page.NextCursor),
		Narrowed: len(v.r.URL.Query()) > 0,
		Prefix:   sought.ReferencePrefix,
		Order:    orderLinks(path, values, values.Get("sort")),
		Ranking:  rank,
		CSV:      without(v.at("/decisions.csv"), values, "cursor"),
		Begins:   beginning(path, values, sought.ApplicantID),
		Owed:     owed,
		Roles:    roles,
		Saved:    saved,
		Savable:  savingAt(v.env, values),
	})
}

// beginning returns the address of the list of all references that begin with reference. It returns "" if reference is
// empty.
func beginning(path string, values url.Values, reference string) string {
	if reference == "" {
		return ""
	}
	values = maps.Clone(values)
	values.Set("q", reference+"*")
	return without(path, values, "cursor")
}

// without returns the address that consists of path and the query parameters in values. It leaves out the query
// parameter with the given name.
func without(path string, values url.Values, name string) string {
	values = maps.Clone(values)
	values.Del(name)
	return addressOf(path, values)
}

// rolesOf returns the newest decisions in which the person with the reference is a co-applicant or a guarantor. It
// returns none if the reference is empty, or if the page is not the first page of the list.
func (p *decisionPages) rolesOf(v *visit, reference string) ([]decisioning.RoleSummary, error) {
	if reference == "" || v.query("cursor") != "" {
		return nil, nil
	}
	return p.decisions.OtherRoles(v.ctx, v.caller(), reference, perPage)
}

// owedBy returns the newest loans that the lender has reported for an applicant. It returns none if the reference is
// empty, if the signed-in person may not read facts, or if the page is not the first page of the list.
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
