package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// LogTile is a tile of a scope's log: up to 256 hashes of a level of its Merkle tree.
type LogTile struct {
	Level, Number int64
	Hashes        []byte
}

// LogCheckpoint is the last signed checkpoint of a scope's log.
type LogCheckpoint struct {
	Generation   int64 // 1 for the first log; each reopening adds 1
	Size         int64 // the number of leaves
	Root         []byte
	Note         string // the signed text
	SignedMicros int64
	Stopped      string // why no node may sign the log any more; "" if nodes may sign it
	Opening      string // the first leaf of a log that was reopened; "" for the first log of the scope
}

// LogReader reads the log of a scope.
type LogReader struct{ access }

// Log reads like LogReader, and extends the log.
type Log struct{ LogReader }

// Log returns the LogReader of the scope.
func (s *Scope) Log(ctx context.Context) LogReader { return LogReader{s.access(ctx)} }

// Log returns the Log of the transaction.
func (tx *Tx) Log() Log { return Log{LogReader{tx.access()}} }

// Checkpoint returns the last checkpoint, or the zero value if nothing was signed yet.
func (l LogReader) Checkpoint() (LogCheckpoint, error) {
	return read(l.access, func(tx *Tx) (c LogCheckpoint, err error) {
		err = tx.one(c.fields(), "SELECT "+logCheckpointColumns+` FROM log_checkpoints
			WHERE tenant_id = $1 AND environment = $2 ORDER BY generation DESC LIMIT 1`)
		return c, ignoreAbsent(err)
	})
}

const logCheckpointColumns = "generation, size, root, note, signed_micros, stopped, opening"

func (c *LogCheckpoint) fields() []any {
	return []any{&c.Generation, &c.Size, &c.Root, &c.Note, &c.SignedMicros, &c.Stopped, &c.Opening}
}

// Checkpoints returns the last checkpoint of each log of the scope. The newest log comes
// last; the others were replaced by reopening.
func (l LogReader) Checkpoints() ([]LogCheckpoint, error) {
	return read(l.access, func(tx *Tx) (found []LogCheckpoint, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var c LogCheckpoint
			err := scan(c.fields()...)
			found = append(found, c)
			return err
		}, "SELECT "+logCheckpointColumns+` FROM log_checkpoints
			WHERE tenant_id = $1 AND environment = $2 ORDER BY generation`)
		return found, err
	})
}

// Tiles returns the hashes of tiles of a log, in the order of the given levels and numbers. The result for a tile that
// does not exist is nil.
func (l LogReader) Tiles(generation int64, tiles []LogTile) ([][]byte, error) {
	return read(l.access, func(tx *Tx) ([][]byte, error) {
		found := make([][]byte, len(tiles))
		for i, t := range tiles {
			err := tx.one([]any{&found[i]}, `SELECT hashes FROM log_tiles
				WHERE tenant_id = $1 AND environment = $2 AND generation = $3 AND level = $4 AND number = $5`,
				generation, t.Level, t.Number)
			if ignoreAbsent(err) != nil {
				return nil, err
			}
		}
		return found, nil
	})
}

var logTileTable = newBulkTable("log_tiles",
	column{"generation", bigint}, column{"level", bigint}, column{"number", bigint}, column{"hashes", bytea},
).withClause(`ON CONFLICT (tenant_id, environment, generation, level, number) DO UPDATE SET hashes = excluded.hashes
		WHERE length(excluded.hashes) > length(log_tiles.hashes)`)

// PutTiles stores tiles of a log. A stored tile is replaced only by a longer one: another
// node may have extended the log further.
func (l Log) PutTiles(generation int64, tiles []LogTile) error {
	rows := make([][]any, len(tiles))
	for i, t := range tiles {
		rows[i] = []any{generation, t.Level, t.Number, t.Hashes}
	}
	return logTileTable.insert(l.tx, rows)
}

// SetCheckpoint stores a signed checkpoint. It changes nothing if the tree of the stored checkpoint is at least as
// large, or if the log was stopped. Opening is stored only with the first checkpoint of a log.
func (l Log) SetCheckpoint(c LogCheckpoint) error {
	_, err := l.tx.exec(`INSERT INTO log_checkpoints
		(tenant_id, environment, generation, size, root, note, signed_micros, opening)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (tenant_id, environment, generation) DO UPDATE SET size = excluded.size, root = excluded.root,
			note = excluded.note, signed_micros = excluded.signed_micros
		WHERE excluded.size > log_checkpoints.size AND log_checkpoints.stopped = ''`,
		c.Generation, c.Size, c.Root, c.Note, c.SignedMicros, c.Opening)
	return err
}

// Stop records why no node may sign the log any more. It does nothing if nothing was
// signed yet, or if the log is stopped already.
func (l Log) Stop(generation int64, why string) error {
	_, err := l.tx.exec(`UPDATE log_checkpoints SET stopped = $4
		WHERE tenant_id = $1 AND environment = $2 AND generation = $3 AND stopped = ''`, generation, why)
	return err
}

// CosignedCheckpoint is a checkpoint that witnesses have signed, too.
type CosignedCheckpoint struct {
	Generation   int64
	Size         int64
	Root         []byte
	Note         string // the signed text, with the signatures of the log and of witnesses
	StoredMicros int64
}

// Cosigned returns a cosigned checkpoint of a log. Of the checkpoints with at least minSize leaves, it returns the
// smallest. It returns the zero value if there is none.
func (l LogReader) Cosigned(generation, minSize int64) (CosignedCheckpoint, error) {
	return read(l.access, func(tx *Tx) (c CosignedCheckpoint, err error) {
		err = tx.one([]any{&c.Generation, &c.Size, &c.Root, &c.Note, &c.StoredMicros},
			`SELECT generation, size, root, note, stored_micros FROM log_cosigned
			WHERE tenant_id = $1 AND environment = $2 AND generation = $3 AND size >= $4 ORDER BY size LIMIT 1`,
			generation, minSize)
		return c, ignoreAbsent(err)
	})
}

// PutCosigned stores a cosigned checkpoint. It replaces the one of the same size, if there is one.
func (l Log) PutCosigned(c CosignedCheckpoint) error {
	_, err := l.tx.exec(`INSERT INTO log_cosigned (tenant_id, environment, generation, size, root, note, stored_micros)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (tenant_id, environment, generation, size) DO UPDATE SET root = excluded.root, note = excluded.note,
			stored_micros = excluded.stored_micros`,
		c.Generation, c.Size, c.Root, c.Note, c.StoredMicros)
	return err
}

// ScopeName names a tenant in an environment.
type ScopeName struct{ Tenant, Environment string }

// stays is the SQL condition that the tenant t was used, so that RemoveUnusedTenant cannot remove it any more. Only
// the logs of such tenants are signed, because a signed log must not disappear.
const stays = "(t.seen_micros > 0 OR EXISTS (SELECT 1 FROM decisions d WHERE d.tenant_id = t.id))"

// Stays reports whether a tenant was used, so that it cannot be removed any more.
func (sys *System) Stays(ctx context.Context, tenantID string) (bool, error) {
	var found []string
	err := sys.read(ctx, func(s *transaction) (err error) {
		found, err = s.firstColumn("SELECT t.id FROM tenants t WHERE t.id = $1 AND "+stays, tenantID)
		return err
	})
	return len(found) == 1, err
}

// UnsignedScope is a scope whose journal has entries that no checkpoint covers.
type UnsignedScope struct {
	ScopeName
	SinceMicros int64 // when the oldest of these entries was added
}

// Unsigned returns scopes whose journal has entries that no checkpoint covers, at most limit, ordered by tenant and
// environment, beginning after a scope. It omits tenants that were never used. A reopened log has one leaf more than
// the journal has entries: its opening.
func (sys *System) Unsigned(ctx context.Context, after ScopeName, limit int) (found []UnsignedScope, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil
		return s.each(func(scan func(...any) error) error {
			var n UnsignedScope
			err := scan(&n.Tenant, &n.Environment, &n.SinceMicros)
			found = append(found, n)
			return err
		}, `SELECT u.tenant_id, u.environment, (SELECT j.created_micros FROM journal j
			WHERE j.tenant_id = u.tenant_id AND j.environment = u.environment AND j.first <= u.covered
			ORDER BY j.first DESC LIMIT 1)
		FROM (
			SELECT s.tenant_id, s.environment, s.size,
				coalesce(c.size, 0) - CASE WHEN c.generation > 1 THEN 1 ELSE 0 END AS covered
			FROM (
				SELECT t.id AS tenant_id, e.environment, (SELECT j.first + j.count FROM journal j
					WHERE j.tenant_id = t.id AND j.environment = e.environment ORDER BY j.first DESC LIMIT 1) AS size
				FROM tenants t CROSS JOIN (SELECT 'live' AS environment UNION ALL SELECT 'sandbox' AS environment) e
				WHERE t.id >= $1 AND `+stays+`
			) s LEFT JOIN log_checkpoints c ON c.tenant_id = s.tenant_id AND c.environment = s.environment
				AND c.generation = (SELECT max(generation) FROM log_checkpoints m
					WHERE m.tenant_id = s.tenant_id AND m.environment = s.environment)
		) u
		WHERE u.size > u.covered AND (u.tenant_id > $1 OR u.environment > $2)
		ORDER BY u.tenant_id, u.environment LIMIT $3`, after.Tenant, after.Environment, int64(limit))
	})
	return found, err
}

// grownScopes holds scopes whose journals this node has extended. The set scopes has those that TakeGrown has not
// returned yet, because their logs must be signed. The set metered has those that TakeMetered has not returned yet,
// because their usage must be compared with their quota.
type grownScopes struct {
	mu      sync.Mutex
	scopes  map[ScopeName]bool
	metered map[ScopeName]bool
}

func (g *grownScopes) add(scopes ...rlsScope) {
	if len(scopes) == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.scopes == nil {
		g.scopes, g.metered = map[ScopeName]bool{}, map[ScopeName]bool{}
	}
	for _, s := range scopes {
		name := ScopeName{s.tenant, s.environment}
		g.scopes[name], g.metered[name] = true, true
	}
}

// take returns the names of a set and empties the set. The function in parameter "of" returns the set. It is called
// while take holds the lock.
func (g *grownScopes) take(of func() map[ScopeName]bool) []ScopeName {
	g.mu.Lock()
	defer g.mu.Unlock()
	set := of()
	names := slices.Collect(maps.Keys(set))
	clear(set)
	return names
}

// TakeGrown returns the scopes to whose journals this node has added entries since the
// last call, in no particular order. After a restart, and for the writes of other nodes,
// see System.Unsigned.
func (db *DB) TakeGrown() []ScopeName {
	return db.grown.take(func() map[ScopeName]bool { return db.grown.scopes })
}

// TakeMetered returns the scopes to whose journals this node has added entries since the last call of TakeMetered.
func (db *DB) TakeMetered() []ScopeName {
	return db.grown.take(func() map[ScopeName]bool { return db.grown.metered })
}
