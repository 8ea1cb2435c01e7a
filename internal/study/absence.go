package study

import (
	"context"
	"errors"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Absence says in how many of the latest applications of a policy a field had no value.
type Absence struct {
	Applications int64            // the applications that were looked at
	Absent       map[string]int64 // by field
}

// The limits of Absence.
const (
	AbsenceRows = 200
	absenceTime = time.Second // limits the search, which is slow if only few decisions belong to the policy
)

var errAbsenceDone = errors.New("enough applications were looked at")

// Absence counts in how many of the latest applications of a policy each field of a request was absent. It covers
// only fields that every application can have and whose presence is stored. It leaves out features, figures of the
// engine, counts that are made only if a policy names them, and values that identify somebody. It looks at
// AbsenceRows applications, or at fewer if its time is over. It skips the applications of erased applicants.
func (s *Comparisons) Absence(ctx context.Context, p tenant.Principal, policyKey string) (Absence, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Absence{}, err
	}
	if !s.trying.Take(p.TenantID, 1) {
		return Absence{}, fault.New(fault.Unavailable, fault.CodeUnavailable,
			"too many backtests and comparisons are running on this node; try again in a moment")
	}
	defer s.trying.Give(p.TenantID, 1)
	within, cancel := context.WithTimeout(ctx, absenceTime)
	defer cancel()
	scope := s.core.Scope(p)
	given := map[string]int64{}
	found := Absence{Absent: map[string]int64{}}
	page := store.Page{Limit: replayPage, Descending: true}
	err := scope.Decisions(within).Walk(store.DecisionFilter{PolicyKey: policyKey}, page,
		func(d *store.Decision) error {
			if found.Applications == AbsenceRows {
				return errAbsenceDone
			}
			facts, err := s.factsOf(within, scope, d)
			if err != nil || facts == nil {
				return err
			}
			found.Applications++
			for _, f := range facts.Sorted() {
				given[f.Name]++
			}
			return nil
		})
	timedOut := within.Err() != nil && ctx.Err() == nil
	if err != nil && !errors.Is(err, errAbsenceDone) && !timedOut {
		return Absence{}, err
	}
	for name := range countedFields() {
		found.Absent[name] = found.Applications - given[name]
	}
	return found, nil
}

// factsOf returns the facts of the primary applicant, or nil if they were erased.
func (s *Comparisons) factsOf(ctx context.Context, scope *store.Scope, d *store.Decision) (*rule.Facts, error) {
	if len(d.Facts) == 0 {
		return nil, nil
	}
	if _, err := s.core.Keys.OpenDecision(ctx, scope, d, &store.Features{}); err != nil {
		if errors.Is(err, journal.ErrErased) {
			return nil, nil
		}
		return nil, operation.AsDefect(err)
	}
	facts, err := decisioning.ReadFacts(d.Facts)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	return facts, nil
}

// countedFields yields the names of the fields that Absence counts.
func countedFields() func(yield func(string) bool) {
	hidden := map[string]bool{}
	for name := range field.Identifying() {
		hidden[name] = true
	}
	return func(yield func(string) bool) {
		all := field.Catalogue()
		for id := range all.Len() {
			f := all.Field(rule.FieldID(id))
			requested := f.Supply&(rule.FromDecisions|rule.FromEvaluate) != 0
			if requested && !f.Late && !hidden[f.Name] && !field.IsFeature(f.Name) && !yield(f.Name) {
				return
			}
		}
	}
}
