package engine

import (
	"sync"

	"verdict/internal/rule"
)

// Tally counts what the rules of one plan do over many decisions: how often
// each hit, and how often it could not be evaluated. When a bureau renames a
// field, knockouts go quiet, and only a count shows it. Any number of
// goroutines may count at once.
//
// One lock around a handful of additions is held for less time than an atomic
// addition for every rule would take, and rules that neither hit nor lack
// anything, which are most, cost nothing.
type Tally struct {
	plan *Plan

	mu        sync.Mutex
	decisions int64
	counts    []ruleCount // the knockouts, then the adjustments
}

type ruleCount struct{ hit, unknown int64 }

// NewTally makes an empty tally for decisions of this plan.
func (p *Plan) NewTally() *Tally {
	return &Tally{plan: p, counts: make([]ruleCount, len(p.policy.Knockouts)+len(p.adjustments))}
}

// Count counts one decision, which must be as Decide left it. A decision under
// another policy is not counted: its rules are others.
func (t *Tally) Count(d *Decision) {
	if d.plan == nil || d.plan != t.plan && d.plan.checksum != t.plan.checksum {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.decisions++
	for _, h := range d.hits {
		t.counts[h.Knockout].hit++
	}
	for _, i := range d.unknown {
		t.counts[i].unknown++
	}
	adjustments := t.counts[len(t.plan.policy.Knockouts):]
	for i := d.adjusted.Next(0); i >= 0; i = d.adjusted.Next(i + 1) {
		if d.adjusted.At(i) == rule.Holds {
			adjustments[i].hit++
		} else {
			adjustments[i].unknown++
		}
	}
}

// Drain hands the counts since the last time to fn, knockouts before
// adjustments in declared order, and starts again from nothing. Every rule
// runs in every decision, so evaluated is the number of decisions; hit is how
// often the rule failed, referred or applied, be it by its condition or by its
// on_absent; unknown is how often its condition had no result. fn is not
// called when nothing was counted.
func (t *Tally) Drain(fn func(ruleID string, evaluated, hit, unknown int64)) {
	t.mu.Lock()
	decisions, counts := t.decisions, t.counts
	if decisions > 0 {
		t.decisions, t.counts = 0, make([]ruleCount, len(counts))
	}
	t.mu.Unlock()
	if decisions == 0 {
		return
	}
	knockouts := t.plan.policy.Knockouts
	for i, c := range counts {
		if i < len(knockouts) {
			fn(knockouts[i].ID, decisions, c.hit, c.unknown)
		} else {
			fn(t.plan.adjustments[i-len(knockouts)].id, decisions, c.hit, c.unknown)
		}
	}
}
