package backtest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// groups counts the rows of a protected column by cell text. If there are more
// than keptGroups texts, groups keeps only the alphabetically first ones. A
// text that is among the first of all rows is also among the first of any
// subset of the rows that contains it. So no partial has dropped a text that is
// kept in the end, and partials merge exactly. The number of rows in dropped
// groups is the total minus the rows of the kept groups.
type groups struct {
	kept []group // sorted by name
}

const (
	keptGroups   = 1000
	maxGroupText = 64 // bytes; longer texts are truncated
)

type group struct {
	name     string
	approved counts
	others   counts
}

// at returns the group of a text, or nil if the group is not kept. The caller
// may change the group.
func (g *groups) at(text []byte) *group {
	if len(text) > maxGroupText {
		text = text[:maxGroupText]
		for len(text) > 0 && text[len(text)-1] >= utf8.RuneSelf && !utf8.Valid(text) {
			text = text[:len(text)-1]
		}
	}
	low, high := 0, len(g.kept)
	for low < high { // binary search that does not allocate a string
		mid := int(uint(low+high) >> 1)
		switch name := g.kept[mid].name; {
		case name == string(text):
			return &g.kept[mid]
		case name < string(text):
			low = mid + 1
		default:
			high = mid
		}
	}
	return g.insert(low, func() string { return string(text) })
}

func (g *groups) insert(at int, name func() string) *group {
	if at >= keptGroups {
		return nil
	}
	g.kept = slices.Insert(g.kept, at, group{name: name()})
	g.kept = g.kept[:min(len(g.kept), keptGroups)]
	return &g.kept[at]
}

func (g *groups) merge(other *groups) {
	for i := range other.kept {
		o := &other.kept[i]
		at, found := slices.BinarySearchFunc(g.kept, o.name, func(k group, name string) int {
			return strings.Compare(k.name, name)
		})
		mine := g.insertUnless(found, at, o.name)
		if mine == nil {
			return // the remaining groups sort later and are not kept either
		}
		mine.approved.plus(&o.approved)
		mine.others.plus(&o.others)
	}
}

func (g *groups) insertUnless(found bool, at int, name string) *group {
	if found {
		return &g.kept[at]
	}
	return g.insert(at, func() string { return name })
}
