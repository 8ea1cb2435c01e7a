package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schemaNames maps the documents that people write as files to their schemas in
// the API description.
var schemaNames = map[string]string{
	"application": "DecisionRequest", "policy": "RuleSetRequest", "scorecard": "ScorecardRequest", "tests": testCases,
}

// testCases is the name of the schema of test cases. The API description does not have this schema, because test cases
// exist only as files.
const testCases = "TestCases"

// testCaseSchema is the form of the cases that "verdict test" runs from a JSON file: one case or several. A member of
// expect may also be the path of a member of the decision, such as offer.emi.
const testCaseSchema = `{
	"oneOf": [{"$ref": "#/$defs/TestCase"}, {"type": "array", "items": {"$ref": "#/$defs/TestCase"}}]
}`

const testCase = `{
	"type": "object",
	"required": ["application", "expect"],
	"additionalProperties": false,
	"properties": {
		"name": {"type": "string", "maxLength": 200},
		"as_of": {"type": "string", "format": "date-time", "description": "The time of the decision."},
		"application": {"type": "object", "description": "A body of POST /v1/decisions or of POST /v1/evaluate."},
		"facts": {
			"type": "object",
			"description": "Facts that only the service knows, such as fraud_blocklisted.",
			"additionalProperties": {"type": ["string", "number", "boolean"]}
		},
		"expect": {
			"type": "object",
			"minProperties": 1,
			"description": "The parts of the decision that are compared; paths such as offer.emi are possible, too.",
			"properties": {
				"status": {"enum": ["APPROVED", "REFERRED", "DECLINED"]},
				"grade": {"type": ["string", "null"]},
				"score": {"type": ["number", "null"]},
				"limit": {"type": ["number", "null"]},
				"rate": {"type": ["number", "null"]},
				"reasons": {"type": ["array", "null"], "items": {"type": "string"}},
				"hits": {"type": ["object", "null"], "additionalProperties": {"type": ["string", "number"]}},
				"conditions": {"type": ["array", "null"], "items": {"type": "string"}}
			}
		}
	}
}`

// SchemaNames returns the names of the documents for which Schema returns a schema, sorted.
func SchemaNames() []string { return slices.Sorted(maps.Keys(schemaNames)) }

// Schema returns the JSON Schema of a document that people write as a file, for
// editors that complete and check it. It is the schema of the API description
// with everything that it refers to.
func Schema(openapi []byte, name string) ([]byte, error) {
	root, ok := schemaNames[name]
	if !ok {
		return nil, fmt.Errorf("there is no schema %q; there are %s", name, strings.Join(SchemaNames(), ", "))
	}
	text, err := openAPIJSON(openapi)
	if err != nil {
		return nil, err
	}
	var document struct {
		Components struct {
			Schemas map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	document.Components.Schemas[testCases] = json.RawMessage(testCaseSchema)
	document.Components.Schemas["TestCase"] = json.RawMessage(testCase)
	definitions := map[string]json.RawMessage{}
	for waiting := []string{root}; len(waiting) > 0; {
		next := waiting[0]
		waiting = waiting[1:]
		if definitions[next] != nil {
			continue
		}
		schema, ok := document.Components.Schemas[next]
		if !ok {
			return nil, fmt.Errorf("the API description has no schema %s", next)
		}
		local := strings.ReplaceAll(string(schema), schemaPath, "#/$defs/")
		definitions[next] = json.RawMessage(local)
		for _, part := range strings.Split(local, `"#/$defs/`)[1:] {
			referred, _, _ := strings.Cut(part, `"`)
			waiting = append(waiting, referred)
		}
	}
	return json.MarshalIndent(struct {
		Dialect     string                     `json:"$schema"`
		Title       string                     `json:"title"`
		Ref         string                     `json:"$ref"`
		Definitions map[string]json.RawMessage `json:"$defs"`
	}{"https://json-schema.org/draft/2020-12/schema", "Verdict " + name, "#/$defs/" + root, definitions}, "", "  ")
}

// schemaPath is where the API description keeps its schemas.
const schemaPath = "#/components/schemas/"
