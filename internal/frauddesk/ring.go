package frauddesk

import (
	"context"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/signal"
	"verdict/internal/tenant"
)

// Ring returns the graph of an alert: its applicants and the entities they were seen
// with. It returns NotFound if there is no such alert.
func (s *Service) Ring(ctx context.Context, p tenant.Principal, alertID string) (Ring, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Ring{}, err
	}
	if !tenant.Valid(tenant.KindAlert, alertID) {
		return Ring{}, fault.Missing("alert")
	}
	ring, err := s.core.Scope(p).Alerts(ctx).Ring(alertID)
	return ringOf(alertID, ring), err
}

// tyingKinds lists the kinds of entities that connect people into a ring.
var tyingKinds = []string{signal.KindBeneficiaryAccount, signal.KindDevice, signal.KindMobile, signal.KindEmail}

// Tying returns the graph with only the entities that connect applicants into a ring.
// It leaves out IP addresses, pincodes and agents, and entities of a single applicant.
func (r Ring) Tying() Ring {
	shown := map[[2]string]bool{}
	entities, edges := r.Entities, r.Edges
	r.Entities, r.Edges = nil, nil
	for _, e := range entities {
		if e.Applicants > 1 && slices.Contains(tyingKinds, e.Kind) {
			shown[[2]string{e.Kind, e.Key}] = true
			r.Entities = append(r.Entities, e)
		}
	}
	for _, e := range edges {
		if shown[[2]string{e.Kind, e.Key}] {
			r.Edges = append(r.Edges, e)
		}
	}
	return r
}
