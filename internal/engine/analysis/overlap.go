package analysis

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// maxOverlaps is the largest number of earlier bands that a finding names.
const maxOverlaps = 5

// overlapping compares the bands that have a condition. It reports each of them that shares applicants and scores
// with an earlier one. The order of such bands decides which price these applicants get. Bands that never apply have
// a finding of their own.
func (a bandCheck) overlapping(ntc bool, never map[int]bool) {
	bands := a.policy.Bands
	for i := range bands {
		if bands[i].NTC != ntc || bands[i].When == nil || never[i] {
			continue
		}
		var ids []string
		var witness []rule.NamedValue
		for k := 0; k < i && len(ids) < maxOverlaps; k++ {
			if bands[k].NTC != ntc || bands[k].When == nil || never[k] || !pieceOf(bands, k).meets(pieceOf(bands, i)) {
				continue
			}
			if !a.solver.Budget.Spend(1) {
				return
			}
			example, both := a.meetBoth(k, i)
			if !both {
				continue
			}
			if ids = append(ids, bands[k].ID); len(ids) == 1 {
				witness = example
			}
		}
		if len(ids) == 0 {
			continue
		}
		a.report(SeverityInfo, fault.CodeOverlappingBands, location{section: atBand, index: i}, fmt.Sprintf(
			"Some applicants satisfy \"when\" of %s and of %s at the same score: the earlier band applies to them; "+
				"the first band whose \"when\" is true applies.", bands[i].ID, enumerate(ids)), witness).IDs = ids
	}
}

// meetBoth reports whether somebody certainly meets the conditions of both bands, and returns an example.
func (a bandCheck) meetBoth(k, i int) (example []rule.NamedValue, both bool) {
	first, second := a.conditionOf(k), a.conditionOf(i)
	if first == nil || second == nil || !first.Known || !second.Known {
		return nil, false
	}
	mark := a.solver.Mark()
	defer a.solver.Release(mark)
	common, ok := a.solver.Intersection(first.Lower, second.Lower)
	if !ok {
		return nil, false
	}
	common = a.solver.Possible(common)
	if len(common) == 0 || !a.solver.Supplied(common) {
		return nil, false
	}
	return a.solver.Witness(common), true
}

// meets reports whether two ranges share a score.
func (p piece) meets(q piece) bool { return p.least <= q.greatest && q.least <= p.greatest }
