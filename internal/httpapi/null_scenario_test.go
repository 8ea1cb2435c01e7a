package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"verdict/api"
	"verdict/api/apitest"
)

// TestNullIsLeftOut checks that null means the same as leaving a member out. It sends
// every example of the contract with null in each optional member that the example
// leaves out. The published document must allow this, and the answer must equal the
// answer to the example. Only in a change of settings may the answer differ, because
// null restores the default there.
func TestNullIsLeftOut(t *testing.T) {
	t.Parallel()
	doc, err := apitest.Load(api.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	requests := exampleRequests(t, doc)
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		s.begin(november)
		ids, key, added := placeholders{}, "", 0
		for _, r := range requests {
			sender := key
			if public(r.operation) {
				sender = ""
			}
			body := ids.fill(r.body)
			if r.body != "" && r.status < http.StatusMultipleChoices {
				var n int
				body, n = withNulls(t, r.operation.RequestBody.Value.Content["application/json"].Schema.Value, body)
				added += n
			}
			s.clock.advance(100 * time.Millisecond) // there are more examples than the rate limit permits at once
			got := s.send(r.method, ids.fill(r.path), sender, body, r.headers...)
			if got.status != r.status {
				s.Fatalf("%s with nulls: %d, want %d: %s\n%s", r.name, got.status, r.status, got.body, body)
			}
			ids.cosign(s.T, r, got)
			ids.startBatches(s, r, key)
			if got.header.Get("Content-Type") != "application/json" {
				continue
			}
			// In a change of settings, null restores the default.
			if r.method != http.MethodPut {
				r.asShown(s.T, got)
			}
			ids.learn(r, got)
			if key == "" {
				key = got.text("api_key")
			}
		}
		if added < 500 {
			s.Errorf("only %d nulls were sent", added)
		}
	})
}

// withNulls adds null for every optional member that a body leaves out, at
// every depth, and returns the number of added members.
func withNulls(t *testing.T, schema *openapi3.Schema, body string) (with string, added int) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		t.Fatal(err)
	}
	added = addNulls(schema, value)
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.VisitJSON(value); err != nil {
		t.Errorf("the contract refuses a body with nulls: %v\n%s", briefly(err), out)
	}
	return string(out), added
}

// describing returns the parts of a schema that apply to a value.
func describing(schema *openapi3.Schema, value any) []*openapi3.Schema {
	parts := []*openapi3.Schema{schema}
	for _, part := range schema.AllOf {
		parts = append(parts, describing(part.Value, value)...)
	}
	for _, alternative := range slices.Concat(schema.AnyOf, schema.OneOf) {
		if alternative.Value.VisitJSON(value) == nil {
			parts = append(parts, describing(alternative.Value, value)...)
		}
	}
	return parts
}

func addNulls(schema *openapi3.Schema, value any) (added int) {
	parts := describing(schema, value)
	var mandatory []string
	for _, part := range parts {
		mandatory = append(mandatory, part.Required...)
	}
	switch value := value.(type) {
	case map[string]any:
		given := slices.Collect(maps.Keys(value))
		for _, part := range parts {
			for name, member := range part.Properties {
				switch inside, there := value[name]; {
				case slices.Contains(given, name):
					added += addNulls(member.Value, inside)
				case !there && !slices.Contains(mandatory, name) && !member.Value.ReadOnly && !member.Value.IsEmpty():
					value[name] = nil
					added++
				}
			}
			if more := part.AdditionalProperties.Schema; more != nil {
				for _, name := range given {
					added += addNulls(more.Value, value[name])
				}
			}
		}
	case []any:
		for _, part := range parts {
			for _, item := range value {
				if part.Items != nil {
					added += addNulls(part.Items.Value, item)
				}
			}
		}
	}
	return added
}
