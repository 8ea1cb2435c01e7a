package policydesk

import (
	"context"
	"time"

	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// PolicyView is a configured policy as it reads: conditions with their text,
// the fields it names and, when asked for, how its rules fared.
type PolicyView struct {
	set    store.RuleSet
	policy *engine.Policy
	stats  map[string]store.RuleStat // by rule id; nil when not asked for
}

// PolicyFilter narrows the view. StatsDays, unless 0, adds the statistics of
// so many days.
type PolicyFilter struct {
	PolicyKey string
	StatsDays int
}

// Policies lists the active policies and the drafts.
func (s *Service) Policies(ctx context.Context, p tenant.Principal, f PolicyFilter, l operation.List) (operation.Page[PolicyView], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[PolicyView]{}, err
	}
	filters := []string{"policies", f.PolicyKey}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[PolicyView]{}, err
	}
	scope := s.core.Scope(p)
	var read []PolicyView
	var next store.Place
	err = scope.Read(ctx, func(tx *store.Tx) error {
		rows, more, err := tx.RuleSets().List(store.RuleSetFilter{PolicyKey: f.PolicyKey, Configured: true}, page)
		if err != nil {
			return err
		}
		if read = make([]PolicyView, 0, len(rows)); more { // the last row may be one that is not rendered
			last := rows[len(rows)-1]
			next = store.Place{Micros: last.CreatedMicros, ID: last.ID}
		}
		for _, set := range rows {
			view, err := s.view(tx, set, f.StatsDays)
			if err != nil {
				return err
			}
			read = append(read, view)
		}
		return nil
	})
	if err != nil {
		return operation.Page[PolicyView]{}, err
	}
	// Reading a document takes a processor, which a transaction is without.
	list := read[:0]
	for _, view := range read {
		_, view.policy, err = s.show(ctx, scope, view.set)
		switch {
		case ctx.Err() != nil:
			return operation.Page[PolicyView]{}, ctx.Err()
		case err == nil: // there is nothing to render of another; GET /v1/rule-sets lists it
			list = append(list, view)
		}
	}
	return operation.PagedUntil(l, p, list, next, filters...), nil
}

func (s *Service) view(tx *store.Tx, set store.RuleSet, statsDays int) (PolicyView, error) {
	view := PolicyView{set: set}
	if statsDays == 0 {
		return view, nil
	}
	from := tenant.BusinessDay(s.core.Now().Add(-time.Duration(statsDays-1) * 24 * time.Hour))
	stats, err := tx.RuleSets().Stats(set.ID, from)
	if err != nil {
		return PolicyView{}, err
	}
	view.stats = make(map[string]store.RuleStat, len(stats))
	for _, stat := range stats {
		view.stats[stat.RuleID] = stat
	}
	return view, nil
}

// Write writes the view.
func (v PolicyView) Write(w *wire.Writer) {
	w.Object().Key("id").String(v.set.ID).Key("policy_key").String(v.set.PolicyKey).Key("name").String(v.set.Name)
	w.Key("version").Int(v.set.Version).Key("status").String(v.set.Status).Key("checksum").String(v.set.Checksum)
	var extra func(*wire.Writer, string)
	if v.stats != nil {
		extra = func(w *wire.Writer, ruleID string) {
			stat := v.stats[ruleID]
			w.Key("stats").Object().Key("evaluated").Int(stat.Evaluated).Key("hit").Int(stat.Hit)
			w.Key("not_evaluated").Int(stat.Unknown).EndObject()
		}
	}
	v.policy.WriteSummary(w, extra)
	w.EndObject()
}
