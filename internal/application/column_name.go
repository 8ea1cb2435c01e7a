package application

import (
	"strings"
	"sync"

	"verdict/internal/field"
	"verdict/internal/rule"
)

// scoreName is the plain name of the raw score, with its new-to-credit codes.
const scoreName = "score"

// columnNames are all names that a column may have, built once:
//
//   - the paths of the requests, with the aliases that a request may use;
//   - the canonical names of what a decision request carries, each of which is
//     read as that request's path is;
//   - the last part of such a path alone, where nothing else has that name;
//   - the facts that an evaluate request's blocks and features become, which a
//     file gives ready made.
//
// Whatever the engine works out is none of them, and neither are the facts that
// follow from the score: who is new to credit says so by the score's codes.
var columnNames = sync.OnceValue(func() map[string]*node {
	names := map[string]*node{}
	addPaths(names, "", roots())
	c := field.Catalogue()
	for _, root := range []string{"applicant", "bureau_report"} {
		for segment, n := range roots()[root].children {
			if n.canonical != rule.Undeclared {
				names[c.Field(n.canonical).Name] = n
			}
			if _, known := c.Lookup(segment); !known && segment != "id" {
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

// addPaths adds the paths below a node.
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
