package engine

import (
	"crypto/sha256"
	"encoding/hex"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Scorer is a scorecard compiled for use outside a policy. It is immutable: any
// number of goroutines may use it concurrently.
type Scorer struct {
	card    *Scorecard
	slots   *rule.Slots
	code    *rule.Code
	scoring scoring
}

// CompileScorecard compiles a scorecard with the same code as the scorecard of
// a policy, so that a card gives the same score on its own and in a decision. A
// card from ReadScorecard always compiles.
func CompileScorecard(c *Scorecard, catalogue *rule.Catalogue) *Scorer {
	s := &Scorer{card: c, slots: rule.NewSlots(catalogue)}
	s.code = rule.NewCode(s.slots)
	// A scorer gives no reasons, so it needs no codes for lost points.
	s.scoring = compileScoring(c, s.slots, s.code, func(*Factor, string) int32 { return noCode })
	return s
}

// Score is the score of one application.
type Score struct {
	Final         rule.Number
	Contributions []Contribution // base, factors in declared order, clamp

	// Missing lists the absent fields whose factors do not take part in the
	// score, in declared order, each once. A factor that gives points for a
	// missing value takes part.
	Missing []string

	HasOdds  bool // the scorecard relates points to odds
	Odds, PD rule.Number
}

// Score computes the score of one application.
func (s *Scorer) Score(facts *rule.Facts) Score {
	var fr rule.Frame
	s.slots.Load(facts, &fr)
	bins, sum := s.scoring.add(s.code, &fr, nil)
	out := Score{Final: s.scoring.clamp(sum), Contributions: s.scoring.contributions(nil, bins, sum)}
	reported := make([]bool, s.slots.Len())
	for i := range s.scoring.factors {
		f := &s.scoring.factors[i]
		if bins[i] != noBin || f.hasWhen && !s.code.Satisfied(f.when, &fr) {
			continue
		}
		if !reported[f.slot] {
			reported[f.slot] = true
			out.Missing = append(out.Missing, s.slots.Ref(f.slot).Name)
		}
	}
	if scaling := s.card.Scaling; scaling != nil {
		out.HasOdds, out.Odds, out.PD = true, scaling.Odds(out.Final), scaling.PD(out.Final)
	}
	return out
}

// WriteMembers writes the score as members of the object that is currently
// open.
func (s Score) WriteMembers(w *wire.Writer) {
	number(w, "final_score", s.Final)
	w.Key("score_contributions")
	writeContributions(w, s.Contributions)
	if s.HasOdds {
		number(w, "odds", s.Odds)
		number(w, "pd", s.PD)
	}
	if len(s.Missing) > 0 {
		w.Key("missing").Strings(s.Missing)
	}
}

// GradeOf returns the grade of the pricing band for a score. It searches the
// bands for applicants who are new to credit if newToCredit is set, otherwise
// the other bands. ok is false if none of them contains the score.
func (p *Plan) GradeOf(score rule.Number, newToCredit bool) (grade string, ok bool) {
	l := &p.bands
	if newToCredit {
		l = &p.ntcBands
	}
	b := l.find(score)
	if b == nil {
		return "", false
	}
	return b.Grade, true
}

// Bounds returns the lowest and the highest score of an application in which
// every factor takes part. Each is the base plus, for every factor, the lowest
// or the highest weighted points of its bins and its missing points, clamped to
// the card's range.
func (c *Scorecard) Bounds() (least, greatest rule.Number) {
	least, greatest = c.Base, c.Base
	for i := range c.Factors {
		f := &c.Factors[i]
		worst, best := rule.MaxNumber, -rule.MaxNumber
		take := func(points rule.Number) {
			points = weighted(points, f.Weight)
			worst, best = min(worst, points), max(best, points)
		}
		for k := range f.Bins {
			take(f.Bins[k].Points)
		}
		if f.HasMissing {
			take(f.Missing)
		}
		least, greatest = least+worst, greatest+best
	}
	return min(max(least, c.MinScore), c.MaxScore), min(max(greatest, c.MinScore), c.MaxScore)
}

// Checksum returns a hash of the scorecard without its name. Scorecards with
// the same checksum give the same scores.
func (c *Scorecard) Checksum() string {
	var w wire.Writer
	c.write(&w, false)
	sum := sha256.Sum256(w.Buf)
	return "sha256:" + hex.EncodeToString(sum[:])
}
