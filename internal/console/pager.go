package console

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
)

// pager is the data of the piece "pager".
type pager struct {
	First string // address of the first page; "" if this is the first page
	Next  string // address of the next page; "" if this is the last page
}

// perPage is the number of rows on a page of a list.
const perPage = 50

// listing reads the position in a list from the query: the cursor, and the days from and to, both
// included. An invalid date is ignored, and its fault is shown beside the filters.
func (v *visit) listing() operation.List {
	var faults fault.List
	l := operation.List{
		Limit:  perPage,
		Cursor: v.query("cursor"),
		From:   day(&faults, "/from", v.query("from")),
		To:     day(&faults, "/to", v.query("to")),
	}
	if !l.To.IsZero() {
		l.To = l.To.AddDate(0, 0, 1)
	}
	v.form.Faults = append(v.form.Faults, faults.Items()...)
	return l
}

// seekTimeout is how long a page searches for the first row that matches the filters. After that
// time, the page offers to continue the search.
const seekTimeout = 10 * time.Millisecond

// seek returns the first page that has rows. It returns an empty page if the list has ended or seekTimeout has passed.
// With some filters a use case scans the list in parts and may return an empty page with a cursor.
func seek[T any](
	v *visit, l operation.List, ask func(operation.List) (operation.Page[T], error),
) (operation.Page[T], error) {
	for begun := v.console.options.Now(); ; {
		page, err := ask(l)
		if err != nil || len(page.Data) > 0 || page.NextCursor == "" {
			return page, err
		}
		if v.console.options.Now().Sub(begun) > seekTimeout {
			return page, nil
		}
		l.Cursor = page.NextCursor
	}
}

// pager returns the links to the first and the next page of a list, with the current filters.
func (v *visit) pager(next string) pager { return pagerOf(v.r.URL.Path, v.r.URL.Query(), next) }

// pagerOf returns the links for a list at a path with its query.
func pagerOf(path string, values url.Values, next string) pager {
	var p pager
	values = maps.Clone(values)
	if values.Get("cursor") != "" {
		values.Del("cursor")
		p.First = addressOf(path, values)
	}
	if next != "" {
		values.Set("cursor", next)
		p.Next = addressOf(path, values)
	}
	return p
}

// addressOf returns the path with the query values that are not empty.
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

// filters returns the query as a form, from which the filter fields are rendered.
func (v *visit) filters() *form { return &form{values: v.r.URL.Query(), Faults: v.form.Faults} }
