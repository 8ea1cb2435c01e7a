package frauddesk

import (
	"context"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Alert is a fraud alert, as it is shown.
type Alert struct {
	store.Alert
	History   []store.AlertEvent // of one alert, nil in lists
	Graph     *store.Ring        // of one alert about a ring, nil in lists
	RefMisuse bool               // its applicants look like applications
}

// AlertFilter narrows a list; empty fields do not.
type AlertFilter struct{ Status, Type, Severity string }

// AlertTypes and the rest are what a filter may name.
func AlertTypes() []string {
	return signal.Signals()
}

// AlertStates are the states of an alert.
func AlertStates() []string {
	return []string{store.AlertOpen, store.AlertAcknowledged, store.AlertClosed}
}

// Alerts lists alerts.
func (s *Service) Alerts(ctx context.Context, p tenant.Principal, f AlertFilter, l operation.List) (operation.Page[Alert], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Alert]{}, err
	}
	filters := []string{"alerts", f.Status, f.Type, f.Severity}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Alert]{}, err
	}
	var list []Alert
	var more bool
	err = s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		rows, further, err := tx.Alerts().List(store.AlertFilter(f), page)
		if err != nil {
			return err
		}
		list, more = make([]Alert, len(rows)), further
		for i := range rows {
			list[i].Alert = rows[i]
			if list[i].RefMisuse, err = refMisuse(tx, rows[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return operation.Page[Alert]{}, err
	}
	return operation.Paged(l, p, list, more, func(a Alert) (int64, string) { return a.CreatedMicros, a.ID }, filters...), nil
}

// Alert finds an alert, with what was done about it.
func (s *Service) Alert(ctx context.Context, p tenant.Principal, id string) (Alert, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Alert{}, err
	}
	if !tenant.Valid(tenant.KindAlert, id) {
		return Alert{}, operation.Missing("alert")
	}
	var out Alert
	err := s.core.Scope(p).Read(ctx, func(tx *store.Tx) (err error) {
		if out.Alert, err = tx.Alerts().Get(id); err != nil {
			return err
		}
		if out.History, err = tx.Alerts().History(id); err != nil {
			return err
		}
		if out.RefMisuse, err = refMisuse(tx, out.Alert); err != nil || out.Type != signal.ConnectedRing {
			return err
		}
		ring, err := tx.Alerts().Ring(id)
		ring = ring.Tying()
		out.Graph = &ring
		return err
	})
	return out, err
}

// refMisuse reports whether an alert's applicants look like applications: all
// were seen once, within a day, from one address. An alert that is older than a
// day, as most are, needs no look at its applicants.
func refMisuse(tx *store.Tx, a store.Alert) (bool, error) {
	if a.LastSeenMicros-a.FirstSeenMicros > (24*time.Hour).Microseconds() || a.ApplicantCount < 2 {
		return false, nil
	}
	return tx.Alerts().SeenOnce(a.ID, signal.KindIP)
}

// The resolutions of an alert that is closed.
var resolutions = []string{"confirmed_fraud", "false_positive", "duplicate", "other"}

// MoveAlert acknowledges or closes an alert.
func (s *Service) MoveAlert(ctx context.Context, p tenant.Principal, id string, body wire.Value) (Alert, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Alert{}, err
	}
	if !tenant.Valid(tenant.KindAlert, id) {
		return Alert{}, operation.Missing("alert")
	}
	now := s.core.Moment()
	move, err := readMove(body, now)
	if err != nil {
		return Alert{}, err
	}
	settings, err := s.settings(ctx, p)
	if err != nil {
		return Alert{}, err
	}
	move.ID, move.Actor, move.NowMicros, move.MuteDays = id, operation.Actor(p), now.UnixMicro(), settings.Config.Fraud.MuteDays
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
	return Alert{Alert: alert}, nil
}

// readMove reads a step by the state it leads to, or by its action.
func readMove(body wire.Value, now time.Time) (store.AlertMove, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	var m store.AlertMove
	if at := f.Choice("status", -1, store.AlertAcknowledged, store.AlertClosed); at >= 0 {
		m.To = []string{store.AlertAcknowledged, store.AlertClosed}[at]
	}
	if at := f.Choice("action", -1, "acknowledge", "close"); at >= 0 {
		to := []string{store.AlertAcknowledged, store.AlertClosed}[at]
		if m.To != "" && m.To != to {
			f.Fail("action", fault.CodeInvalidField, "contradicts status; send one of the two")
		}
		m.To = to
	}
	if m.To == "" && faults.Len() == 0 {
		f.Fail("status", fault.CodeRequired, "is required: acknowledged or closed")
	}
	if at := f.Choice("resolution", -1, resolutions...); at >= 0 {
		m.Resolution = resolutions[at]
	}
	switch {
	case m.To == store.AlertClosed && m.Resolution == "":
		m.Resolution, m.Unresolved = "other", true
	case m.To == store.AlertAcknowledged && m.Resolution != "":
		f.Fail("resolution", fault.CodeInvalidField, "belongs to closing an alert")
	}
	if note, ok := f.Text("note", operation.MaxNote); ok {
		m.Note = strings.Clone(note)
	}
	if f.Get("block").Given() {
		if m.Resolution != store.ResolutionConfirmedFraud {
			f.Fail("block", fault.CodeInvalidField, "belongs to closing an alert as confirmed_fraud")
		}
		m.Block = readBlock(&f, &faults, now)
	}
	f.Done()
	return m, faults.Err()
}

// maxBlock is how many entities the close of one alert may name.
const maxBlock = 200

// readBlock reads the entities that a confirmed alert is to put on the block
// list. An empty list blocks nothing.
func readBlock(f *wire.Form, faults *fault.List, now time.Time) []store.BlockedEntity {
	list := []store.BlockedEntity{}
	for _, v := range f.Array("block", maxBlock).Elements() {
		one := wire.NewForm(v, faults)
		var b store.BlockedEntity
		if one.Require("kind", "the kind of the entity, as the alert shows it") {
			kind, _ := one.Text("kind", maxEntityKey)
			b.Entity.Kind = strings.Clone(kind)
		}
		if one.Require("key", "the key of the entity, as the alert shows it") {
			key, _ := one.Text("key", maxEntityKey)
			b.Entity.Key = strings.Clone(key)
		}
		b.UntilMicros = readExpiry(&one, now)
		one.Known("display")
		one.Done()
		list = append(list, b)
	}
	return list
}

// maxEntityKey bounds the kind and the key of an entity.
const maxEntityKey = 256

// Write writes the alert. Members that may come later are null until then.
func (a Alert) Write(w *wire.Writer) {
	w.Object().Key("id").Plain(a.ID).Key("type").Plain(a.Type).Key("severity").Plain(a.Severity).Key("status").Plain(a.Status)
	w.Key("entity").Object().Key("kind").Plain(a.Entity.Kind).Key("display").String(a.Entity.Display)
	w.Key("key").Plain(a.Entity.Key).EndObject().Key("value").Int(a.Value)
	w.Key("applicant_refs")
	operation.WriteStrings(w, a.ApplicantRefs)
	w.Key("applicant_count").Int(a.ApplicantCount).Key("decision_ids")
	operation.WriteStrings(w, a.DecisionIDs)
	w.Key("threshold").Int(a.Threshold).Key("window_hours").Int(a.WindowHours)
	w.Key("first_seen_at").Plain(operation.Clock(a.FirstSeenMicros)).Key("last_seen_at").Plain(operation.Clock(a.LastSeenMicros))
	orNull(w, "acknowledged_at", timeText(a.AcknowledgedMicros))
	orNull(w, "acknowledged_by", a.AcknowledgedBy)
	orNull(w, "closed_at", timeText(a.ClosedMicros))
	orNull(w, "closed_by", a.ClosedBy)
	orNull(w, "resolution", a.Resolution)
	orNull(w, "note", a.Note)
	operation.Optional(w, "previous_alert_id", a.PreviousID)
	operation.Optional(w, "merged_into", a.MergedInto)
	if a.Blocked != nil {
		w.Key("blocked").Array()
		for _, b := range a.Blocked {
			writeEntity(w.Object(), b.Entity)
			operation.OptionalTime(w, "expires_at", b.UntilMicros)
			w.EndObject()
		}
		w.EndArray()
	}
	if a.Graph != nil {
		writeGraph(w, *a.Graph)
	}
	if a.RefMisuse {
		w.Key("possible_ref_misuse").Bool(true)
	}
	if a.History != nil {
		w.Key("history").Array()
		for _, e := range a.History {
			w.Object().Key("at").Plain(operation.Clock(e.CreatedMicros)).Key("actor").String(e.Actor)
			operation.Optional(w, "from", e.From)
			w.Key("to").Plain(e.To)
			operation.Optional(w, "resolution", e.Resolution)
			operation.Optional(w, "note", e.Note)
			w.EndObject()
		}
		w.EndArray()
	}
	w.Key("created_at").Plain(operation.Clock(a.CreatedMicros)).Key("updated_at").Plain(operation.Clock(a.UpdatedMicros)).EndObject()
}

// writeEntity writes the members of an entity.
func writeEntity(w *wire.Writer, e store.ObservedEntity) *wire.Writer {
	return w.Key("kind").Plain(e.Kind).Key("display").String(e.Display).Key("key").Plain(e.Key)
}

func timeText(micros int64) string {
	if micros == 0 {
		return ""
	}
	return operation.Clock(micros)
}

func orNull(w *wire.Writer, key, text string) {
	if w.Key(key); text == "" {
		w.Null()
	} else {
		w.String(text)
	}
}
