package store

// BlockedEntity is an entity on the block list.
type BlockedEntity struct {
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
	BlockKept     BlockChange = iota // the present entry stays valid
	BlockExtended                    // the present entry now ends later, or never
	BlockAdded
)

// Block puts an entity on the block list. It returns the valid entry and how
// the list changed. If the entity is blocked already, the entry that ends later
// wins, so that nobody can shorten a block that somebody else set. An entry
// that has ended counts as absent.
func (bl Blocklist) Block(b BlockedEntity) (entry BlockedEntity, change BlockChange, err error) {
	if err := bl.tx.fraudChanged(); err != nil {
		return BlockedEntity{}, BlockKept, err
	}
	before, found, err := bl.entry(b.Entity)
	if err != nil {
		return BlockedEntity{}, BlockKept, err
	}
	change = BlockAdded
	active := found && (before.UntilMicros == 0 || before.UntilMicros > b.BlockedMicros)
	switch {
	case active && (before.UntilMicros == 0 || b.UntilMicros != 0 && b.UntilMicros <= before.UntilMicros):
		return before, BlockKept, nil
	case active: // extend the same entry
		b.BlockedMicros, change = before.BlockedMicros, BlockExtended
	}
	// An entity can be blocked even before any applicant was seen with it.
	_, err = bl.tx.exec(`INSERT INTO fraud_entities
			(tenant_id, environment, kind, entity_key, display, first_micros, last_micros,
			blocked_micros, blocked_by, blocked_alert, muted_micros, blocked_reason, blocked_until_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $6, $6, $7, $8, 0, $9, $10)
		ON CONFLICT (tenant_id, environment, kind, entity_key) DO UPDATE SET
			blocked_micros = excluded.blocked_micros, blocked_by = excluded.blocked_by,
			blocked_alert = excluded.blocked_alert, blocked_reason = excluded.blocked_reason, `+
		`blocked_until_micros = excluded.blocked_until_micros`,
		b.Entity.Kind, b.Entity.Key, b.Entity.Display, b.BlockedMicros, b.BlockedBy, b.AlertID, b.Reason, b.UntilMicros)
	return b, change, err
}

const blockedColumns = `kind, entity_key, display, blocked_micros, blocked_by, blocked_alert, blocked_reason,
	blocked_until_micros`

func scanBlocked(scan func(...any) error) (b BlockedEntity, err error) {
	err = scan(&b.Entity.Kind, &b.Entity.Key, &b.Entity.Display, &b.BlockedMicros, &b.BlockedBy, &b.AlertID,
		&b.Reason, &b.UntilMicros)
	return b, err
}

// entry returns an entity's entry, even one that has ended.
func (bl Blocklist) entry(e ObservedEntity) (b BlockedEntity, found bool, err error) {
	err = bl.tx.each(func(scan func(...any) error) (err error) {
		found = true
		b, err = scanBlocked(scan)
		return err
	}, "SELECT "+blockedColumns+` FROM fraud_entities
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND blocked_micros > 0`,
		e.Kind, e.Key)
	return b, found, err
}

// Unblock removes an entity from the block list. It returns NotFound if the
// entity is not on the list.
func (bl Blocklist) Unblock(kind, key string) error {
	if err := bl.tx.fraudChanged(); err != nil {
		return err
	}
	removed, err := bl.tx.exec(
		`UPDATE fraud_entities SET blocked_micros = 0, blocked_by = '', blocked_alert = '', blocked_reason = '',
		blocked_until_micros = 0
		WHERE tenant_id = $1 AND environment = $2 AND kind = $3 AND entity_key = $4 AND blocked_micros > 0`, kind, key)
	if err == nil && removed == 0 {
		return notFound("entity on the block list")
	}
	return err
}

// List returns a page of the block list, oldest first, and whether there are
// more entries. Entries that have ended are included. after is the last entry
// of the previous page, nil for the first page.
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
		return list(tx, q, p, scanBlocked)
	})
}
