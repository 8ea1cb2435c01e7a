package decisioning

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// DecisionFilter selects decisions. An empty field matches every decision.
type DecisionFilter struct {
	Status, Grade, ApplicantID, PolicyKey, RuleSetID string
	// IDPrefix and ReferencePrefix are the beginnings of the decision's id and of the applicant's reference. Only
	// DecisionRows uses them.
	IDPrefix, ReferencePrefix string
}

// marks returns the fields of the filter as texts. A cursor is valid only for a list with the same texts.
func (f DecisionFilter) marks() []string {
	marks := []string{"decisions", f.Status, f.Grade, f.ApplicantID, f.PolicyKey, f.RuleSetID}
	if f.IDPrefix != "" || f.ReferencePrefix != "" { // so that older cursors, which have no prefix, stay valid
		marks = append(marks, f.IDPrefix, f.ReferencePrefix)
	}
	return marks
}

func (f DecisionFilter) stored() store.DecisionFilter {
	return store.DecisionFilter{
		Status:       f.Status,
		Grade:        f.Grade,
		ApplicantRef: f.ApplicantID,
		PolicyKey:    f.PolicyKey,
		PolicyID:     f.RuleSetID,
	}
}

// DecisionSummary is a decision in a list.
type DecisionSummary struct {
	ID            string
	CreatedMicros int64
	ApplicantRef  string
	Status        string
	Grade         string
	PolicyKey     string
	PolicyID      string
	PolicyVersion int64
	Endpoint      string
	EngineVersion string
	Hash          string
	Actor         string // who requested the decision
}

func summaryOf(d *store.Decision) DecisionSummary {
	return DecisionSummary{
		ID:            d.ID,
		CreatedMicros: d.CreatedMicros,
		ApplicantRef:  d.ApplicantRef,
		Status:        d.Status,
		Grade:         d.Grade,
		PolicyKey:     d.PolicyKey,
		PolicyID:      d.PolicyID,
		PolicyVersion: d.PolicyVersion,
		Endpoint:      d.Endpoint,
		EngineVersion: d.EngineVersion,
		Hash:          d.Hash,
		Actor:         d.Actor,
	}
}

// Summaries returns decisions by their ids. An id that does not exist is not in the result.
func (s *Service) Summaries(
	ctx context.Context, p tenant.Principal, ids []string,
) (map[string]DecisionSummary, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	rows, err := s.core.Scope(p).Decisions(ctx).Summaries(ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]DecisionSummary, len(rows))
	for id := range rows {
		d := rows[id]
		found[id] = summaryOf(&d)
	}
	return found, nil
}

// Decisions lists stored decisions.
func (s *Service) Decisions(
	ctx context.Context, p tenant.Principal, f DecisionFilter, l operation.List,
) (operation.Page[DecisionSummary], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	filters := f.marks()
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	rows, next, err := s.core.Scope(p).Decisions(ctx).List(f.stored(), page)
	if err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	list := make([]DecisionSummary, len(rows))
	for i := range rows {
		list[i] = summaryOf(&rows[i])
	}
	return operation.PagedUntil(l, p, list, next, filters...), nil
}
