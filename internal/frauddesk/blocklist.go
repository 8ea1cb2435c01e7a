package frauddesk

import (
	"context"
	"slices"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Bounds of an entry that is added by hand.
const (
	maxBlockedValue  = 256
	maxBlockedReason = 200
)

// Block puts an entity on the block list, by its value in clear, of which only
// the keyed hash and the last characters are kept. It answers 201 with the new
// entry, or 200 with the one that is there: of two entries about one entity the
// one that ends later holds.
func (s *Service) Block(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return operation.Answer{}, err
	}
	id := operation.ScopeOf(p)
	key, err := s.core.Keyed(ctx, id)
	if err != nil {
		return operation.Answer{}, err
	}
	now := s.core.Moment()
	entry, err := readBlocked(body, key, now)
	if err != nil {
		return operation.Answer{}, err
	}
	entry.BlockedMicros, entry.BlockedBy = now.UnixMicro(), operation.Actor(p)
	answer, err := s.core.Write(ctx, s.core.Scope(p), o, func(tx *store.Tx) (operation.Answer, error) {
		if err := s.roomForBlocked(tx); err != nil {
			return operation.Answer{}, err
		}
		held, change, err := tx.Blocklist().Block(entry)
		if err != nil {
			return operation.Answer{}, err
		}
		if change != store.BlockKept {
			object := held.Entity.Kind + " " + held.Entity.Key
			if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionBlocked, object, entry.Reason)); err != nil {
				return operation.Answer{}, err
			}
		}
		status := operation.StatusOK
		if change == store.BlockAdded {
			status = operation.StatusCreated
		}
		var w wire.Writer
		blockedAt(held, now).Write(&w)
		return operation.Answer{Status: status, Body: w.Buf}, nil
	})
	s.changes.Forget(id)
	return answer, err
}

// readBlocked reads an entry. What is wrong with the value is told without the
// value.
func readBlocked(body wire.Value, key func(kind, value string) string, now time.Time) (store.BlockedEntity, error) {
	var faults fault.List
	var b store.BlockedEntity
	f := wire.NewForm(body, &faults)
	kind := ""
	if f.Require("kind", "one of "+strings.Join(EntityKinds(), ", ")) {
		if at := f.Choice("kind", -1, EntityKinds()...); at >= 0 {
			kind = EntityKinds()[at]
		}
	}
	if f.Require("value", "the account number, address, device id and so on, in clear") {
		value, ok := f.Text("value", maxBlockedValue)
		if ok && kind != "" {
			entity, problem := signal.NewEntity(kind, value, key)
			if problem != "" {
				f.Fail("value", fault.CodeOutOfRange, "%s", problem)
			}
			b.Entity = store.ObservedEntity(entity)
		}
	}
	if reason, ok := f.Text("reason", maxBlockedReason); ok {
		b.Reason = strings.Clone(reason)
	}
	b.UntilMicros = readExpiry(&f, now)
	f.Done()
	return b, faults.Err()
}

// readExpiry reads when an entry ends, 0 for never.
func readExpiry(f *wire.Form, now time.Time) int64 {
	text, ok := f.Text("expires_at", maxBlockedReason)
	if !ok {
		return 0
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case err != nil:
		f.Fail("expires_at", fault.CodeOutOfRange, "must be an RFC 3339 time, such as 2027-01-31T18:30:00Z")
	case !at.After(now):
		f.Fail("expires_at", fault.CodeOutOfRange, "must be in the future; leave it out for an entry that does not end")
	}
	return at.UnixMilli() * 1000 // as times are shown
}

// blockedAt is an entry as it stands at a moment.
func blockedAt(b store.BlockedEntity, now time.Time) Blocked {
	return Blocked{b, b.UntilMicros != 0 && b.UntilMicros <= now.UnixMicro()}
}

// Write writes the entry.
func (b Blocked) Write(w *wire.Writer) {
	writeEntity(w.Object(), b.Entity)
	w.Key("blocked_at").Plain(operation.Clock(b.BlockedMicros)).Key("blocked_by").String(b.BlockedBy)
	operation.Optional(w, "alert_id", b.AlertID)
	operation.Optional(w, "reason", b.Reason)
	operation.OptionalTime(w, "expires_at", b.UntilMicros)
	if b.Expired {
		w.Key("expired").Bool(true)
	}
	w.EndObject()
}

// EntityKinds are the kinds of things that applicants can share.
func EntityKinds() []string {
	kinds := []string{
		signal.KindBeneficiaryAccount, signal.KindIP, signal.KindPincode, signal.KindAgent,
		signal.KindDevice, signal.KindMobile, signal.KindEmail,
	}
	slices.Sort(kinds)
	return kinds
}

func (s *Service) roomForBlocked(tx *store.Tx) error {
	return operation.Capped(tx.Blocklist().Count, s.options.MaxBlocked, "entries of the block list",
		"remove one with DELETE /v1/fraud/blocklist")
}

// Blocked is an entity on the block list.
type Blocked struct {
	store.BlockedEntity
	Expired bool // it is listed and blocks nothing any more
}

// Blocklist lists the entities that confirmed fraud, or somebody by hand, has
// put there.
func (s *Service) Blocklist(ctx context.Context, p tenant.Principal, l operation.List) (operation.Page[Blocked], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Blocked]{}, err
	}
	filters := []string{"blocklist"}
	text, err := l.After(p, filters)
	if err != nil {
		return operation.Page[Blocked]{}, err
	}
	var after *store.BlockedEntity
	if text != "" {
		if after, err = readBlockedCursor(text); err != nil {
			return operation.Page[Blocked]{}, err
		}
	}
	rows, more, err := s.core.Scope(p).Blocklist(ctx).List(after, l.Limit)
	if err != nil {
		return operation.Page[Blocked]{}, err
	}
	out := operation.Page[Blocked]{Limit: l.Limit}
	now := s.core.Moment()
	for _, r := range rows {
		out.Data = append(out.Data, blockedAt(r, now))
	}
	if more {
		last := rows[len(rows)-1]
		out.NextCursor = l.CursorAfter(p, filters, strings.Join([]string{operation.Clock(last.BlockedMicros), last.Entity.Kind, last.Entity.Key}, " "))
	}
	return out, nil
}

func readBlockedCursor(text string) (*store.BlockedEntity, error) {
	parts := strings.Split(text, " ")
	if len(parts) != 3 {
		return nil, operation.NotACursor()
	}
	at, err := operation.ParseClock(parts[0])
	if err != nil {
		return nil, operation.NotACursor()
	}
	return &store.BlockedEntity{BlockedMicros: at, Entity: store.ObservedEntity{Kind: parts[1], Key: parts[2]}}, nil
}

// Unblock takes an entity off the block list.
func (s *Service) Unblock(ctx context.Context, p tenant.Principal, kind, key string) error {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	now := s.core.Moment()
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if err := tx.Blocklist().Unblock(kind, key); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionUnblocked, kind+" "+key, ""))
	})
}
