package operation

import "context"

// TenantIDs returns the ids of all tenants in ascending order. If tenantID is not "", it returns only this id, or
// NotFound if there is no such tenant.
func (s *Core) TenantIDs(ctx context.Context, tenantID string) (ids []string, err error) {
	if tenantID != "" {
		t, err := s.DB.Accounts().Tenant(ctx, tenantID)
		return []string{t.ID}, err
	}
	for after := ""; ; after = ids[len(ids)-1] {
		rows, err := s.DB.Accounts().ListTenants(ctx, after)
		if err != nil || len(rows) == 0 {
			return ids, err
		}
		for _, t := range rows {
			ids = append(ids, t.ID)
		}
	}
}
