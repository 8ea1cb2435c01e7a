package archive

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
)

// Writer writes an archive. Call Header first. For every table call Table, then
// Row for each row, then EndTable. Call End last. After an error the output
// cannot be restored.
type Writer struct {
	failed   error // the error of the underlying writer
	out      *gzip.Writer
	file     hash.Hash // hash of the file
	frames   hash.Hash // hash of the frames
	rows     map[string]int64
	progress func(table string, rows int64)

	table string
	frame []byte // encoded rows that are not written yet
	held  int    // the number of rows in frame
}

// NewWriter returns a Writer to w. After each frame of rows, the Writer calls progress with the number of rows of
// the table that it has written so far.
func NewWriter(w io.Writer, progress func(table string, rows int64)) *Writer {
	file := sha256.New()
	// Rows are short and similar, so even the fastest level compresses them
	// well.
	out, _ := gzip.NewWriterLevel(io.MultiWriter(w, file), gzip.BestSpeed) // fails only for an invalid level
	return &Writer{out: out, file: file, frames: sha256.New(), rows: map[string]int64{}, progress: progress}
}

// Header writes the header.
func (a *Writer) Header(h Header) error { return a.document(frameHeader, header{format, h}) }

// Table begins a table.
func (a *Writer) Table(t Table) error {
	if err := a.document(frameTable, t); err != nil {
		return err
	}
	a.table, a.rows[t.Name] = t.Name, 0
	return nil
}

// Row adds a row to the table.
func (a *Writer) Row(r *Row) error {
	for i := range r.values {
		a.frame = r.values[i].appendTo(a.frame)
	}
	a.held++
	if len(a.frame) >= rowsFrameBytes || a.held >= rowsFrameRows {
		return a.flush()
	}
	return nil
}

// EndTable writes the rows that are still buffered.
func (a *Writer) EndTable() error {
	if a.held == 0 {
		return nil
	}
	return a.flush()
}

func (a *Writer) flush() error {
	err := a.write(frameRows, a.frame)
	a.rows[a.table] += int64(a.held)
	a.frame, a.held = a.frame[:0], 0
	a.progress(a.table, a.rows[a.table])
	return err
}

// End writes the last frame and flushes gzip's buffer.
func (a *Writer) End() error {
	sum := hex.EncodeToString(a.frames.Sum(nil))
	if err := a.document(frameEnd, end{Rows: a.rows, SHA256: sum}); err != nil {
		return err
	}
	return a.noted(a.out.Close())
}

// Rows returns the number of rows written, by table.
func (a *Writer) Rows() map[string]int64 { return a.rows }

// SHA256 returns the checksum of the file. It must be called after End.
func (a *Writer) SHA256() string { return hex.EncodeToString(a.file.Sum(nil)) }

// Failed returns the error of the underlying writer, nil if there was none.
func (a *Writer) Failed() error { return a.failed }

func (a *Writer) document(kind byte, value any) error {
	payload, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return a.write(kind, payload)
}

func (a *Writer) write(kind byte, payload []byte) error {
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

func (a *Writer) noted(err error) error {
	if err != nil {
		a.failed = err
	}
	return err
}
