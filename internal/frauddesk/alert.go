package frauddesk

import (
	"context"
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// AlertFilter selects alerts. An empty field matches every alert.
type AlertFilter struct{ Status, Type, Severity string }

// AlertTypes returns the types of alerts that a filter can select.
func AlertTypes() []string {
	return signal.Signals()
}

// AlertStates returns the states of an alert.
func AlertStates() []string {
	return []string{store.AlertOpen, store.AlertAcknowledged, store.AlertClosed}
}

// Alerts lists alerts.
func (s *Service) Alerts(
	ctx context.Context, p tenant.Principal, f AlertFilter, l operation.List,
) (operation.Page[Alert], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Alert]{}, err
	}
	filters := []string{"alerts", f.Status, f.Type, f.Severity}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Alert]{}, err
	}
	now := s.core.Moment().UnixMicro()
	var list []Alert
	var more bool
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		rows, further, err := tx.Alerts().List(store.AlertFilter(f), page)
		if err != nil {
			return err
		}
		list, more = make([]Alert, len(rows)), further
		for i := range rows {
			list[i] = alertOf(rows[i], now)
			if list[i].RefMisuse, err = refMisuse(tx, rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return operation.Page[Alert]{}, err
	}
	key := func(a Alert) (int64, string) { return a.CreatedMicros, a.ID }
	return operation.Paged(l, p, list, more, key, filters...), nil
}

// Alert returns an alert with its history. If the alert is about a ring, it also
// returns the graph. It returns NotFound if there is no such alert.
func (s *Service) Alert(ctx context.Context, p tenant.Principal, id string) (Alert, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Alert{}, err
	}
	if !tenant.Valid(tenant.KindAlert, id) {
		return Alert{}, fault.Missing("alert")
	}
	var out Alert
	err := s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		stored, err := tx.Alerts().Get(id)
		if err != nil {
			return err
		}
		out = alertOf(stored, s.core.Moment().UnixMicro())
		history, err := tx.Alerts().History(id)
		if err != nil {
			return err
		}
		out.History = historyOf(history)
		if out.RefMisuse, err = refMisuse(tx, stored); err != nil || out.Type != signal.ConnectedRing {
			return err
		}
		ring, err := tx.Alerts().Ring(id)
		graph := ringOf(id, ring).Tying()
		out.Graph = &graph
		return err
	})
	return out, err
}

// refMisuse reports whether the references of an alert's applicants seem to identify
// applications instead of people: each was seen only once, all within a day, from one
// IP address. If the alert spans more than a day, as most alerts do, refMisuse does
// not read its applicants.
func refMisuse(tx *store.Tx, a store.Alert) (bool, error) {
	if a.LastSeenMicros-a.FirstSeenMicros > (24*time.Hour).Microseconds() || a.ApplicantCount < 2 {
		return false, nil
	}
	return tx.Alerts().SeenOnce(a.ID, signal.KindIP)
}

// resolutions lists the resolutions of a closed alert.
var resolutions = []string{"confirmed_fraud", "false_positive", "duplicate", "other"}

// AlertMove is a step that acknowledges or closes an alert.
type AlertMove struct {
	To         string // the new status
	Resolution string // resolution of a closed alert; "" means "other"
	Note       string
	// Block lists the entities to block when the alert is closed as confirmed fraud.
	// If it is nil, the default entities are blocked; an empty list blocks none.
	Block []BlockEntity
}

// BlockEntity is an entity of an alert to block.
type BlockEntity struct {
	Kind, Key string
	ExpiresAt time.Time // zero: the block never ends
}

const (
	// MaxBlock limits the entities in AlertMove.Block.
	MaxBlock = 200
	// maxEntityKey limits the kind and the key of an entity, in bytes.
	maxEntityKey = 256
)

// Check adds the faults of the step to faults.
func (m AlertMove) Check(faults *fault.List, now time.Time) {
	c := faults.Check("")
	if m.To == "" && faults.Len() == 0 {
		c.Fail("status", fault.CodeRequired, "is required: \"acknowledged\" or \"closed\"")
	}
	c.Choice("status", m.To, store.AlertAcknowledged, store.AlertClosed)
	c.Choice("resolution", m.Resolution, resolutions...)
	if m.To == store.AlertAcknowledged && m.Resolution != "" {
		c.Fail("resolution", fault.CodeInvalidField, "is allowed only when an alert is closed")
	}
	c.Text("note", m.Note, operation.MaxNote)
	if m.Block == nil {
		return
	}
	if m.Resolution != store.ResolutionConfirmedFraud {
		c.Fail("block", fault.CodeInvalidField, `is allowed only when an alert is closed as "confirmed_fraud"`)
	}
	if len(m.Block) > MaxBlock {
		c.Fail("block", fault.CodeTooMany, "has more than %d entries", MaxBlock)
		return
	}
	for i, b := range m.Block {
		one := c.Entry("/block/" + strconv.Itoa(i))
		if one.Require("kind", b.Kind != "", "the kind of the entity, as the alert shows it") {
			one.Text("kind", b.Kind, maxEntityKey)
		}
		if one.Require("key", b.Key != "", "the key of the entity, as the alert shows it") {
			one.Text("key", b.Key, maxEntityKey)
		}
		checkExpiry(one, b.ExpiresAt, now)
	}
}

// stored converts the step to the type of the store.
func (m AlertMove) stored() store.AlertMove {
	out := store.AlertMove{To: m.To, Resolution: m.Resolution, Note: m.Note}
	if m.To == store.AlertClosed && m.Resolution == "" {
		out.Resolution, out.Unresolved = "other", true
	}
	if m.Block != nil {
		out.Block = []store.BlockedEntity{}
	}
	for _, b := range m.Block {
		out.Block = append(out.Block, store.BlockedEntity{
			Entity:      store.ObservedEntity{Kind: b.Kind, Key: b.Key},
			UntilMicros: untilMicros(b.ExpiresAt),
		})
	}
	return out
}

// MoveAlert acknowledges or closes an alert.
func (s *Service) MoveAlert(ctx context.Context, p tenant.Principal, id string, m AlertMove) (Alert, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Alert{}, err
	}
	if !tenant.Valid(tenant.KindAlert, id) {
		return Alert{}, fault.Missing("alert")
	}
	now := s.core.Moment()
	var faults fault.List
	m.Check(&faults, now)
	if err := faults.Err(); err != nil {
		return Alert{}, err
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return Alert{}, err
	}

	move := m.stored()
	move.ID = id
	move.Actor = operation.Actor(p)
	move.NowMicros = now.UnixMicro()
	move.MuteDays = settings.Config.Fraud.MuteDays
	audit := s.core.Audit(p, now, operation.ActionAlertMoved, id, move.To)
	var alert store.Alert
	err = s.core.Scope(p).Write(ctx, func(tx *store.Tx) (err error) {
		var moved bool
		if alert, moved, err = tx.Alerts().Move(move); err != nil || !moved {
			return err
		}
		return tx.Audit().Add(audit)
	})
	if err != nil {
		return Alert{}, err
	}
	return alertOf(alert, now.UnixMicro()), nil
}
