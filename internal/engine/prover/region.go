package prover

import (
	"strings"

	"verdict/internal/engine/space"
	"verdict/internal/rule"
)

// Constraint is a part of a region: the states of one field.
type Constraint struct {
	Field string
	Text  string // such as "at least 650 and less than 700, or absent"
}

// regions returns the region of each class: for every variable, the cells that occur on a path to one of the leaves of
// the class. Variables that may be in any cell are left out. regions returns nil if it stops early.
func (s *search) regions(classes []*class) [][]Constraint {
	words := (len(classes) + 63) / 64
	last := len(s.layers) - 1
	marks := make([]uint64, len(s.layers[last].states)*words)
	for i, c := range classes {
		for _, leaf := range c.leaves {
			marks[int(leaf)*words+i/64] |= 1 << (i % 64)
		}
	}
	allowed := make([][]bitset, len(s.vars)) // by variable and class
	for at := last - 1; at >= 0; at-- {
		v := s.vars[at]
		allowed[at] = make([]bitset, len(classes))
		for i := range classes {
			allowed[at][i] = newBitset(len(v.cells))
		}
		from := &s.layers[at]
		before := make([]uint64, len(from.states)*words)
		moves := 0
		for i := range from.states {
			if moves += len(v.cells) * words; moves > marksBetweenChecks {
				if moves = 0; s.stopped() {
					return nil
				}
			}
			for cell := range v.cells {
				to := from.edges[i*len(v.cells)+cell]
				if to < 0 {
					continue
				}
				for w := range words {
					mark := marks[int(to)*words+w]
					if mark == 0 {
						continue
					}
					before[i*words+w] |= mark
					for k := range 64 {
						if mark>>k&1 != 0 {
							allowed[at][w*64+k].set(cell)
						}
					}
				}
			}
		}
		marks = before
	}
	out := make([][]Constraint, len(classes))
	for at, v := range s.vars {
		for i := range classes {
			if s.stopped() {
				return nil
			}
			if c, ok := s.constraint(v, allowed[at][i]); ok {
				out[i] = append(out[i], c)
			}
		}
	}
	return out
}

// marksBetweenChecks is the number of marks that regions moves between two calls of Options.Check.
const marksBetweenChecks = 4_000

// constraint describes the allowed cells of a variable. ok is false if all cells are allowed.
func (s *search) constraint(v *variable, allowed bitset) (c Constraint, ok bool) {
	var set space.Set
	all := true
	for i := range v.cells {
		if allowed.has(i) {
			set = s.solver.Sets.Union(set, v.cells[i].set)
		} else {
			all = false
		}
	}
	if all || len(set) == 0 {
		return c, false
	}
	if v.kind == freeVariable {
		words := map[int64]string{freeUnknown: "unknown", freeFalse: "does not hold", freeTrue: "holds"}
		var list []string
		for code := freeUnknown; code <= freeTrue; code++ {
			if set.Contains(code) {
				list = append(list, words[code])
			}
		}
		return Constraint{Field: v.name, Text: strings.Join(list, " or ")}, true
	}
	return Constraint{Field: v.name, Text: s.describe(v, set)}, true
}

// maxParts is the largest number of ranges or words that a constraint lists.
const maxParts = 8

// describe returns the states of a set in words.
func (s *search) describe(v *variable, set space.Set) string {
	d := s.space.Domain(v.field)
	var parts []string
	given := s.solver.Sets.Difference(set, space.OnlyAbsent())
	whole := s.solver.Sets.Difference(v.all, space.OnlyAbsent())
	switch {
	case len(given) == 0:
		return "absent"
	case whole.Within(given):
		parts = append(parts, "given")
	case d.Ref.Type == rule.NumberType:
		for _, x := range given {
			parts = append(parts, span(rule.Number(x.Lo)*d.Unit, rule.Number(x.Hi)*d.Unit, d, whole, x))
		}
	default:
		parts = s.words(d, given)
	}
	if set.Contains(space.Absent) {
		parts = append(parts, "absent")
	}
	if len(parts) > maxParts {
		parts = append(parts[:maxParts], "…")
	}
	return strings.Join(parts, " or ")
}

// span describes a range of numbers. It leaves out an end of the range that is also an end of the domain. It writes
// an upper end just below a round number as "less than", and a lower end just above a round number as "more than".
func span(lo, hi rule.Number, d *space.Domain, whole space.Set, x space.Span) string {
	least, most := x.Lo == whole[0].Lo, x.Hi == whole[len(whole)-1].Hi
	upper := "at most " + hi.String()
	round := func(n rule.Number) bool { return n.HasPlaces(4) }
	if d.Unit == rule.Paisa {
		round = func(n rule.Number) bool { return n.HasPlaces(0) }
	}
	if d.Unit != rule.One && !round(hi) {
		upper = "less than " + (hi + d.Unit).String()
	}
	lower := "at least " + lo.String()
	if d.Unit != rule.One && !round(lo) {
		lower = "more than " + (lo - d.Unit).String()
	}
	switch {
	case lo == hi:
		return lo.String()
	case least:
		return upper
	case most:
		return lower
	default:
		return lower + " and " + upper
	}
}

// words lists the values of a text or boolean field.
func (s *search) words(d *space.Domain, set space.Set) (out []string) {
	open := d.Ref.Type == rule.StringType && len(d.Vocabulary) == 0
	for _, x := range set {
		if open && x.Hi == s.lastCode(d) {
			// This range includes codes of texts that no condition names. It means all other texts.
			out = append(out, "any other text")
			continue
		}
		for code := x.Lo; code <= x.Hi; code++ {
			out = append(out, s.space.Pick(d, space.Set{{Lo: code, Hi: code}}).String())
			if len(out) > maxParts {
				return out
			}
		}
	}
	return out
}

// lastCode returns the highest code of a field's values.
func (s *search) lastCode(d *space.Domain) int64 { return d.Given[len(d.Given)-1].Hi }
