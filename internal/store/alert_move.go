package store

import (
	"context"
	"slices"
	"strconv"

	"verdict/internal/fault"
)

// CodeInvalidTransition refuses a step that an alert's state does not allow.
const CodeInvalidTransition = "invalid_transition"

// AlertMove is a step that somebody takes with an alert.
type AlertMove struct {
	ID         string
	To         string
	Resolution string // when it is closed
	Unresolved bool   // nobody named the resolution
	Note       string // "" leaves the one there is
	Actor      string
	NowMicros  int64
	MuteDays   int64 // how long a false positive keeps its entity silent
	// Block is what a confirmed ring puts on the block list: nil for the accounts
	// that tie it.
	Block []ObservedEntity
}

// MoveAlert acknowledges or closes an alert and returns it as it is then, with
// its evidence. The state it has already is no step and changes nothing, which
// moved tells. A step that is not allowed is a Conflict invalid_transition:
// closed is the end.
//
// Closed as confirmed fraud the entity goes on the block list; as a false
// positive it is muted. A ring is no entity of its own: what is blocked are
// accounts that tie it, or what the caller names.
func (tx *Tx) MoveAlert(m AlertMove) (a Alert, moved bool, err error) {
	if err := tx.lockFraud(); err != nil {
		return Alert{}, false, err
	}
	a, err = tx.alertRow(m.ID, tx.session.db.dialect.forUpdate())
	if err != nil {
		return Alert{}, false, err
	}
	if a.Status == AlertClosed && m.To == AlertClosed && !m.Unresolved && m.Resolution != a.Resolution {
		return Alert{}, false, fault.New(fault.Conflict, CodeInvalidTransition,
			"the alert is closed as %q already; a closed alert stays as it is", a.Resolution)
	}
	if a.Status == m.To {
		err = tx.readEvidence(&a)
		return a, false, err
	}
	if !mayMove(a.Status, m.To) {
		return Alert{}, false, fault.New(fault.Conflict, CodeInvalidTransition, "cannot move an alert from %q to %q", a.Status, m.To)
	}
	if m.Block != nil {
		if m.Block, err = tx.ofRing(a, m.Block); err != nil {
			return Alert{}, false, err
		}
	}
	if err := tx.insertEvent(a.ID, m.event(a.Status)); err != nil {
		return Alert{}, false, err
	}
	m.apply(&a)
	if err := tx.putState(a); err != nil {
		return Alert{}, false, err
	}
	if a.Blocked, err = tx.conclude(a, m); err != nil {
		return Alert{}, false, err
	}
	err = tx.readEvidence(&a)
	return a, true, err
}

// putState stores where an alert stands.
func (tx *Tx) putState(a Alert) error {
	_, err := tx.exec(`UPDATE fraud_alerts SET status = $4, acknowledged_micros = $5, acknowledged_by = $6, closed_micros = $7,
		closed_by = $8, resolution = $9, note = $10, updated_micros = $11, merged_into = $12
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, a.ID, a.Status, a.AcknowledgedMicros, a.AcknowledgedBy,
		a.ClosedMicros, a.ClosedBy, a.Resolution, a.Note, a.UpdatedMicros, a.MergedInto)
	return err
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

// conclude does to the entity what the resolution says. It tells what a ring's
// alert has blocked.
func (tx *Tx) conclude(a Alert, m AlertMove) (blocked []ObservedEntity, err error) {
	switch {
	case a.Status != AlertClosed:
		return nil, nil
	case a.Entity.Kind == KindRing:
		return tx.concludeRing(a, m)
	case a.Resolution == ResolutionConfirmedFraud:
		_, _, err = tx.Block(BlockedEntity{Entity: a.Entity, BlockedMicros: m.NowMicros, BlockedBy: m.Actor, AlertID: a.ID})
	case a.Resolution == ResolutionFalsePositive:
		_, err = tx.exec(`UPDATE fraud_entities SET muted_micros = $5
			WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND muted_micros < $5`,
			a.Entity.Kind, a.Entity.Key, m.NowMicros+m.MuteDays*dayMicros)
	}
	return nil, err
}

// concludeRing blocks what ties a confirmed ring, or mutes a false one.
func (tx *Tx) concludeRing(a Alert, m AlertMove) (blocked []ObservedEntity, err error) {
	switch a.Resolution {
	case ResolutionConfirmedFraud:
		if blocked = m.Block; blocked == nil {
			if blocked, err = tx.ringTies(a.Entity.Key, kindAccount); err != nil {
				return nil, err
			}
		}
		for _, e := range blocked {
			entry := BlockedEntity{Entity: e, BlockedMicros: m.NowMicros, BlockedBy: m.Actor, AlertID: a.ID}
			if _, _, err := tx.Block(entry); err != nil {
				return nil, err
			}
		}
		return append([]ObservedEntity{}, blocked...), nil
	case ResolutionFalsePositive:
		_, err := tx.exec(`UPDATE fraud_rings SET muted_micros = $4
			WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND muted_micros < $4`,
			a.Entity.Key, m.NowMicros+m.MuteDays*dayMicros)
		return nil, err
	default:
		return nil, nil
	}
}

// ofRing finds the entities that a caller names among those of a ring's people.
// An address, a pincode or an agent is none that a ring is blocked by: people
// share it who have nothing to do with each other.
func (tx *Tx) ofRing(a Alert, named []ObservedEntity) ([]ObservedEntity, error) {
	var faults fault.List
	if a.Entity.Kind != KindRing {
		faults.Add("/block", fault.CodeInvalidField, "belongs to the alert of a ring; another alert blocks the entity it is about")
		return nil, faults.Err()
	}
	ring, err := tx.Ring(a.ID)
	if err != nil {
		return nil, err
	}
	found := make([]ObservedEntity, len(named))
	for i, e := range named {
		at := slices.IndexFunc(ring.Entities, func(r RingEntity) bool {
			return r.Kind == e.Kind && r.Key == e.Key && slices.Contains(tyingKinds, r.Kind)
		})
		if at < 0 {
			faults.Add("/block/"+strconv.Itoa(i), fault.CodeOutOfRange,
				"must be the kind and key of an account, a device, a mobile number or an e-mail address of the ring")
			continue
		}
		found[i] = ring.Entities[at].ObservedEntity
	}
	return found, faults.Err()
}

// tyingKinds are the kinds that can tie people into a ring.
var tyingKinds = []string{kindAccount, "device", "mobile", "email"}

// ringTies lists the entities of a kind that tie a ring.
func (tx *Tx) ringTies(ringID, kind string) (list []ObservedEntity, err error) {
	err = tx.each(func(scan func(...any) error) error {
		var e ObservedEntity
		err := scan(&e.Kind, &e.Key, &e.Display)
		list = append(list, e)
		return err
	}, `SELECT kind, entity_key, display FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND ring_id = $3 AND ring_id <> '' AND kind = $4
		ORDER BY entity_key LIMIT $5`, ringID, kind, int64(maxRingLinks))
	return list, err
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
