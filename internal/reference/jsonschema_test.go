package reference

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"verdict/api"
)

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(api.OpenAPI, name)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name+".json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemas checks that the schemas accept correct documents and reject wrong ones.
func TestSchemas(t *testing.T) {
	t.Parallel()
	policy, err := os.ReadFile("../engine/default_policy.json")
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(policy, &members); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ schema, document, wrong string }{
		"default policy": {"policy", string(policy), ""},
		"scorecard":      {"scorecard", `{"name":"Card",` + string(bytes.TrimSpace(members["scorecard"]))[1:], ""},
		"application":    {"application", `{"applicant":{"monthly_income":85000},"bureau_report":{"score":742}}`, ""},
		"test case": {"tests", `{"name":"a","application":{},"expect":{"status":"DECLINED","offer.emi":14170}}`,
			""},
		"test cases": {
			"tests", `[{"application":{"bureau_report":{"score":742}},"expect":{"reasons":["AGE_RANGE"]}}]`, "",
		},
		"facts and hits": {
			"tests", `{"application":{},"facts":{"fraud_blocklisted":true},"expect":{"hits":{"KO_AGE_RANGE":"fail"}}}`,
			"",
		},
		"wrong status":   {"tests", `{"application":{},"expect":{"status":"REJECTED"}}`, "status"},
		"no expectation": {"tests", `{"application":{}}`, "expect"},
		"misspelt":       {"policy", `{"name":"A","knockout":[]}`, "knockout"},
		"wrong action":   {"policy", `{"name":"A","knockouts":[{"id":"K","action":"reject"}]}`, "action"},
		"text as income": {
			"application", `{"applicant":{"monthly_income":[]},"bureau_report":{"score":742}}`, "monthly_income",
		},
	} {
		document, err := jsonschema.UnmarshalJSON(strings.NewReader(c.document))
		if err != nil {
			t.Fatal(err)
		}
		err = compiled(t, c.schema).Validate(document)
		if c.wrong == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s is accepted, or its error does not name %s: %v", name, c.wrong, err)
		}
	}
	_, err = Schema(api.OpenAPI, "loan")
	if err == nil || !strings.Contains(err.Error(), "application, policy, scorecard, tests") {
		t.Errorf("an unknown document: %v", err)
	}
}

// TestSchemasAreServed checks that a service has the schemas at the addresses that the documentation names.
func TestSchemasAreServed(t *testing.T) {
	t.Parallel()
	mux := muxOf(t)
	for _, name := range SchemaNames() {
		want, err := Schema(api.OpenAPI, name)
		if err != nil {
			t.Fatal(err)
		}
		w := fetch(t, mux, "/docs/schemas/"+name+".json")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/schema+json" ||
			w.Body.String() != string(want) {
			t.Errorf("%s: %d, %s", name, w.Code, w.Header().Get("Content-Type"))
		}
	}
}
