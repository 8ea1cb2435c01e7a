package engine

import (
	"sync"

	"verdict/internal/rule"
)

// Tally counts the results of one plan's rules over many decisions: how often
// each rule hit and how often it could not be evaluated. If a bureau renames a
// field, knockouts stop hitting, and only these counts show it. Any number of
// goroutines may count concurrently.
//
// Count locks a mutex for a few additions, which takes less time than one
// atomic addition for every rule. Most rules neither hit nor lack a field, and
// Count does no work for them.
type Tally struct {
	plan *Plan

	mu        sync.Mutex
	decisions int64
	counts    []ruleCount // the knockouts, then the adjustments
}

type ruleCount struct{ hit, unknown int64 }

// NewTally returns an empty tally for decisions of this plan.
func (p *Plan) NewTally() *Tally {
	return &Tally{plan: p, counts: make([]ruleCount, len(p.policy.Knockouts)+len(p.adjustments))}
}

// Count counts one decision. The decision must not have been changed since Decide made it. Count ignores a decision
// under a policy with another checksum, because that policy has other rules.
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

// Drain calls fn with the counts of each rule since the last call, and resets the counts. Knockouts come before
// adjustments, both in declared order. evaluated is the number of decisions, because every rule runs in every
// decision. hit is how often the rule failed, referred or applied, either by its condition or by its on_absent.
// unknown is how often its condition was unknown. If nothing was counted, fn is not called.
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
