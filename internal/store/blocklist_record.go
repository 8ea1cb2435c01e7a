package store

import (
	"encoding/hex"
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The types of the journal events about the block list.
const (
	eventBlockAdded    = "blocklist.added"
	eventBlockExtended = "blocklist.extended"
	EventBlockRemoved  = "blocklist.removed"
)

// blockNotListed is the blocked_leaf of an entity that is not on the block list. The value -1 marks a block list entry
// that is older than the journal and has no journal entry yet.
const blockNotListed = -2

// LoggedBlock is an entry of the block list with the number of the journal entry of its last change.
type LoggedBlock struct {
	BlockedEntity
	Leaf int64  // negative if the entry is older than the journal and has no journal entry yet
	Salt []byte // the salt of the hash over all columns of the entry
}

const loggedBlockColumns = blockedColumns + ", blocked_leaf, blocked_salt"

func (b *LoggedBlock) fields() []any { return append(b.BlockedEntity.fields(), &b.Leaf, &b.Salt) }

// Commitment returns the salted hash of the entry, which is part of the journal entry of its last change.
func (b *LoggedBlock) Commitment() [32]byte {
	return evidence.Commit(b.Salt, b.ID, b.Entity.Kind, b.Entity.Key, b.Entity.Display,
		strconv.FormatInt(b.BlockedMicros, 10), b.BlockedBy, b.AlertID, b.Reason, strconv.FormatInt(b.UntilMicros, 10))
}

// change returns the journal entry of a change of a block list entry. b is the block list entry after the change.
func (b *LoggedBlock) change(event string, nowMicros int64) evidence.Record {
	expires := ""
	if b.UntilMicros != 0 {
		expires = evidence.At(b.UntilMicros)
	}
	return evidence.Record{
		Kind:   evidence.Blocklist,
		ID:     b.ID,
		Micros: wholeMillis(nowMicros),
		Type:   event,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", b.BlockedBy)
			w.Optional("alert_id", b.AlertID)
			w.Optional("block_id", b.ID)
			w.Optional("entity_kind", b.Entity.Kind)
			w.Optional("expires_at", expires)
		}),
		Commitment: b.Commitment(),
	}
}

// removal returns the journal entry of removing an entry from the block list.
func (b *BlockedEntity) removal(actor string, nowMicros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.Blocklist,
		ID:     b.ID,
		Micros: wholeMillis(nowMicros),
		Type:   EventBlockRemoved,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("block_id", b.ID)
			w.Optional("entity_kind", b.Entity.Kind)
		}),
	}
}

// named gives the entity an id in the journal if it has none. The id is random, so that the journal has no hash of an
// account, an address or a telephone number.
func (b *BlockedEntity) named() {
	if b.ID == "" {
		b.ID = "blk_" + hex.EncodeToString(newSalt())
	}
}

// WalkLogged calls fn for every entry of the block list, including those that have ended. It holds only some entries
// in memory at a time. If fn returns an error, WalkLogged stops and returns the error.
func (bl BlocklistReader) WalkLogged(fn func(*LoggedBlock) error) error {
	const together = 200
	for last := (BlockedEntity{}); ; {
		rows, err := read(bl.access, func(tx *Tx) ([]LoggedBlock, error) {
			return eachRow(tx, (*LoggedBlock).fields, "SELECT "+loggedBlockColumns+` FROM fraud_entities
				WHERE tenant_id = $1 AND environment = $2 AND blocked_micros > 0
					AND (blocked_micros, kind, entity_key) > ($3, $4, $5)
				ORDER BY blocked_micros, kind, entity_key LIMIT $6`,
				last.BlockedMicros, last.Entity.Kind, last.Entity.Key, int64(together))
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		for i := range rows {
			if err := fn(&rows[i]); err != nil {
				return err
			}
		}
		last = rows[len(rows)-1].BlockedEntity
	}
}

// fillBlocklist adds journal entries for the oldest block list entries that have none, and returns the number of added
// entries.
func fillBlocklist(tx *Tx, fill Backfill) (int, error) {
	rows, err := eachRow(tx, (*LoggedBlock).fields, "SELECT "+loggedBlockColumns+` FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND blocked_leaf = -1 AND blocked_micros > 0 AND blocked_micros < $3
		ORDER BY blocked_micros, kind, entity_key LIMIT $4`, fill.BeforeMicros, int64(fill.Limit))
	if err != nil {
		return 0, err
	}
	for i := range rows {
		b := &rows[i]
		b.named()
		b.Salt = newSalt()
		leaf, err := fill.record(tx, b.change(eventBlockAdded, b.BlockedMicros))
		if err != nil {
			return 0, err
		}
		if _, err := tx.exec(`UPDATE fraud_entities SET block_id = $5, blocked_leaf = $6, blocked_salt = $7
			WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4`,
			b.Entity.Kind, b.Entity.Key, b.ID, leaf, b.Salt); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}
