package account

import (
	"context"
	"io"

	"verdict/internal/operation"
	"verdict/internal/sheet"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// AuditEntry records who did what to which object.
type AuditEntry struct {
	ID             string
	Environment    string
	CreatedMicros  int64
	Actor          string
	Action         string
	Object         string
	BeforeChecksum string
	AfterChecksum  string
	Note           string
}

// AuditFilter selects entries of the trail. An empty field matches all entries.
type AuditFilter struct{ Actor, Action, Object string }

// Audit returns a page of the audit trail.
func (s *People) Audit(
	ctx context.Context, p tenant.Principal, f AuditFilter, l operation.List,
) (operation.Page[AuditEntry], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[AuditEntry]{}, err
	}

	filters := []string{"audit", f.Actor, f.Action, f.Object}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[AuditEntry]{}, err
	}
	rows, next, err := s.core.Scope(p).Audit(ctx).List(store.AuditFilter(f), page)
	if err != nil {
		return operation.Page[AuditEntry]{}, err
	}

	list := make([]AuditEntry, len(rows))
	for i := range rows {
		list[i] = AuditEntry(rows[i])
	}

	return operation.PagedUntil(l, p, list, next, filters...), nil
}

// CreatedAt returns the time of the entry in the format of answers.
func (e AuditEntry) CreatedAt() string { return operation.Clock(e.CreatedMicros) }

// ExportAudit writes all entries that match the filter as CSV, from the list's cursor on. If it refuses the export,
// it writes nothing. It calls pause between two pages, so that the caller can extend the deadline of a long export.
func (s *People) ExportAudit(
	ctx context.Context, p tenant.Principal, f AuditFilter, l operation.List, w io.Writer, pause func(),
) error {
	l.Limit = operation.MaxLimit
	page, err := s.Audit(ctx, p, f, l)
	if err != nil {
		return err
	}

	out := sheet.NewWriter(w)
	for _, name := range []string{
		"created_at", "environment", "actor", "action", "object", "before_checksum", "after_checksum", "note", "id",
	} {
		out.Text(name)
	}

	out.End()
	for {
		for _, e := range page.Data {
			for _, text := range []string{
				e.CreatedAt(), e.Environment, e.Actor, e.Action, e.Object,
				e.BeforeChecksum, e.AfterChecksum, e.Note, e.ID,
			} {
				out.Text(text)
			}
			out.End()
		}
		if err := out.Flush(); err != nil || page.NextCursor == "" {
			return err
		}

		pause()
		l.Cursor = page.NextCursor
		if page, err = s.Audit(ctx, p, f, l); err != nil {
			return err
		}
	}
}
