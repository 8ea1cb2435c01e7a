package store

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

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
	header := archiveHeader{Format: archiveFormat, SchemaVersion: db.version, CreatedMicros: time.Now().UnixMicro()}
	archive := newArchiveWriter(w)
	err := db.readLong(ctx, asSystem(func(s *session) error {
		tables, err := s.catalogue()
		if err != nil {
			return err
		}
		if err := archive.document(frameHeader, header); err != nil {
			return err
		}
		for _, t := range tables {
			if err := s.backUp(archive, t, reporting(progress)); err != nil {
				return fmt.Errorf("back up %s: %w", t.Name, err)
			}
		}
		return archive.end()
	}))
	if archive.failed != nil { // not a failure of the database, whatever it looks like
		err = fmt.Errorf("write the backup: %w", archive.failed)
	}
	return BackupStats{
		SchemaVersion: header.SchemaVersion, CreatedMicros: header.CreatedMicros,
		Rows: archive.rows, SHA256: hex.EncodeToString(archive.file.Sum(nil)),
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
func (s *session) catalogue() ([]archiveTable, error) {
	var tables []archiveTable
	err := s.each(func(scan func(...any) error) error {
		var table string
		var c archiveColumn
		if err := scan(&table, &c.Name, &c.Kind); err != nil {
			return err
		}
		if table == "schema_migrations" { // every database has its own
			return nil
		}
		if c.Kind != text && c.Kind != bigint && c.Kind != bytea {
			return fmt.Errorf("%s.%s has a type that no backup can hold", table, c.Name)
		}
		if n := len(tables); n == 0 || tables[n-1].Name != table {
			tables = append(tables, archiveTable{Name: table})
		}
		last := &tables[len(tables)-1]
		last.Columns = append(last.Columns, c)
		return nil
	}, s.db.dialect.catalogue())
	slices.SortStableFunc(tables, func(a, b archiveTable) int { return referredTo(b) - referredTo(a) })
	return tables, err
}

// referredTo is 1 for the table that others name in foreign keys.
func referredTo(t archiveTable) int {
	if t.Name == "tenants" {
		return 1
	}
	return 0
}

// backUp writes a table, a frame at a time.
func (s *session) backUp(archive *archiveWriter, t archiveTable, progress func(string, int64)) error {
	if err := archive.document(frameTable, t); err != nil {
		return err
	}
	archive.rows[t.Name] = 0
	names := make([]string, len(t.Columns))
	values := make([]value, len(t.Columns))
	dest := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		names[i], values[i].kind = c.Name, c.Kind
		dest[i] = values[i].dest()
	}
	var frame []byte
	held := 0
	flush := func() error {
		err := archive.frame(frameRows, frame)
		archive.rows[t.Name] += int64(held)
		frame, held = frame[:0], 0
		progress(t.Name, archive.rows[t.Name])
		return err
	}
	err := s.each(func(scan func(...any) error) error {
		if err := scan(dest...); err != nil {
			return err
		}
		for i := range values {
			frame = values[i].appendTo(frame)
		}
		held++
		if len(frame) >= rowsFrameBytes || held >= rowsFrameRows {
			return flush()
		}
		return nil
	}, "SELECT "+strings.Join(names, ", ")+" FROM "+t.Name)
	if err != nil || held == 0 {
		return err
	}
	return flush()
}

// value is one column of the row at hand.
type value struct {
	kind   columnKind
	number int64
	text   string
	bytes  []byte
}

func (v *value) dest() any {
	switch v.kind {
	case bigint:
		return &v.number
	case bytea:
		return &v.bytes
	default:
		return &v.text
	}
}

func (v *value) appendTo(frame []byte) []byte {
	switch v.kind {
	case bigint:
		return binary.AppendVarint(frame, v.number)
	case bytea:
		return append(binary.AppendUvarint(frame, uint64(len(v.bytes))), v.bytes...)
	default:
		return append(binary.AppendUvarint(frame, uint64(len(v.text))), v.text...)
	}
}
