package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// place locates a value in a body: the member names and list positions that
// lead to the value.
type place []any

// pointer returns the place as a JSON pointer.
func (p place) pointer() string {
	var b strings.Builder
	for _, step := range p {
		b.WriteByte('/')
		switch step := step.(type) {
		case string:
			b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(step))
		case int:
			b.WriteString(strconv.Itoa(step))
		}
	}
	return b.String()
}

// readBody decodes a body and keeps its numbers as written.
func readBody(t *testing.T, body string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// places returns the places of all values in a body, beginning with the body
// itself.
func places(value any, at place) []place {
	list := []place{slices.Clone(at)}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			list = append(list, places(value[name], append(at, name))...)
		}
	case []any:
		for i, item := range value {
			list = append(list, places(item, append(at, i))...)
		}
	}
	return list
}

func (p place) at(value any) any {
	for _, step := range p {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			value = list[step]
		}
	}
	return value
}

// with returns a copy of the body in which raw replaces the value at the place.
func (p place) with(t *testing.T, body string, raw string) string {
	t.Helper()
	if len(p) == 0 {
		return raw
	}
	value := readBody(t, body)
	switch last := p[len(p)-1].(type) {
	case string:
		object, _ := p[:len(p)-1].at(value).(map[string]any)
		object[last] = json.RawMessage(raw)
	case int:
		list, _ := p[:len(p)-1].at(value).([]any)
		list[last] = json.RawMessage(raw)
	}
	return encode(t, value)
}

// plus returns the body with one more member in the object at a place.
func (p place) plus(t *testing.T, body, name, raw string) string {
	t.Helper()
	value := readBody(t, body)
	object, _ := p.at(value).(map[string]any)
	object[name] = json.RawMessage(raw)
	return encode(t, value)
}

func encode(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// overridden reports whether a preview overrides the value at the place, so
// that the service ignores the value in the body.
func (p place) overridden(body any) bool {
	request, _ := body.(map[string]any)
	overrides, _ := request["overrides"].(map[string]any)
	_, is := overrides[strings.ReplaceAll(strings.TrimPrefix(p.pointer(), "/"), "/", ".")]
	return is
}

// schemas returns the parts of a schema that may describe the value at a place.
func (p place) schemas(schema *openapi3.Schema) []*openapi3.Schema {
	found := alternatives(schema, nil)
	for _, step := range p {
		var next []*openapi3.Schema
		for _, s := range found {
			var ref *openapi3.SchemaRef
			if name, isName := step.(string); isName {
				if ref = s.Properties[name]; ref == nil {
					ref = s.AdditionalProperties.Schema
				}
			} else {
				ref = s.Items
			}
			if ref != nil {
				next = alternatives(ref.Value, next)
			}
		}
		found = next
	}
	return found
}

// alternatives appends a schema and all schemas in its allOf, anyOf and oneOf.
func alternatives(schema *openapi3.Schema, found []*openapi3.Schema) []*openapi3.Schema {
	if schema == nil || slices.Contains(found, schema) {
		return found
	}
	found = append(found, schema)
	for _, part := range slices.Concat(schema.AllOf, schema.AnyOf, schema.OneOf) {
		found = alternatives(part.Value, found)
	}
	return found
}

// declares reports whether the contract declares a member with this name at a
// place, or lets the caller choose the names of texts there.
func (p place) declares(schema *openapi3.Schema, name string) bool {
	return slices.ContainsFunc(p.schemas(schema), func(s *openapi3.Schema) bool {
		others := s.AdditionalProperties.Schema
		return s.Properties[name] != nil || others != nil && others.Value.Type.Is(openapi3.TypeString)
	})
}

// schemaOf returns the schema of an operation's JSON body.
func schemaOf(operation *openapi3.Operation) *openapi3.Schema {
	return operation.RequestBody.Value.Content["application/json"].Schema.Value
}
