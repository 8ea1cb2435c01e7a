package decisioning

import (
	"context"
	"io"
	"time"

	"verdict/internal/sheet"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The actions of the audit trail, besides store.ActionDecided.
const (
	actionSignedUp         = "tenant.created"
	actionPlanSet          = "tenant.plan_set"
	actionUserAdded        = "user.created"
	actionKeyCreated       = "key.created"
	actionKeyRevoked       = "key.revoked"
	actionReviewed         = "decision.reviewed"
	actionRuleSetCreated   = "rule_set.created"
	actionRuleSetActivated = "rule_set.activated"
	actionRuleSetDeleted   = "rule_set.deleted"
	actionRuleSetArchived  = "rule_set.archived"
	actionAcknowledged     = "findings.acknowledged"
	actionScorecardCreated = "scorecard.created"
	actionFraudConfig      = "fraud_config.changed"
	actionPincodeRisk      = "pincode_risk.changed"
	actionAlertMoved       = "alert.moved"
	actionBlocked          = "blocklist.added"
	actionUnblocked        = "blocklist.removed"
	actionBacktestCreated  = "backtest.created"
	actionBacktestEnded    = "backtest.cancelled"
	actionStrategy         = "collections_strategy.changed"

	actionKeyRotated         = "key.rotated"
	actionSignedIn           = "session.created"
	actionSignedOut          = "session.ended"
	actionPasswordChanged    = "user.password_changed"
	actionRoleSet            = "user.role_set"
	actionUserDisabled       = "user.disabled"
	actionUserEnabled        = "user.enabled"
	actionActivatorConfirmed = "user.activator_confirmed"
	actionInvited            = "invitation.created"
	actionInvitationRevoked  = "invitation.revoked"
	actionInvitationUsed     = "invitation.accepted"
)

// Who did something, when it was none of the tenant's people.
const (
	actorSystem   = "system"
	actorOperator = "operator"
)

// actor names who calls in stored records: the key, or the person.
func actor(p tenant.Principal) string {
	if p.KeyID != "" {
		return p.KeyID
	}
	return p.UserID
}

// audit is the entry of something a caller did.
func (s *Service) audit(p tenant.Principal, now time.Time, action, object, note string) store.AuditEntry {
	return s.auditBy(actor(p), string(p.Environment), now, action, object, note)
}

func (s *Service) auditBy(actor, environment string, now time.Time, action, object, note string) store.AuditEntry {
	id, made := s.newID(tenant.KindAudit, now)
	return store.AuditEntry{
		ID: id, Environment: environment, CreatedMicros: made.UnixMicro(),
		Actor: actor, Action: action, Object: object, Note: note,
	}
}

// newID makes an id and tells the moment it names. That is now, unless the
// clock stepped back: ids keep to their order, and what was made keeps to its
// id, so that a list by id is a list by time.
func (s *Service) newID(kind tenant.Kind, now time.Time) (id string, made time.Time) {
	id = s.ids.New(kind, now)
	made, _ = tenant.Time(id) // it is one of ours
	return id, made
}

// AuditEntry is who did what to what.
type AuditEntry store.AuditEntry

// AuditFilter narrows the trail; empty fields do not.
type AuditFilter struct{ Actor, Action, Object string }

// Audit lists what was done.
func (s *Service) Audit(ctx context.Context, p tenant.Principal, f AuditFilter, l List) (Page[AuditEntry], error) {
	if err := p.Require(tenant.Read); err != nil {
		return Page[AuditEntry]{}, err
	}
	filters := []string{"audit", f.Actor, f.Action, f.Object}
	page, err := l.page(p, filters...)
	if err != nil {
		return Page[AuditEntry]{}, err
	}
	rows, next, err := s.scope(p).ListAudit(ctx, store.AuditFilter(f), page)
	if err != nil {
		return Page[AuditEntry]{}, err
	}
	list := make([]AuditEntry, len(rows))
	for i := range rows {
		list[i] = AuditEntry(rows[i])
	}
	return pagedUntil(l, p, list, next, filters...), nil
}

// CreatedAt is when it was done, as answers write it.
func (e AuditEntry) CreatedAt() string { return clock(e.CreatedMicros) }

// Write writes the entry.
func (e AuditEntry) Write(w *wire.Writer) {
	w.Object().Key("id").String(e.ID).Key("environment").String(e.Environment).Key("actor").String(e.Actor)
	w.Key("action").String(e.Action).Key("object").String(e.Object)
	optional(w, "before_checksum", e.BeforeChecksum)
	optional(w, "after_checksum", e.AfterChecksum)
	optional(w, "note", e.Note)
	w.Key("created_at").String(e.CreatedAt()).EndObject()
}

// ExportAudit writes the whole trail that the filter leaves as CSV, from the
// list's cursor on: a file has no pages. A refusal comes before the first byte;
// after each page pause is called, because an export takes as long as it takes.
func (s *Service) ExportAudit(ctx context.Context, p tenant.Principal, f AuditFilter, l List, w io.Writer, pause func()) error {
	l.Limit = MaxLimit
	page, err := s.Audit(ctx, p, f, l)
	if err != nil {
		return err
	}
	out := sheet.NewWriter(w)
	for _, name := range []string{"created_at", "environment", "actor", "action", "object", "before_checksum", "after_checksum", "note", "id"} {
		out.Text(name)
	}
	out.End()
	for {
		for _, e := range page.Data {
			for _, text := range []string{
				e.CreatedAt(), e.Environment, e.Actor, e.Action, e.Object, e.BeforeChecksum, e.AfterChecksum, e.Note, e.ID,
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
