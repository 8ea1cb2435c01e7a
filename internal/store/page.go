package store

import (
	"errors"
	"strconv"
	"strings"
)

// MaxPage is the maximum number of rows in a page of a list.
const MaxPage = 200

// Page requests one page of a list. Most lists are ordered by creation time and id. Decisions are ordered by id
// alone, which gives the same order. The next page is found by the last row of the previous page, so every page costs
// the same, however far into the list it is.
type Page struct {
	Limit       int    // rows wanted, at most MaxPage, which is also the default
	Descending  bool   // newest first
	AfterMicros int64  // together with AfterID, the last row of the previous page
	AfterID     string // "" for the first page
	FromMicros  int64  // only rows created at or after this time; 0 for no bound
	ToMicros    int64  // only rows created before this time; 0 for no bound
	// FromID and ToID limit the ids of decisions to those that the times admit: FromID is the first admitted id, and
	// ToID is the first id after the admitted ids. With these limits a list of decisions, which is ordered by id,
	// scans no decisions outside the times. "" means no limit.
	FromID, ToID string

	end Position // the last row to scan; the zero Position for no limit
}

func (p Page) limit() int {
	if p.Limit <= 0 || p.Limit > MaxPage {
		return MaxPage
	}
	return p.Limit
}

// order returns the ORDER BY clause of a list by creation time and id.
func (p Page) order() string {
	if p.Descending {
		return " ORDER BY created_micros DESC, id DESC"
	}
	return " ORDER BY created_micros, id"
}

// query builds the text of a list from fixed pieces. Values are only ever
// passed as parameters.
type query struct {
	text strings.Builder
	args []any
}

// listOf returns a query that begins with a SELECT whose WHERE has the scope as
// $1 and $2.
func listOf(selecting string) *query {
	q := &query{}
	q.text.WriteString(selecting)
	return q
}

// where adds a condition with AND. Each "?" in the condition is replaced by the
// parameter of the next value.
func (q *query) where(condition string, values ...any) {
	q.text.WriteString(" AND ")
	q.add(condition, values...)
}

// equals adds the condition that column equals value, unless value is "".
func (q *query) equals(column, value string) {
	if value != "" {
		q.where(column+" = ?", value)
	}
}

func (q *query) add(piece string, values ...any) {
	for i, part := range strings.Split(piece, "?") {
		if i > 0 {
			q.args = append(q.args, values[i-1])
			q.text.WriteString("$" + strconv.Itoa(len(q.args)+2))
		}
		q.text.WriteString(part)
	}
}

// between adds the time limits of the page.
func (q *query) between(p Page) {
	if p.FromMicros != 0 {
		q.where("created_micros >= ?", p.FromMicros)
	}
	if p.ToMicros != 0 {
		q.where("created_micros < ?", p.ToMicros)
	}
}

// limit fetches one extra row to learn whether there is a next page.
func (q *query) limit(p Page) { q.add(" LIMIT ?", int64(p.limit()+1)) }

// page adds the time limits, the position, the order and the number of rows.
func (q *query) page(p Page) {
	q.between(p)
	beyond := "(created_micros, id) > (?, ?)"
	if p.Descending {
		beyond = "(created_micros, id) < (?, ?)"
	}
	if p.AfterID != "" {
		q.where(beyond, p.AfterMicros, p.AfterID)
	}
	switch {
	case p.end.ID == "":
	case p.Descending:
		q.where("(created_micros, id) >= (?, ?)", p.end.Micros, p.end.ID)
	default:
		q.where("(created_micros, id) <= (?, ?)", p.end.Micros, p.end.ID)
	}
	q.add(p.order())
	q.limit(p)
}

// pageByID adds to a list of decisions everything that byID adds, and the number
// of rows.
func (q *query) pageByID(p Page) {
	q.byID(p)
	q.limit(p)
}

// byID adds to a list of decisions the limits and the order, without the number
// of rows.
func (q *query) byID(p Page) {
	q.between(p)
	switch {
	case p.end.ID == "":
	case p.Descending:
		q.where("id >= ?", p.end.ID)
	default:
		q.where("id <= ?", p.end.ID)
	}
	q.idBounds(p)
}

// idBounds adds the limits of decisions' ids, the position after which the page
// begins, and the order.
func (q *query) idBounds(p Page) {
	if p.FromID != "" {
		q.where("id >= ?", p.FromID)
	}
	if p.ToID != "" {
		q.where("id < ?", p.ToID)
	}
	order, beyond := " ORDER BY id", "id > ?"
	if p.Descending {
		order, beyond = " ORDER BY id DESC", "id < ?"
	}
	if p.AfterID != "" {
		q.where(beyond, p.AfterID)
	}
	q.add(order)
}

// maxPageBytes limits the total size of the documents in one page. A page that
// exceeds it ends early, and the next page begins with the row that did not fit.
const maxPageBytes = 4 << 20

// errPageFull ends a page early, because its documents would exceed maxPageBytes.
var errPageFull = errors.New("the page is full")

// pageBytes counts the bytes of a page's documents.
type pageBytes struct {
	begun bool
	taken int
}

// take counts a row's document. It returns errPageFull if the documents of the
// page exceed maxPageBytes, unless the row is the page's first.
func (r *pageBytes) take(document []byte) error {
	if r.taken += len(document); r.begun && r.taken > maxPageBytes {
		return errPageFull
	}
	r.begun = true
	return nil
}

// list runs a paged query and reports whether there are more rows. If read
// returns errPageFull, the page ends, and the row that was read belongs to the
// next page.
func list[T any](
	tx *Tx, q *query, p Page, read func(scan func(...any) error) (T, error),
) (rows []T, more bool, err error) {
	err = tx.each(func(scan func(...any) error) error {
		row, err := read(scan)
		if err == nil {
			rows = append(rows, row)
		}
		return err
	}, q.text.String(), q.args...)
	if errors.Is(err, errPageFull) {
		return rows, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	if n := p.limit(); len(rows) > n {
		return rows[:n], true, nil
	}
	return rows, false, nil
}
