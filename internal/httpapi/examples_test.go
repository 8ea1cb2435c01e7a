package httpapi_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"verdict/api"
	"verdict/internal/evidence"
	"verdict/internal/httpapi"
	"verdict/internal/reference"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// TestExamples checks the examples of the contract. It sends every example
// request, in the order of the file, as the tenant that the first example
// creates, and expects the documented answer.
func TestExamples(t *testing.T) {
	t.Parallel()
	doc := loadContract(t)
	requests := exampleRequests(t, doc)
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		s.begin(november)
		ids, key := placeholders{}, ""
		for _, r := range requests {
			sender := key
			if public(r.operation) {
				sender = ""
			}
			s.clock.advance(100 * time.Millisecond) // there are more examples than the rate limit permits at once
			got := s.send(r.method, ids.fill(r.path), sender, ids.fill(r.body), r.headers...)
			if got.status != r.status {
				s.Fatalf("%s: %d, want %d: %s", r.name, got.status, r.status, got.body)
			}
			ids.cosign(s.T, r, got)
			ids.startBatches(s, r, key)
			if got.header.Get("Content-Type") != "application/json" {
				continue
			}
			if data, isList := got.at("data").([]any); isList && len(data) == 0 {
				s.Errorf("%s shows an empty list", r.name)
			}
			r.asShown(s.T, got)
			ids.learn(r, got)
			if key == "" {
				key = got.text("api_key")
			}
		}
	})
}

// TestEveryOperationIsExecuted checks that every operation has an example
// request that succeeds. TestExamples would not try an operation without an
// example.
func TestEveryOperationIsExecuted(t *testing.T) {
	t.Parallel()
	doc := loadContract(t)
	succeeds := map[*openapi3.Operation]bool{}
	for _, r := range exampleRequests(t, doc) {
		succeeds[r.operation] = succeeds[r.operation] || r.status < http.StatusMultipleChoices
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if !succeeds[operation] {
				t.Errorf("%s %s has no example that succeeds", method, path)
			}
		}
	}
}

// TestEveryCodeHasAPage checks that every code of the reference and of the
// contract's examples has a page.
func TestEveryCodeHasAPage(t *testing.T) {
	t.Parallel()
	service, err := httpapi.New(&usecase.Set{}, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	codes := reference.Codes()
	for _, response := range loadContract(t).Components.Responses {
		if media := response.Value.Content[problemType]; media != nil {
			for code := range media.Examples {
				codes = append(codes, code)
			}
		}
	}
	for _, code := range codes {
		w := httptest.NewRecorder()
		service.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/docs/errors/"+code, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), code) {
			t.Errorf("the page of %s is answered with %d", code, w.Code)
		}
	}
}

// exampleRequest is an example request of the contract.
type exampleRequest struct {
	name         string // shown in test failures
	example      string // the example's name in the file, "" without a body
	operation    *openapi3.Operation
	method, path string
	body         string
	headers      []string
	status       int // the documented status
}

// exampleRequests returns the example requests of the contract in the order of
// the file. The parsed document does not keep this order.
func exampleRequests(t *testing.T, doc *openapi3.T) (list []exampleRequest) {
	t.Helper()
	var file yaml.Node
	if err := yaml.Unmarshal(api.OpenAPI, &file); err != nil {
		t.Fatal(err)
	}
	for path, item := range ordered(file.Content[0], "paths") {
		for method, node := range ordered(item) {
			method = strings.ToUpper(method)
			operation := doc.Paths.Find(path).GetOperation(method)
			if operation == nil {
				continue // not an operation but, for example, a description of the path
			}
			r := exampleRequest{name: method + " " + path, operation: operation, method: method}
			r.path, r.headers = withParameters(path, operation)
			for status := range ordered(node, "responses") {
				if strings.HasPrefix(status, "2") {
					r.status, _ = strconv.Atoi(status)
					break
				}
			}
			if operation.RequestBody == nil {
				list = append(list, r)
			}
			for name := range ordered(node, "requestBody", "content", "application/json", "examples") {
				list = append(list, r.with(t, name))
			}
		}
	}
	return list
}

// withParameters returns the path with the examples of its path and query
// parameters filled in, and the examples of header parameters.
func withParameters(path string, operation *openapi3.Operation) (full string, headers []string) {
	query := url.Values{}
	for _, p := range operation.Parameters {
		if p.Value.Example == nil {
			continue
		}
		text := fmt.Sprint(p.Value.Example)
		switch p.Value.In {
		case openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", text)
		case openapi3.ParameterInQuery:
			query.Set(p.Value.Name, text)
		case openapi3.ParameterInHeader:
			headers = append(headers, p.Value.Name+": "+text)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path, headers
}

// with returns a copy of the request whose body is the contract's example with
// this name.
func (r exampleRequest) with(t *testing.T, name string) exampleRequest {
	t.Helper()
	example := r.operation.RequestBody.Value.Content["application/json"].Examples[name].Value
	body, err := json.Marshal(example.Value)
	if err != nil {
		t.Fatal(err)
	}
	r.name, r.example, r.body = r.name+", "+name, name, string(body)
	if mark, marked := example.Extensions["x-expect-status"]; marked {
		if r.status, err = strconv.Atoi(fmt.Sprint(mark)); err != nil {
			t.Fatal(err)
		}
	}
	if path, marked := example.Extensions["x-path"]; marked {
		r.path = fmt.Sprint(path)
	}
	return r
}

// asShown compares an answer with the example answer that has the same name as
// the request, if there is one. It ignores ids and times.
func (r exampleRequest) asShown(t *testing.T, got answer) {
	t.Helper()
	media := r.operation.Responses.Status(r.status).Value.Content["application/json"]
	if media == nil || media.Examples[r.example] == nil {
		return
	}
	want, err := json.Marshal(media.Examples[r.example].Value.Value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(t, want), timeless(t, got.body)); diff != "" {
		t.Errorf("%s is not answered as the contract shows (-shown +answered):\n%s", r.name, diff)
	}
}

var passing = regexp.MustCompile(`[a-z]+_[0-9A-HJKMNP-TV-Z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

func timeless(t *testing.T, body []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(passing.ReplaceAll(body, []byte("*")), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// placeholders maps the placeholders in examples to ids.
type placeholders map[string]string

// learn stores the ids in an answer for the placeholders that have no id yet.
// The placeholders {spare_id}, {spare_webhook_id}, {spare_list_name} and {spare_table_name}
// always get the id or the name of the newest rule set, webhook, list and table.
func (p placeholders) learn(r exampleRequest, got answer) {
	p["{applicant_ref}"] = "A-1001" // the applicant of the first example of createDecision
	if r.operation.OperationID == "createRuleSet" && got.status == http.StatusCreated {
		p["{spare_id}"] = got.text("id")
	}
	if r.operation.OperationID == "createWebhook" && got.status == http.StatusCreated {
		p["{spare_webhook_id}"] = got.text("id")
	}
	if r.operation.OperationID == "replaceList" && got.status == http.StatusOK {
		p["{spare_list_name}"] = got.text("name")
	}
	if r.operation.OperationID == "replaceTable" && got.status == http.StatusOK {
		p["{spare_table_name}"] = got.text("name")
	}
	for name, from := range map[string]struct{ operation, member, beside string }{
		"{rule_set_id}":   {"signUp", "default_rule_set_id", ""},
		"{decision_id}":   {"createDecision", "decision_id", ""},
		"{evaluated_id}":  {"evaluateReport", "decision_id", "features"},
		"{draft_id}":      {"createRuleSet", "id", ""},
		"{scorecard_id}":  {"createOrScoreScorecard", "id", ""},
		"{alert_id}":      {"listAlerts", "data.id", ""},
		"{blocked_key}":   {"listBlocked", "data.key", ""},
		"{backtest_id}":   {"runBacktest", "backtest_id", "rows_total"},
		"{job_id}":        {"runBacktest", "backtest_id", "progress"},
		"{webhook_id}":    {"createWebhook", "id", ""},
		"{erasure_id}":    {"erasePerson", "id", ""},
		"{deferred_id}":   {"erasePerson", "id", "deferred_until"},
		"{legal_hold_id}": {"placeLegalHold", "id", ""},
		"{run_id}":        {"underwrite", "run_id", ""},
		"{list_name}":     {"replaceList", "name", ""},
		"{table_name}":    {"replaceTable", "name", ""},
	} {
		fits := from.operation == r.operation.OperationID && (from.beside == "" || got.at(from.beside) != nil)
		if !fits || p[name] != "" {
			continue
		}
		if column, inList := strings.CutPrefix(from.member, "data."); inList {
			p[name], _ = got.at("data", 0, column).(string)
		} else {
			p[name] = got.text(from.member)
		}
	}
}

// cosign stores a cosigned checkpoint for its placeholder: the checkpoint in the answer of getCheckpoint, with the
// signature of the witness whose key the contract shows.
func (p placeholders) cosign(t *testing.T, r exampleRequest, got answer) {
	t.Helper()
	if r.operation.OperationID != "getCheckpoint" {
		return
	}
	signed := got.body
	text, _, _ := strings.Cut(string(signed), "\n\n")
	c, err := evidence.ParseCheckpoint(text + "\n")
	if err != nil {
		t.Fatal(err)
	}
	secret := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	escaped, err := json.Marshal(string(signed) + evidence.Cosign(c, "auditor.example", secret, november.Unix()))
	if err != nil {
		t.Fatal(err)
	}
	p["{cosigned_checkpoint}"] = strings.Trim(string(escaped), `"`)
}

// startBatches starts three batches as jobs, which the examples of createDecisions cannot do: their bodies are JSON
// documents, and a job needs lines of JSON. The rows of the first two batches are decided, those of the third are not.
func (p placeholders) startBatches(s *stack, r exampleRequest, key string) {
	s.Helper()
	if r.operation.OperationID != "createDecisions" {
		return
	}
	for _, name := range []string{"{batch_id}", "{old_batch_id}", "{spare_batch_id}"} {
		started := s.send("POST", "/v1/decisions/batch", key, batchItem("A-1", 0.32), jobHeaders...)
		p[name] = started.want(http.StatusAccepted).text("batch_id")
	}
	parsed, _ := tenant.ParseKey(key)
	owner, err := s.service.Access.Authenticate(s.Context(), parsed)
	if err != nil {
		s.Fatal(err)
	}
	for _, name := range []string{"{batch_id}", "{old_batch_id}"} {
		(&member{stack: s, tenantID: owner.TenantID}).runChunks(p[name], 1)
	}
}

// fill replaces the placeholders in text by ids, in query parameters too.
func (p placeholders) fill(text string) string {
	for name, id := range p {
		text = strings.ReplaceAll(strings.ReplaceAll(text, name, id), url.QueryEscape(name), id)
	}
	return text
}

// public reports whether an operation needs no key.
func public(operation *openapi3.Operation) bool {
	return operation.Security != nil && len(*operation.Security) == 0
}

// ordered iterates over the mapping at path below node in the order of the
// file. If there is no such mapping, ordered yields nothing.
func ordered(node *yaml.Node, path ...string) iter.Seq2[string, *yaml.Node] {
	return func(yield func(string, *yaml.Node) bool) {
		for pair := range slices.Chunk(node.Content, 2) {
			switch {
			case len(path) == 0:
				if !yield(pair[0].Value, pair[1]) {
					return
				}
			case pair[0].Value == path[0]:
				ordered(pair[1], path[1:]...)(yield)
				return
			}
		}
	}
}
