package store

import (
	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// EventScorecardCreated is the type of the event that records a new scorecard.
const EventScorecardCreated = "scorecard.created"

// LoggedScorecard is a scorecard with the number of its entry in the journal.
type LoggedScorecard struct {
	Scorecard
	Leaf int64  // -1 if the scorecard is older than the journal and has no entry yet
	Salt []byte // the salt of the hash over the document and the name
}

const loggedScorecardColumns = scorecardColumns + ", leaf, salt"

func (c *LoggedScorecard) fields() []any { return append(c.Scorecard.fields(), &c.Leaf, &c.Salt) }
func (c *LoggedScorecard) rowID() string { return c.ID }

// Record returns the scorecard's entry in the journal. The scope of the entry is not set.
func (c *LoggedScorecard) Record() evidence.Record {
	return evidence.Record{
		Kind:   evidence.Scorecard,
		ID:     c.ID,
		Micros: c.CreatedMicros,
		Type:   EventScorecardCreated,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", c.CreatedBy)
			w.Optional("checksum", c.Checksum)
			w.Optional("scorecard_id", c.ID)
			w.Key("version").Int(c.Version)
		}),
		Commitment: evidence.Commit(c.Salt, string(c.Document), c.Name),
	}
}

// WalkLogged calls fn for every scorecard of the scope, in the order of their ids. It holds only a few scorecards in
// memory at a time. If fn returns an error, WalkLogged stops and returns the error.
func (sc ScorecardReader) WalkLogged(fn func(*LoggedScorecard) error) error {
	const together = 20 // documents can be large
	return walkLogged(sc.access, loggedScorecardColumns, "scorecards", together, fn)
}

// fillScorecards adds journal entries for the oldest scorecards that have none, and returns the number of added
// entries.
func fillScorecards(tx *Tx, b Backfill) (int, error) {
	rows, err := withoutEntry[LoggedScorecard](tx, loggedScorecardColumns, "scorecards", b)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		c := &rows[i]
		c.Salt = newSalt()
		leaf, err := b.record(tx, c.Record())
		if err != nil {
			return 0, err
		}
		if _, err := tx.exec(`UPDATE scorecards SET leaf = $4, salt = $5
			WHERE tenant_id = $1 AND environment = $2 AND id = $3`, c.ID, leaf, c.Salt); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
