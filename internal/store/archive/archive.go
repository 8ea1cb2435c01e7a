// Package archive is the file that a backup of a database is written to: one
// gzip stream of frames, each a kind, a length of four bytes and that many bytes.
// First comes the header, then for every table a frame that describes it and
// frames of rows, and last the end with the row counts and the SHA-256 of all
// frames before it. The file is the same whichever database it comes from.
//
// The package knows no database: store reads the rows from one and inserts them
// into another.
package archive

import (
	"errors"
	"fmt"
)

const format = "verdict backup 1"

const (
	frameHeader byte = 'H' // header as JSON
	frameTable  byte = 'T' // Table as JSON
	frameRows   byte = 'R' // rows of the last table, value by value
	frameEnd    byte = 'E' // end as JSON
)

const (
	rowsFrameBytes = 256 << 10 // from here on a frame of rows is full
	rowsFrameRows  = 1000      // and from here on too
	maxFrameBytes  = 64 << 20  // what a reader is willing to hold
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

// ErrDamaged is wrapped by every error that is about the archive and not about
// the database.
var ErrDamaged = errors.New("the backup cannot be restored")

// Damaged returns an error that wraps ErrDamaged and says why.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// gzipHead is how a stream of ours begins: without a name or a time, which
// gzip would not notice the alteration of.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
