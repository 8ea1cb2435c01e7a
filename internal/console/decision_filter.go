package console

import (
	"net/url"
	"slices"
	"strconv"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// decisionListing reads the position in the list of decisions and its order. Besides the dates, the list has a filter
// for the latest days. That filter stays correct when it is saved, because it is relative to the current day.
func (v *visit) decisionListing() (operation.List, *form) {
	list, filters := v.listing(), v.filters()
	list.Ascending = filters.Value("sort") == "oldest"
	if days, err := strconv.Atoi(filters.Value("within")); err == nil && slices.Contains(withinDays, days) {
		since := (civil.DayAt(v.console.options.Now()) - civil.Day(days-1)).At(0, civil.India)
		if list.From.Before(since) {
			list.From = since
		}
	}
	return list, filters
}

// withinDays are the choices of the filter "within".
var withinDays = []int{1, 7, 30, 90}

// savedNames are the filters that can be saved. The text of the search field is not saved, because it may name an
// applicant, who can ask to be erased.
var savedNames = []string{"status", "grade", "policy", "within", "from", "to", "sort"}

// savable returns the query of the filters that can be saved.
func savable(values url.Values) string {
	kept := url.Values{}
	for _, name := range savedNames {
		if value := values.Get(name); value != "" {
			kept.Set(name, value)
		}
	}
	return kept.Encode()
}

// savingAt returns the address that saves the filters, or "" if none of them can be saved.
func savingAt(env tenant.Environment, values url.Values) string {
	query := savable(values)
	if query == "" {
		return ""
	}
	return atEnvironment(env, "/decisions/filters?"+query)
}

// savedFilter is a saved filter of the person.
type savedFilter struct {
	Name    string
	Address string
	Applied bool // whether the list uses this filter now
}

func (p *decisionPages) savedFilters(v *visit) ([]savedFilter, error) {
	found, err := p.filters.Saved(v.ctx, v.caller())
	if err != nil {
		return nil, err
	}
	values := v.r.URL.Query()
	list := make([]savedFilter, len(found))
	for i, f := range found {
		list[i] = savedFilter{
			Name:    f.Name,
			Address: v.at("/decisions?" + f.Query),
			Applied: values.Get("q") == "" && savable(values) == f.Query,
		}
	}
	return list, nil
}

// saveFilter saves the filters in the query of the URL under the name that the person has entered.
func (p *decisionPages) saveFilter(v *visit) error {
	filter := decisioning.SavedFilter{Name: v.form.Value("name"), Query: savable(v.r.URL.Query())}
	if err := p.filters.Save(v.ctx, v.caller(), filter); err != nil {
		return v.redraw(err, p.list)
	}
	return v.done("The filter was saved. Only you see it.", "/decisions?"+filter.Query)
}

func (p *decisionPages) forgetFilter(v *visit) error {
	if err := p.filters.Forget(v.ctx, v.caller(), v.form.Value("name")); err != nil {
		return v.redraw(err, p.list)
	}
	return v.done("The filter was deleted.", "/decisions")
}
