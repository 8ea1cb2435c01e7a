// Package archive reads and writes the file of a database backup: one gzip stream
// of frames. A frame is one byte for its kind, four bytes for its length and then
// its content. The first frame is the header. For every table, one frame
// describes the table and further frames hold its rows. The last frame has the
// row counts and the SHA-256 of all frames before it. The format does not depend
// on the kind of database.
//
// The package does not use a database: package store reads the rows from one
// database and inserts them into another.
package archive

import (
	"errors"
	"fmt"
)

const format = "verdict backup 1"

const (
	frameHeader byte = 'H' // header as JSON
	frameTable  byte = 'T' // Table as JSON
	frameRows   byte = 'R' // rows of the table that the last 'T' frame describes, value by value
	frameEnd    byte = 'E' // end as JSON
)

const (
	rowsFrameBytes = 256 << 10 // a frame of rows is full at this size
	rowsFrameRows  = 1000      // a frame of rows is also full at this number of rows
	maxFrameBytes  = 64 << 20  // the maximum length of a frame
)

// Header describes the database that was backed up.
type Header struct {
	SchemaVersion int64 `json:"schema_version"`
	CreatedMicros int64 `json:"created_micros"` // when the backup was taken
}

type header struct {
	Format string `json:"format"`
	Header
}

// Table describes a table.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
}

// Column describes a column.
type Column struct {
	Name string `json:"name"`
	Kind Kind   `json:"type"`
}

// Kind is the type of a column.
type Kind string

// The types that an archive can hold.
const (
	Text   Kind = "text"
	Bigint Kind = "bigint"
	Bytea  Kind = "bytea"
)

// Known reports whether an archive can hold values of the kind.
func (k Kind) Known() bool { return k == Text || k == Bigint || k == Bytea }

type end struct {
	Rows   map[string]int64 `json:"rows"`
	SHA256 string           `json:"sha256"`
}

// ErrDamaged is wrapped by every error about the archive itself, as opposed to
// the database.
var ErrDamaged = errors.New("the backup cannot be restored")

// Damaged returns an error that wraps ErrDamaged and says why.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// gzipHead is the beginning of every archive: a gzip header without a file name
// or a time, because gzip would not detect that these were altered.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
