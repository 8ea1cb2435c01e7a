package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// ids lists, for each placeholder, the placeholders whose ids can be used
// instead.
var ids = map[string][]string{
	"{decision_id}": {
		"{decision_id}",
		"{evaluated_id}",
	}, "{evaluated_id}": {"{evaluated_id}"}, "{scorecard_id}": {"{scorecard_id}"},
	"{alert_id}": {"{alert_id}"}, "{blocked_key}": {"{blocked_key}"}, "{backtest_id}": {"{backtest_id}"},
	"{job_id}": {"{job_id}"}, "{webhook_id}": {"{webhook_id}"}, "{erasure_id}": {"{erasure_id}"},
	"{deferred_id}": {"{deferred_id}"}, "{legal_hold_id}": {"{legal_hold_id}"},
	"{applicant_ref}":    {"{applicant_ref}"},
	"{spare_webhook_id}": {"{spare_webhook_id}"},
	"{draft_id}": {
		"{draft_id}",
		"{rule_set_id}",
	}, "{spare_id}": {"{spare_id}"}, "{rule_set_id}": {"{rule_set_id}", "{draft_id}"},
	"{batch_id}": {"{batch_id}"}, "{spare_batch_id}": {"{spare_batch_id}"}, "{old_batch_id}": {"{old_batch_id}"},
	"{list_name}": {"{list_name}"}, "{spare_list_name}": {"{spare_list_name}"},
	"{table_name}": {"{table_name}"}, "{spare_table_name}": {"{spare_table_name}"},
	"{run_id}": {"{run_id}", "{collections_id}"}, "{collections_id}": {"{collections_id}"},
}

// namingParameters are query parameters that name a tenant's resource, besides
// those whose example is a placeholder. plainParameters name no resource.
var (
	namingParameters = []string{
		"applicant_id", "policy_key", "name", "actor", "cursor", "rule_set_id", "challenger_rule_set_id",
		"reference_backtest_id", "subject_ref", "applicant_ref",
	}
	plainParameters = []string{
		"status", "grade", "action", "from", "to", "limit", "order", "stats", "include", "listFeatures name",
		"prefix", "metric", "product", "window", "aggregation", "used_only", "populated_only", "provenance", "type",
		"severity", "pincode", "risk", "kind", "map", "outcome_column", "bad_values", "good_values", "weight_column",
		"status_column", "protected_column", "month_column", "id_column", "foir_unit", "lgd", "funding_rate",
		"swapped", "n", "seed", "months", "bad_rate", "agent", "outcome", "after", "failed",
		"in_force", "audience", "value", "errors", "keys", "columns", "version", "lang", "format", "disbursed_on",
	}
)

// bodyMembers maps the members of a body to the placeholders they can name, or
// to nil if the caller chooses the value freely. A key begins with an operation
// id if members with the same name differ between operations.
var bodyMembers = map[string][]string{
	"rule_set_id": ids["{rule_set_id}"], "base": ids["{rule_set_id}"], "expected_active_id": {"{rule_set_id}"},
	"scorecard_id": ids["{scorecard_id}"], "policy_key": {"{policy_key}"}, "decision_id": ids["{decision_id}"],
	"challenger_rule_set_id": ids["{rule_set_id}"], "against": ids["{rule_set_id}"],
	"reference_backtest_id": ids["{backtest_id}"], "decisions.policy_key": nil,
	"device.device_id": nil, "fraud.agent_id": nil, "bank_summary.transactions.txn_id": nil,
	"applicants.bank_summary.transactions.txn_id": nil, "applicants.id": nil, "applicants.consent.id": nil,
	"createRuleSet policy_key": nil,
	"applicant.id":             nil,
	"loan.id":                  nil,
	"knockouts.id":             nil,
	"adjustments.id":           nil,
	"pricing_bands.id":         nil,
	"limit_caps.id":            nil,
	"charges.id":               nil,
	"guarantees.id":            nil,
	"witness_key":              nil,
	"erasePerson decision_id":  nil, // accepted only for a decision without an applicant; see TestErasureRefusals
	// Like erasePerson, this is accepted only for a decision without an applicant.
	"placeLegalHold decision_id": nil,
	"reportExposure decision_id": nil, // the decision must be about the applicant; see TestExposures
}

// naming matches the names of members that look like references to a resource.
var naming = regexp.MustCompile(`^(id|base|.*_id|.*_ids|.*_key)$`)

// readAttempts returns every way to name a resource that the contract offers.
func readAttempts(t *testing.T, doc *openapi3.T) (list []attempt) {
	t.Helper()
	examples := map[*openapi3.Operation][]string{}
	for _, r := range exampleRequests(t, doc) {
		if r.body != "" && r.status < http.StatusMultipleChoices {
			examples[r.operation] = append(examples[r.operation], r.body)
		}
	}
	for _, template := range doc.Paths.InMatchingOrder() {
		operations := doc.Paths.Find(template).Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			operation := operations[method]
			if public(operation) {
				continue
			}
			a := attempt{operation: operation, method: method, path: template}
			if bodies := examples[operation]; len(bodies) > 0 {
				a.body = bodies[0]
			}
			list = append(list, a.inPath(t)...)
			for _, p := range operation.Parameters {
				if p.Value.In == openapi3.ParameterInPath {
					a.path = strings.ReplaceAll(a.path, "{"+p.Value.Name+"}",
						placeholderOf(t, operation, template, p.Value))
				}
			}
			list = append(list, a.inQuery(t)...)
			list = append(list, a.inBody(t, examples[operation])...)
		}
	}
	return list
}

// ownParts are path parameters that name a part of the caller's own log, and no resource
// that another tenant could have. TestEvidenceIsIsolated checks them.
var ownParts = map[string]bool{"level": true, "index": true}

// isOwnPart reports whether a path parameter is one of ownParts, or the name of a list or a table that is replaced.
// Replacing a list or a table creates it if the tenant has none with that name.
func isOwnPart(operation *openapi3.Operation, name string) bool {
	return ownParts[name] || operation.OperationID == "replaceList" || operation.OperationID == "replaceTable"
}

// placeholderOf returns the example of a path parameter. It must be a
// placeholder, unless the parameter is one of ownParts.
func placeholderOf(t *testing.T, operation *openapi3.Operation, path string, p *openapi3.Parameter) string {
	t.Helper()
	placeholder, _ := p.Example.(string)
	if ids[placeholder] == nil && !isOwnPart(operation, p.Name) {
		t.Fatalf("%s: the parameter %s has no placeholder as its example, so this test does not know what it names",
			path, p.Name)
	}
	return placeholder
}

func (a attempt) inPath(t *testing.T) (list []attempt) {
	t.Helper()
	for _, p := range a.operation.Parameters {
		if p.Value.In == openapi3.ParameterInPath && !isOwnPart(a.operation, p.Value.Name) {
			a.in, a.member, a.things = p.Value.In, p.Value.Name, ids[placeholderOf(t, a.operation, a.path, p.Value)]
			a.path = strings.ReplaceAll(a.path, "{"+p.Value.Name+"}", theThing) + requiredQuery(a.operation)
			list = append(list, a)
		}
	}
	if len(list) > 1 {
		t.Fatalf("%s %s: this test knows one parameter in a path", a.method, a.path)
	}
	return list
}

// requiredQuery returns a query with the examples of the required parameters, "" if there are none.
func requiredQuery(operation *openapi3.Operation) string {
	query := url.Values{}
	for _, p := range operation.Parameters {
		if p.Value.In == openapi3.ParameterInQuery && p.Value.Required {
			text, _ := p.Value.Example.(string)
			query.Set(p.Value.Name, text)
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (a attempt) inQuery(t *testing.T) (list []attempt) {
	t.Helper()
	for _, p := range a.operation.Parameters {
		if p.Value.In != openapi3.ParameterInQuery {
			continue
		}
		name := p.Value.Name
		if name == "cursor" && a.operation.OperationID == "getApplicant" {
			continue // getting a cursor adds an entry to the victim's audit trail; see TestApplicant
		}
		example, _ := p.Value.Example.(string)
		b := a
		b.in, b.member = p.Value.In, name
		switch {
		case name == "object":
			b.things = []string{"{decision_id}", "{draft_id}", "{scorecard_id}", "{alert_id}", "{backtest_id}"}
		case ids[example] != nil:
			b.things = []string{example}
		case slices.Contains(plainParameters, a.operation.OperationID+" "+name):
			continue
		case slices.Contains(namingParameters, name):
			b.things = []string{"{" + name + "}"}
		case slices.Contains(plainParameters, name):
			continue
		default:
			t.Fatalf("%s %s: this test does not know whether the parameter %s names something", a.method, a.path, name)
		}
		// Add the required parameters, and limit=1 so that the list has a
		// cursor.
		first := "?"
		for _, other := range a.operation.Parameters {
			if other.Value.In == openapi3.ParameterInQuery && other.Value.Name != name &&
				(other.Value.Required || other.Value.Name == "limit") {
				value := "1"
				if other.Value.Required {
					value, _ = other.Value.Example.(string)
				}
				b.path, first = b.path+first+other.Value.Name+"="+url.QueryEscape(value), "&"
			}
		}
		b.path += first + name + "=" + url.QueryEscape(theThing)
		list = append(list, b)
	}
	return list
}

// inBody returns an attempt for each member of a body that names a resource. If
// the schema has alternatives, the attempt is based on an example that matches
// the member's alternative.
func (a attempt) inBody(t *testing.T, examples []string) (list []attempt) {
	t.Helper()
	if a.operation.RequestBody == nil {
		return nil
	}
	schema := a.operation.RequestBody.Value.Content["application/json"].Schema.Value
	for _, part := range slices.Concat(openapi3.SchemaRefs{{Value: schema}}, schema.OneOf, schema.AnyOf) {
		var allowed []map[string]any
		for _, example := range examples {
			var value map[string]any
			if err := json.Unmarshal([]byte(example), &value); err != nil {
				t.Fatal(err)
			}
			if part.Value.VisitJSON(value) == nil {
				allowed = append(allowed, value)
			}
		}
		for _, member := range namingMembers(part.Value, "", nil) {
			things, known := bodyMembers[a.operation.OperationID+" "+member]
			if !known {
				things, known = bodyMembers[member]
			}
			if !known {
				t.Fatalf("%s %s: this test does not know what %s in the body names", a.method, a.path, member)
			}
			if things == nil {
				continue
			}
			if len(allowed) == 0 {
				t.Fatalf("%s %s: no example to try %s with", a.method, a.path, member)
			}
			b := a
			b.in, b.member, b.things, b.body = "body", member, things, withMember(t, allowed, member)
			list = append(list, b)
		}
	}
	return list
}

// withMember returns an example with theThing as the value of the member. It
// prefers an example that already has the member.
func withMember(t *testing.T, examples []map[string]any, member string) string {
	t.Helper()
	at := max(slices.IndexFunc(examples, func(e map[string]any) bool { return e[member] != nil }), 0)
	before := examples[at][member]
	examples[at][member] = theThing
	body, err := json.Marshal(examples[at])
	if err != nil {
		t.Fatal(err)
	}
	if examples[at][member] = before; before == nil {
		delete(examples[at], member)
	}
	return string(body)
}

// namingMembers returns the paths of all members of a schema that look like
// references, except read-only members. It does not visit the alternatives of a
// schema, and stops at recursive schemas.
func namingMembers(schema *openapi3.Schema, path string, above []*openapi3.Schema) (found []string) {
	if schema == nil || slices.Contains(above, schema) {
		return nil
	}
	above = append(slices.Clone(above), schema)
	for name, property := range schema.Properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		if naming.MatchString(name) && !property.Value.ReadOnly {
			found = append(found, at)
		}
		found = append(found, namingMembers(property.Value, at, above)...)
	}
	for _, part := range schema.AllOf {
		found = append(found, namingMembers(part.Value, path, above)...)
	}
	for _, nested := range []*openapi3.SchemaRef{schema.Items, schema.AdditionalProperties.Schema} {
		if nested != nil {
			found = append(found, namingMembers(nested.Value, path, above)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}
