package store

import (
	"context"
	"fmt"
	"slices"

	"verdict/internal/store/archive"
)

// SeeTenants notes that requests of tenants came that nobody had called for before.
func (sys *System) SeeTenants(ctx context.Context, ids []string, nowMicros int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids) // in a fixed order, so that two nodes cannot lock the rows crosswise
	return sys.write(ctx, "tenants seen", func(s *session) error {
		for _, id := range ids {
			if _, err := s.exec("UPDATE tenants SET seen_micros = $2, closing_micros = 0 WHERE id = $1 AND seen_micros = 0", id, nowMicros); err != nil {
				return err
			}
		}
		return nil
	})
}

// CloseUnused begins to close at most limit tenants that signed up until a time
// and were never seen: nobody is let in to them any more.
func (sys *System) CloseUnused(ctx context.Context, untilMicros, nowMicros int64, limit int) (closed int64, err error) {
	err = sys.write(ctx, "unused tenants", func(s *session) (err error) {
		closed, err = s.exec(`UPDATE tenants SET closing_micros = $1 WHERE seen_micros = 0 AND id IN
			(SELECT id FROM tenants WHERE seen_micros = 0 AND created_micros <= $2 AND closing_micros = 0
				ORDER BY created_micros, id LIMIT $3)`, nowMicros, untilMicros, int64(limit))
		return err
	})
	return closed, err
}

// RemoveUnused removes the oldest tenant whose closing began until a time, with
// all that is stored of it, and reports whether there was one. A tenant that was
// seen since, that has decisions, other people or a plan of its own stays: it
// counts as seen.
func (sys *System) RemoveUnused(ctx context.Context, untilMicros int64) (found bool, err error) {
	err = sys.write(ctx, "unused tenants", func(s *session) error {
		ids, err := s.texts(`SELECT id FROM tenants WHERE seen_micros = 0 AND closing_micros > 0 AND closing_micros <= $1
			ORDER BY created_micros, id LIMIT 1`+s.db.dialect.forUpdate(), untilMicros)
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
			_, err := s.exec("UPDATE tenants SET seen_micros = $2, closing_micros = 0 WHERE id = $1", ids[0], untilMicros)
			return err
		}
		return s.removeTenant(ids[0])
	})
	return found, err
}

// removeTenant deletes every row of a tenant. The audit log goes last, because it
// is kept for as long as there is a tenant.
func (s *session) removeTenant(id string) error {
	tables, err := s.catalogue()
	if err != nil {
		return err
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

// texts are the first columns of the rows of a statement.
func (s *session) texts(query string, args ...any) (found []string, err error) {
	err = s.each(func(scan func(...any) error) error {
		var text string
		err := scan(&text)
		found = append(found, text)
		return err
	}, query, args...)
	return found, err
}
