package store

import (
	"errors"
	"strconv"
	"strings"
)

// MaxPage is the most rows a list returns, whatever is asked for.
const MaxPage = 200

// Page asks for one stretch of a list ordered by creation time and id, or of
// decisions, whose ids alone are in that order. The next page begins after the
// last row of this one, so it costs the same however far into the list it is.
type Page struct {
	Limit       int    // rows wanted, at most MaxPage, which is also the default
	Descending  bool   // newest first
	AfterMicros int64  // with AfterID, the last row of the page before
	AfterID     string // "" for the first page
	FromMicros  int64  // created at or after; 0 for no bound
	ToMicros    int64  // created before; 0 for no bound
	// FromID and ToID are the ids of decisions between which all lie that the
	// times admit: the first that may, and the first that may not any more. A
	// list of decisions is then not walked to its bounds. "" for no bound.
	FromID, ToID string

	end Place // the last row that is looked at; the zero Place for no such
}

func (p Page) limit() int {
	if p.Limit <= 0 || p.Limit > MaxPage {
		return MaxPage
	}
	return p.Limit
}

// order is that of every list but decisions'.
func (p Page) order() string {
	if p.Descending {
		return " ORDER BY created_micros DESC, id DESC"
	}
	return " ORDER BY created_micros, id"
}

// query puts a list's text together from fixed pieces; values only ever travel
// as parameters.
type query struct {
	text strings.Builder
	args []any
}

// listOf begins with a SELECT whose WHERE has the scope as $1 and $2.
func listOf(selecting string) *query {
	q := &query{}
	q.text.WriteString(selecting)
	return q
}

// where adds a condition, in which each ? stands for the next value.
func (q *query) where(condition string, values ...any) {
	q.text.WriteString(" AND ")
	q.add(condition, values...)
}

// is adds an equality unless the value is absent.
func (q *query) is(column, value string) {
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

// between adds the bounds in time.
func (q *query) between(p Page) {
	if p.FromMicros != 0 {
		q.where("created_micros >= ?", p.FromMicros)
	}
	if p.ToMicros != 0 {
		q.where("created_micros < ?", p.ToMicros)
	}
}

// limit asks for one row more than wanted: whether it comes tells whether
// there is a next page.
func (q *query) limit(p Page) { q.add(" LIMIT ?", int64(p.limit()+1)) }

// page adds bounds, order and limit.
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

// pageByID is page for decisions.
func (q *query) pageByID(p Page) {
	q.byID(p)
	q.limit(p)
}

// byID adds all that bounds a list of decisions but how many are wanted.
func (q *query) byID(p Page) {
	q.between(p)
	switch {
	case p.end.ID == "":
	case p.Descending:
		q.where("id >= ?", p.end.ID)
	default:
		q.where("id <= ?", p.end.ID)
	}
	q.fromHere(p)
}

// fromHere adds the bounds of decisions' ids, the place to go on after, and the
// order.
func (q *query) fromHere(p Page) {
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

// maxPageBytes bounds the documents of one page. A page ends early when they
// are larger, and the next one begins there.
const maxPageBytes = 4 << 20

// errPageFull ends a page before its last row.
var errPageFull = errors.New("the page is full")

// pageRoom is what a page has taken of maxPageBytes.
type pageRoom struct {
	begun bool
	taken int
}

// take makes room for a row's document, or returns errPageFull. A page has at
// least one row, however large.
func (r *pageRoom) take(document []byte) error {
	if r.taken += len(document); r.begun && r.taken > maxPageBytes {
		return errPageFull
	}
	r.begun = true
	return nil
}

// list runs a query that was paged, and tells whether there is more. A read that
// returns errPageFull leaves its row to the next page.
func list[T any](tx *Tx, q *query, p Page, read func(scan func(...any) error) (T, error)) (rows []T, more bool, err error) {
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
