package analysis

import (
	"fmt"
	"math"
	"slices"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// piece is a range of scores for which one band applies, both ends included.
type piece struct {
	band            int // index in the policy's bands
	least, greatest int64
}

// pieceOf returns the whole range of a band.
func pieceOf(bands []engine.Band, i int) piece {
	if !bands[i].Ranged {
		return piece{i, math.MinInt64, math.MaxInt64}
	}
	return piece{i, bands[i].MinScore, bands[i].MaxScore}
}

// segmentKey identifies the condition of a band. Bands without a condition have the key "".
func segmentKey(b *engine.Band) string {
	if b.When == nil {
		return ""
	}
	var w wire.Writer
	b.When.Write(&w)
	return string(w.Buf)
}

// ladders returns one ladder for each segment: its bands in the order of their scores. The first segment has the
// applicants for whom no condition holds. Each condition adds a segment of applicants for whom only this condition
// holds. ladders returns nil if the budget ends.
func (a bandCheck) ladders(ntc bool) (list [][]piece, keys []string) {
	bands := a.policy.Bands
	keys = []string{""}
	for i := range bands {
		if key := segmentKey(&bands[i]); bands[i].NTC == ntc && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		var open []piece
		for i := range bands {
			if of := segmentKey(&bands[i]); bands[i].NTC == ntc && (of == "" || of == key) {
				open = append(open, pieceOf(bands, i))
			}
		}
		if len(keys) > 1 && !a.solver.Budget.Spend(len(open)*len(open)) {
			return nil, nil
		}
		list = append(list, firstPieces(open))
	}
	return list, keys
}

// firstPieces divides overlapping ranges so that each score belongs to the first range that contains it. The result is
// in ascending order.
func firstPieces(open []piece) (out []piece) {
	starts := make([]int64, 0, 2*len(open))
	for _, p := range open {
		if starts = append(starts, p.least); p.greatest < math.MaxInt64 {
			starts = append(starts, p.greatest+1)
		}
	}
	slices.Sort(starts)
	starts = slices.Compact(starts)
	for k, from := range starts {
		to := int64(math.MaxInt64)
		if k+1 < len(starts) {
			to = starts[k+1] - 1
		}
		at := slices.IndexFunc(open, func(p piece) bool { return p.least <= from && from <= p.greatest })
		if at < 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].band == open[at].band && out[n-1].greatest+1 == from {
			out[n-1].greatest = to
			continue
		}
		out = append(out, piece{open[at].band, from, to})
	}
	return out
}

// certain reports whether somebody is certainly in a segment. Then a finding about the segment is an error. If the
// policy has only one condition, somebody meets it. If no condition tests presence, applicants who leave out every
// field meet none. If conditions test presence, or if there are several, another band may apply to everybody in the
// segment.
func (a bandCheck) certain(keys []string, key string) bool {
	if key != "" {
		return len(keys) <= 2
	}
	return !slices.ContainsFunc(a.segments, func(c clause) bool { return len(c.reads) == 0 || asksPresence(c.cond) })
}

// shadowed reports bands that never apply, and returns their indexes. A band without a condition never applies if,
// for each of its scores, an earlier band applies to everybody. For a band with a condition, it is enough that the
// earlier bands apply to everybody who meets the condition.
func (a bandCheck) shadowed(ntc bool) (never map[int]bool) {
	bands := a.policy.Bands
	never = map[int]bool{}
	for i := range bands {
		if bands[i].NTC != ntc {
			continue
		}
		if !a.solver.Budget.Spend(i) {
			return never
		}
		rest := []piece{pieceOf(bands, i)}
		for k := range i {
			if bands[k].NTC == ntc && a.covers(k, i) {
				rest = without(rest, pieceOf(bands, k))
			}
		}
		if len(rest) == 0 {
			never[i] = true
			a.report(SeverityWarning, fault.CodeShadowedBand, location{section: atBand, index: i}, fmt.Sprintf(
				"%s never applies: for each of its scores an earlier band applies to the same applicants; "+
					"the first band whose \"when\" is true applies.", bands[i].ID), nil)
		}
	}
	return never
}

// covers reports whether band k applies to everybody to whom band i applies. It does not compare the scores of the
// bands.
func (a bandCheck) covers(k, i int) bool {
	key := segmentKey(&a.policy.Bands[k])
	if key == "" || key == segmentKey(&a.policy.Bands[i]) {
		return true
	}
	by, of := a.conditionOf(k), a.conditionOf(i)
	return by != nil && of != nil && by.Known && of.Known && len(by.Lower) > 0 && len(of.Upper) > 0 &&
		a.solver.Implies(&of.Shape, &by.Shape)
}

// conditionOf returns the condition of a band, or nil if it has none.
func (a bandCheck) conditionOf(band int) *clause {
	for i := range a.segments {
		if a.segments[i].at.index == band {
			return &a.segments[i]
		}
	}
	return nil
}

// without removes a range from a list of ranges.
func without(list []piece, p piece) (out []piece) {
	for _, r := range list {
		if r.greatest < p.least || p.greatest < r.least {
			out = append(out, r)
			continue
		}
		if r.least < p.least {
			out = append(out, piece{r.band, r.least, p.least - 1})
		}
		if p.greatest < r.greatest {
			out = append(out, piece{r.band, p.greatest + 1, r.greatest})
		}
	}
	return out
}

// withoutFallback reports scores for which every band has a condition. Applicants who meet none of the conditions,
// for example because they leave a field out, are declined.
func (a scoreCheck) withoutFallback(ntc bool, reach *reach) {
	bands := a.policy.Bands
	var free, conditional []piece
	for i := range bands {
		switch {
		case bands[i].NTC != ntc:
		case bands[i].When == nil:
			free = append(free, pieceOf(bands, i))
		default:
			conditional = append(conditional, pieceOf(bands, i))
		}
	}
	if len(conditional) == 0 || !a.solver.Budget.Spend(len(conditional)*(len(conditional)+len(free))) {
		return
	}
	open := firstPieces(conditional)
	for _, p := range free {
		open = without(open, p)
	}
	least, most := reach.clamped()
	for _, p := range joined(open) {
		from, to := max(p.least, least.Floor()), min(p.greatest, most.Floor())
		if from > to || !reach.hits(rule.Int(from), rule.Int(to+1)-1) {
			continue
		}
		a.report(SeverityWarning, fault.CodeNoFallbackBand, location{section: atBand, index: p.band}, fmt.Sprintf(
			"Scores from %d to %d have only bands with a \"when\": applicants who meet none of the conditions are "+
				"declined; add a last band without a \"when\" for these scores.", from, to), nil).
			Proved = a.someWithoutBand(ntc, rule.Int(from), rule.Int(to+1)-1)
	}
}

// joined joins ranges that follow each other. The joined range has the band of its first part.
func joined(list []piece) (out []piece) {
	for _, p := range list {
		if n := len(out); n > 0 && out[n-1].greatest+1 == p.least {
			out[n-1].greatest = p.greatest
			continue
		}
		out = append(out, p)
	}
	return out
}

// worseThanFallback reports whether an applicant gains by not meeting the condition of band i. That is so if the band
// treats applicants worse than the first later band that has no condition and shares some of its scores.
func (a *silenceCheck) worseThanFallback(i int) bool {
	bands := a.policy.Bands
	own := pieceOf(bands, i)
	for k := i + 1; k < len(bands); k++ {
		other := pieceOf(bands, k)
		if bands[k].NTC != bands[i].NTC || bands[k].When != nil || other.greatest < own.least ||
			own.greatest < other.least {
			continue
		}
		if bands[i].Action != bands[k].Action {
			return bands[i].Action > bands[k].Action
		}
		return bands[i].Priced && bands[k].Priced && len(worseTerms(&bands[i], &bands[k])) > 0
	}
	return false
}
