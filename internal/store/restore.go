package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/store/archive"
)

// Restore reads a backup into the database at a URL, which must be new or
// empty. The backup may come from either kind of database. Restore runs one
// transaction: if the backup is cut short, altered or of a newer schema,
// Restore refuses it and the database stays empty. A backup of an older schema
// is loaded into a database of that schema, which is then migrated. Restore
// returns Conflict database_not_empty if the database has data. Only ctx limits
// how long it takes.
func Restore(
	ctx context.Context, databaseURL string, r io.Reader, o Options, progress func(table string, rows int64),
) (BackupStats, error) {
	return RestoreWithKeys(ctx, databaseURL, r, RestoreKeys{}, o, progress)
}

// RestoreWithKeys restores a backup like Restore, with the keys that k gives. It returns
// Conflict keys_missing if data of people would not be readable.
func RestoreWithKeys(
	ctx context.Context, databaseURL string, r io.Reader, k RestoreKeys, o Options,
	progress func(table string, rows int64),
) (BackupStats, error) {
	from, header, err := archive.NewReader(r)
	if err != nil {
		return BackupStats{}, err
	}
	stats := BackupStats{SchemaVersion: header.SchemaVersion, CreatedMicros: header.CreatedMicros, Rows: from.Rows()}
	version, err := SchemaVersion()
	if err != nil {
		return stats, err
	}
	if header.SchemaVersion < 1 || header.SchemaVersion > version {
		return stats, archive.Damaged("it has schema version %d and this version of verdict has %d: "+
			"restore it with the version that wrote it", header.SchemaVersion, version)
	}
	keys, err := k.open(header, version)
	if err != nil {
		return stats, err
	}
	db, err := openAt(ctx, databaseURL, o, header.SchemaVersion)
	if err != nil {
		return stats, err
	}
	err = db.failure("restore", db.restore(ctx, from, k, reporting(progress)))
	if err == nil {
		err = db.migrate(ctx, version)
	}
	if err == nil && keys != nil {
		err = db.failure("restore the keys", db.restoreKeys(ctx, keys))
	}
	stats.SHA256 = from.SHA256()
	return stats, errors.Join(err, db.Close())
}

func (db *DB) restore(
	ctx context.Context, from *archive.Reader, k RestoreKeys, progress func(string, int64),
) error {
	tables, err := db.restoreTables(ctx)
	if err != nil {
		return err
	}
	return db.fill(ctx, func(s *transaction) error {
		if err := s.mustBeEmpty(tables); err != nil {
			return err
		}
		if err := s.unchecked(func() error { return s.load(from, tables, progress) }); err != nil {
			return err
		}
		if err := s.pauseWebhooks(); err != nil {
			return err
		}
		if err := s.checkKeys(k); err != nil {
			return err
		}
		return s.execAll(db.dialect.analyze)
	})
}

// fill runs fn in a transaction that may take long, while nobody else writes.
func (db *DB) fill(ctx context.Context, fn func(*transaction) error) error {
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after the commit
	s := &transaction{db: db, ctx: ctx, tx: tx, prepared: db.writer.prepared}
	if err := s.execAll(slices.Concat(db.dialect.noTimeouts, db.dialect.lockTenants)); err != nil {
		return err
	}
	if err := s.setRLS(rlsSystem); err != nil {
		return err
	}
	if err := fn(s); err != nil {
		return err
	}
	return tx.Commit()
}

// restoreTable is a table of the database that a backup is restored into.
type restoreTable struct {
	archive.Table
	bulk *bulkTable
}

// restoreTables returns the tables of the database and prepares the statements
// that fill them. It must run before the transaction begins, because SQLite has
// only one connection that writes, and the transaction holds that connection.
func (db *DB) restoreTables(ctx context.Context) (tables []restoreTable, err error) {
	err = db.read(ctx, func(s *transaction) error {
		found, err := s.catalogue()
		tables = make([]restoreTable, len(found))
		for i, t := range found {
			columns := make([]column, len(t.Columns))
			for k, c := range t.Columns {
				columns[k] = column{c.Name, columnKind(c.Kind)}
			}
			tables[i] = restoreTable{t, newUnscopedTable(t.Name, columns...)}
		}
		return err
	})
	if prepared := db.writer.prepared; prepared != nil {
		for _, t := range tables {
			prepared.get(t.bulk.one)
		}
		prepared.prepareWanted(ctx)
	}
	return tables, err
}

func (s *transaction) mustBeEmpty(tables []restoreTable) error {
	for _, t := range tables {
		var n int64
		if err := s.one([]any{&n}, "SELECT count(*) FROM (SELECT 1 FROM "+t.Name+" LIMIT 1) AS first"); err != nil {
			return err
		}
		if n > 0 {
			return fault.New(fault.Conflict, fault.CodeDatabaseNotEmpty,
				"the database is not empty: restore into a new one")
		}
	}
	return nil
}

// webhookSchema is the first schema version with webhooks.
const webhookSchema = 17

// RestoredReason is the reason of webhooks that a restore has paused.
const RestoredReason = "the database was restored from a backup; enable the webhook if this is the service that " +
	"should send its events"

// pauseWebhooks pauses all webhooks of a restored database. The database may be a copy for tests, which must not send
// events to the real receivers, or an older copy, whose events were sent before.
func (s *transaction) pauseWebhooks() error {
	if s.db.version < webhookSchema {
		return nil
	}
	_, err := s.exec("UPDATE webhooks SET state = $1, reason = $2, lease_owner = '', lease_micros = 0 WHERE state = $3",
		WebhookPaused, RestoredReason, WebhookEnabled)
	return err
}

// journalSchema is the first schema version with a journal.
const journalSchema = 15

// unchecked runs fn without the check that every decision has an entry in the journal:
// a backup may have been taken before all older decisions got one.
func (s *transaction) unchecked(fn func() error) (err error) {
	if s.db.version < journalSchema {
		return fn()
	}
	if _, err := s.exec(s.db.dialect.leafCheckOff); err != nil {
		return err
	}
	if s.db.dialect.hasHeads { // new heads are computed from the journal
		if _, err := s.exec("DELETE FROM journal_heads"); err != nil {
			return err
		}
	}
	if err := fn(); err != nil {
		return err // the check stays off, but the database is closed after a failed restore
	}
	_, err = s.exec(s.db.dialect.leafCheckOn)
	return err
}

// load fills the tables and checks the end of the archive.
func (s *transaction) load(from *archive.Reader, tables []restoreTable, progress func(string, int64)) error {
	known := make([]archive.Table, len(tables))
	for i, t := range tables {
		known[i] = t.Table
	}
	return from.Load(known, func(at int, rows [][]any) error {
		t := &tables[at]
		if err := s.db.dialect.insertMany(s, t.bulk, nil, rows, nil); err != nil {
			return s.loadError(t.Name, err)
		}
		return nil
	}, progress)
}

// loadError returns Damaged if the database refuses a row, and the error itself
// if the database failed. In an altered backup, a refused row is often found
// before the checksum at the end is checked.
func (s *transaction) loadError(table string, err error) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	switch s.db.dialect.class(err) {
	case classOther, classUnique:
		return archive.Damaged("the database refuses a row of %s: %s", table, s.db.dialect.logText(err))
	default:
		return fmt.Errorf("restore %s: %w", table, err)
	}
}
