package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// lookupPolicy is a policy with one knockout, whose condition replaces CONDITION. Its inputs are the employer and a
// flag.
const lookupPolicy = `{"name":"lists","semantics":2,"include_defaults":false,
	"inputs":[{"name":"applicant.employer","type":"string"},{"name":"applicant.flag","type":"boolean"}],
	"knockouts":[{"id":"KO_LIST","reason_code":"LISTED","condition_ast":CONDITION}],
	"scorecard":{"base_points":700,"factors":[]},
	"pricing_bands":[{"id":"PB_A","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":36,
		"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.55}]}`

// listsOf returns sources with two lists: "words" has texts, and "numbers" has numbers.
func listsOf() engine.Sources {
	return engine.Sources{Catalogue: field.Catalogue(), List: func(name string) (rule.Type, bool) {
		t, ok := map[string]rule.Type{"words": rule.StringType, "numbers": rule.NumberType}[name]
		return t, ok
	}}
}

func readLookup(condition string) (*engine.Policy, error) {
	return engine.ParsePolicy([]byte(strings.Replace(lookupPolicy, "CONDITION", condition, 1)), listsOf())
}

// TestLookupIsABoolean checks that a lookup decides in the same way as a comparison of a boolean input with true. It
// tests arbitrary conditions, with known and unknown answers.
func TestLookupIsABoolean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var build func(depth int) string
		build = func(depth int) string {
			kind := rapid.IntRange(0, 4).Draw(t, "kind")
			switch {
			case kind == 0 && depth > 0:
				return `{"op":"not","arg":` + build(depth-1) + `}`
			case kind <= 2 && depth > 0:
				op := []string{"", "and", "or"}[kind]
				return `{"op":"` + op + `","args":[` + build(depth-1) + `,` + build(depth-1) + `]}`
			case kind == 3:
				return `{"op":"gt","field":"age","value":30}`
			default:
				return rapid.SampledFrom([]string{"IN", "NOT_IN"}).Draw(t, "op")
			}
		}
		condition := build(3)
		with := strings.NewReplacer("NOT_IN", `{"op":"not_in_list","field":"applicant.employer","list":"words"}`,
			"IN", `{"op":"in_list","field":"applicant.employer","list":"words"}`).Replace(condition)
		without := strings.NewReplacer("NOT_IN", `{"op":"ne","field":"applicant.flag","value":true}`,
			"IN", `{"op":"eq","field":"applicant.flag","value":true}`).Replace(condition)
		facts := rule.NewFacts(field.Catalogue())
		if answer := rapid.IntRange(0, 2).Draw(t, "answer"); answer < 2 {
			facts.Set("list.words.applicant.employer", rule.Bool(answer == 1))
			facts.Set("applicant.flag", rule.Bool(answer == 1))
			facts.Set("applicant.employer", rule.Str("Acme"))
		}
		if rapid.Bool().Draw(t, "age") {
			facts.Set("age", rule.Num(rule.Int(rapid.Int64Range(20, 40).Draw(t, "years"))))
		}
		var decided [2]engine.Decision
		for i, text := range []string{with, without} {
			policy, err := readLookup(text)
			if err != nil {
				t.Fatal(err)
			}
			engine.Compile(policy, field.Catalogue()).Decide(facts, &decided[i])
		}
		if diff := cmp.Diff(decided[0].Rules(), decided[1].Rules()); diff != "" ||
			decided[0].Status != decided[1].Status {
			t.Errorf("%s: %v and %v\n%s", condition, decided[0].Status, decided[1].Status, diff)
		}
	})
}

// TestLookupDetail checks the texts about a rule that hit because of a list. They name the field and the list, but not
// the value, even if the rule's message asks for the value.
func TestLookupDetail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ knockout, want string }{
		{`{"op":"in_list","field":"applicant.employer","list":"words"}`,
			"applicant.employer is in the list words (KO_LIST: applicant.employer in the list words)"},
		{`{"op":"not","arg":{"op":"not_in_list","field":"applicant.employer","list":"words"}}`,
			"applicant.employer is in the list words (KO_LIST: not (applicant.employer not in the list words))"},
		{`{"op":"in_list","field":"applicant.employer","list":"words"},
			"message":"{applicant.employer} is in {threshold}"`,
			"applicant.employer is in the list words"},
	} {
		policy, err := readLookup(c.knockout)
		if err != nil {
			t.Fatal(err)
		}
		facts := rule.NewFacts(field.Catalogue())
		facts.Set("applicant.employer", rule.Str("Secret Ltd"))
		facts.Set("list.words.applicant.employer", rule.Bool(true))
		var d engine.Decision
		engine.Compile(policy, field.Catalogue()).Decide(facts, &d)
		if len(d.Reasons) != 1 {
			t.Fatalf("%d reasons", len(d.Reasons))
		}
		got := d.Detail(d.Reasons[0])
		if got.Text != c.want || got.Field != "applicant.employer" || got.Value.Type() != rule.Absent {
			t.Errorf("%+v, want %q", got, c.want)
		}
	}
}

// TestLookupFaults checks which lookups are rejected when a policy is read.
func TestLookupFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ condition, code, says string }{
		{`{"op":"in_list","field":"applicant.employer","list":"others"}`, fault.CodeUnknownList,
			"no list has this name"},
		{`{"op":"in_list","field":"applicant.employer","list":"numbers"}`, fault.CodeInvalidCondition, "type number"},
		{`{"op":"in_list","field":"age","list":"words"}`, fault.CodeInvalidCondition, "type string"},
		{`{"op":"in_list","field":"applicant.flag","list":"words"}`, fault.CodeInvalidCondition, "boolean"},
		{`{"op":"in_list","field":"final_score","list":"numbers"}`, fault.CodeUnknownField, "after pricing"},
		{`{"op":"in_list","field":"income_effective","list":"numbers"}`, fault.CodeInvalidCondition, "after lists"},
		{`{"op":"in_list","field":"fraud_score","list":"numbers"}`, fault.CodeInvalidCondition, "after lists"},
		{`{"op":"in_list","field":"enquiry__personal_loan__90d__count","list":"numbers"}`,
			fault.CodeInvalidCondition, "after lists"},
		{`{"op":"in_list","field":"applicant.employer"}`, fault.CodeInvalidCondition, `needs "list"`},
		{`{"op":"in_list","field":"applicant.employer","list":"Not A Name"}`, fault.CodeInvalidCondition,
			"lowercase letter"},
		{`{"op":"in_list","field":"applicant.employer","list":"words","values":["a"]}`, fault.CodeUnknownField,
			"takes"},
		{`{"op":"in_list","list":"words"}`, fault.CodeInvalidCondition, `needs "field"`},
	} {
		_, err := readLookup(c.condition)
		refusal := fault.Of(err)
		if refusal == nil || len(refusal.Items) == 0 || refusal.Items[0].Code != c.code ||
			!strings.Contains(refusal.Items[0].Detail, c.says) {
			t.Errorf("%s: %v, want %s %q", c.condition, err, c.code, c.says)
		}
	}
}

// TestLookupDocument checks that a policy with lookups is written and read again unchanged, and lists its lookups.
func TestLookupDocument(t *testing.T) {
	t.Parallel()
	policy, err := readLookup(`{"op":"or","args":[{"op":"in_list","field":"applicant.employer","list":"words"},
		{"op":"not_in_list","field":"age","list":"numbers"},
		{"op":"in_list","list":"words","field":"applicant.employer"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	again, err := engine.ParsePolicy(policy.Document(), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil || string(again.Document()) != string(policy.Document()) || again.Checksum() != policy.Checksum() {
		t.Errorf("%v, %s", err, again.Document())
	}
	var names []string
	for _, l := range again.Lookups() {
		names = append(names, l.Fact)
	}
	if diff := cmp.Diff([]string{"list.words.applicant.employer", "list.numbers.age"}, names); diff != "" {
		t.Error(diff)
	}
	plan := engine.Compile(again, field.Catalogue())
	for _, name := range plan.Fields() {
		if strings.HasPrefix(name, "list.") {
			t.Errorf("%s is listed as a field", name)
		}
	}
}

// TestLookupFindings checks that the analysis treats the answer of a list as a boolean. If a request may leave the
// field out, the analysis must name the field, not the answer.
func TestLookupFindings(t *testing.T) {
	t.Parallel()
	in, out := `{"op":"in_list","field":"applicant.employer","list":"words"}`,
		`{"op":"not_in_list","field":"applicant.employer","list":"words"}`
	for condition, code := range map[string]string{
		`{"op":"and","args":[` + in + `,` + out + `]}`: fault.CodeNeverFires,
		`{"op":"or","args":[` + in + `,` + out + `]}`:  fault.CodeAlwaysFires,
		in: fault.CodeSilentWhenAbsent,
	} {
		policy, err := readLookup(condition)
		if err != nil {
			t.Fatal(err)
		}
		var found *analysis.Finding
		for _, f := range analysis.Run(policy, field.Catalogue()) {
			if f.Code == code && (len(f.IDs) == 0 || f.IDs[0] == "KO_LIST") {
				found = &f
			}
		}
		if found == nil {
			t.Errorf("%s: no %s", condition, code)
			continue
		}
		if code == fault.CodeSilentWhenAbsent && fmt.Sprint(found.Fields) != "[applicant.employer]" {
			t.Errorf("%s is about %v: %s", code, found.Fields, found.Detail)
		}
	}
}
