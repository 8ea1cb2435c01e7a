package store

import (
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The types of the journal events about exposures.
const (
	eventExposureReported = "exposure.reported"
	eventExposureClosed   = "exposure.closed"
	EventExposureDeleted  = "exposure.deleted"
)

// The reasons for deleting an exposure, as its event states them.
const (
	deletedByErasure   = "erasure"
	deletedByRetention = "retention"
)

// LoggedExposure is an exposure with the number of the journal entry of its last change.
type LoggedExposure struct {
	Exposure
	Leaf int64  // -1 if the exposure is older than the journal entries of exposures and has none yet
	Salt []byte // the salt of the hash over all columns of the exposure
}

const loggedExposureColumns = exposureColumns + ", leaf, salt"

func (e *LoggedExposure) fields() []any { return append(e.Exposure.fields(), &e.Leaf, &e.Salt) }
func (e *LoggedExposure) rowID() string { return e.ID }

// Commitment returns the salted hash of the row, which is part of the journal entry of its last change. The hash
// covers the document as it is stored, so it reveals nothing about the amounts in a sealed document.
func (e *LoggedExposure) Commitment() [32]byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return evidence.Commit(e.Salt, e.ID, e.ApplicantRef, e.DecisionID, string(e.Document), number(e.CreatedMicros),
		e.CreatedBy, number(e.UpdatedMicros), e.UpdatedBy, number(e.ClosedMicros))
}

// change returns the journal entry of a change of an exposure. e is the exposure after the change. The event has no
// amounts and no reference.
func (e *LoggedExposure) change() evidence.Record {
	event := eventExposureReported
	if e.ClosedMicros != 0 {
		event = eventExposureClosed
	}
	return evidence.Record{
		Kind:   evidence.Exposure,
		ID:     e.ID,
		Micros: wholeMillis(e.UpdatedMicros),
		Type:   event,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", e.UpdatedBy)
			w.Optional("decision_id", e.DecisionID)
			w.Optional("exposure_id", e.ID)
		}),
		Commitment: e.Commitment(),
	}
}

// recordDeleted adds the journal entry of deleting an exposure, so that a verification of the journal accepts the
// missing row.
func (ex Exposures) recordDeleted(exposureID, reason string, nowMicros int64) error {
	_, err := ex.tx.record(evidence.Record{
		Kind:   evidence.Exposure,
		ID:     exposureID,
		Micros: wholeMillis(nowMicros),
		Type:   EventExposureDeleted,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("exposure_id", exposureID)
			w.Optional("reason", reason)
		}),
	})
	return err
}

// WalkLogged calls fn for every exposure of the scope, in the order of their ids. It holds only some exposures in
// memory at a time. If fn returns an error, WalkLogged stops and returns the error.
func (ex ExposureReader) WalkLogged(fn func(*LoggedExposure) error) error {
	const together = 500
	return walkLogged(ex.access, loggedExposureColumns, "exposures", together, fn)
}

// fillExposures adds journal entries for the oldest exposures that have none, and returns the number of added entries.
func fillExposures(tx *Tx, b Backfill) (int, error) {
	rows, err := withoutEntry[LoggedExposure](tx, loggedExposureColumns, "exposures", b)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		if err := tx.Exposures().backfill(&rows[i], b.NowMicros); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// backfill adds a backfilled journal entry for the current state of an exposure, and stores the document of the
// exposure.
func (ex Exposures) backfill(e *LoggedExposure, nowMicros int64) (err error) {
	e.Salt = newSalt()
	late := Backfill{NowMicros: nowMicros}
	if e.Leaf, err = late.record(ex.tx, e.change()); err != nil {
		return err
	}
	_, err = ex.tx.exec(`UPDATE exposures SET document = $4, leaf = $5, salt = $6
		WHERE tenant_id = $1 AND environment = $2 AND id = $3`, e.ID, notNil(e.Document), e.Leaf, e.Salt)
	return err
}
