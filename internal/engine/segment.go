package engine

import (
	"math"

	"verdict/internal/rule"
)

// HasSegments reports whether the policy has a band with a condition. Such a band is only for some of the applicants
// with its scores.
func (p *Policy) HasSegments() bool {
	for i := range p.Bands {
		if p.Bands[i].When != nil {
			return true
		}
	}
	return false
}

// Band returns the pricing band of the decision, or nil if there is none.
func (d *Decision) Band() *Band {
	if d.band == nil {
		return nil
	}
	return d.band.Band
}

// segmentAt returns the first band, in the order of the policy, that takes a whole score and whose condition holds.
// It returns nil if there is none. d.segments has the results of the conditions.
func (l *ladder) segmentAt(whole int64, d *Decision) *compiledBand {
	for i, r := range l.ranges {
		if r.least <= whole && whole <= r.greatest && d.segments.At(i) == rule.Holds {
			return &l.bands[i]
		}
	}
	return nil
}

// betterSegment reports whether a score from least to greatest would give this applicant a band with a better outcome.
// The band can change only at the ends of ranges, so only those scores are tried.
func (l *ladder) betterSegment(least, greatest int64, d *Decision) bool {
	for score := least; score <= greatest; {
		if b := l.segmentAt(score, d); b != nil && b.better(d.Status) {
			return true
		}
		next := int64(math.MaxInt64)
		for _, r := range l.ranges {
			if r.least > score {
				next = min(next, r.least)
			}
			if r.greatest >= score && r.greatest < math.MaxInt64 {
				next = min(next, r.greatest+1)
			}
		}
		if next == math.MaxInt64 {
			return false
		}
		score = next
	}
	return false
}

// better reports whether a band has a better outcome than the status "than".
func (b *compiledBand) better(than Status) bool {
	return b.Action == Approve || b.Action == Refer && than == Declined
}

// who describes the applicants of a band that has a condition. It returns "" for a band without a condition, and for a
// band whose condition would reveal a masked value.
func (x detailer) who(b *Band) string {
	if b.When == nil || x.isMasked(b.When) {
		return ""
	}
	return " if " + b.When.Text()
}
