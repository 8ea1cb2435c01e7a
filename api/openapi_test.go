package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"verdict/api"
	"verdict/api/apitest"
)

// placeholders replaces the placeholders in the examples' values by ids.
var placeholders = strings.NewReplacer(
	"{rule_set_id}", "pol_01KA2VZ0G6G2C9M4NP8QR1STVW",
	"{decision_id}", "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{evaluated_id}", "dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE",
	"{draft_id}", "pol_01KA2XB7T1H3D0N5PQ9RS2TVWX",
	"{spare_id}", "pol_01KA2XB7T1H3D0N5PQ9RS2TVWY",
	"{scorecard_id}", "sc_01KA2XF3K9J4E1P6QR0ST3VWXY",
	"{alert_id}", "alr_01KA2XH8P1M6G3R8ST2VW5XYZA",
	"{blocked_key}", "hmac:5f0c7d6e1f2a4b3c8d9e0a1b2c3d4e5f",
	"{backtest_id}", "bt_01KA2XK4R2N7H4S9TV3WX6YZAB",
	"{batch_id}", "bat_01KA2XK4R2N7H4S9TV3WX6YZAB",
	"{spare_batch_id}", "bat_01KA2XK4R2N7H4S9TV3WX6YZAC",
	"{old_batch_id}", "bat_01KA2XK4R2N7H4S9TV3WX6YZAD",
	"{job_id}", "bt_01KA2XK4R2N7H4S9TV3WX6YZAC",
	"{run_id}", "run_01KA2XM6T3P8J5V0WX4YZ7ABCD",
)

// load reads the document as published, with placeholders filled in.
func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := apitest.Load([]byte(placeholders.Replace(string(api.OpenAPI))))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// loadClosed reads the document with response schemas that allow no
// undocumented members.
func loadClosed(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := apitest.LoadClosed([]byte(placeholders.Replace(string(api.OpenAPI))))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// each calls the function visit for every operation. It passes the name of the operation, such as "POST
// /v1/decisions".
func each(doc *openapi3.T, visit func(name string, op *openapi3.Operation)) {
	for _, path := range doc.Paths.InMatchingOrder() {
		for method, op := range doc.Paths.Find(path).Operations() {
			visit(method+" "+path, op)
		}
	}
}

func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	// Other tests validate the examples, because some examples are meant to
	// fail.
	err := load(t).Validate(context.Background(), openapi3.DisableExamplesValidation(), openapi3.EnableMultiError())
	if err != nil {
		t.Error(err)
	}
}

// TestAnswersMatchTheirSchemas checks that every example of a response matches
// its schema, both in the published document and in the closed one.
func TestAnswersMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	answersMatch(t, load(t))
	answersMatch(t, loadClosed(t))
}

func answersMatch(t *testing.T, doc *openapi3.T) {
	t.Helper()
	check := func(where string, content openapi3.Content) {
		for mediaType, media := range content {
			for name, example := range media.Examples {
				if err := validate(doc, media.Schema.Value, example.Value.Value); err != nil {
					t.Errorf("%s, %s, %s: %v", where, mediaType, name, err)
				}
			}
		}
	}
	each(doc, func(op string, operation *openapi3.Operation) {
		for status, response := range operation.Responses.Map() {
			check(op+" "+status, response.Value.Content)
		}
	})
	for name, response := range doc.Components.Responses {
		check(name, response.Value.Content)
	}
}

// validate checks an example against a schema. It encodes and decodes the
// example as JSON first, so that the Go types of the YAML reader make no
// difference.
func validate(doc *openapi3.T, schema *openapi3.Schema, example any) error {
	raw, err := json.Marshal(example)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return err
	}
	return doc.ValidateSchemaJSON(schema, value, openapi3.EnableFormatValidation(), openapi3.EnableJSONSchema2020())
}

// TestAnswersAreClosed checks that the closed document refuses an undocumented
// member in a response: every example must fail with one more member, although
// the published document allows more members.
func TestAnswersAreClosed(t *testing.T) {
	t.Parallel()
	doc := loadClosed(t)
	each(doc, func(op string, operation *openapi3.Operation) {
		for status, response := range operation.Responses.Map() {
			for mediaType, media := range response.Value.Content {
				for name, example := range media.Examples {
					object, ok := example.Value.Value.(map[string]any)
					if !ok {
						continue
					}
					more := maps.Clone(object)
					more["surprise"] = true
					if validate(doc, media.Schema.Value, more) == nil {
						t.Errorf("%s %s, %s, %s takes a member that nobody described", op, status, mediaType, name)
					}
				}
			}
		}
	})
}

// TestRequestsMatchTheirSchemas checks that every example of a request matches
// its schema. Only an example that expects status 422 may violate its schema.
func TestRequestsMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	doc := load(t)
	each(doc, func(op string, operation *openapi3.Operation) {
		for _, p := range operation.Parameters {
			if p.Value.Example == nil || slices.Contains(known, fmt.Sprint(p.Value.Example)) {
				continue
			}
			if err := validate(doc, p.Value.Schema.Value, p.Value.Example); err != nil {
				t.Errorf("%s, parameter %s: %v", op, p.Value.Name, err)
			}
		}
		if operation.RequestBody == nil {
			return
		}
		for mediaType, media := range operation.RequestBody.Value.Content {
			if len(media.Examples) == 0 {
				t.Errorf("%s takes %s and shows no example of it", op, mediaType)
			}
			for name, example := range media.Examples {
				expected := expectedStatus(t, op, operation, example.Value)
				if err := validate(doc, media.Schema.Value, example.Value.Value); err != nil && expected != "422" {
					t.Errorf("%s, %s, %s: %v", op, mediaType, name, err)
				}
			}
		}
	})
}

func expectedStatus(t *testing.T, op string, operation *openapi3.Operation, example *openapi3.Example) string {
	t.Helper()
	mark, marked := example.Extensions["x-expect-status"]
	if !marked {
		return ""
	}
	status := fmt.Sprint(mark)
	if operation.Responses.Value(status) == nil {
		t.Errorf("%s: an example expects %s, which is not among the answers", op, status)
	}
	return status
}

// TestOperationsAreDescribed checks that every operation has the descriptions,
// examples and security settings that readers and client generators need.
func TestOperationsAreDescribed(t *testing.T) {
	t.Parallel()
	doc := load(t)
	ids := map[string]string{}
	each(doc, func(op string, operation *openapi3.Operation) {
		if operation.OperationID == "" || operation.Summary == "" || operation.Description == "" ||
			len(operation.Tags) != 1 {
			t.Errorf("%s lacks an operationId, a summary, a description or its one tag", op)
		}
		if other, taken := ids[operation.OperationID]; taken {
			t.Errorf("%s and %s share an operationId", op, other)
		}
		ids[operation.OperationID] = op
		if len(operation.Tags) > 0 && doc.Tags.Get(operation.Tags[0]) == nil {
			t.Errorf("%s has a tag that is not described", op)
		}
		for status, response := range operation.Responses.Map() {
			for mediaType, media := range response.Value.Content {
				if strings.HasPrefix(mediaType, "application/json") && len(media.Examples) == 0 {
					t.Errorf("%s shows no example of its %s", op, status)
				}
			}
		}
		versioned := strings.Contains(op, " /v1/")
		if public := operation.Security != nil && len(*operation.Security) == 0; public == versioned {
			t.Errorf("%s: public is %t", op, public)
		}
		if versioned && operation.Responses.Value("401") == nil {
			t.Errorf("%s needs a key and knows no 401", op)
		}
	})
}

// TestIdempotencyKeyIsTaken checks that every POST under /v1/ that stores something accepts an Idempotency-Key.
// The preview, lookups and the comparison of rule sets store nothing. These and all other operations must not
// accept the header.
func TestIdempotencyKeyIsTaken(t *testing.T) {
	t.Parallel()
	doc := load(t)
	each(doc, func(op string, operation *openapi3.Operation) {
		taken := operation.Parameters.GetByInAndName(openapi3.ParameterInHeader, "Idempotency-Key") != nil
		want := strings.HasPrefix(op, http.MethodPost+" /v1/") && op != "POST /v1/decisions/preview" &&
			!strings.HasSuffix(op, "/lookup") && op != "POST /v1/rule-sets/{id}/diff"
		if taken != want {
			t.Errorf("%s: takes an Idempotency-Key: %t", op, taken)
		}
	})
}

// TestProblemExamples checks that the name and the type of every example
// problem match its code, that no code is shown twice, and that every status
// has an example.
func TestProblemExamples(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	statuses := map[string]bool{}
	for where, response := range load(t).Components.Responses {
		media := response.Value.Content.Get("application/problem+json")
		if media == nil {
			continue
		}
		if len(media.Examples) == 0 {
			t.Errorf("%s shows no example", where)
		}
		for name, example := range media.Examples {
			problem, ok := example.Value.Value.(map[string]any)
			if !ok {
				t.Fatalf("%s, %s is no object", where, name)
			}
			code := fmt.Sprint(problem["code"])
			if code != name || problem["type"] != "/docs/errors/"+code {
				t.Errorf("%s, %s has the code %s and the type %v", where, name, code, problem["type"])
			}
			if seen[code] {
				t.Errorf("%s is shown twice", code)
			}
			seen[code] = true
			statuses[fmt.Sprint(problem["status"])] = true
		}
	}
	for _, status := range []int{400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 415, 422, 429, 500, 503} {
		if !statuses[strconv.Itoa(status)] {
			t.Errorf("no problem has the status %d", status)
		}
	}
}

// known lists the placeholders that the tests replace by an id or a name from an
// earlier answer.
var known = []string{
	"{rule_set_id}", "{decision_id}", "{evaluated_id}", "{draft_id}", "{spare_id}", "{scorecard_id}",
	"{alert_id}", "{blocked_key}", "{backtest_id}", "{job_id}", "{run_id}", "{webhook_id}", "{spare_webhook_id}",
	"{cosigned_checkpoint}", "{erasure_id}", "{deferred_id}", "{legal_hold_id}", "{applicant_ref}",
	"{list_name}", "{spare_list_name}", "{table_name}", "{spare_table_name}", "{batch_id}", "{spare_batch_id}",
	"{old_batch_id}",
}

// TestPlaceholdersAreKnown checks that the examples contain no placeholder that
// the tests cannot fill in.
func TestPlaceholdersAreKnown(t *testing.T) {
	t.Parallel()
	for _, found := range regexp.MustCompile(`'\{[a-z_]+\}'`).FindAllString(string(api.OpenAPI), -1) {
		if !slices.Contains(known, strings.Trim(found, "'")) {
			t.Errorf("nobody knows %s", found)
		}
	}
}
