package application

import (
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

const scoreText = "a whole number, 300 to 900, or a new-to-credit code (-1, 0, 1 to 6)"

// score converts the raw score, a member of the named object of the body, to the
// canonical facts. A new-to-credit code leaves bureau_score absent, because the
// code is not a low score. If the score is missing, score adds a fault, unless the
// options say that none is required.
func (r *reader) score(body wire.Value, object, pointer, rawPath string) {
	parent := body.Get(object)
	raw := parent.Get("score")
	if !raw.Given() {
		if r.opt.ScoreOptional || r.opt.NoScore {
			return
		}
		switch {
		case !parent.Given() && body.HasFolded(object):
			r.faults.AddItem(wire.Required(body, object, pointer+"/score", scoreText))
		case !parent.Given(), parent.Kind() == wire.Object:
			r.faults.AddItem(wire.Required(parent, "score", pointer+"/score", scoreText))
		}
		return
	}
	val := r.app.Facts.Get(rawPath)
	if val.Type() == rule.Absent {
		return // a fault was already added
	}
	r.scored(raw, val)
}

// scored stores the facts that are derived from the score val. raw is the score
// as it was sent.
func (r *reader) scored(raw wire.Value, val rule.Value) {
	facts := r.app.Facts
	switch standingOf(val.Number()) {
	case noStanding:
		r.faults.Add(raw.Pointer(), fault.CodeOutOfRange, "must be %s", scoreText)
	case rated:
		facts.Set(field.BureauScore, val)
		facts.Set(field.BureauIsNTC, rule.Bool(false))
	case unrated:
		facts.Set(field.BureauIsNTC, rule.Bool(true))
	case indexed:
		facts.Set(field.BureauIsNTC, rule.Bool(true))
		facts.Set(bureauNTCIndex, val)
	}
}

const bureauNTCIndex = "bureau_ntc_index"

// standing is the kind of a raw score.
type standing uint8

const (
	noStanding standing = iota // neither a score nor a code
	rated                      // a score
	unrated                    // new to credit
	indexed                    // new to credit, with a thin-file index
)

// standingOf returns the kind of a raw score.
func standingOf(points rule.Number) standing {
	switch {
	case points < -rule.One, points > rule.Int(900):
		return noStanding
	case points >= rule.Int(300):
		return rated
	case points > rule.Int(6):
		return noStanding
	case points >= rule.One:
		return indexed
	}
	return unrated
}
