package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
)

// query reads the parameters of a request and collects their faults. err must be
// called after the last read: it refuses every parameter that was not read, so that
// a misspelt filter is not ignored. The pointer to a parameter is "?" and its name.
type query struct {
	values url.Values
	faults fault.List
	known  []string // the parameters that were read
}

func newQuery(r *http.Request) *query {
	q := &query{}
	var err error
	if q.values, err = url.ParseQuery(r.URL.RawQuery); err != nil {
		q.faults.Add("", fault.CodeInvalidField, "the query is not well-formed")
	}
	return q
}

func (q *query) fail(name, code, format string, args ...any) {
	q.faults.Add("?"+name, code, format, args...)
}

// maxParameter is the maximum length of a parameter's value, in bytes. A cursor may be longer.
const maxParameter = 256

// text reads a parameter. It returns "" if the parameter is missing.
func (q *query) text(name string) string { return q.textUpTo(name, maxParameter) }

// textUpTo reads a parameter with a maximum length in bytes. It returns "" if the parameter is missing.
func (q *query) textUpTo(name string, most int) string {
	q.known = append(q.known, name)
	given := q.values[name]
	switch {
	case len(given) == 0:
		return ""
	case len(given) > 1:
		q.fail(name, fault.CodeDuplicate, "must be given once")
	case given[0] == "":
		q.fail(name, fault.CodeInvalidField, "must not be empty")
	case len(given[0]) > most && name != "cursor":
		q.fail(name, fault.CodeOutOfRange, "must have at most %d bytes", most)
	case strings.ContainsRune(given[0], 0):
		q.fail(name, fault.CodeInvalidField, "must not have a zero byte")
	}
	return strings.ToValidUTF8(given[0], "\uFFFD")
}

// choice reads a parameter that must be one of the choices. It returns "" if the parameter is
// missing.
func (q *query) choice(name string, choices ...string) string {
	text := q.text(name)
	if text != "" && !slices.Contains(choices, text) {
		q.fail(name, fault.CodeInvalidField, "must be one of %s", strings.Join(choices, ", "))
	}
	return text
}

// time reads an RFC 3339 time. It returns the zero time if the parameter is missing.
func (q *query) time(name string) time.Time {
	text := q.text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		if _, plusErr := time.Parse(time.RFC3339, strings.Replace(text, " ", "+", 1)); plusErr == nil {
			q.fail(name, fault.CodeInvalidField,
				"has a + that was not escaped and arrived as a space: "+
					"write it as %%2B, as in 2026-11-15T00:00:00%%2B05:30")
			return time.Time{}
		}
	}
	if err != nil || t.Year() < 1970 || t.Year() > 9999 {
		q.fail(name, fault.CodeInvalidField, "must be an RFC 3339 time such as 2026-11-15T00:00:00Z")
		return time.Time{}
	}
	return t
}

// days reads a number of days such as "7d". It returns 0 if the parameter is missing.
func (q *query) days(name string, limit int) int {
	text := q.text(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "d"))
	if err != nil || n < 1 || n > limit || !strings.HasSuffix(text, "d") {
		q.fail(name, fault.CodeInvalidField, "must be a number of days such as 7d, at most %dd", limit)
		return 0
	}
	return n
}

// digits reads a parameter of up to six digits, such as a pincode. It returns "" if the
// parameter is missing.
func (q *query) digits(name string) string {
	text := q.text(name)
	if len(text) > 6 || strings.Trim(text, "0123456789") != "" {
		q.fail(name, fault.CodeInvalidField, "must be one to six digits")
	}
	return text
}

// flag reads a parameter that must be "true" or "false". It returns false if the
// parameter is missing.
func (q *query) flag(name string) bool { return q.choice(name, "true", "false") == "true" }

// number reads a whole number. If the parameter is missing, it returns the argument "otherwise".
func (q *query) number(name string, otherwise, least, most int64) int64 {
	text := q.text(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		q.fail(name, fault.CodeOutOfRange, "must be a whole number between %d and %d", least, most)
	}
	return n
}

// list reads the parameters of a list that can be limited and ordered by time.
func (q *query) list() operation.List {
	l := q.page()
	l.From, l.To = q.time("from"), q.time("to")
	l.Ascending = q.choice("order", "asc", "desc") == "asc"
	return l
}

// page reads the parameters that every list has.
func (q *query) page() operation.List {
	l := operation.List{Cursor: q.text("cursor")}
	l.Limit = int(q.number("limit", operation.DefaultLimit, 1, operation.MaxLimit))
	return l
}

// err returns all faults, including the faults of unknown parameters.
func (q *query) err() error {
	for _, name := range slices.Sorted(maps.Keys(q.values)) {
		if !slices.Contains(q.known, name) {
			q.unknown(name)
		}
	}
	return q.faults.Err()
}

// unknown adds the fault of a parameter that was not read.
func (q *query) unknown(name string) {
	known := "none"
	if len(q.known) > 0 {
		known = strings.Join(q.known, ", ")
	}
	meant, caseOnly := fault.Suggest(name, q.known, q.faults.SkipHints())
	text := "the query has an unknown parameter; the known parameters are " + known
	// The text does not contain the name, because the name may be a value that was sent without
	// its parameter.
	q.faults.AddItem(fault.Unknown("", text, meant, caseOnly))
}
