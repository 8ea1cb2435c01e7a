package operation

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// List requests one page of a list. Most lists are ordered by creation; the others ignore
// Ascending, From and To.
type List struct {
	Limit     int // 1 to MaxLimit
	Cursor    string
	Ascending bool // oldest first
	From, To  time.Time
}

// The sizes of a page.
const (
	DefaultLimit = 50
	MaxLimit     = store.MaxPage
)

// Page converts the request into a store.Page. A cursor is valid only with the filters it was
// made for: with other filters it would skip or repeat rows.
func (l List) Page(p tenant.Principal, filters ...string) (store.Page, error) {
	page := store.Page{
		Limit: l.Limit, Descending: !l.Ascending,
		FromMicros: Micros(l.From), ToMicros: Micros(l.To),
	}
	if !l.From.IsZero() {
		page.FromID = tenant.FirstID(tenant.KindDecision, l.From)
	}
	if !l.To.IsZero() { // rounded up to a millisecond; the exact bound is ToMicros
		page.ToID = tenant.FirstID(tenant.KindDecision, l.To.Add(time.Millisecond-1))
	}
	if l.Cursor == "" {
		return page, nil
	}
	place, err := l.After(p, filters)
	if err != nil || len(place) <= 8 {
		return page, NotACursor()
	}
	page.AfterMicros, page.AfterID = int64(binary.BigEndian.Uint64([]byte(place))), place[8:]
	// Check the id too: anybody can compute the mark of a cursor, and a database does not accept every byte in a
	// text.
	if _, ok := tenant.Time(page.AfterID); !ok {
		return page, NotACursor()
	}
	return page, nil
}

// After decodes the cursor and returns the place after which the page begins. The place is ""
// for the beginning of the list.
func (l List) After(p tenant.Principal, filters []string) (place string, err error) {
	if l.Cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(l.Cursor)
	// The base64 decoder ignores line breaks, which our cursors never contain.
	if err != nil || strings.ContainsAny(l.Cursor, "\r\n") || len(raw) <= markSize || !bytes.Equal(raw[:markSize],
		l.mark(p, filters, raw[markSize:])) {
		return "", NotACursor()
	}
	return string(raw[markSize:]), nil
}

// CursorAfter returns the cursor of the page that begins after a place.
func (l List) CursorAfter(p tenant.Principal, filters []string, place string) string {
	return base64.RawURLEncoding.EncodeToString(append(l.mark(p, filters, []byte(place)), place...))
}

// NotACursor returns the refusal of a cursor that does not belong to the list and its filters.
func NotACursor() error {
	return fault.New(fault.Malformed, fault.CodeInvalidCursor,
		"this cursor does not belong to this list with these filters")
}

// markSize is the length of the mark at the beginning of a cursor, in bytes.
const markSize = 8

// mark returns the checksum of a cursor: over the tenant and environment, the times and
// the order of the list, the filters and the place.
func (l List) mark(p tenant.Principal, filters []string, place []byte) []byte {
	h := sha256.New()
	write := func(text string) {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(text)))
		h.Write(n[:])
		h.Write([]byte(text))
	}
	write(p.TenantID)
	write(string(p.Environment))
	write(Clock(Micros(l.From)))
	write(Clock(Micros(l.To)))
	if l.Ascending {
		write("asc")
	}
	for _, f := range filters {
		write(f)
	}
	write(string(place))
	return h.Sum(nil)[:markSize]
}

// Page is one page of a list.
type Page[T any] struct {
	Data       []T
	Limit      int
	NextCursor string // "" on the last page
}

// Paged returns the page for rows of the store. last returns the time and the
// id of a row.
func Paged[T any](
	l List, p tenant.Principal, rows []T, more bool, last func(T) (int64, string), filters ...string,
) Page[T] {
	var next store.Position
	if more {
		next.Micros, next.ID = last(rows[len(rows)-1])
	}
	return PagedUntil(l, p, rows, next, filters...)
}

// PagedUntil returns the page for rows of the store. The parameter next is the position after which the next page
// begins. If it has no id, this is the last page.
func PagedUntil[T any](l List, p tenant.Principal, rows []T, next store.Position, filters ...string) Page[T] {
	out := Page[T]{Data: rows, Limit: l.Limit}
	if next.ID != "" {
		out.NextCursor = l.CursorAfter(p, filters,
			string(binary.BigEndian.AppendUint64(nil, uint64(next.Micros)))+next.ID)
	}
	return out
}
