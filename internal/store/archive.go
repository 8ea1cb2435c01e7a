package store

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
)

// An archive is what a backup writes: one gzip stream of frames, each a kind, a
// length of four bytes and that many bytes. First comes the header, then for
// every table a frame that describes it and frames of rows, and last the end
// with the row counts and the SHA-256 of all frames before it. It is the same
// whichever database it comes from.
const archiveFormat = "verdict backup 1"

const (
	frameHeader byte = 'H' // archiveHeader as JSON
	frameTable  byte = 'T' // archiveTable as JSON
	frameRows   byte = 'R' // rows of the last table, value by value
	frameEnd    byte = 'E' // archiveEnd as JSON
)

const (
	rowsFrameBytes = 256 << 10 // from here on a frame of rows is full
	rowsFrameRows  = 1000      // and from here on too
	maxFrameBytes  = 64 << 20  // what a reader is willing to hold
)

type archiveHeader struct {
	Format        string `json:"format"`
	SchemaVersion int64  `json:"schema_version"`
	CreatedMicros int64  `json:"created_micros"`
}

type archiveTable struct {
	Name    string          `json:"name"`
	Columns []archiveColumn `json:"columns"`
}

type archiveColumn struct {
	Name string     `json:"name"`
	Kind columnKind `json:"type"`
}

type archiveEnd struct {
	Rows   map[string]int64 `json:"rows"`
	SHA256 string           `json:"sha256"`
}

// ErrBackup is what everything that is wrong with a backup wraps.
var ErrBackup = errors.New("the backup cannot be restored")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBackup, fmt.Sprintf(format, args...))
}

// gzipHead is how a stream of ours begins: without a name or a time, which
// gzip would not notice the alteration of.
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"

// archiveWriter writes frames.
type archiveWriter struct {
	failed error // of whatever is written to
	out    *gzip.Writer
	file   hash.Hash // of the file as it is written
	frames hash.Hash // of the frames
	rows   map[string]int64
}

func newArchiveWriter(w io.Writer) *archiveWriter {
	file := sha256.New()
	// Rows are short and alike: the fastest level already makes them small.
	out, _ := gzip.NewWriterLevel(io.MultiWriter(w, file), gzip.BestSpeed) // the level is a valid one
	return &archiveWriter{out: out, file: file, frames: sha256.New(), rows: map[string]int64{}}
}

func (a *archiveWriter) frame(kind byte, payload []byte) error {
	if len(payload) > maxFrameBytes {
		return fmt.Errorf("a row of %d bytes is too large for a backup", len(payload))
	}
	var head [5]byte
	head[0] = kind
	binary.BigEndian.PutUint32(head[1:], uint32(len(payload)))
	a.frames.Write(head[:]) // a hash never fails
	a.frames.Write(payload)
	if _, err := a.out.Write(head[:]); err != nil {
		return a.noted(err)
	}
	_, err := a.out.Write(payload)
	return a.noted(err)
}

func (a *archiveWriter) noted(err error) error {
	if err != nil {
		a.failed = err
	}
	return err
}

func (a *archiveWriter) document(kind byte, value any) error {
	payload, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return a.frame(kind, payload)
}

// end writes the last frame and everything that is still held back.
func (a *archiveWriter) end() error {
	sum := hex.EncodeToString(a.frames.Sum(nil))
	if err := a.document(frameEnd, archiveEnd{Rows: a.rows, SHA256: sum}); err != nil {
		return err
	}
	return a.noted(a.out.Close())
}

// archiveReader reads frames, and trusts nothing before the end was checked.
type archiveReader struct {
	raw    io.Reader
	in     *gzip.Reader
	file   hash.Hash
	frames hash.Hash
	rows   map[string]int64 // as counted by whoever reads
	buffer bytes.Buffer
}

func newArchiveReader(r io.Reader) (*archiveReader, archiveHeader, error) {
	var header archiveHeader
	file := sha256.New()
	// gzip reads no further than its stream when it is given single bytes: what
	// follows must be seen to be nothing.
	raw := bufio.NewReaderSize(io.TeeReader(r, file), 64<<10)
	if head, err := raw.Peek(len(gzipHead)); err != nil || string(head) != gzipHead {
		return nil, header, damaged("it is not a backup of verdict")
	}
	in, err := gzip.NewReader(raw)
	if err != nil {
		return nil, header, damaged("it is not a backup of verdict")
	}
	in.Multistream(false)
	a := &archiveReader{raw: raw, in: in, file: file, frames: sha256.New(), rows: map[string]int64{}}
	kind, payload, err := a.next()
	switch {
	case err != nil:
		return nil, header, err
	case kind != frameHeader || json.Unmarshal(payload, &header) != nil || header.Format != archiveFormat:
		return nil, header, damaged("it is not a backup that this version of verdict can read")
	}
	return a, header, nil
}

// next is the next frame. Its bytes are valid until the one after it.
func (a *archiveReader) next() (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(a.in, head[:]); err != nil {
		return 0, nil, a.cut(err)
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > maxFrameBytes {
		return 0, nil, damaged("it was altered")
	}
	a.buffer.Reset()
	// Room is made as bytes arrive: the length may be a lie.
	if _, err := io.CopyN(&a.buffer, a.in, int64(n)); err != nil {
		return 0, nil, a.cut(err)
	}
	if head[0] != frameEnd {
		a.frames.Write(head[:])
		a.frames.Write(a.buffer.Bytes())
	}
	return head[0], a.buffer.Bytes(), nil
}

func (*archiveReader) cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return damaged("it ends too early")
	}
	return fmt.Errorf("%w: read it: %w", ErrBackup, err)
}

// end checks the last frame against what was read, and that nothing follows.
func (a *archiveReader) end(payload []byte) error {
	var end archiveEnd
	if err := json.Unmarshal(payload, &end); err != nil {
		return damaged("its end cannot be read")
	}
	if end.SHA256 != hex.EncodeToString(a.frames.Sum(nil)) || !maps.Equal(end.Rows, a.rows) {
		return damaged("it was altered")
	}
	if n, err := io.Copy(io.Discard, a.in); err != nil || n > 0 { // gzip's own checksum comes here
		return damaged("something was added to it or altered")
	}
	if n, err := io.Copy(io.Discard, a.raw); err != nil || n > 0 {
		return damaged("something was added to it")
	}
	return nil
}
