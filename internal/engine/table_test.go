package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// grid returns a table with two keys: applicant.dealer, which a policy must declare, and monthly_income.
func grid(name string, withDefault bool) *rule.Table {
	catalogue := field.Catalogue()
	id, _ := catalogue.Lookup(field.MonthlyIncome)
	t := &rule.Table{Name: name, Default: withDefault, Keys: []rule.TableKey{
		{Field: rule.Ref{Name: "applicant.dealer", ID: rule.Undeclared, Type: rule.StringType}},
		{Field: rule.Ref{Name: field.MonthlyIncome, ID: id, Type: rule.NumberType}, Range: true},
	}}
	for column, typ := range map[string]rule.Type{"cap": rule.NumberType, "kind": rule.StringType} {
		t.Columns = append(t.Columns, rule.TableColumn{Name: column, Type: typ, Fact: rule.TableFact(name, column)})
	}
	return t
}

// tablesOf returns sources with two tables: "grid", and "full", which has a default.
func tablesOf() engine.Sources {
	return engine.Sources{Catalogue: field.Catalogue(), Table: func(name string) (*rule.Table, bool) {
		return grid(name, name == "full"), name == "grid" || name == "full"
	}}
}

// tablePolicy is a policy with one knockout and one factor. CONDITION and FACTOR are replaced in tests.
const tablePolicy = `{"name":"tables","semantics":2,"include_defaults":false,
	"inputs":[{"name":"applicant.dealer","type":"string"},{"name":"applicant.cap","type":"number"}],
	"knockouts":[{"id":"KO_CAP","reason_code":"CAP","condition_ast":CONDITION}],
	"scorecard":{"base_points":700,"factors":[FACTOR]},
	"pricing_bands":[{"id":"PB_A","grade":"A","min_score":300,"max_score":900,"interest_rate":14,"tenure_months":36,
		"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":0.55}]}`

const (
	capHigh    = `{"op":"gt","field":"table.grid.cap","value":5}`
	kindFactor = `{"factor":"kind","field":"table.grid.kind","bins":[{"in":["x"],"points":10},
		{"else":true,"points":0}]}`
)

func readTabled(condition, factor string, src engine.Sources) (*engine.Policy, error) {
	text := strings.NewReplacer("CONDITION", condition, "FACTOR", factor).Replace(tablePolicy)
	return engine.ParsePolicy([]byte(text), src)
}

// TestTableDocument checks that a document describes its tables. So it can be read again without the stored tables,
// with the same bytes and checksum. A document without tables has no such member.
func TestTableDocument(t *testing.T) {
	t.Parallel()
	policy, err := readTabled(capHigh, kindFactor, tablesOf())
	if err != nil {
		t.Fatal(err)
	}
	document := policy.Document()
	again, err := engine.ParsePolicy(document, engine.Sources{Catalogue: field.Catalogue()})
	if err != nil || !bytes.Equal(again.Document(), document) || again.Checksum() != policy.Checksum() {
		t.Errorf("%v\n%s\nis read as\n%s", err, document, again.Document())
	}
	const want = `[{"columns":[{"name":"cap","type":"number"},{"name":"kind","type":"string"}],` +
		`"keys":[{"field":"applicant.dealer","match":"exact","type":"string"},` +
		`{"field":"monthly_income","match":"range","type":"number"}],"name":"grid"}]`
	if !strings.Contains(string(document), `"tables":`+want) {
		t.Errorf("the document is %s", document)
	}
	for _, name := range []string{"applicant.dealer", field.MonthlyIncome, "table.grid.cap", "table.grid.kind"} {
		if !strings.Contains(strings.Join(policy.ReferencedFields(), " "), name) {
			t.Errorf("%s is not among %v", name, policy.ReferencedFields())
		}
	}
	plan := engine.Compile(again, field.Catalogue())
	if fields := strings.Join(plan.Fields(), " "); strings.Contains(fields, "table.") ||
		!strings.Contains(fields, "applicant.dealer") {
		t.Errorf("the plan reads %s", fields)
	}
	// The service writes the description of the tables, so a description in a request is ignored.
	merged := strings.Replace(string(document), want, `[{"name":"other"}]`, 1)
	if sent, err := engine.ParsePolicy([]byte(merged), tablesOf()); err != nil || sent.Checksum() != policy.Checksum() {
		t.Errorf("a document that was sent back: %v", err)
	}
	plain, err := readTabled(`{"op":"false"}`, "", tablesOf())
	if err != nil || strings.Contains(string(plain.Document()), "tables\":") {
		t.Errorf("without a table: %v, %s", err, plain.Document())
	}
}

// TestTableFaults checks the codes and the pointers of the faults for names that cannot be used.
func TestTableFaults(t *testing.T) {
	t.Parallel()
	const (
		inCondition = "/knockouts/0/condition_ast/field"
		inFactor    = "/scorecard/factors/0/field"
	)
	for name, c := range map[string]struct{ condition, factor, code, pointer string }{
		"table":  {strings.Replace(capHigh, "grid", "none", 1), "", fault.CodeUnknownTable, inCondition},
		"column": {strings.Replace(capHigh, "cap", "none", 1), "", fault.CodeUnknownTable, inCondition},
		"factor": {`{"op":"false"}`, strings.Replace(kindFactor, "grid", "none", 1), fault.CodeUnknownTable, inFactor},
		"type": {`{"op":"gt","field":"table.grid.kind","value":5}`, "", fault.CodeInvalidCondition,
			"/knockouts/0/condition_ast"},
		"no column": {`{"op":"exists","field":"table.grid"}`, "", fault.CodeUnknownField, inCondition},
	} {
		_, err := readTabled(c.condition, c.factor, tablesOf())
		refusal := fault.Of(err)
		if refusal == nil || refusal.Code != c.code && name != "no column" || refusal.Items[0].Pointer != c.pointer {
			t.Errorf("%s: %+v", name, refusal)
		}
	}
	without := strings.Replace(tablePolicy, `{"name":"applicant.dealer","type":"string"},`, "", 1)
	text := strings.NewReplacer("CONDITION", capHigh, "FACTOR", "").Replace(without)
	if _, err := engine.ParsePolicy([]byte(text), tablesOf()); fault.CodeOf(err) != fault.CodeUnknownTable ||
		!strings.Contains(err.Error(), "declare that path") {
		t.Errorf("a key that is not declared: %v", err)
	}
}

// TestTableScorecard checks that a stored scorecard states the type of a column, and that a policy compares this type
// with the table.
func TestTableScorecard(t *testing.T) {
	t.Parallel()
	card := func(factor string) (*engine.Scorecard, error) {
		v, err := wire.Parse([]byte(`{"name":"card","base_points":600,"factors":[` + factor + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return engine.ReadScorecard(v, field.Catalogue())
	}
	if _, err := card(kindFactor); fault.CodeOf(err) != fault.CodeUnknownTable {
		t.Errorf("without a type: %v", err)
	}
	for typ, code := range map[string]string{"string": "", "number": fault.CodeInvalidField} {
		bins := map[string]string{"string": `[{"in":["x"],"points":10},{"else":true,"points":0}]`,
			"number": `[{"lt":5,"points":10},{"gte":5,"points":0}]`}[typ]
		stored, err := card(`{"factor":"kind","field":"table.grid.kind","type":"` + typ + `","bins":` + bins + `}`)
		if err != nil {
			t.Fatal(err)
		}
		sources := tablesOf()
		sources.Scorecard = func(string) (*engine.Scorecard, bool) { return stored, true }
		text := strings.Replace(strings.Replace(tablePolicy, "CONDITION", capHigh, 1),
			`"scorecard":{"base_points":700,"factors":[FACTOR]}`, `"scorecard_id":"sc_1"`, 1)
		policy, err := engine.ParsePolicy([]byte(text), sources)
		if fault.CodeOf(err) != code {
			t.Errorf("%s: %v", typ, err)
		}
		if err != nil {
			continue
		}
		v, err := wire.Parse([]byte(`{"table.grid.kind":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		sent, warnings, err := engine.NewApplicants(v, wire.Value{}).Read(stored)
		if err != nil || len(warnings) > 0 || sent[0].Get("table.grid.kind").Text() != "x" {
			t.Errorf("an applicant with the column: %v, %v", warnings, err)
		}
		again, err := engine.ParsePolicy(policy.Document(), engine.Sources{Catalogue: field.Catalogue()})
		if err != nil || !bytes.Equal(again.Document(), policy.Document()) || len(policy.Inputs) != 2 {
			t.Errorf("%v\n%s", err, policy.Document())
		}
	}
}

// TestColumnIsAnInput checks that a column gives the same decision as an input with the same value.
func TestColumnIsAnInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rule.Value{}
		if rapid.Bool().Draw(t, "known") {
			value = rule.Num(rule.Int(rapid.Int64Range(0, 9).Draw(t, "value")))
		}
		condition := rapid.SampledFrom([]string{
			`{"op":"gt","field":"NAME","value":5}`,
			`{"op":"not","arg":{"op":"between","field":"NAME","min":2,"max":6}}`,
			`{"op":"lt","left":{"op":"mul","args":[{"field":"NAME"},{"value":3}]},"right":{"value":11}}`,
			`{"op":"absent","field":"NAME"}`,
		}).Draw(t, "condition")
		var decided [2]engine.Decision
		for i, name := range []string{"table.grid.cap", "applicant.cap"} {
			text := strings.ReplaceAll(condition, "NAME", name)
			factor := `{"factor":"cap","field":"` + name + `","bins":[{"lt":4,"points":10},{"gte":4,"points":0}]}`
			policy, err := readTabled(text, factor, tablesOf())
			if err != nil {
				t.Fatal(err)
			}
			facts := rule.NewFacts(field.Catalogue())
			facts.Set(name, value)
			engine.Compile(policy, field.Catalogue()).Decide(facts, &decided[i])
		}
		if diff := cmp.Diff(decided[0].Rules(), decided[1].Rules()); diff != "" ||
			decided[0].Status != decided[1].Status || decided[0].FinalScore != decided[1].FinalScore {
			t.Errorf("%v: %v and %v\n%s", value, decided[0].Status, decided[1].Status, diff)
		}
	})
}

// TestSilentWithoutARow checks which findings the analysis reports about a rule that reads a column.
func TestSilentWithoutARow(t *testing.T) {
	t.Parallel()
	const required = `"required_fields":["applicant.dealer","monthly_income"],"inputs"`
	for name, c := range map[string]struct {
		change func(string) string
		want   string // "" if there is no finding about the column
	}{
		"no default": {func(s string) string { return s }, "give the table a default"},
		"default, keys not required": {
			func(s string) string { return strings.ReplaceAll(s, "grid", "full") }, "a key of the table is absent"},
		"default, keys required": {func(s string) string {
			return strings.Replace(strings.ReplaceAll(s, "grid", "full"), `"inputs"`, required, 1)
		}, ""},
		"column required": {func(s string) string {
			return strings.Replace(s, `"inputs"`, `"required_fields":["table.grid.cap"],"inputs"`, 1)
		}, ""},
		"on_absent": {func(s string) string {
			return strings.Replace(s, `"reason_code":"CAP"`, `"reason_code":"CAP","on_absent":"refer"`, 1)
		}, ""},
	} {
		text := c.change(strings.NewReplacer("CONDITION", capHigh, "FACTOR", "").Replace(tablePolicy))
		policy, err := engine.ParsePolicy([]byte(text), tablesOf())
		if err != nil {
			t.Fatal(err)
		}
		var about []string
		for _, f := range analysis.Run(policy, field.Catalogue()) {
			if f.Code == fault.CodeSilentWhenAbsent && len(f.Fields) == 1 && strings.HasPrefix(f.Fields[0], "table.") {
				about = append(about, f.Detail)
			}
		}
		if got := strings.Join(about, " "); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
