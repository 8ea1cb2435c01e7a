package decisioning

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// DecisionFilter narrows a list of decisions; empty fields do not.
type DecisionFilter struct {
	Status, Grade, ApplicantID, PolicyKey, RuleSetID string
}

// DecisionSummary is a decision in a list.
type DecisionSummary store.Decision

// Decisions lists stored decisions.
func (s *Service) Decisions(ctx context.Context, p tenant.Principal, f DecisionFilter, l operation.List) (operation.Page[DecisionSummary], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	filters := []string{"decisions", f.Status, f.Grade, f.ApplicantID, f.PolicyKey, f.RuleSetID}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	rows, next, err := s.core.Scope(p).Decisions(ctx).List(store.DecisionFilter{
		Status: f.Status, Grade: f.Grade, ApplicantRef: f.ApplicantID, PolicyKey: f.PolicyKey, PolicyID: f.RuleSetID,
	}, page)
	if err != nil {
		return operation.Page[DecisionSummary]{}, err
	}
	list := make([]DecisionSummary, len(rows))
	for i := range rows {
		list[i] = DecisionSummary(rows[i])
	}
	return operation.PagedUntil(l, p, list, next, filters...), nil
}

// Write writes the decision as a list shows it.
func (d DecisionSummary) Write(w *wire.Writer) {
	w.Object().Key("decision_id").String(d.ID).Key("status").String(d.Status).Key("grade").String(d.Grade)
	operation.Optional(w, "applicant_id", d.ApplicantRef)
	w.Key("policy").Object().Key("id").String(d.PolicyID).Key("version").Int(d.PolicyVersion)
	w.Key("key").String(d.PolicyKey).EndObject()
	w.Key("endpoint").String(d.Endpoint).Key("engine_version").String(d.EngineVersion)
	w.Key("decision_hash").String(d.Hash).Key("created_at").String(operation.Clock(d.CreatedMicros)).EndObject()
}
