package store

import "verdict/internal/fault"

// BlockedEntity is an entity on the block list.
type BlockedEntity struct {
	ID            string // the entity's id in the journal; "" if the entry is older than the journal and not yet in it
	Entity        ObservedEntity
	BlockedMicros int64
	BlockedBy     string
	AlertID       string // the alert that blocked the entity, "" for none
	Reason        string
	UntilMicros   int64 // when the entry ends; 0 for never
}

// BlockChange says what Block did to the list.
type BlockChange int

// The possible changes.
const (
	BlockKept     BlockChange = iota // the existing entry did not change
	BlockExtended                    // the existing entry now ends later, or never
	BlockAdded
)

// Block puts an entity on the block list. It returns the valid entry and how
// the list changed. If the entity is blocked already, the entry that ends later
// wins, so that nobody can shorten a block that somebody else set. An entry
// that has ended counts as absent. Each change has an entry in the journal.
func (bl Blocklist) Block(b BlockedEntity) (entry BlockedEntity, change BlockChange, err error) {
	if err := bl.tx.FraudConfigs().noteChange(); err != nil {
		return BlockedEntity{}, BlockKept, err
	}
	before, known, err := bl.entity(b.Entity)
	if err != nil {
		return BlockedEntity{}, BlockKept, err
	}
	nowMicros := b.BlockedMicros
	event, change := eventBlockAdded, BlockAdded
	active := before.BlockedMicros > 0 && (before.UntilMicros == 0 || before.UntilMicros > nowMicros)
	switch {
	case active && (before.UntilMicros == 0 || b.UntilMicros != 0 && b.UntilMicros <= before.UntilMicros):
		return before, BlockKept, nil
	case active: // extend the same entry
		b.BlockedMicros, event, change = before.BlockedMicros, eventBlockExtended, BlockExtended
	}
	if b.ID = before.ID; known {
		b.Entity.Display = before.Entity.Display // the statement below does not change the stored value
	}
	b.named()
	logged := LoggedBlock{BlockedEntity: b, Salt: newSalt()}
	leaf, err := bl.tx.record(logged.change(event, nowMicros))
	if err != nil {
		return BlockedEntity{}, BlockKept, err
	}
	// An entity can be blocked even before any applicant was seen with it.
	_, err = bl.tx.exec(`INSERT INTO fraud_entities
			(tenant_id, environment, kind, entity_key, display, first_micros, last_micros,
			blocked_micros, blocked_by, blocked_alert, muted_micros, blocked_reason, blocked_until_micros,
			block_id, blocked_leaf, blocked_salt)
		VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, 0, $9, $10, $11, $12, $13)
		ON CONFLICT (tenant_id, environment, kind, entity_key) DO UPDATE SET
			blocked_micros = excluded.blocked_micros, blocked_by = excluded.blocked_by,
			blocked_alert = excluded.blocked_alert, blocked_reason = excluded.blocked_reason, `+
		`blocked_until_micros = excluded.blocked_until_micros, block_id = excluded.block_id,
			blocked_leaf = excluded.blocked_leaf, blocked_salt = excluded.blocked_salt`,
		b.Entity.Kind, b.Entity.Key, b.Entity.Display, b.BlockedMicros, b.BlockedBy, b.AlertID, b.Reason, b.UntilMicros,
		b.ID, leaf, logged.Salt)
	return b, change, err
}

const blockedColumns = `block_id, kind, entity_key, display, blocked_micros, blocked_by, blocked_alert, blocked_reason,
	blocked_until_micros`

func (b *BlockedEntity) fields() []any {
	return []any{&b.ID, &b.Entity.Kind, &b.Entity.Key, &b.Entity.Display, &b.BlockedMicros, &b.BlockedBy, &b.AlertID,
		&b.Reason, &b.UntilMicros}
}

// entity returns the stored columns of an entity. BlockedMicros is 0 if the entity is not on the block list. An entry
// that has ended still has its BlockedMicros. known is false if nothing is stored about the entity.
func (bl Blocklist) entity(e ObservedEntity) (b BlockedEntity, known bool, err error) {
	err = bl.tx.one(b.fields(), "SELECT "+blockedColumns+` FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4`, e.Kind, e.Key)
	return b, err == nil, ignoreAbsent(err)
}

// Unblock removes an entity from the block list, with an entry in the journal. It returns NotFound if the
// entity is not on the list.
func (bl Blocklist) Unblock(kind, key, actor string, nowMicros int64) error {
	if err := bl.tx.FraudConfigs().noteChange(); err != nil {
		return err
	}
	b, _, err := bl.entity(ObservedEntity{Kind: kind, Key: key})
	if err != nil {
		return err
	}
	if b.BlockedMicros == 0 {
		return fault.Missing("entity on the block list")
	}
	b.named()
	if _, err := bl.tx.record(b.removal(actor, nowMicros)); err != nil {
		return err
	}
	_, err = bl.tx.exec(
		`UPDATE fraud_entities SET blocked_micros = 0, blocked_by = '', blocked_alert = '', blocked_reason = '',
		blocked_until_micros = 0, block_id = $5, blocked_leaf = $6, blocked_salt = $7
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4`,
		kind, key, b.ID, int64(blockNotListed), []byte{})
	return err
}

// List returns a page of the block list, oldest first, and whether there are more entries. Entries that have ended
// are included. Parameter "after" is the last entry of the previous page, nil for the first page.
func (bl BlocklistReader) List(after *BlockedEntity, limit int) ([]BlockedEntity, bool, error) {
	return readTwo(bl.access, func(tx *Tx) ([]BlockedEntity, bool, error) {
		p := Page{Limit: limit}
		q := listOf("SELECT " + blockedColumns + ` FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND blocked_micros > 0`)
		if after != nil {
			q.where("(blocked_micros, kind, entity_key) > (?, ?, ?)",
				after.BlockedMicros, after.Entity.Kind, after.Entity.Key)
		}
		q.add(" ORDER BY blocked_micros, kind, entity_key")
		q.limit(p)
		return list(tx, q, p, func(scan func(...any) error) (b BlockedEntity, err error) {
			err = scan(b.fields()...)
			return b, err
		})
	})
}
