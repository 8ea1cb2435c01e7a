package archive

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
)

// Reader reads an archive. Its data must not be trusted before Load has
// returned nil.
type Reader struct {
	raw    io.Reader
	in     *gzip.Reader
	file   hash.Hash
	frames hash.Hash
	rows   map[string]int64 // counted while reading
	buffer bytes.Buffer
}

// NewReader reads the beginning of an archive. It returns ErrDamaged if r is
// not an archive or has a format that this version cannot read.
func NewReader(r io.Reader) (*Reader, Header, error) {
	file := sha256.New()
	// raw is an io.ByteReader, so gzip reads no byte after the end of its stream. Method end can therefore check that
	// nothing follows the stream.
	raw := bufio.NewReaderSize(io.TeeReader(r, file), 64<<10)
	if head, err := raw.Peek(len(gzipHead)); err != nil || string(head) != gzipHead {
		return nil, Header{}, Damaged("it is not a backup of verdict")
	}
	in, err := gzip.NewReader(raw)
	if err != nil {
		return nil, Header{}, Damaged("it is not a backup of verdict")
	}
	in.Multistream(false)
	a := &Reader{raw: raw, in: in, file: file, frames: sha256.New(), rows: map[string]int64{}}
	var h header
	kind, payload, err := a.next()
	switch {
	case err != nil:
		return nil, Header{}, err
	case kind != frameHeader || json.Unmarshal(payload, &h) != nil || h.Format != format:
		return nil, Header{}, Damaged("it is not a backup that this version of verdict can read")
	}
	return a, h.Header, nil
}

// Load reads the rest of the archive. It calls the function insert with the rows of one frame at a time and with
// the index of their table in tables. Byte slices in the rows are valid until insert returns. After each frame of
// rows, Load calls progress with the number of rows that it has read from the table so far.
//
// The archive must have exactly these tables with these columns. Otherwise, or if
// the archive was cut short or altered, the error wraps ErrDamaged. If insert
// returns an error, Load stops and returns that error.
func (a *Reader) Load(
	tables []Table, insert func(table int, rows [][]any) error, progress func(table string, rows int64),
) error {
	current := -1
	for {
		kind, payload, err := a.next()
		if err != nil {
			return err
		}
		switch {
		case kind == frameTable:
			if current, err = describedBy(payload, tables); err != nil {
				return err
			}
			a.rows[tables[current].Name] += 0
		case kind == frameRows && current >= 0:
			t := &tables[current]
			rows, err := decodeRows(payload, t.Columns)
			if err != nil {
				return err
			}
			if err := insert(current, rows); err != nil {
				return err
			}
			a.rows[t.Name] += int64(len(rows))
			progress(t.Name, a.rows[t.Name])
		case kind == frameEnd:
			if len(a.rows) != len(tables) {
				return Damaged("it lacks a table")
			}
			return a.end(payload)
		default:
			return Damaged("it was altered")
		}
	}
}

// Rows returns the number of rows read so far, by table.
func (a *Reader) Rows() map[string]int64 { return a.rows }

// SHA256 returns the checksum of the bytes of the file that were read so far.
func (a *Reader) SHA256() string { return hex.EncodeToString(a.file.Sum(nil)) }

// describedBy returns the index of the table that a frame describes. It only
// compares the names in the archive with those in tables, so that no name from
// the archive is used in SQL.
func describedBy(payload []byte, tables []Table) (int, error) {
	var described Table
	if err := json.Unmarshal(payload, &described); err != nil {
		return 0, Damaged("it was altered")
	}
	for i, t := range tables {
		if t.Name == described.Name && slices.Equal(t.Columns, described.Columns) {
			return i, nil
		}
	}
	return 0, Damaged("it has a table that this version of verdict does not know")
}

// next returns the next frame. Its bytes are valid until the next call.
func (a *Reader) next() (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(a.in, head[:]); err != nil {
		return 0, nil, cutShort(err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrameBytes {
		return 0, nil, Damaged("it was altered")
	}
	a.buffer.Reset()
	// The buffer grows as bytes arrive, because the length in a damaged archive may
	// be wrong.
	if _, err := io.CopyN(&a.buffer, a.in, int64(n)); err != nil {
		return 0, nil, cutShort(err)
	}
	if head[0] != frameEnd {
		a.frames.Write(head[:])
		a.frames.Write(a.buffer.Bytes())
	}
	return head[0], a.buffer.Bytes(), nil
}

// cutShort turns a read error into an error that wraps ErrDamaged. It
// distinguishes an archive that ends too early from an archive that cannot be
// read.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return Damaged("it ends too early")
	}
	return fmt.Errorf("%w: read it: %w", ErrDamaged, err)
}

// end compares the last frame with the rows and frames that were read, and checks
// that nothing follows.
func (a *Reader) end(payload []byte) error {
	var last end
	if err := json.Unmarshal(payload, &last); err != nil {
		return Damaged("its end cannot be read")
	}
	if last.SHA256 != hex.EncodeToString(a.frames.Sum(nil)) || !maps.Equal(last.Rows, a.rows) {
		return Damaged("it was altered")
	}
	if n, err := io.Copy(io.Discard, a.in); err != nil || n > 0 { // gzip checks its own checksum here
		return Damaged("its end was altered, or something was added to it")
	}
	if n, err := io.Copy(io.Discard, a.raw); err != nil || n > 0 {
		return Damaged("something was added to it")
	}
	return nil
}
