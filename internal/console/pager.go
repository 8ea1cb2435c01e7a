package console

import (
	"net/url"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
)

// pager is what the piece "pager" is drawn from.
type pager struct {
	First string // the address of the first page, "" when this is it
	Next  string // of the next, "" when this is the last
}

// perPage is how many rows a page of a list has.
const perPage = 50

// listing reads which page of a list the address asks for: cursor, and the days
// from and to, both included. What cannot be read is left out and told beside
// the filters.
func (v *visit) listing() operation.List {
	var faults fault.List
	l := operation.List{
		Limit: perPage, Cursor: v.query("cursor"),
		From: day(&faults, "/from", v.query("from")), To: day(&faults, "/to", v.query("to")),
	}
	if !l.To.IsZero() {
		l.To = l.To.AddDate(0, 0, 1)
	}
	v.form.Faults = append(v.form.Faults, faults.Items()...)
	return l
}

// seekFor is how long a page goes on looking for the first row that the filters
// admit; whoever asked for it is then told how far it came.
const seekFor = 10 * time.Millisecond

// seek asks for a page, and for those after it while they are empty: with some
// filters a list is looked through a stretch at a time.
func seek[T any](v *visit, l operation.List, ask func(operation.List) (operation.Page[T], error)) (operation.Page[T], error) {
	for begun := v.console.options.Now(); ; {
		page, err := ask(l)
		if err != nil || len(page.Data) > 0 || page.NextCursor == "" || v.console.options.Now().Sub(begun) > seekFor {
			return page, err
		}
		l.Cursor = page.NextCursor
	}
}

// pager leads on from a page of a list, with the filters it has.
func (v *visit) pager(next string) pager {
	var p pager
	values := v.r.URL.Query()
	if values.Get("cursor") != "" {
		values.Del("cursor")
		p.First = addressOf(v.r.URL.Path, values)
	}
	if next != "" {
		values.Set("cursor", next)
		p.Next = addressOf(v.r.URL.Path, values)
	}
	return p
}

// addressOf leaves out the filters that nobody filled in.
func addressOf(path string, values url.Values) string {
	for name, list := range values {
		if strings.Join(list, "") == "" {
			delete(values, name)
		}
	}
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// filters are what the address filters by, so that the form of the filters can
// be drawn with them: a form of its own, beside that of the page.
func (v *visit) filters() *form { return &form{values: v.r.URL.Query(), Faults: v.form.Faults} }
