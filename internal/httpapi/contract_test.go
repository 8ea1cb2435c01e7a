package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"verdict/api"
	"verdict/api/apitest"
	"verdict/internal/reference"
)

// contract returns the OpenAPI document with response schemas that allow no
// undocumented members. It is read once, because no test changes it.
var contract = sync.OnceValues(func() (*openapi3.T, error) {
	doc, err := apitest.LoadClosed(api.OpenAPI)
	if err != nil {
		return nil, err
	}
	// Skip the examples, because the tests of package api check them against
	// their schemas.
	if err := doc.Validate(context.Background(), openapi3.DisableExamplesValidation()); err != nil {
		return nil, fmt.Errorf("validate the contract: %w", err)
	}
	return doc, doc.WalkSchemas(simplify)
})

// simplify replaces keywords of JSON Schema 2020-12 by older equivalents. The
// new keywords need a schema compiler, which would run again for every value
// and take longer than the service takes to answer.
func simplify(where string, ref *openapi3.SchemaRef) error {
	schema := ref.Value
	if schema.Const != nil {
		schema.Enum, schema.Const = []any{schema.Const}, nil
	}
	if closed := schema.UnevaluatedProperties; closed.Has != nil && !*closed.Has {
		properties := openapi3.Schemas{}
		maps.Copy(properties, schema.Properties)
		for _, part := range schema.AllOf {
			maps.Copy(properties, part.Value.Properties)
			schema.Required = append(schema.Required, part.Value.Required...)
			if len(part.Value.AllOf)+len(part.Value.AnyOf)+len(part.Value.OneOf) > 0 {
				return fmt.Errorf("%s is composed too deeply for this test", where)
			}
		}
		schema.Properties, schema.AllOf = properties, nil
		schema.AdditionalProperties, schema.UnevaluatedProperties = closed, openapi3.BoolSchema{}
	}
	if schema.UnevaluatedProperties.Schema != nil || schema.PropertyNames != nil || schema.PrefixItems != nil ||
		schema.Contains != nil || schema.PatternProperties != nil || schema.DependentSchemas != nil ||
		schema.DependentRequired != nil || schema.If != nil {
		return fmt.Errorf("%s has a keyword that this test would not notice the breach of", where)
	}
	return nil
}

func loadContract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// checkContract fails the test unless the contract allows this answer to this
// request. Any goroutine of the test may call checkContract.
func checkContract(t *testing.T, method, path, body string, got answer) {
	t.Helper()
	doc, err := contract()
	if err != nil {
		t.Error(err)
		return
	}
	for _, fault := range breaches(doc, method, path, body, got) {
		t.Errorf("%s %s: %d: %s\n%.2000s", method, path, got.status, fault, got.body)
	}
}

// breaches returns the ways in which an answer violates the contract.
func breaches(doc *openapi3.T, method, path, body string, got answer) []string {
	path, _, _ = strings.Cut(path, "?")
	operation, response := promised(doc, method, path, got.status)
	if response == nil {
		return []string{"the contract knows no such answer"}
	}
	faults := headerBreaches(response, got.header)
	if method == http.MethodHead || got.status == http.StatusNotModified || got.status == http.StatusNoContent {
		if len(got.body) > 0 {
			faults = append(faults, "there is a body where none may be")
		}
		return faults
	}
	kind, params, err := mime.ParseMediaType(got.header.Get("Content-Type"))
	media := response.Content[kind]
	if kind == "text/html" && got.status >= http.StatusBadRequest && media == nil {
		// An operation that answers with a page also refuses with a page. Only the description of the operation says
		// so. The shared refusals do not list pages, because generated clients would then expect a page from every
		// operation.
		_, page := promised(doc, method, path, http.StatusOK)
		if page != nil && page.Content[kind] != nil {
			return faults
		}
	}
	if charset := params["charset"]; err != nil || media == nil || charset != "" && charset != "utf-8" {
		return append(faults, fmt.Sprintf("the contract knows no answer of type %q", got.header.Get("Content-Type")))
	}
	switch {
	case kind == "application/x-ndjson" && strings.HasSuffix(path, "/results"):
		for line := range bytes.Lines(got.body) {
			if err := matches(doc, doc.Components.Schemas["BatchRow"].Value, line); err != nil {
				faults = append(faults, "a line: "+err.Error())
			}
		}
	case strings.HasSuffix(kind, "json") && kind != "application/x-ndjson":
		if err := matches(doc, media.Schema.Value, got.body); err != nil {
			faults = append(faults, "the body: "+err.Error())
		}
	}
	if kind == problemType {
		faults = append(faults, problemBreaches(media, got)...)
	} else if kind == "application/json" {
		faults = append(faults, warningBreaches(got)...)
	}
	// The service ignores a byte order mark.
	body = strings.TrimPrefix(body, "\ufeff")
	// The service treats a body of "null" as no body.
	if operation != nil && operation.RequestBody != nil && got.status < 300 && body != "" && body != "null" {
		err := matches(doc, operation.RequestBody.Value.Content["application/json"].Schema.Value, withoutNulls(body))
		if err != nil {
			faults = append(faults, "the service took a body that the contract does not allow: "+err.Error())
		}
	}
	return faults
}

const problemType = "application/problem+json"

// promised returns the operation of a request and the response that the
// contract describes for a status, or nil if the contract describes none. A
// request without an operation gets one of the shared refusals. A path under
// /v1/ requires a key even if the path does not exist. Otherwise the refusal
// says that the path does not exist or does not support the method.
func promised(doc *openapi3.T, method, path string, status int) (*openapi3.Operation, *openapi3.Response) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	item := pathItem(doc, path)
	if item != nil {
		if operation := item.GetOperation(method); operation != nil {
			ref := operation.Responses.Status(status)
			if ref == nil && status == http.StatusUnauthorized {
				// Public paths also refuse a key in the URL.
				ref = doc.Components.Responses["Unauthenticated"]
			}
			if ref == nil {
				ref = operation.Responses.Default()
			}
			if ref == nil {
				return operation, nil
			}
			return operation, ref.Value
		}
	}
	shared := ""
	switch {
	case status == http.StatusUnauthorized:
		shared = "Unauthenticated"
	case status == http.StatusServiceUnavailable:
		shared = "Unavailable" // the key could not be looked up
	case status == http.StatusNotFound && item == nil:
		shared = "NotFound"
	case status == http.StatusMethodNotAllowed && item != nil:
		shared = "MethodNotAllowed"
	}
	if ref := doc.Components.Responses[shared]; ref != nil {
		return nil, ref.Value
	}
	return nil, nil
}

// pathItem finds the path template of a request. It returns nil if no template
// matches. Templates with fewer parameters are tried first, so that "preview"
// in /v1/decisions/preview is not taken for an id.
func pathItem(doc *openapi3.T, path string) *openapi3.PathItem {
	given := strings.Split(path, "/")
	matches := func(want, segment string) bool {
		return want == segment || strings.HasPrefix(want, "{") && segment != ""
	}
	for _, template := range templates() {
		if slices.EqualFunc(template, given, matches) {
			return doc.Paths.Find(strings.Join(template, "/"))
		}
	}
	return nil
}

// templates returns the segments of every path of the contract, in the order in
// which pathItem tries them. They are sorted only once, because every answer is
// checked.
var templates = sync.OnceValue(func() (list [][]string) {
	doc, err := contract()
	if err != nil {
		return nil // every test that checks an answer reports the error
	}
	for _, template := range doc.Paths.InMatchingOrder() {
		list = append(list, strings.Split(template, "/"))
	}
	return list
})

// telling lists the headers that have a meaning for clients. An answer may have
// them only if the contract describes them.
var telling = []string{
	"Allow", "Content-Disposition", "Etag", "Idempotent-Replayed", "Location", "Retry-After", "Www-Authenticate",
}

func headerBreaches(response *openapi3.Response, header http.Header) (faults []string) {
	if header.Get("X-Request-Id") == "" {
		faults = append(faults, "there is no request id")
	}
	known := map[string]bool{}
	for name, ref := range response.Headers {
		known[http.CanonicalHeaderKey(name)] = true
		values := header.Values(name)
		switch {
		case len(values) > 1:
			faults = append(faults, "the header "+name+" comes more than once")
		case len(values) == 0 && ref.Value.Required:
			faults = append(faults, "the header "+name+" is missing")
		case len(values) == 1:
			if err := ref.Value.Schema.Value.VisitJSON(headerValue(ref.Value.Schema.Value, values[0])); err != nil {
				faults = append(faults, "the header "+name+": "+err.Error())
			}
		}
	}
	for _, name := range telling {
		if header.Get(name) != "" && !known[name] {
			faults = append(faults, "the header "+name+" is not in the contract")
		}
	}
	return faults
}

func headerValue(schema *openapi3.Schema, text string) any {
	if schema.Type.Is("integer") {
		if n, err := strconv.Atoi(text); err == nil {
			return float64(n)
		}
	}
	return text
}

// documentedCodes and documentedWarnings return the codes that the reference
// documents. They are collected only once.
var (
	documentedCodes    = sync.OnceValue(reference.Codes)
	documentedWarnings = sync.OnceValue(reference.WarningCodes)
)

// problemBreaches checks conditions that no schema can express: a problem
// agrees with its answer, and its codes are documented.
func problemBreaches(media *openapi3.MediaType, got answer) (faults []string) {
	var problem struct {
		Type, Code string
		Status     int
		RequestID  string `json:"request_id"`
		Errors     []struct{ Code, Key string }
	}
	if err := json.Unmarshal(got.body, &problem); err != nil {
		return []string{err.Error()}
	}
	if problem.Status != got.status || problem.RequestID != got.header.Get("X-Request-Id") ||
		problem.Type != "/docs/errors/"+problem.Code {
		faults = append(faults, "the problem disagrees with its own answer")
	}
	if len(media.Examples) > 0 && media.Examples[problem.Code] == nil {
		faults = append(faults, "the contract has no example of "+problem.Code+" with this status")
	}
	codes := []string{problem.Code}
	for _, item := range problem.Errors {
		if item.Key == "" { // a key marks a policy finding, whose code is documented elsewhere
			codes = append(codes, item.Code)
		}
	}
	for _, code := range codes {
		if !slices.Contains(documentedCodes(), code) {
			faults = append(faults, "there is no page about "+code)
		}
	}
	return faults
}

// warningBreaches returns the warnings that the reference does not document.
func warningBreaches(got answer) (faults []string) {
	var body struct{ Warnings []struct{ Code string } }
	if json.Unmarshal(got.body, &body) != nil {
		return nil // not an object, or an object without warnings
	}
	for _, w := range body.Warnings {
		if !slices.Contains(documentedWarnings(), w.Code) {
			faults = append(faults, "there is no note about "+w.Code)
		}
	}
	return faults
}

func matches(doc *openapi3.T, schema *openapi3.Schema, body []byte) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	return briefly(doc.ValidateSchemaJSON(schema, value, openapi3.EnableFormatValidation(), openapi3.MultiErrors()))
}

// briefly returns an error that says where and how a body violates its schema.
// The original error would contain the whole schema.
func briefly(err error) error {
	var several openapi3.MultiError
	var one *openapi3.SchemaError
	switch {
	case errors.As(err, &several):
		brief := make([]error, len(several))
		for i, err := range several {
			brief[i] = briefly(err)
		}
		return errors.Join(brief...)
	case errors.As(err, &one) && one.Origin != nil:
		return fmt.Errorf("/%s: %s: %w", strings.Join(one.JSONPointer(), "/"), one.Reason, briefly(one.Origin))
	case errors.As(err, &one):
		return fmt.Errorf("/%s: %s", strings.Join(one.JSONPointer(), "/"), one.Reason)
	}
	return err
}

// withoutNulls removes the null members of a request, because null means the
// same as leaving the member out.
func withoutNulls(body string) []byte {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return []byte(body)
	}
	var drop func(any)
	drop = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, member := range v {
				if member == nil {
					delete(v, name)
				}
				drop(member)
			}
		case []any:
			for _, item := range v {
				drop(item)
			}
		}
	}
	drop(value)
	out, err := json.Marshal(value)
	if err != nil {
		return []byte(body)
	}
	return out
}
