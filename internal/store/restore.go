package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"verdict/internal/fault"
	"verdict/internal/store/archive"
)

// Restore reads a backup into the database that a URL names, which must be new
// or hold nothing, whichever kind of database the backup was taken from. It is
// one transaction: a backup that is cut short, altered or of a newer schema is
// refused, and leaves the database as empty as it was. One of an older schema
// goes into a database of that schema, which is then brought up to date as it
// would have been in its own place. Conflict database_not_empty when it is not.
// Only ctx limits how long it may take.
func Restore(ctx context.Context, databaseURL string, r io.Reader, o Options, progress func(table string, rows int64)) (BackupStats, error) {
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
	db, err := openAt(ctx, databaseURL, o, header.SchemaVersion)
	if err != nil {
		return stats, err
	}
	if err = db.failure("restore", db.restore(ctx, from, reporting(progress))); err == nil {
		err = db.migrate(ctx, version)
	}
	stats.SHA256 = from.SHA256()
	return stats, errors.Join(err, db.Close())
}

func (db *DB) restore(ctx context.Context, from *archive.Reader, progress func(string, int64)) error {
	tables, err := db.wholeTables(ctx)
	if err != nil {
		return err
	}
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // a no-op once committed
	s := &session{db: db, ctx: ctx, tx: tx, prepared: db.writer.prepared}
	if err := s.execAll(append(db.dialect.unhurried(), db.dialect.claim()...)); err != nil {
		return err
	}
	if err := s.as(systemVoice); err != nil {
		return err
	}
	if err := s.mustBeEmpty(tables); err != nil {
		return err
	}
	if err := s.load(from, tables, progress); err != nil {
		return err
	}
	if err := s.execAll(db.dialect.survey()); err != nil {
		return err
	}
	return tx.Commit()
}

// restoreTable is a table of the database that is being filled.
type restoreTable struct {
	archive.Table
	bulk *bulkTable
}

// wholeTables describes the tables and prepares the statements to fill them,
// which cannot be done any more once the transaction has the connection.
func (db *DB) wholeTables(ctx context.Context) (tables []restoreTable, err error) {
	err = db.read(ctx, func(s *session) error {
		found, err := s.catalogue()
		tables = make([]restoreTable, len(found))
		for i, t := range found {
			columns := make([]column, len(t.Columns))
			for k, c := range t.Columns {
				columns[k] = column{c.Name, columnKind(c.Kind)}
			}
			tables[i] = restoreTable{t, newWholeTable(t.Name, columns...)}
		}
		return err
	})
	if prepared := db.writer.prepared; prepared != nil {
		for _, t := range tables {
			prepared.get(t.bulk.one)
		}
		prepared.settle(ctx)
	}
	return tables, err
}

func (s *session) mustBeEmpty(tables []restoreTable) error {
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

// load fills the tables, and checks the archive's end.
func (s *session) load(from *archive.Reader, tables []restoreTable, progress func(string, int64)) error {
	known := make([]archive.Table, len(tables))
	for i, t := range tables {
		known[i] = t.Table
	}
	return from.Load(known, func(at int, rows [][]any) error {
		t := &tables[at]
		if err := s.db.dialect.insertMany(s, t.bulk, nil, rows, nil); err != nil {
			return s.unloadable(t.Name, err)
		}
		return nil
	}, progress)
}

// unloadable tells a row that the database will not have from a database that
// fails. An altered backup is often met as the former, before its end is.
func (s *session) unloadable(table string, err error) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	switch s.db.dialect.class(err) {
	case classOther, classUnique:
		return archive.Damaged("the database refuses a row of %s: %s", table, s.db.dialect.words(err))
	default:
		return fmt.Errorf("restore %s: %w", table, err)
	}
}
