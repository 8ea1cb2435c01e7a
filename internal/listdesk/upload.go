package listdesk

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/sheet"
)

// NewEntry is an entry as a caller sends it.
type NewEntry struct {
	Value     string
	Form      Form
	ExpiresAt time.Time // zero: never
}

// Form says how a value was written.
type Form uint8

// The forms. A cell of a file is Unwritten: its meaning depends on the type of the list.
const (
	Unwritten Form = iota
	AsText
	AsNumber
)

// fault returns why a value of this form cannot be in a list of a type, or "" if it can.
func (f Form) fault(t list.Type) string {
	switch {
	case t == list.Number && f == AsText:
		return "must be a number, not a text, because the list has numbers"
	case t != list.Number && f == AsNumber:
		return "must be a text in quotes, because the list has no numbers"
	}
	return ""
}

// entry returns the entry of the list, or the code and the detail of its fault.
func (e *NewEntry) entry(keyer *list.Keyer) (entry list.Entry, code, detail string) {
	if detail := e.Form.fault(keyer.Type); detail != "" {
		return entry, fault.CodeWrongType, detail
	}
	expires := int64(0)
	if !e.ExpiresAt.IsZero() {
		expires = e.ExpiresAt.UnixMicro()
	}
	return keyer.NewEntry(e.Value, expires)
}

// Upload is the whole content of a list, either as entries or as a file.
type Upload struct {
	Type    list.Type // "" keeps the type of the list
	Entries []NewEntry
	// CSV, unless nil, is a file with the column value and, if entries expire, the column expires_at. It is read
	// instead of Entries.
	CSV io.Reader
	// Reserve, unless nil, is called with the memory that further entries take, in bytes. An error ends the upload.
	Reserve func(bytes int64) error
}

// The columns of a file.
const (
	columnValue   = "value"
	columnExpires = "expires_at"
)

// firstYear is the first year in which an entry may expire. Earlier times are what programs write for a missing time.
const firstYear = 2000

// MaxFile is the maximum size of a file in bytes, decompressed.
const MaxFile = 64 << 20

// entryMemory is the memory of an entry while an upload is read, besides its value.
const entryMemory = 64

// entriesEach is the number of entries between two checkpoints of an upload.
const entriesEach = 1_000

// collector collects the entries of an upload, and their faults.
type collector struct {
	ctx     context.Context
	keyer   *list.Keyer
	reserve func(bytes int64) error
	entries []list.Entry
	faults  fault.List
	read    int // entries, including those with faults
	bytes   int64
	charged int64 // the memory that was reserved
}

// Read reads the entries of an upload. The refusal lists the faults of all entries.
func (u *Upload) Read(ctx context.Context, keyer *list.Keyer) ([]list.Entry, error) {
	c := collector{ctx: ctx, keyer: keyer, reserve: u.Reserve}
	var err error
	if u.CSV != nil {
		err = c.file(u.CSV)
	} else {
		for _, e := range u.Entries {
			if err = c.add(e, 0); err != nil {
				break
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return c.entries, c.faults.Err()
}

// add adds an entry, or its fault. The pointer of a fault counts entries from 0, even in a file. line is the line of
// the file in which the entry is, or 0.
func (c *collector) add(e NewEntry, line int64) error {
	at := c.read
	if c.read++; c.read > list.MaxEntries {
		return fault.New(fault.TooLarge, fault.CodeRequestTooLarge, "a list has at most %d entries", list.MaxEntries)
	}
	entry, code, detail := e.entry(c.keyer)
	if code != "" {
		if line > 0 {
			detail = fault.InLine(detail, line)
		}
		c.faults.Add("/entries/"+strconv.Itoa(at)+"/value", code, "%s", detail)
		return c.pause()
	}
	c.entries = append(c.entries, entry)
	c.bytes += int64(len(entry.Value)) + entryMemory
	return c.pause()
}

// pause reserves the memory of the entries, and gives other requests their share of the processors.
func (c *collector) pause() error {
	if c.read%entriesEach != 0 {
		return nil
	}
	if more := c.bytes - c.charged; c.reserve != nil && more > 0 {
		if err := c.reserve(more); err != nil {
			return err
		}
		c.charged = c.bytes
	}
	return admission.Checkpoint(c.ctx)
}

// file reads the rows of a CSV file.
func (c *collector) file(in io.Reader) error {
	var value, expires int
	header := func(names []string) (err error) {
		value, expires, err = columnsOf(names)
		return err
	}
	err := ReadRows(in, MaxFile, header, func(cursor *sheet.Cursor) error { return c.row(cursor, value, expires) })
	if err != nil {
		return err
	}
	return c.notEmpty()
}

// notEmpty refuses a file without rows: it is more likely a broken export than an empty list.
func (c *collector) notEmpty() error {
	if c.read > 0 {
		return nil
	}
	return fault.New(fault.Invalid, fault.CodeNoRows,
		`there are no rows after the header; to empty a list, send {"entries": []} as application/json`)
}

// row adds the entry of a row.
func (c *collector) row(cursor *sheet.Cursor, value, expires int) error {
	at, line := strconv.Itoa(c.read), cursor.Line()
	cells := cursor.Cells()
	if cells == nil {
		c.read++
		c.faults.Add("/entries/"+at, fault.CodeInvalidField, "%s", fault.InLine(RowFault(cursor.Fault()), line))
		return c.pause()
	}
	e := NewEntry{Value: string(cells[value])}
	if expires >= 0 {
		if text := bytes.TrimSpace(cells[expires]); len(text) > 0 {
			until, err := time.Parse(time.RFC3339, string(text))
			if err != nil || until.Year() < firstYear {
				c.read++
				c.faults.Add("/entries/"+at+"/expires_at", fault.CodeWrongType, "%s", fault.InLine(fmt.Sprintf(
					"must be a time such as 2026-12-31T18:29:59Z, not before %d, or blank", firstYear), line))
				return c.pause()
			}
			e.ExpiresAt = until
		}
	}
	return c.add(e, line)
}

// columnsOf returns the indexes of the columns. expires is -1 if the file has no such column.
func columnsOf(header []string) (value, expires int, err error) {
	value, expires = slices.Index(header, columnValue), slices.Index(header, columnExpires)
	for i, name := range header {
		if name != columnValue && name != columnExpires {
			return 0, 0, fault.New(fault.Invalid, fault.CodeUnknownField,
				"column %d of the file is unknown; the first row must name the columns value and, if entries expire, "+
					"expires_at", i+1)
		}
	}
	if value < 0 {
		return 0, 0, fault.New(fault.Invalid, fault.CodeNoColumnNames,
			"the first row of the file must name the column value")
	}
	return value, expires, nil
}

// describeTypes returns the text of a fault about the type of a list.
func describeTypes() string { return fmt.Sprintf("one of %s", strings.Join(list.Types(), ", ")) }
