package frauddesk

import (
	"context"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// PincodeRisks are entries of a tenant's risk table of pincodes.
type PincodeRisks struct {
	operation.Page[signal.PincodeRisk]
	DefaultRisk signal.Risk // the risk of pincodes without an entry
	Changed     bool        // the entries are those that SetPincodeRisks has set, not a page of a list
}

// PincodeFilter selects entries. An empty field matches every entry.
type PincodeFilter struct{ Pincode, Prefix, Risk string }

// PincodeRisks lists the entries, ordered by pincode.
func (s *Service) PincodeRisks(
	ctx context.Context, p tenant.Principal, f PincodeFilter, l operation.List,
) (PincodeRisks, error) {
	if err := p.Require(tenant.Read); err != nil {
		return PincodeRisks{}, err
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return PincodeRisks{}, err
	}
	filters := []string{"pincode-risk", f.Pincode, f.Prefix, f.Risk}
	after, err := l.After(p, filters)
	if err != nil {
		return PincodeRisks{}, err
	}
	page := store.Page{Limit: l.Limit, AfterID: after}
	rows, more, err := s.core.Scope(p).PincodeRisks(ctx).List(store.PincodeRiskFilter(f), page)
	if err != nil {
		return PincodeRisks{}, err
	}
	out := PincodeRisks{DefaultRisk: settings.Config.Location.DefaultPincodeRisk}
	out.Limit = l.Limit
	for _, r := range rows {
		out.Data = append(out.Data, pincodeRisk(r))
	}
	if more {
		out.NextCursor = l.CursorAfter(p, filters, rows[len(rows)-1].Pincode)
	}
	return out, nil
}

// PincodeRegions returns the number of entries that are valid now, by region and
// risk.
func (s *Service) PincodeRegions(ctx context.Context, p tenant.Principal) ([]signal.Region, error) {
	if err := p.Require(tenant.Read); err != nil {
		return nil, err
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return nil, err
	}
	return settings.risks.Regions(s.core.Moment().UnixMicro()), nil
}

// SetPincodeRisks adds, replaces and removes entries in one transaction. If replace
// is set, it also removes all entries that are not in the list.
func (s *Service) SetPincodeRisks(
	ctx context.Context, p tenant.Principal, entries []signal.PincodeRisk, replace bool,
) (PincodeRisks, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return PincodeRisks{}, err
	}
	var faults fault.List
	signal.CheckPincodeRisks(&faults, entries)
	if err := faults.Err(); err != nil {
		return PincodeRisks{}, err
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return PincodeRisks{}, err
	}

	now := s.core.Moment()
	out := PincodeRisks{DefaultRisk: settings.Config.Location.DefaultPincodeRisk, Changed: true}
	var kept []store.PincodeRisk
	var removed []string
	for _, e := range entries {
		if e.Remove {
			removed = append(removed, e.Pincode)
			continue
		}
		e.UpdatedMicros = now.UnixMicro()
		out.Data = append(out.Data, e)
		kept = append(kept, store.PincodeRisk{
			Pincode:       e.Pincode,
			Risk:          string(e.Risk),
			Score:         int64(e.Score),
			Reason:        e.Reason,
			UpdatedMicros: e.UpdatedMicros,
			UpdatedBy:     operation.Actor(p),
			ExpiresMicros: e.ExpiresMicros,
		})
	}

	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if replace {
			if err := tx.PincodeRisks().Replace(kept); err != nil {
				return err
			}
		} else {
			if err := tx.PincodeRisks().Put(kept); err != nil {
				return err
			}
			if _, err := tx.PincodeRisks().Remove(removed); err != nil {
				return err
			}
		}
		if err := tx.PincodeRisks().Log(operation.Actor(p), now.UnixMicro()); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionPincodeRisk, "pincode_risk", ""))
	})
	s.changes.Forget(operation.ScopeOf(p))
	return out, err
}
