package verdict

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"reflect"
	"strings"
	"time"
)

// nothing is the answer of operations that have no answer.
type nothing struct{}

// body makes the body of a request, with its content type.
type body func() (io.Reader, string, error)

// noBody is the body of requests that have no body.
func noBody() (io.Reader, string, error) { return nil, "", nil }

// jsonBody returns a document as a body.
func jsonBody(document any) body {
	return func() (io.Reader, string, error) {
		content, err := json.Marshal(document)
		return bytes.NewReader(content), "application/json", err
	}
}

// stream returns a body that can be read only once, so its request cannot be repeated.
func stream(contentType string, r io.Reader) body {
	return func() (io.Reader, string, error) { return r, contentType, nil }
}

// call makes a request and reads its answer.
func call[T any](ctx context.Context, c *Client, method, path string, params any, b body) (*T, error) {
	content, contentType, err := b()
	if err != nil {
		return nil, err
	}
	query, header := neturl.Values{}, http.Header{}
	addParams(reflect.ValueOf(params), query, header)
	target := c.url + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, content)
	if err != nil {
		return nil, err
	}
	request.Header = header
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.sender.send(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // the body is only read
	answer := new(T)
	switch into := any(answer).(type) {
	case *nothing:
		_, err = io.Copy(io.Discard, response.Body)
	case *[]byte:
		*into, err = io.ReadAll(response.Body)
	default:
		err = json.NewDecoder(response.Body).Decode(answer)
	}
	if err != nil {
		return nil, fmt.Errorf("read the answer of %s %s: %w", method, path, err)
	}
	return answer, nil
}

// addParams adds the fields of a parameter struct. A field with a form tag
// belongs to the query, any other to the header.
func addParams(params reflect.Value, query neturl.Values, header http.Header) {
	if !params.IsValid() || params.Kind() == reflect.Pointer && params.IsNil() {
		return
	}
	params = reflect.Indirect(params)
	for i := range params.NumField() {
		field, value := params.Type().Field(i), params.Field(i)
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		var texts []string
		if value.Kind() == reflect.Slice {
			for j := range value.Len() {
				texts = append(texts, text(value.Index(j)))
			}
		} else {
			texts = append(texts, text(value))
		}
		for _, t := range texts {
			if name, ok := field.Tag.Lookup("form"); ok {
				query.Add(first(name), t)
			} else {
				header.Set(first(field.Tag.Get("json")), t)
			}
		}
	}
}

// text returns a parameter as it is sent.
func text(value reflect.Value) string {
	if at, ok := value.Interface().(time.Time); ok {
		return at.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value.Interface())
}

// first returns the name in a tag.
func first(tag string) string {
	name, _, _ := strings.Cut(tag, ",")
	return name
}

// pathOf returns a path with its parameters.
func pathOf(format string, arguments ...any) string {
	for i, a := range arguments {
		arguments[i] = neturl.PathEscape(fmt.Sprint(a))
	}
	return fmt.Sprintf(format, arguments...)
}
