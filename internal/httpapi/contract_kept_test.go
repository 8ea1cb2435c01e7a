package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"verdict/internal/httpapi"
	"verdict/internal/usecase"
)

// TestRoutesAndContractAgree checks that the contract describes every route,
// and that the service serves every described operation.
func TestRoutesAndContractAgree(t *testing.T) {
	t.Parallel()
	service, err := httpapi.New(&usecase.Set{}, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var described []string
	for path, item := range loadContract(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+path)
		}
	}
	routed := slices.Sorted(slices.Values(service.Routes()))
	slices.Sort(described)
	if diff := cmp.Diff(described, routed); diff != "" {
		t.Errorf("routes (-described +routed):\n%s", diff)
	}
}

// TestContractIsNoticed checks the contract check itself. Every example answer of the
// contract must pass. An answer must fail if a promised member or header is missing or
// misspelt, or if an undescribed member is added.
func TestContractIsNoticed(t *testing.T) {
	t.Parallel()
	doc := loadContract(t)
	seen := map[*openapi3.Response]bool{} // many operations share a refusal; check each refusal once
	checked := 0
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status, response := range operation.Responses.Map() {
				if seen[response.Value] {
					continue
				}
				seen[response.Value] = true
				for kind, media := range response.Value.Content {
					for name, example := range media.Examples {
						object, ok := example.Value.Value.(map[string]any)
						if !ok {
							continue
						}
						checked++
						a := shown(response.Value, status, kind, object)
						for _, missed := range missedBreaches(doc, method, path, media.Schema.Value, object, a) {
							t.Errorf("%s %s, %s, %s: %s", method, path, status, name, missed)
						}
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d answers were looked at", checked)
	}
}

// shown returns the answer that an example describes.
func shown(response *openapi3.Response, status, kind string, object map[string]any) answer {
	a := answer{header: http.Header{"Content-Type": {kind}, "X-Request-Id": {"req_1"}}}
	a.status, _ = strconv.Atoi(status)
	for name, ref := range response.Headers {
		if ref.Value.Required {
			a.header.Set(name, fmt.Sprint(ref.Value.Example))
		}
	}
	if id, ok := object["request_id"].(string); ok {
		a.header.Set("X-Request-Id", id)
	}
	a.body, _ = json.Marshal(object)
	return a
}

// missedBreaches breaks an answer in many ways and returns the breaches that
// the contract check missed.
func missedBreaches(
	doc *openapi3.T, method, path string, schema *openapi3.Schema, object map[string]any, a answer,
) (missed []string) {
	noticed := func(what string, spoilt answer) {
		if len(breaches(doc, method, path, "", spoilt)) == 0 {
			missed = append(missed, what+" goes unnoticed")
		}
	}
	if faults := breaches(doc, method, path, "", a); len(faults) > 0 {
		return faults
	}
	for name := range object {
		other := maps.Clone(object)
		delete(other, name)
		spoilt := a
		if spoilt.body, _ = json.Marshal(other); slices.Contains(schema.Required, name) {
			noticed("that "+name+" is missing", spoilt)
		}
		other[name+"x"] = object[name]
		spoilt.body, _ = json.Marshal(other)
		noticed("that "+name+" is misspelt", spoilt)
	}
	for name := range a.header {
		spoilt := a
		spoilt.header = a.header.Clone()
		spoilt.header.Del(name)
		noticed("that the header "+name+" is missing", spoilt)
	}
	spoilt := a
	spoilt.status = http.StatusTeapot
	noticed("another status", spoilt)
	return missed
}
