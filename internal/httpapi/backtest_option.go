package httpapi

import (
	"net/url"
	"strings"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// queryOptions reads the options of a file from the query.
func (c *call) queryOptions() (wire.Value, error) {
	options, err := c.optionTexts()
	if err != nil {
		return wire.Value{}, err
	}
	return document.BacktestOptions(options, wire.Value{})
}

// joinedOptions are those of a JSON body and of the query together.
func (c *call) joinedOptions() (wire.Value, error) {
	if c.r.URL.RawQuery == "" {
		return c.body, nil
	}
	options, err := c.optionTexts()
	if err != nil {
		return wire.Value{}, err
	}
	for name := range options {
		if c.body.Get(name).Given() {
			var faults fault.List
			faults.Add("?"+name, fault.CodeDuplicate, "is also given in the body; send it once")
			return wire.Value{}, faults.Err()
		}
	}
	return document.BacktestOptions(options, c.body)
}

// optionTexts reads the options in the query, as they stand there.
func (c *call) optionTexts() (map[string]string, error) {
	values, err := url.ParseQuery(c.r.URL.RawQuery)
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

// maxOption bounds the text of one option; a map of columns can be long.
const maxOption = 64 << 10

// inQuery changes the pointers of a refusal from members to query parameters. It keeps
// pointers into the header of the file.
func inQuery(err error) error {
	return fault.Retold(err, func(item fault.Item) fault.Item {
		if len(item.Pointer) > 1 && !strings.HasPrefix(item.Pointer, "/header") {
			item.Pointer = "?" + item.Pointer[1:]
		}
		return item
	})
}
