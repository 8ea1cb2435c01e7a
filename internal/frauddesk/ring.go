package frauddesk

import (
	"context"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Ring is the graph of an alert.
type Ring struct {
	AlertID string
	store.Ring
}

// Ring reads what ties the applicants of an alert together.
func (s *Service) Ring(ctx context.Context, p tenant.Principal, alertID string) (Ring, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Ring{}, err
	}
	if !tenant.Valid(tenant.KindAlert, alertID) {
		return Ring{}, operation.Missing("alert")
	}
	ring, err := s.core.Scope(p).Alerts(ctx).Ring(alertID)
	return Ring{alertID, ring}, err
}

// Write writes the graph.
func (r Ring) Write(w *wire.Writer) {
	w.Object().Key("alert_id").Plain(r.AlertID).Key("applicants")
	operation.WriteStrings(w, r.Applicants)
	w.Key("entities").Array()
	for _, e := range r.Entities {
		w.Object().Key("kind").Plain(e.Kind).Key("display").String(e.Display).Key("key").Plain(e.Key)
		w.Key("applicants").Int(e.Applicants).EndObject()
	}
	w.EndArray()
	writeEdges(w, r.Edges)
	w.Key("truncated").Bool(r.Truncated).EndObject()
}

// writeGraph writes a ring as nodes, people first, and the edges between people
// and what ties them.
func writeGraph(w *wire.Writer, r store.Ring) {
	w.Key("nodes").Array()
	for _, ref := range r.Applicants {
		w.Object().Key("kind").Plain("applicant").Key("applicant_ref").String(ref).EndObject()
	}
	for _, e := range r.Entities {
		writeEntity(w.Object(), e.ObservedEntity).Key("applicants").Int(e.Applicants).EndObject()
	}
	w.EndArray()
	writeEdges(w, r.Edges)
	w.Key("truncated").Bool(r.Truncated)
}

func writeEdges(w *wire.Writer, edges []store.RingEdge) {
	w.Key("edges").Array()
	for _, e := range edges {
		w.Object().Key("applicant_ref").String(e.ApplicantRef).Key("kind").Plain(e.Kind).Key("key").Plain(e.Key).EndObject()
	}
	w.EndArray()
}
