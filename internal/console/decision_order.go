package console

import (
	"maps"
	"net/url"
	"strings"

	"verdict/internal/decisioning"
	"verdict/internal/operation"
)

// lowestFirst ends the name of an order in which the lowest value comes first.
const lowestFirst = "-low"

// rankOf reads the order of the list of decisions. It returns "" if the list is sorted by time.
func rankOf(filters *form) (by decisioning.Rank, lowest bool) {
	name, lowest := strings.CutSuffix(filters.Value("sort"), lowestFirst)
	switch by = decisioning.Rank(name); by {
	case decisioning.RankScore, decisioning.RankAsked, decisioning.RankOffered:
		return by, lowest
	}
	return "", false
}

// ranking describes a list that is sorted by score or amount.
type ranking struct {
	By       string // what it is sorted by, in words
	Sorted   int
	Complete bool // whether all decisions that match are in the list
}

var rankWords = map[decisioning.Rank]string{
	decisioning.RankScore:   "score",
	decisioning.RankAsked:   "amount asked for",
	decisioning.RankOffered: "amount offered",
}

// ranked returns a page of the decisions in the order that the filters name. It returns nil if the list is not sorted
// by score or amount, and also if none of the decisions that it searched matches. The list by time can search on.
func (p *decisionPages) ranked(
	v *visit, s *decisionSearch, l operation.List, filters *form,
) (decisionRows, *ranking, error) {
	by, lowest := rankOf(filters)
	if by == "" || s.ReferencePrefix != "" {
		return decisionRows{}, nil, nil
	}
	l.Ascending = lowest
	page, err := p.decisions.RankedRows(v.ctx, v.caller(), s.DecisionFilter, by, l)
	if err != nil || page.Sorted == 0 && !page.Complete {
		return page.Page, nil, err
	}
	return page.Page, &ranking{By: rankWords[by], Sorted: page.Sorted, Complete: page.Complete}, nil
}

// orderLink is the heading of a column by which the list can be sorted.
type orderLink struct {
	Label   string
	Address string // address of the list in the other order
	Title   string // the other order
	Sorted  string // the present order as a value of aria-sort; "" if the list is not sorted by this column
	Arrow   string
	Number  bool
}

// orderLinks returns the headings of the columns by which the list of decisions at path can be sorted.
func orderLinks(path string, values url.Values, sorted string) map[string]orderLink {
	links := map[string]orderLink{}
	for _, c := range []struct{ name, label, high, low, highTitle, lowTitle string }{
		{"decided", "Decided", "", "oldest", "Newest first", "Oldest first"},
		{"score", "Score", "score", "score-low", "Highest score first", "Lowest score first"},
		{"asked", "Asked", "asked", "asked-low", "Largest amount first", "Smallest amount first"},
		{"offered", "Offered", "offered", "offered-low", "Largest offer first", "Smallest offer first"},
	} {
		link := orderLink{Label: c.label, Title: c.highTitle, Number: c.name != "decided"}
		other := c.high
		switch sorted {
		case c.high:
			link.Sorted, link.Arrow, link.Title, other = "descending", "↓", c.lowTitle, c.low
		case c.low:
			link.Sorted, link.Arrow = "ascending", "↑"
		}
		turned := maps.Clone(values)
		turned.Set("sort", other)
		link.Address = without(path, turned, "cursor")
		links[c.name] = link
	}
	return links
}
