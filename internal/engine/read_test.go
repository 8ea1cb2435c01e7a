package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/golden"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// TestGoldenFaults reads every testdata/faults/*.txtar file. The comment of a
// file says what the file shows. The file contains a policy and all faults that
// parsing must find, each with its pointer, code and detail. For a valid policy
// the section "faults" is "none".
func TestGoldenFaults(t *testing.T) {
	t.Parallel()
	goldenFiles(t, "testdata/faults/*.txtar", []string{"faults"},
		func(t *testing.T, archive *txtar.Archive) []txtar.File {
			t.Helper()
			var b strings.Builder
			for _, it := range policyFaults(t, golden.Section(archive, "policy.json")) {
				fmt.Fprintf(&b, "%s %s: %s\n", it.Pointer, it.Code, it.Detail)
			}
			if b.Len() == 0 {
				b.WriteString("none\n")
			}
			return []txtar.File{{Name: "faults", Data: []byte(b.String())}}
		})
}

// policyFaults reads a policy and returns its faults.
func policyFaults(tb testing.TB, document []byte) []fault.Item {
	tb.Helper()
	policy, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err == nil {
		return nil
	}
	var refusal *fault.Error
	if !errors.As(err, &refusal) || policy != nil || len(refusal.Items) == 0 {
		tb.Fatalf("got %v and %v, want a refusal with its faults", policy, err)
	}
	return refusal.Items
}

// rightPolicy is a valid policy. It has every section except affordability, charges, exposure, features, guarantees,
// limit_caps, people and semantics. Each of the mutations below makes it invalid.
const rightPolicy = `{
	"policy_key": "gold", "name": "Right", "include_defaults": true, "allow_gaps": false,
	"inputs": [{"name": "applicant.employer_category", "type": "string"}],
	"required_fields": ["bureau_score|bureau_is_ntc"],
	"knockouts": [
		{"id": "KO_SCORE", "stage": 1, "action": "decline", "on_absent": "pass", "reason_code": "BUR_SCORE",
			"message": "score {bureau_score} below {threshold}",
			"condition_ast": {"op": "lt", "field": "bureau_score", "value": 650}},
		{"id": "RF_LIMIT", "stage": 2, "action": "refer", "reason_code": "LARGE",
			"condition_ast": {"op": "gt", "field": "offer_limit", "value": 400000}}],
	"adjustments": [{"id": "ADJ", "delta": -5, "reason_code": "BUR_ENQ",
		"condition_ast": {"op": "gt", "field": "enquiries_6m", "value": 3}}],
	"scorecard": {"base_points": 650, "min_score": 300, "max_score": 900, "factors": [
		{"factor": "score", "field": "bureau_score", "weight": 1, "missing_points": -10,
			"bins": [{"lt": 700, "points": 0}, {"gte": 700, "points": 50}]},
		{"factor": "job", "field": "employment_type", "bins": [{"in": ["SALARIED"], "points": 5},
			{"else": true, "points": 0}]}]},
	"pricing_bands": [
		{"id": "P_A", "grade": "A", "min_score": 700, "max_score": 900, "action": "approve", "interest_rate": 14,
			"tenure_months": 24, "tenures_allowed": [12, 24], "min_limit": 20000, "max_limit": 500000,
			"default_limit": 50000, "foir_cap": 0.5,
			"processing_fee_pct": 2, "processing_fee_min": 499, "gst_pct": 18, "income_multiple": 12},
		{"id": "P_F", "grade": "F", "min_score": 300, "max_score": 699, "action": "decline"},
		{"id": "P_N", "grade": "NTC", "ntc": true, "action": "decline"}],
	"conditions": [{"code": "PROOF", "text": "Salary slips",
		"condition_ast": {"op": "absent", "field": "monthly_income"}}],
	"limit_step": 1000, "offer_validity_days": 3, "actionable_fields": ["foir"]
}`

// mutations lists changes of rightPolicy that each make one member invalid and
// cause exactly one fault.
var mutations = []struct{ path, value, want string }{
	{"policy_key", `"Gold"`, "/policy_key invalid_field"},
	{"name", `null`, "/name required"},
	{"name", `7`, "/name wrong_type"},
	{"allow_gaps", `"no"`, "/allow_gaps wrong_type"},
	{"include_defaults", `0`, "/include_defaults wrong_type"},
	{"limit_step", `0`, "/limit_step out_of_range"},
	{"offer_validity_days", `1.5`, "/offer_validity_days out_of_range"},
	{"extra", `1`, "/extra unknown_field"},
	{"inputs.0.type", `"text"`, "/inputs/0/type out_of_range"},
	{"inputs.0.name", `"foir"`, "/inputs/0/name invalid_field"},
	{"required_fields.0", `"bureau_scor"`, "/required_fields/0 unknown_field"},
	{"knockouts.0.id", `"9"`, "/knockouts/0/id invalid_field"},
	{"knockouts.0.id", `"RF_LIMIT"`, "/knockouts/1/id duplicate"},
	{"knockouts.0.stage", `0`, "/knockouts/0/stage out_of_range"},
	{"knockouts.0.action", `"approve"`, "/knockouts/0/action out_of_range"},
	{"knockouts.0.on_absent", `"decline"`, "/knockouts/0/on_absent out_of_range"},
	{"knockouts.0.reason_code", `"bur-score"`, "/knockouts/0/reason_code invalid_field"},
	{"knockouts.0.message", `"{bureau_scor}"`, "/knockouts/0/message unknown_field"},
	{"knockouts.0.condition_ast", `null`, "/knockouts/0/condition_ast required"},
	{"knockouts.0.condition_ast", `true`, "/knockouts/0/condition_ast invalid_condition"},
	{"knockouts.0.condition_ast.op", `"below"`, "/knockouts/0/condition_ast/op invalid_condition"},
	{"knockouts.0.condition_ast.field", `"bureau_scor"`, "/knockouts/0/condition_ast/field unknown_field"},
	{"knockouts.0.condition_ast.value", `"650"`, "/knockouts/0/condition_ast invalid_condition"},
	{"knockouts.1.stage", `1`, "/knockouts/1/condition_ast/field unknown_field"},
	{"adjustments.0.delta", `5`, "/adjustments/0/reason_code invalid_field"},
	{"adjustments.0.delta", `0.00001`, "/adjustments/0/delta out_of_range"},
	{"scorecard.base_points", `null`, "/scorecard/base_points required"},
	{"scorecard.min_score", `901`, "/scorecard/max_score out_of_range"},
	{"scorecard.pdo", `40`, "/scorecard/pdo required"},
	{"scorecard.factors.0.factor", `"base"`, "/scorecard/factors/0/factor duplicate"},
	{"scorecard.factors.0.weight", `1001`, "/scorecard/factors/0/weight out_of_range"},
	{"scorecard.factors.0.bins.0.lt", `699`, "/scorecard/factors/0/bins/1 bin_gap"},
	{"scorecard.factors.0.bins.0.lt", `701`, "/scorecard/factors/0/bins/1 bin_overlap"},
	{"scorecard.factors.0.field", `"bureau_scor"`, "/scorecard/factors/0/field unknown_field"},
	{"scorecard.factors.1.field", `"employment_typ"`, "/scorecard/factors/1/field unknown_field"},
	{"scorecard.factors.0.bins.0", `7`, "/scorecard/factors/0/bins/0 wrong_type"},
	{"scorecard.factors.0.bins.0.lt", `"700"`, "/scorecard/factors/0/bins/0/lt wrong_type"},
	{"scorecard.factors.0.bins.1.gte", `1e14`, "/scorecard/factors/0/bins/1/gte out_of_range"},
	{"pricing_bands.0.tenures_allowed.0", `1.5`, "/pricing_bands/0/tenures_allowed/0 out_of_range"},
	{"pricing_bands.1.action", `"perhaps"`, "/pricing_bands/1/action out_of_range"},
	{"name", `" "`, "/name required"},
	{"conditions.0.text", `""`, "/conditions/0/text required"},
	{"scorecard.factors.1.bins.0.in", `[]`, "/scorecard/factors/1/bins/0 invalid_field"},
	{"scorecard.factors.1.bins.0.in", `[1]`, "/scorecard/factors/1/bins/0/in/0 wrong_type"},
	{"pricing_bands.0.grade", `"a"`, "/pricing_bands/0/grade invalid_field"},
	{"pricing_bands.0.min_score", `701`, "/pricing_bands/0 band_gap"},
	{"pricing_bands.0.min_score", `690`, "/pricing_bands/0 band_overlap"},
	{"pricing_bands.0.interest_rate", `101`, "/pricing_bands/0/interest_rate out_of_range"},
	{"pricing_bands.0.tenure_months", `36`, "/pricing_bands/0/tenures_allowed invalid_field"},
	{"pricing_bands.0.max_limit", `null`, "/pricing_bands/0/max_limit required"},
	{"pricing_bands.0.default_limit", `600000`, "/pricing_bands/0/default_limit out_of_range"},
	{"pricing_bands.0.processing_fee_min", `15000`, "/pricing_bands/0/processing_fee_min out_of_range"},
	{"pricing_bands.0.foir_cap", `"half"`, "/pricing_bands/0/foir_cap wrong_type"},
	{"conditions.0.code", `"proof"`, "/conditions/0/code invalid_field"},
	{"conditions.0.condition_ast.field", `"offer_emi"`, "/conditions/0/condition_ast/field unknown_field"},
	{"actionable_fields.0", `"monthly_income"`, "/actionable_fields/0 invalid_field"},
}

// spoil sets the value at a path of member names and indexes, and returns the
// changed document.
func spoil(tb testing.TB, document any, path []string, value any) any {
	tb.Helper()
	if len(path) == 0 {
		return value
	}
	switch at := document.(type) {
	case map[string]any:
		at[path[0]] = spoil(tb, at[path[0]], path[1:], value)
	case []any:
		var i int
		if _, err := fmt.Sscan(path[0], &i); err != nil {
			tb.Fatal(err)
		}
		at[i] = spoil(tb, at[i], path[1:], value)
	default:
		tb.Fatalf("there is nothing at %v", path)
	}
	return document
}

// spoiled returns rightPolicy with some of the mutations applied, and the
// faults that the result must have.
func spoiled(tb testing.TB, which ...int) (document []byte, want map[string]int) {
	tb.Helper()
	var policy any
	decoder := json.NewDecoder(strings.NewReader(rightPolicy))
	decoder.UseNumber()
	if err := decoder.Decode(&policy); err != nil {
		tb.Fatal(err)
	}
	want = map[string]int{}
	for _, i := range which {
		m := mutations[i]
		spoil(tb, policy, strings.Split(m.path, "."), json.RawMessage(m.value))
		want[m.want]++
	}
	document, err := json.Marshal(policy)
	if err != nil {
		tb.Fatal(err)
	}
	return document, want
}

func faultCounts(tb testing.TB, document []byte) map[string]int {
	tb.Helper()
	got := map[string]int{}
	for _, it := range policyFaults(tb, document) {
		got[it.Pointer+" "+it.Code]++
	}
	return got
}

// TestLesson22EachWrongPolicyHasExactlyItsOwnFaults checks that each invalid
// policy has exactly its own fault, that a valid policy has none, and that
// mistakes in different sections neither hide nor change each other.
func TestLesson22EachWrongPolicyHasExactlyItsOwnFaults(t *testing.T) {
	t.Parallel()
	right, _ := spoiled(t)
	if got := policyFaults(t, right); len(got) != 0 {
		t.Fatalf("the right policy has the faults %v", got)
	}
	for i, m := range mutations {
		document, want := spoiled(t, i)
		if diff := cmp.Diff(want, faultCounts(t, document)); diff != "" {
			t.Errorf("%s = %s (-want +got):\n%s", m.path, m.value, diff)
		}
	}
	for i, first := range mutations {
		for j := i + 1; j < len(mutations); j++ {
			if second := mutations[j]; independent(first.path, second.path) {
				document, want := spoiled(t, i, j)
				if diff := cmp.Diff(want, faultCounts(t, document)); diff != "" {
					t.Errorf("%s = %s with %s = %s (-want +got):\n%s",
						first.path, first.value, second.path, second.value, diff)
				}
			}
		}
	}
}

// independent reports whether two mutations cannot affect each other. It returns false for mutations of the same
// section or of the same factor. For example, a range is compared with its neighbour only if both ranges can be
// read.
func independent(a, b string) bool {
	part := func(path string) string {
		segments := strings.Split(path, ".")
		switch segments[0] {
		case "scorecard":
			return strings.Join(segments[:min(3, len(segments))], ".")
		default:
			return segments[0]
		}
	}
	return part(a) != part(b) && !strings.HasPrefix(part(a), part(b)) && !strings.HasPrefix(part(b), part(a))
}

// TestDocumentReadsBack checks that reading, writing and reading a document
// again gives the same policy.
func TestDocumentReadsBack(t *testing.T) {
	t.Parallel()
	for _, document := range [][]byte{[]byte(rightPolicy), engine.DefaultPolicyJSON()} {
		policy, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		readsBack(t, policy)
	}
}

func readsBack(tb testing.TB, policy *engine.Policy) {
	tb.Helper()
	again, err := engine.ParsePolicy(policy.Document(), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		tb.Fatalf("its own document is refused: %v\n%s", err, policy.Document())
	}
	if !bytes.Equal(policy.Document(), again.Document()) {
		tb.Errorf("read back as another:\n%s\n%s", policy.Document(), again.Document())
	}
	if policy.Checksum() != again.Checksum() {
		tb.Errorf("the checksum %s became %s", policy.Checksum(), again.Checksum())
	}
}

// TestChecksumIsOfWhatThePolicyDoes checks that the checksum does not depend on
// the policy's name and key, on members that the service adds, or on the layout
// of the document.
func TestChecksumIsOfWhatThePolicyDoes(t *testing.T) {
	t.Parallel()
	checksum := func(document string) string {
		policy, err := engine.ParsePolicy([]byte(document), engine.Sources{Catalogue: field.Catalogue()})
		if err != nil {
			t.Fatal(err)
		}
		return policy.Checksum()
	}
	want := checksum(rightPolicy)
	for _, same := range []string{
		strings.Replace(rightPolicy, `"Right"`, `"Renamed"`, 1),
		strings.Replace(rightPolicy, `"gold"`, `"silver"`, 1),
		strings.Replace(rightPolicy, `"name"`,
			`"id": "pol_1", "version": 7, "status": "active", "created_at": "2026-11-15T00:12:00Z", "name"`, 1),
		strings.ReplaceAll(rightPolicy, "\t", ""),
		strings.Replace(rightPolicy, `"limit_step": 1000`, `"limit_step": 1e3`, 1),
		strings.Replace(rightPolicy, `, "allow_gaps": false`, ``, 1),
	} {
		if got := checksum(same); got != want {
			t.Errorf("%s has another checksum", same)
		}
	}
	for _, other := range []string{
		strings.Replace(rightPolicy, `"value": 650`, `"value": 651`, 1),
		strings.Replace(rightPolicy, `"interest_rate": 14`, `"interest_rate": 14.01`, 1),
		strings.Replace(rightPolicy, `"on_absent": "pass"`, `"on_absent": "refer"`, 1),
		strings.Replace(rightPolicy, `"include_defaults": true`, `"include_defaults": false`, 1),
	} {
		if got := checksum(other); got == want {
			t.Errorf("%s has the same checksum", other)
		}
	}
}

// TestScorecardByID checks that a scorecard given by id is looked up when the
// policy is read, and that the document then contains the scorecard itself.
func TestScorecardByID(t *testing.T) {
	t.Parallel()
	inline := goldenCompile(t, rightPolicy).Policy()
	var policy map[string]json.RawMessage
	if err := json.Unmarshal([]byte(rightPolicy), &policy); err != nil {
		t.Fatal(err)
	}
	delete(policy, "scorecard")
	policy["scorecard_id"] = json.RawMessage(`"sc_1"`)
	document, err := json.Marshal(policy)
	if err != nil {
		t.Fatal(err)
	}
	read, err := engine.ParsePolicy(document, engine.Sources{
		Catalogue: field.Catalogue(),
		Scorecard: func(id string) (*engine.Scorecard, bool) { return inline.Scorecard, id == "sc_1" },
	})
	if err != nil {
		t.Fatal(err)
	}
	if read.Checksum() != inline.Checksum() {
		t.Error("the same scorecard by id makes another policy")
	}
	readsBack(t, read) // reads without a source of scorecards, as on activation
}

// manyKnockouts returns a policy of n different knockouts over one field.
func manyKnockouts(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"name": "many", "include_defaults": false, "knockouts": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b,
			`{
				"id": "KO_%d", "reason_code": "C_%d",
				"condition_ast": {"op": "eq", "field": "enquiries_6m", "value": %d}
			}`,
			i, i, i)
	}
	b.WriteString(`], "scorecard": {"base_points": 700, "factors": []}, "pricing_bands": [{"id": "P", "grade": "A",
		"min_score": 300, "max_score": 900, "interest_rate": 14, "tenure_months": 24,
		"min_limit": 20000, "max_limit": 500000,
		"default_limit": 50000, "foir_cap": 0.5}]}`)
	return b.Bytes()
}

// TestLesson17TenThousandKnockouts checks that the work for 10,000 knockouts is
// proportional to their number. To be independent of time, it counts the
// compiled instructions and the allocations of reading and compiling.
func TestLesson17TenThousandKnockouts(t *testing.T) { //nolint:paralleltest // allocations are counted
	const most = 10_000
	plan := goldenCompile(t, string(manyKnockouts(most)))
	var d engine.Decision
	plan.Decide(goldenFacts(t, []byte(`{"bureau_score": 742, "enquiries_6m": 9999}`)), &d)
	if len(d.Rules()) != most || d.Rules()[most-1].Result != engine.ResultFail || d.Status != engine.Declined {
		t.Errorf("%d rules were evaluated, status %s", len(d.Rules()), d.Status)
	}
	if got := d.Reasons[0].Code; got != "C_9999" {
		t.Errorf("the reason is %s", got)
	}
	if got := policyFaults(t, manyKnockouts(most+1)); len(got) != 1 || got[0].Code != fault.CodeTooMany {
		t.Errorf("%d knockouts: %v", most+1, got)
	}

	small, large := manyKnockouts(1000), manyKnockouts(4000)
	if a, b := codeSize(t, small), codeSize(t, large); b != 4*a {
		t.Errorf("1,000 knockouts take %d instructions, 4,000 take %d", a, b)
	}
	work := func(document []byte) float64 {
		return testing.AllocsPerRun(1, func() { goldenCompile(t, string(document)) })
	}
	if a, b := work(small), work(large); b > 5*a {
		t.Errorf("1,000 knockouts take %.0f allocations, 4,000 take %.0f", a, b)
	}
	var reused engine.Decision
	facts := goldenFacts(t, []byte(`{"bureau_score": 742, "enquiries_6m": 5}`))
	plan.Decide(facts, &reused)
	if n := testing.AllocsPerRun(10, func() { plan.Decide(facts, &reused) }); n != 0 {
		t.Errorf("a decision over 10,000 knockouts allocates %.0f times", n)
	}
}

// TestLesson17ManyValuesAndCodes checks a policy with many set values and
// reason codes. Reading or compiling it with quadratic searches would take very
// long.
func TestLesson17ManyValuesAndCodes(t *testing.T) {
	t.Parallel()
	var sets, ranges strings.Builder
	for i := range 499 {
		fmt.Fprintf(&sets, `{"points":1,"reason_code":"S%d","in":[`, i)
		for j := range 300 {
			fmt.Fprintf(&sets, `"v%d",`, i*300+j)
		}
		fmt.Fprintf(&sets, `"w%d"]},`, i)
	}
	for i := range 100 {
		fmt.Fprintf(&ranges, `{"factor":"f%d","field":"foir","bins":[{"lt":0,"points":1}`, i)
		for j := range 250 {
			fmt.Fprintf(&ranges, `,{"gte":%d,"lt":%d,"points":%d,"reason_code":"C%d_%d"}`, j, j+1, -j, i, j)
		}
		ranges.WriteString(`,{"gte":250,"points":0}]},`)
	}
	document := strings.Replace(rightPolicy,
		`{"factor": "job", "field": "employment_type", "bins": [{"in": ["SALARIED"], "points": 5},`,
		ranges.String()+`{"factor": "job", "field": "applicant.employer_category", "bins": [`+sets.String(), 1)
	d := lessonDecide(t, goldenCompile(t, document),
		`{"foir":3,"applicant.employer_category":"v149699","bureau_score":800}`)
	if got := d.Contributions(); len(got) != 103 || got[102].Points != rule.Int(1) {
		t.Errorf("%d contributions, the last %v", len(got), got[len(got)-1])
	}
}

// TestIncludeDefaultsFalseRemovesStoredSystemRules checks that turning
// "include_defaults" off in a stored document removes its system rules, and
// that an ordinary rule with "system": true is not a system rule.
func TestIncludeDefaultsFalseRemovesStoredSystemRules(t *testing.T) {
	t.Parallel()
	stored := goldenCompile(t, rightPolicy).Policy().Document()
	off := goldenCompile(t,
		strings.Replace(string(stored), `"include_defaults":true`, `"include_defaults":false`, 1)).Policy()
	for _, k := range off.Knockouts {
		if k.System {
			t.Errorf("%s is still there", k.ID)
		}
	}
	own := goldenCompile(t,
		strings.Replace(rightPolicy, `"id": "KO_SCORE"`, `"id": "KO_SCORE", "system": true`, 1)).Policy()
	if own.Knockouts[0].System {
		t.Error("a tenant's rule passes for a system rule")
	}
}

// codeSize returns the number of instructions that a policy compiles to.
func codeSize(t *testing.T, document []byte) int {
	t.Helper()
	return reflect.ValueOf(goldenCompile(t, string(document))).Elem().FieldByName("code").Elem().FieldByName(
		"ins").Len()
}

// TestBoundsOfAPolicy checks, for the listed sections of a policy, that one more entry than the limit is rejected.
func TestBoundsOfAPolicy(t *testing.T) {
	t.Parallel()
	list := func(n int, element func(i int) string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(element(i))
		}
		return "[" + b.String() + "]"
	}
	for _, c := range []struct {
		path    string
		most    int
		element func(i int) string
	}{
		{"inputs", 500, func(i int) string { return fmt.Sprintf(`{"name":"applicant.i%d","type":"number"}`, i) }},
		{"required_fields", 100, func(int) string { return `"foir"` }},
		{"adjustments", 1000,
			func(i int) string { return fmt.Sprintf(`{"id":"A%d","delta":1,"condition_ast":{"op":"true"}}`, i) }},
		{"conditions", 100,
			func(i int) string { return fmt.Sprintf(`{"code":"C%d","text":"t","condition_ast":{"op":"true"}}`, i) }},
		{"actionable_fields", 100, func(int) string { return `"foir"` }},
		{"pricing_bands", 500, func(i int) string {
			return fmt.Sprintf(`{"id":"P%d","grade":"A","min_score":%d,"max_score":%d,"action":"decline"}`, i, i, i)
		}},
		{"scorecard.factors", 500, func(i int) string {
			return fmt.Sprintf(`{"factor":"f%d","field":"foir","bins":[{"points":1}]}`, i)
		}},
		{"scorecard.factors.0.bins", 500, func(i int) string {
			if i == 0 {
				return `{"lt":300,"points":0}`
			}
			return fmt.Sprintf(`{"gte":%d,"lt":%d,"points":0}`, 299+i, 300+i)
		}},
		{"pricing_bands.0.tenures_allowed", 60, func(i int) string { return fmt.Sprint(i + 1) }},
	} {
		var policy any
		if err := json.Unmarshal([]byte(rightPolicy), &policy); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{c.most, c.most + 1} {
			spoil(t, policy, strings.Split(c.path, "."), json.RawMessage(list(n, c.element)))
			document, err := json.Marshal(policy)
			if err != nil {
				t.Fatal(err)
			}
			got := faultCounts(t, document)["/"+strings.ReplaceAll(c.path, ".", "/")+" "+fault.CodeTooMany]
			if want := n - c.most; got != want {
				t.Errorf("%d of %s: too_many is said %d times, want %d (%v)",
					n, c.path, got, want, policyFaults(t, document))
			}
		}
	}
}

// FuzzParsePolicy parses arbitrary bytes as a policy. Parsing must not panic or
// take excessive time, and a rejection must have a pointer. An accepted policy
// must be readable from its own document and must decide any facts.
func FuzzParsePolicy(f *testing.F) {
	f.Add(engine.DefaultPolicyJSON(), []byte(`{"bureau_score":742,"monthly_income":85000,"foir":0.32}`))
	f.Add([]byte(rightPolicy), []byte(`{"bureau_is_ntc":true,"applicant.employer_category":"A"}`))
	f.Add(manyKnockouts(3), []byte(`{"enquiries_6m":2}`))
	for _, seed := range []string{
		``, `{}`, `[]`, `{"name":"x"}`,
		`{"name":"x","scorecard":{"base_points":1e6,"factors":[]},"pricing_bands":[{}]}`,
		`{"name":"x","include_defaults":false,"scorecard":{"base_points":700,"factors":[]},
			"pricing_bands":[{"id":"P","grade":"A","ntc":true,"action":"decline"}]}`,
		`{"name":"x","scorecard":{"base_points":1,"min_score":0,"max_score":0,
		"factors":[{"factor":"f","field":"foir","weight":1000,"bins":[{"points":1000000}]}]},
		  "pricing_bands":[{"id":"P","grade":"A","min_score":-1000000,"max_score":1000000,"interest_rate":100,
			"tenure_months":480,"min_limit":480,"max_limit":1000000000000,"default_limit":480,"foir_cap":5}],
			"limit_step":1}`,
	} {
		f.Add([]byte(seed), []byte(`{"monthly_income":1000000000000,"foir":0.000001,"requested_amount":1000000000000}`))
	}
	catalogue := field.Catalogue()
	f.Fuzz(func(t *testing.T, document, facts []byte) {
		policy, err := engine.ParsePolicy(document, engine.Sources{Catalogue: catalogue})
		if err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) || policy != nil || len(refusal.Items) > fault.MaxItems {
				t.Fatalf("got %v and %v", policy, err)
			}
			return
		}
		readsBack(t, policy)
		plan := engine.Compile(policy, catalogue)
		for _, applicant := range []string{`{}`, string(facts), `{"bureau_is_ntc":true}`} {
			v, err := wire.Parse([]byte(applicant))
			if err != nil {
				continue
			}
			known, err := rule.ReadFacts(v, catalogue)
			if err != nil {
				continue
			}
			var d engine.Decision
			plan.Decide(known, &d)
			var w wire.Writer
			d.Write(&w, &engine.Envelope{})
			if _, err := wire.Parse(w.Buf); err != nil {
				t.Fatalf("the decision is not JSON: %v\n%s", err, w.Buf)
			}
			d.NotEvaluated()
			var e engine.Eligibility
			plan.Eligible(known, &e)
		}
	})
}
