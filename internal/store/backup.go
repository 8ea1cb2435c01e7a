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

// ErrBackup is wrapped by every error that is about a backup and not about the
// database.
var ErrBackup = archive.ErrDamaged

// BackupStats tells what a backup or a restore has moved.
type BackupStats struct {
	SchemaVersion int64
	CreatedMicros int64            // when the backup was taken
	Rows          map[string]int64 // by table
	SHA256        string           // of the backup as a file
}

// Backup writes everything the database holds as of one moment, while the
// service goes on reading and writing. The result restores into either kind of
// database. It takes as long as it takes: only ctx ends it. Progress is told
// the rows written of a table, now and then and when the table is done; it may
// be nil.
//
// What was written before an error is of no use: Restore refuses it. On SQLite
// the journal grows for as long as this runs.
func (db *DB) Backup(ctx context.Context, w io.Writer, progress func(table string, rows int64)) (BackupStats, error) {
	header := archive.Header{SchemaVersion: db.version, CreatedMicros: time.Now().UnixMicro()}
	to := archive.NewWriter(w, reporting(progress))
	err := db.readLong(ctx, asSystem(func(s *session) error {
		tables, err := s.catalogue()
		if err != nil {
			return err
		}
		if err := to.Header(header); err != nil {
			return err
		}
		for _, t := range tables {
			if err := s.backUp(to, t); err != nil {
				return fmt.Errorf("back up %s: %w", t.Name, err)
			}
		}
		return to.End()
	}))
	if failed := to.Failed(); failed != nil { // not a failure of the database, whatever it looks like
		err = fmt.Errorf("write the backup: %w", failed)
	}
	return BackupStats{
		SchemaVersion: header.SchemaVersion, CreatedMicros: header.CreatedMicros,
		Rows: to.Rows(), SHA256: to.SHA256(),
	}, err
}

func reporting(progress func(string, int64)) func(string, int64) {
	if progress == nil {
		return func(string, int64) {}
	}
	return progress
}

// catalogue lists the tables that hold data, as the database itself describes
// them, those that others refer to first. A table of a later migration is
// thereby backed up without being named anywhere.
func (s *session) catalogue() ([]archive.Table, error) {
	var tables []archive.Table
	err := s.each(func(scan func(...any) error) error {
		var table string
		var c archive.Column
		if err := scan(&table, &c.Name, &c.Kind); err != nil {
			return err
		}
		if table == "schema_migrations" { // every database has its own
			return nil
		}
		if !c.Kind.Known() {
			return fmt.Errorf("%s.%s has a type that no backup can hold", table, c.Name)
		}
		if n := len(tables); n == 0 || tables[n-1].Name != table {
			tables = append(tables, archive.Table{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, c)
		return nil
	}, s.db.dialect.catalogue())
	slices.SortStableFunc(tables, func(a, b archive.Table) int { return referredTo(b) - referredTo(a) })
	return tables, err
}

// referredTo is 1 for the table that others name in foreign keys.
func referredTo(t archive.Table) int {
	if t.Name == "tenants" {
		return 1
	}
	return 0
}

// backUp writes a table.
func (s *session) backUp(to *archive.Writer, t archive.Table) error {
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
