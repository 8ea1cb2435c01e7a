package application

import (
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// scoreName is the short column name of the raw score, which may also be a
// new-to-credit code.
const scoreName = "score"

// columnNames maps every name that a column may have to its node; it is built
// once. The names are:
//
//   - the paths of the requests, with the aliases that a request may use;
//   - the canonical names of the facts in a decision request, each of which is
//     read like the path in that request;
//   - the last segment of such a path, if no fact has that name, except that
//     applicant_id replaces id;
//   - the facts derived from an evaluate request's blocks and features, which a
//     file gives as finished values.
//
// The facts about the offer, which the engine computes, are excluded. bureau_is_ntc
// and bureau_ntc_index are excluded too, because a file marks a new-to-credit
// applicant by a code in the score.
var columnNames = sync.OnceValue(func() map[string]*node {
	names := map[string]*node{}
	addPaths(names, "", roots())
	c := field.Catalogue()
	for _, root := range []string{"applicant", "bureau_report"} {
		for segment, n := range roots()[root].children {
			if n.canonical != rule.Undeclared {
				names[c.Field(n.canonical).Name] = n
			}
			if _, known := c.Lookup(segment); (!known || field.IsOwn(segment)) && segment != "id" {
				names[segment] = n
			}
		}
	}
	names[scoreName] = names["bureau_report.score"]
	names["applicant_id"] = names["applicant.id"]
	for id := range rule.FieldID(c.Len()) {
		f := c.Field(id)
		switch {
		case names[f.Name] != nil, f.Supply == rule.FromEngine, f.Name == field.BureauIsNTC, f.Name == bureauNTCIndex:
		default:
			names[f.Name] = &node{scalar: true, raw: id, canonical: rule.Undeclared}
		}
	}
	return names
})

// addPaths adds the paths of the children and of everything below them.
func addPaths(names map[string]*node, prefix string, children map[string]*node) {
	for segment, n := range children {
		path := prefix + segment
		if n.scalar {
			names[path] = n
			continue
		}
		addPaths(names, path+".", n.children)
		for alias, proper := range n.aliases {
			names[strings.Join([]string{path, alias}, ".")] = n.children[proper]
		}
	}
}
