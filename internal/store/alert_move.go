package store

import (
	"context"

	"verdict/internal/fault"
)

// CodeInvalidTransition refuses a step that an alert's state does not allow.
const CodeInvalidTransition = "invalid_transition"

// AlertMove is a step that somebody takes with an alert.
type AlertMove struct {
	ID         string
	To         string
	Resolution string // when it is closed
	Note       string // "" leaves the one there is
	Actor      string
	NowMicros  int64
	MuteDays   int64 // how long a false positive keeps its entity silent
}

// MoveAlert acknowledges or closes an alert and returns it as it is then, with
// its evidence. The state it has already is no step and changes nothing, which
// moved tells. A step that is not allowed is a Conflict invalid_transition:
// closed is the end.
//
// Closed as confirmed fraud the entity goes on the block list; as a false
// positive it is muted.
func (tx *Tx) MoveAlert(m AlertMove) (a Alert, moved bool, err error) {
	if err := tx.lockFraud(); err != nil {
		return Alert{}, false, err
	}
	a, err = tx.alertRow(m.ID, tx.session.db.dialect.forUpdate())
	if err != nil {
		return Alert{}, false, err
	}
	if a.Status == m.To {
		err = tx.readEvidence(&a)
		return a, false, err
	}
	if !mayMove(a.Status, m.To) {
		return Alert{}, false, fault.New(fault.Conflict, CodeInvalidTransition, "an alert that is %s cannot become that", a.Status)
	}
	if err := tx.insertEvent(a.ID, m.event(a.Status)); err != nil {
		return Alert{}, false, err
	}
	m.apply(&a)
	if _, err := tx.exec(`UPDATE fraud_alerts SET status = $4, acknowledged_micros = $5, acknowledged_by = $6, closed_micros = $7,
		closed_by = $8, resolution = $9, note = $10, updated_micros = $11 WHERE tenant_id = $1 AND environment = $2 AND id = $3`,
		a.ID, a.Status, a.AcknowledgedMicros, a.AcknowledgedBy, a.ClosedMicros, a.ClosedBy, a.Resolution, a.Note, a.UpdatedMicros); err != nil {
		return Alert{}, false, err
	}
	if err := tx.conclude(a, m); err != nil {
		return Alert{}, false, err
	}
	err = tx.readEvidence(&a)
	return a, true, err
}

func mayMove(from, to string) bool {
	switch to {
	case AlertAcknowledged:
		return from == AlertOpen
	case AlertClosed:
		return from == AlertOpen || from == AlertAcknowledged
	default:
		return false
	}
}

func (m AlertMove) event(from string) AlertEvent {
	e := AlertEvent{CreatedMicros: m.NowMicros, Actor: m.Actor, From: from, To: m.To, Note: m.Note}
	if m.To == AlertClosed {
		e.Resolution = m.Resolution
	}
	return e
}

func (m AlertMove) apply(a *Alert) {
	a.Status, a.UpdatedMicros = m.To, max(a.UpdatedMicros, m.NowMicros)
	if m.Note != "" {
		a.Note = m.Note
	}
	if m.To == AlertAcknowledged {
		a.AcknowledgedMicros, a.AcknowledgedBy = m.NowMicros, m.Actor
		return
	}
	a.ClosedMicros, a.ClosedBy, a.Resolution = m.NowMicros, m.Actor, m.Resolution
}

// conclude does to the entity what the resolution says.
func (tx *Tx) conclude(a Alert, m AlertMove) error {
	switch {
	case a.Status != AlertClosed:
		return nil
	case a.Resolution == ResolutionConfirmedFraud:
		return tx.Block(BlockedEntity{Entity: a.Entity, BlockedMicros: m.NowMicros, BlockedBy: m.Actor, AlertID: a.ID})
	case a.Resolution == ResolutionFalsePositive:
		_, err := tx.exec(`UPDATE fraud_entities SET muted_micros = $5
			WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND muted_micros < $5`,
			a.Entity.Kind, a.Entity.Key, m.NowMicros+m.MuteDays*dayMicros)
		return err
	default:
		return nil
	}
}

// MoveAlert is Tx.MoveAlert, and an audit entry if it moved, in a transaction
// of their own.
func (s *Scope) MoveAlert(ctx context.Context, m AlertMove, audit AuditEntry) (Alert, error) {
	return inWrite(ctx, s, func(tx *Tx) (Alert, error) {
		a, moved, err := tx.MoveAlert(m)
		if err != nil || !moved {
			return a, err
		}
		return a, tx.insertAudit(audit)
	})
}
