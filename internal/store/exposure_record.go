package store

import (
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The types of the events of exposures.
const (
	eventExposureReported = "exposure.reported"
	eventExposureClosed   = "exposure.closed"
	EventExposureDeleted  = "exposure.deleted"
)

// Why an exposure was deleted, as its event says.
const (
	deletedByErasure   = "erasure"
	deletedByRetention = "retention"
)

// LoggedExposure is an exposure with the number of the journal entry of its last change.
type LoggedExposure struct {
	Exposure
	Leaf int64  // -1 for an exposure from before its changes had entries
	Salt []byte // of the hash of all its columns
}

const loggedExposureColumns = exposureColumns + ", leaf, salt"

func (e *LoggedExposure) fields() []any { return append(e.Exposure.fields(), &e.Leaf, &e.Salt) }
func (e *LoggedExposure) rowID() string { return e.ID }

// Commitment returns the salted hash of the row, which is part of the journal entry of its last change. It is over the
// document as it is stored, so it says nothing about the amounts of a document that is sealed.
func (e *LoggedExposure) Commitment() [32]byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return evidence.Commit(e.Salt, e.ID, e.ApplicantRef, e.DecisionID, string(e.Document), number(e.CreatedMicros),
		e.CreatedBy, number(e.UpdatedMicros), e.UpdatedBy, number(e.ClosedMicros))
}

// change returns the journal entry of a change that leaves the exposure as it is now. The event has no amounts and no
// reference.
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

// recordDeleted adds the journal entry of deleting an exposure, so that its missing row is right.
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

// WalkLogged calls fn for every exposure of the scope, in the order of their ids. It has only some in memory at a time.
// If fn returns an error, WalkLogged stops and returns the error.
func (ex ExposureReader) WalkLogged(fn func(*LoggedExposure) error) error {
	const together = 500
	return walkLogged(ex.access, loggedExposureColumns, "exposures", together, fn)
}

// fillExposures adds the entries of the oldest exposures that have none, and returns their number.
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

// backfill adds a backfilled entry for an exposure as it is now, and stores its document.
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
