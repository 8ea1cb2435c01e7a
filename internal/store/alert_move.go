package store

import (
	"slices"
	"strconv"

	"verdict/internal/fault"
)

// AlertMove describes the request to acknowledge or close an alert.
type AlertMove struct {
	ID         string
	To         string
	Resolution string // why the alert is closed; ignored if To is not AlertClosed
	Unresolved bool   // the caller named no resolution, so closing an alert that is closed already succeeds
	Note       string // "" leaves the note unchanged
	Actor      string
	NowMicros  int64
	MuteDays   int64 // how long a false positive mutes its entity
	// Block lists the entities that a confirmed alert puts on the block list, each
	// with the time at which its block ends. nil means the result of defaultBlock.
	Block []BlockedEntity
}

// Move acknowledges or closes an alert and returns its new state with its evidence. If the alert has the requested
// status already, nothing changes and moved is false. Move returns Conflict invalid_transition if the alert is closed
// with another resolution, or if it cannot move to the requested status.
//
// If an alert is closed as confirmed fraud, Move puts the entities in m.Block on the block list. If m.Block is nil, it
// puts the entities that defaultBlock returns on the list. If the alert is closed as a false positive, Move mutes its
// entity.
func (al Alerts) Move(m AlertMove) (a Alert, moved bool, err error) {
	if err := al.tx.FraudConfigs().lock(); err != nil {
		return Alert{}, false, err
	}
	a, err = al.row(m.ID, al.tx.transaction.db.dialect.forUpdate)
	if err != nil {
		return Alert{}, false, err
	}
	if a.Status == AlertClosed && m.To == AlertClosed && !m.Unresolved && m.Resolution != a.Resolution {
		return Alert{}, false, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the alert is already closed as %q; a closed alert cannot change", a.Resolution)
	}
	if a.Status == m.To {
		err = al.readEvidence(&a)
		return a, false, err
	}
	if !mayMove(a.Status, m.To) {
		return Alert{}, false, fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"cannot move an alert from %q to %q", a.Status, m.To)
	}
	if m.Block != nil {
		if m.Block, err = al.named(a, m.Block); err != nil {
			return Alert{}, false, err
		}
	}
	if err := al.insertEvent(a.ID, m.event(a.Status)); err != nil {
		return Alert{}, false, err
	}
	m.apply(&a)
	if err := al.putState(a, m); err != nil {
		return Alert{}, false, err
	}
	if a.Blocked, err = al.conclude(a, m); err != nil {
		return Alert{}, false, err
	}
	err = al.readEvidence(&a)
	return a, true, err
}

// putState stores the status of an alert with its times, actors, resolution and
// note, and the alert that it was merged into. It adds the entry of the move to the journal.
func (al Alerts) putState(a Alert, m AlertMove) error {
	kind := eventAlertUpdated
	if a.Status == AlertClosed {
		kind = eventAlertClosed
	}
	if _, err := al.tx.record(a.event(kind, m.Actor, "", m.NowMicros)); err != nil {
		return err
	}
	_, err := al.tx.exec(
		`UPDATE fraud_alerts SET status = $4, acknowledged_micros = $5, acknowledged_by = $6, closed_micros = $7,
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

// conclude blocks or mutes entities as the resolution of a closed alert requires, and returns the blocked entities.
func (al Alerts) conclude(a Alert, m AlertMove) ([]BlockedEntity, error) {
	switch {
	case a.Status != AlertClosed:
		return nil, nil
	case a.Resolution == ResolutionConfirmedFraud:
		return al.blockConfirmed(a, m)
	case a.Resolution == ResolutionFalsePositive:
		return nil, al.mute(a, m.NowMicros+m.MuteDays*dayMicros)
	default:
		return nil, nil
	}
}

// blockConfirmed puts the entities in m.Block on the block list. If m.Block is nil, it uses the entities that
// defaultBlock returns. It returns the entries that are valid afterwards.
func (al Alerts) blockConfirmed(a Alert, m AlertMove) ([]BlockedEntity, error) {
	chosen, err := m.Block, error(nil)
	if chosen == nil {
		if chosen, err = al.defaultBlock(a); err != nil {
			return nil, err
		}
	}
	blocked := []BlockedEntity{}
	for _, b := range chosen {
		b.BlockedMicros, b.BlockedBy, b.AlertID = m.NowMicros, m.Actor, a.ID
		held, _, err := al.tx.Blocklist().Block(b)
		if err != nil {
			return nil, err
		}
		blocked = append(blocked, held)
	}
	return blocked, nil
}

// mute mutes the entity of an alert until a time.
func (al Alerts) mute(a Alert, untilMicros int64) error {
	if a.Entity.Kind == KindRing {
		_, err := al.tx.exec(`UPDATE fraud_rings SET muted_micros = $4
			WHERE tenant_id = $1 AND environment = $2 AND id = $3 AND muted_micros < $4`, a.Entity.Key, untilMicros)
		return err
	}
	_, err := al.tx.exec(`UPDATE fraud_entities SET muted_micros = $5
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND muted_micros < $5`,
		a.Entity.Kind, a.Entity.Key, untilMicros)
	return err
}

// defaultBlock returns the entities that a confirmed alert blocks if the caller
// names no entities:
//   - for an account, a device, a mobile number or an e-mail address, the alert's entity;
//   - for a ring, the accounts that connect the ring;
//   - for an IP address, a pincode or an agent, the accounts that two or more of the alert's applicants share.
//
// IP addresses, pincodes and agents are never blocked by default, because unrelated
// people share them.
func (al Alerts) defaultBlock(a Alert) (list []BlockedEntity, err error) {
	if slices.Contains(tyingKinds, a.Entity.Kind) {
		return []BlockedEntity{{Entity: a.Entity}}, nil
	}
	if a.Entity.Kind == KindRing {
		accounts, err := al.ringTies(a.Entity.Key, kindAccount)
		for _, e := range accounts {
			list = append(list, BlockedEntity{Entity: e})
		}
		return list, err
	}
	ring, err := al.Ring(a.ID)
	for _, e := range ring.Entities {
		if e.Kind == kindAccount && e.Applicants > 1 {
			list = append(list, BlockedEntity{Entity: e.ObservedEntity})
		}
	}
	return list, err
}

// named looks up the entities that a caller names: the alert's own entity, or
// entities that its applicants were seen with. An IP address, a pincode or an
// agent is accepted only if it is the alert's own entity.
func (al Alerts) named(a Alert, named []BlockedEntity) ([]BlockedEntity, error) {
	var faults fault.List
	ring, err := al.Ring(a.ID)
	if err != nil {
		return nil, err
	}
	found := slices.Clone(named)
	for i, b := range named {
		if b.Entity.Kind == a.Entity.Kind && b.Entity.Key == a.Entity.Key && a.Entity.Kind != KindRing {
			found[i].Entity = a.Entity
			continue
		}
		at := slices.IndexFunc(ring.Entities, func(r RingEntity) bool {
			return r.Kind == b.Entity.Kind && r.Key == b.Entity.Key && slices.Contains(tyingKinds, r.Kind)
		})
		if at < 0 {
			faults.Add("/block/"+strconv.Itoa(i), fault.CodeOutOfRange,
				"must be the kind and key of the alert's own entity, "+
					"or of an account, a device, a mobile number or an e-mail address of its applicants")
			continue
		}
		found[i].Entity = ring.Entities[at].ObservedEntity
	}
	return found, faults.Err()
}

// tyingKinds are the kinds of entities that can connect people into a ring.
var tyingKinds = []string{kindAccount, "device", "mobile", "email"}

// ringTies returns the entities of the given kind that connect a ring.
func (al Alerts) ringTies(ringID, kind string) (list []ObservedEntity, err error) {
	err = al.tx.each(func(scan func(...any) error) error {
		var e ObservedEntity
		err := scan(&e.Kind, &e.Key, &e.Display)
		list = append(list, e)
		return err
	}, `SELECT kind, entity_key, display FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND ring_id = $3 AND ring_id <> '' AND kind = $4
		ORDER BY entity_key LIMIT $5`, ringID, kind, int64(maxRingLinks))
	return list, err
}
