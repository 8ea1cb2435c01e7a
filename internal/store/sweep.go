package store

import (
	"context"
	"fmt"
	"slices"

	"verdict/internal/store/archive"
)

// MarkTenantsSeen records the time of the first authenticated request of each tenant
// that has none recorded yet. Such a tenant is no longer closing.
func (a *Accounts) MarkTenantsSeen(ctx context.Context, ids []string, nowMicros int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids) // the fixed order prevents a deadlock between two nodes
	return a.write(ctx, "tenants seen", func(s *transaction) error {
		for _, id := range ids {
			if _, err := s.exec("UPDATE tenants SET seen_micros = $2, closing_micros = 0 WHERE id = $1 AND "+
				"seen_micros = 0", id, nowMicros); err != nil {
				return err
			}
			for _, environment := range environments { // from now on their logs are signed
				s.noteGrown(rlsScope{tenant: id, environment: environment})
			}
		}
		return nil
	})
}

// CloseUnusedTenants marks at most limit tenants as closing: those that signed up no
// later than untilMicros and never sent an authenticated request. A tenant that
// is closing is no longer admitted. CloseUnusedTenants returns the number of tenants
// that it marked.
func (a *Accounts) CloseUnusedTenants(
	ctx context.Context, untilMicros, nowMicros int64, limit int,
) (closed int64, err error) {
	err = a.write(ctx, "unused tenants", func(s *transaction) (err error) {
		closed, err = s.exec(`UPDATE tenants SET closing_micros = $1 WHERE seen_micros = 0 AND id IN
			(SELECT id FROM tenants WHERE seen_micros = 0 AND created_micros <= $2 AND closing_micros = 0
				ORDER BY created_micros, id LIMIT $3)`, nowMicros, untilMicros, int64(limit))
		return err
	})
	return closed, err
}

// RemoveUnusedTenant removes the oldest tenant that has been closing since untilMicros or earlier, with all its data.
// found is false if there is no such tenant. A tenant with decisions, more than one person or a paid plan is not
// removed but marked as seen; found is true then too.
func (a *Accounts) RemoveUnusedTenant(ctx context.Context, untilMicros int64) (found bool, err error) {
	err = a.write(ctx, "unused tenants", func(s *transaction) error {
		ids, err := s.firstColumn(
			`SELECT id FROM tenants WHERE seen_micros = 0 AND closing_micros > 0 AND closing_micros <= $1
			ORDER BY created_micros, id LIMIT 1`+s.db.dialect.forUpdate, untilMicros)
		if found = len(ids) == 1; err != nil || !found {
			return err
		}
		var used int64
		if err := s.one([]any{&used}, `SELECT CASE WHEN EXISTS (SELECT 1 FROM decisions WHERE tenant_id = $1)
			OR (SELECT count(*) FROM users WHERE tenant_id = $1) > 1
			OR (SELECT plan FROM tenants WHERE id = $1) <> 'free' THEN 1 ELSE 0 END`, ids[0]); err != nil {
			return err
		}
		if used == 1 {
			_, err := s.exec("UPDATE tenants SET seen_micros = $2, closing_micros = 0 WHERE id = $1",
				ids[0], untilMicros)
			return err
		}
		return s.removeTenant(ids[0])
	})
	return found, err
}

// removeTenant deletes every row of a tenant. The audit log comes last, because
// its rows can be deleted only after the tenant's row.
func (s *transaction) removeTenant(id string) error {
	tables, err := s.catalogue()
	if err != nil {
		return err
	}
	if s.db.dialect.hasHeads { // deleting the heads locks the scopes first; SQLite has no such locks
		if _, err := s.exec("DELETE FROM journal_heads WHERE tenant_id = $1", id); err != nil {
			return err
		}
	}
	for _, t := range tables {
		ofTenant := slices.ContainsFunc(t.Columns, func(c archive.Column) bool { return c.Name == "tenant_id" })
		if !ofTenant || t.Name == "audit_log" {
			continue
		}
		if _, err := s.exec("DELETE FROM "+t.Name+" WHERE tenant_id = $1", id); err != nil {
			return fmt.Errorf("remove from %s: %w", t.Name, err)
		}
	}
	if _, err := s.exec("DELETE FROM tenants WHERE id = $1", id); err != nil {
		return err
	}
	_, err = s.exec("DELETE FROM audit_log WHERE tenant_id = $1", id)
	return err
}

// firstColumn returns the first column of the rows of a statement.
func (s *transaction) firstColumn(query string, args ...any) (found []string, err error) {
	err = s.each(func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		found = append(found, text)
		return err
	}, query, args...)
	return found, err
}
