package httpapi

import (
	"net/http"
	"net/url"
	"strings"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// maxOption is the maximum length of the text of one option, in bytes. A mapping
// of columns can be long.
const maxOption = 64 << 10

// queryOptions reads the options of a backtest from the query.
func queryOptions(r *http.Request) (wire.Value, error) {
	options, err := optionTexts(r)
	if err != nil {
		return wire.Value{}, err
	}
	return document.BacktestOptions(options, wire.Value{})
}

// joinedOptions returns the members of a JSON body together with the options of
// the query. It refuses an option that is in both the body and the query.
func joinedOptions(r *http.Request, body wire.Value) (wire.Value, error) {
	if r.URL.RawQuery == "" {
		return body, nil
	}
	options, err := optionTexts(r)
	if err != nil {
		return wire.Value{}, err
	}
	for name := range options {
		if body.Get(name).Given() {
			var faults fault.List
			faults.Add("?"+name, fault.CodeDuplicate, "is also given in the body; send it once")
			return wire.Value{}, faults.Err()
		}
	}
	return document.BacktestOptions(options, body)
}

// optionTexts returns the options in the query as texts by name.
func optionTexts(r *http.Request) (map[string]string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidField, "the query is not well-formed")
	}
	q := query{values: values, known: document.BacktestMembers()}
	options := map[string]string{}
	for _, name := range q.known {
		switch given := values[name]; {
		case len(given) > 1:
			q.fail(name, fault.CodeDuplicate, "must be given once")
		case len(given) == 1 && (given[0] == "" || len(given[0]) > maxOption):
			q.fail(name, fault.CodeOutOfRange, "must have 1 to %d bytes", maxOption)
		case len(given) == 1:
			options[name] = given[0]
		}
	}
	return options, q.err()
}

// inQuery changes the pointers of a refusal from members to query parameters. It
// does not change pointers into the header of the file.
func inQuery(err error) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		if len(item.Pointer) > 1 && !strings.HasPrefix(item.Pointer, "/header") {
			item.Pointer = "?" + item.Pointer[1:]
		}
		return item
	})
}
