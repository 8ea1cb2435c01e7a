package store

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzReadArchive reads anybody's bytes as a whole backup: refused as no
// backup, or read to an end that its own sum vouches for.
func FuzzReadArchive(f *testing.F) {
	columns := []archiveColumn{{Name: "id", Kind: text}, {Name: "at", Kind: bigint}, {Name: "body", Kind: bytea}}
	var whole bytes.Buffer
	w := newArchiveWriter(&whole)
	row := []byte{1, 'a', 2, 2, 0, 1}
	w.rows["t"] = 1
	for _, err := range []error{
		w.document(frameHeader, archiveHeader{Format: archiveFormat, SchemaVersion: 1}),
		w.document(frameTable, archiveTable{Name: "t", Columns: columns}), w.frame(frameRows, row), w.end(),
	} {
		if err != nil {
			f.Fatal(err)
		}
	}
	f.Add(whole.Bytes())
	f.Add(append(bytes.Clone(whole.Bytes()), 0))
	f.Add(whole.Bytes()[:whole.Len()-9])
	f.Add([]byte(gzipHead))
	f.Fuzz(func(t *testing.T, file []byte) {
		err := readArchive(file, columns)
		if err != nil && !errors.Is(err, ErrBackup) {
			t.Errorf("%x: %v", file, err)
		}
		if err == nil && readArchive(append(bytes.Clone(file), 'x'), columns) == nil {
			t.Error("something was added and nobody noticed")
		}
	})
}

// readArchive reads a backup as a restore does, into nothing.
func readArchive(file []byte, columns []archiveColumn) error {
	archive, _, err := newArchiveReader(bytes.NewReader(file))
	if err != nil {
		return err
	}
	tables := []restoreTable{{archiveTable: archiveTable{Name: "t", Columns: columns}}}
	for {
		kind, payload, err := archive.next()
		if err != nil {
			return err
		}
		switch kind {
		case frameTable:
			table, err := describedBy(payload, tables)
			if err != nil {
				return err
			}
			archive.rows[table.Name] += 0
		case frameRows:
			rows, err := decodeRows(payload, columns)
			if err != nil {
				return err
			}
			archive.rows["t"] += int64(len(rows))
		case frameEnd:
			return archive.end(payload)
		default:
			return damaged("it was altered")
		}
	}
}
