package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"verdict/internal/store/archive"
)

// ErrBackup is wrapped by every error about the contents of a backup, as opposed to an error of the database.
var ErrBackup = archive.ErrDamaged

// BackupStats describes a backup or a restore.
type BackupStats struct {
	SchemaVersion int64
	CreatedMicros int64            // when the backup was taken
	Rows          map[string]int64 // number of rows, by table
	SHA256        string           // hash of the backup file
	MasterKeys    [][]byte         // fingerprints of the master keys with which its key trees are encrypted
}

// Backup writes one snapshot of the whole database to w, while the service goes
// on reading and writing. The backup can be restored into either kind of
// database. Only ctx limits how long it takes. progress, unless nil, is called
// with the number of rows of a table written so far, at intervals and at the end
// of the table.
//
// If Backup returns an error, Restore refuses the output. On SQLite the WAL grows
// for as long as Backup runs.
func (db *DB) Backup(ctx context.Context, w io.Writer, progress func(table string, rows int64)) (BackupStats, error) {
	return db.BackupWithKeys(ctx, w, nil, progress)
}

// keyTables are the tables of the keys that BackupWithKeys writes. A table comes before the tables whose triggers read
// it.
var keyTables = []string{"installation", "key_epochs", "key_trees"}

// BackupWithKeys writes a backup like Backup. Unless keys is nil, it also writes the encrypted keys of the same
// snapshot to keys.
func (db *DB) BackupWithKeys(
	ctx context.Context, w, keys io.Writer, progress func(table string, rows int64),
) (BackupStats, error) {
	stats := BackupStats{SchemaVersion: db.version, CreatedMicros: time.Now().UnixMicro()}
	to := archive.NewWriter(w, reporting(progress))
	var keysTo *archive.Writer
	if keys != nil {
		keysTo = archive.NewWriter(keys, reporting(nil))
	}
	err := db.readLong(ctx, asSystem(func(s *transaction) error {
		tables, err := s.catalogue()
		if err != nil {
			return err
		}
		if err := s.backUpAll(to, stats, tables); err != nil || keysTo == nil {
			return err
		}
		if stats.MasterKeys, err = s.wrappingKeys(); err != nil {
			return err
		}
		return s.backUpAll(keysTo, stats, tablesNamed(tables, keyTables))
	}))
	failed := to.Failed() // a failure of w, not of the database
	if failed == nil && keysTo != nil {
		failed = keysTo.Failed()
	}
	if failed != nil {
		err = fmt.Errorf("write the backup: %w", failed)
	}
	stats.Rows, stats.SHA256 = to.Rows(), to.SHA256()
	return stats, err
}

// backUpAll writes an archive that contains the given tables.
func (s *transaction) backUpAll(to *archive.Writer, stats BackupStats, tables []archive.Table) error {
	header := archive.Header{SchemaVersion: stats.SchemaVersion, CreatedMicros: stats.CreatedMicros}
	if err := to.Header(header); err != nil {
		return err
	}
	for _, t := range tables {
		if err := s.backUp(to, t); err != nil {
			return fmt.Errorf("back up %s: %w", t.Name, err)
		}
	}
	return to.End()
}

// tablesNamed returns the tables whose names are in names, in the order of names.
func tablesNamed(tables []archive.Table, names []string) (found []archive.Table) {
	for _, name := range names {
		if at := slices.IndexFunc(tables, func(t archive.Table) bool { return t.Name == name }); at >= 0 {
			found = append(found, tables[at])
		}
	}
	return found
}

// wrappingKeys returns the fingerprints of the master keys with which key trees are encrypted.
func (s *transaction) wrappingKeys() (fingerprints [][]byte, err error) {
	err = s.each(func(scan func(...any) error) error {
		var fingerprint []byte
		err := scan(&fingerprint)
		fingerprints = append(fingerprints, fingerprint)
		return err
	}, "SELECT DISTINCT substr(tree, 2, 32) FROM key_trees WHERE substr(tree, 1, 1) = $1", wrappedForm)
	return fingerprints, err
}

func reporting(progress func(string, int64)) func(string, int64) {
	if progress == nil {
		return func(string, int64) {}
	}
	return progress
}

// ownTables are the tables that every database fills itself. No backup contains them.
var ownTables = []string{"schema_migrations", "journal_heads", "key_holders"}

// catalogue returns the tables that a backup contains. It reads their names and columns from the database, so that
// tables of later migrations are included without being listed here. Tables that others reference come first.
func (s *transaction) catalogue() ([]archive.Table, error) {
	var tables []archive.Table
	err := s.each(func(scan func(...any) error) error {
		var table string
		var c archive.Column
		if err := scan(&table, &c.Name, &c.Kind); err != nil {
			return err
		}
		if slices.Contains(ownTables, table) {
			return nil
		}
		if !c.Kind.Known() {
			return fmt.Errorf("%s.%s has a type that a backup cannot contain", table, c.Name)
		}
		if n := len(tables); n == 0 || tables[n-1].Name != table {
			tables = append(tables, archive.Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, c)
		return nil
	}, s.db.dialect.catalogue)
	slices.SortStableFunc(tables, func(a, b archive.Table) int { return referredTo(b) - referredTo(a) })
	return tables, err
}

// referredTo returns 1 for the table that foreign keys reference, 0 for others.
func referredTo(t archive.Table) int {
	if t.Name == "tenants" {
		return 1
	}
	return 0
}

// backUp writes a table to the archive.
func (s *transaction) backUp(to *archive.Writer, t archive.Table) error {
	if err := to.Table(t); err != nil {
		return err
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	row := t.NewRow()
	err := s.each(func(scan func(...any) error) error {
		if err := scan(row.Dest()...); err != nil {
			return err
		}
		return to.Row(row)
	}, "SELECT "+strings.Join(names, ", ")+" FROM "+t.Name)
	if err != nil {
		return err
	}
	return to.EndTable()
}
