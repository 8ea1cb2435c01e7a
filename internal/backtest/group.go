package backtest

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// groups count the rows of a protected column by its texts. Of more than
// keptGroups texts those first in the alphabet are kept: whichever is among
// the first of all rows is among the first of any part of them, so nothing
// kept was ever dropped, and partials merge exactly. What was dropped is what
// the total has more.
type groups struct {
	kept []group // by name
}

const (
	keptGroups   = 1000
	maxGroupText = 64 // bytes of a text that are looked at
)

type group struct {
	name     string
	approved counts
	others   counts
}

// at is the group of a text, to be changed; nil when it is not kept.
func (g *groups) at(text []byte) *group {
	if len(text) > maxGroupText {
		text = text[:maxGroupText]
		for len(text) > 0 && text[len(text)-1] >= utf8.RuneSelf && !utf8.Valid(text) {
			text = text[:len(text)-1]
		}
	}
	low, high := 0, len(g.kept)
	for low < high { // a search that takes no copy of the text
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
		at, found := slices.BinarySearchFunc(g.kept, o.name, func(k group, name string) int { return strings.Compare(k.name, name) })
		mine := g.insertUnless(found, at, o.name)
		if mine == nil {
			return // the others come later in the alphabet
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
