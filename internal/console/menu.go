package console

import (
	"strings"

	"verdict/internal/tenant"
)

// menuGroup is a heading of the navigation with its entries.
type menuGroup struct {
	Name    string
	Entries []menuEntry
}

// menuEntry is a link to a page.
type menuEntry struct {
	Name string
	Path string // contains "{env}" until it is rendered
	Key  string // the letter that opens the page after "g"; "" for none
	Here bool   // whether the current page is this page or below it

	scope tenant.Scopes
}

// menu lists all entries in order. An entry is shown if its page exists and the person's role may
// see the page.
var menu = []menuGroup{
	{"Work", []menuEntry{
		{Name: "Overview", Path: "/console/{env}", Key: "o"},
		{Name: "Decisions", Path: "/console/{env}/decisions", Key: "d"},
		{Name: "Referrals", Path: "/console/{env}/referrals", Key: "r"},
		{Name: "Fraud desk", Path: "/console/{env}/fraud", Key: "f"},
		{Name: "Batches", Path: "/console/{env}/batches"},
		{Name: "Agent runs", Path: "/console/{env}/runs"},
	}},
	{"Policy", []menuEntry{
		{Name: "Policies", Path: "/console/{env}/policies", Key: "p"},
		{Name: "Lists", Path: "/console/{env}/lists", Key: "l"},
		{Name: "Tables", Path: "/console/{env}/tables", Key: "t"},
		{Name: "Lender profile", Path: "/console/{env}/lender"},
		{Name: "Scorecards", Path: "/console/{env}/scorecards", Key: "s"},
		{Name: "Backtests", Path: "/console/{env}/backtests", Key: "b"},
	}},
	{"Operations", []menuEntry{
		{Name: "API keys", Path: "/console/{env}/keys", Key: "k"},
		{Name: "Webhooks", Path: "/console/{env}/webhooks", Key: "w"},
		{Name: "Privacy", Path: "/console/{env}/privacy"},
		{Name: "Usage", Path: "/console/{env}/usage", Key: "u"},
		{Name: "Audit trail", Path: "/console/{env}/audit", Key: "a"},
		{Name: "API reference", Path: "/console/{env}/reference"},
	}},
	{"Organisation", []menuEntry{
		{Name: "People", Path: "/console/users"},
		{Name: "Your account", Path: "/console/account"},
	}},
}

// menuOf returns the menu entries whose pages are in the table, each with the scope of its page.
func menuOf(table []page) []menuGroup {
	pages := map[string]*page{}
	for i := range table {
		if path, is := strings.CutPrefix(table[i].pattern, "GET "); is {
			pages[path] = &table[i]
		}
	}
	return filterEntries(menu, func(e menuEntry) (menuEntry, bool) {
		p := pages[e.Path]
		if p == nil {
			return e, false
		}

		e.scope = p.scope
		return e, true
	})
}

// filterEntries calls keep for every entry. It returns the groups with the entries that keep
// returned. It leaves out entries for which keep returned false, and empty groups.
func filterEntries(groups []menuGroup, keep func(menuEntry) (menuEntry, bool)) []menuGroup {
	var list []menuGroup
	for _, g := range groups {
		out := menuGroup{Name: g.Name}
		for _, e := range g.Entries {
			if entry, ok := keep(e); ok {
				out.Entries = append(out.Entries, entry)
			}
		}
		if len(out.Entries) > 0 {
			list = append(list, out)
		}
	}
	return list
}

// menuFor returns the navigation for a person on the page with the path here. On pages without an
// environment, the entries link to the sandbox.
func menuFor(who *person, env tenant.Environment, here string, all []menuGroup) []menuGroup {
	if who == nil {
		return nil
	}
	if env == "" {
		env = tenant.Sandbox
	}
	return filterEntries(all, func(e menuEntry) (menuEntry, bool) {
		overview := e.Path == "/console/"+environmentPart
		e.Path = strings.Replace(e.Path, environmentPart, string(env), 1)
		e.Here = here == e.Path || !overview && strings.HasPrefix(here, e.Path+"/")
		return e, e.scope == 0 || who.scopes.Has(e.scope)
	})
}
