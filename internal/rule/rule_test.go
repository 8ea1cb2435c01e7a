package rule_test

import (
	"fmt"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// catalogue is a small catalogue with a field of every kind that conditions
// treat differently, and with many unused fields, which only occupy slots. All
// tests share it, as all requests share the real catalogue.
var catalogue = mustCatalogue(append(unused(), []rule.Field{
	{Name: "bureau_score", Type: rule.NumberType},
	{Name: "age", Type: rule.NumberType},
	{Name: "monthly_income", Type: rule.NumberType},
	{Name: "foir", Type: rule.NumberType},
	{Name: "enquiries_6m", Type: rule.NumberType},
	{Name: "bureau", Type: rule.StringType},
	{Name: "device_os", Type: rule.StringType},
	{Name: "employment_type", Type: rule.StringType, Values: []string{"SALARIED", "SELF_EMPLOYED", "OTHER"}},
	{Name: "bureau_is_ntc", Type: rule.BoolType},
	{Name: "device_is_emulator", Type: rule.BoolType},
	{Name: "location_gps_pincode_match", Type: rule.BoolType},
	{Name: "final_score", Type: rule.NumberType, Supply: rule.FromEngine},
	{Name: "grade", Type: rule.StringType, Supply: rule.FromEngine},
}...))

// unused returns 160 number fields. They need more than two of the 64-bit words
// in which a frame marks given slots.
func unused() (fields []rule.Field) {
	for i := range 160 {
		fields = append(fields, rule.Field{Name: unusedName(i), Type: rule.NumberType})
	}
	return fields
}

func unusedName(i int) string { return fmt.Sprintf("unused_by_any_policy_%03d", i) }

// inputs has the fields that the policy of these tests declares.
var inputs = map[string]rule.Type{
	"applicant.bonus":             rule.NumberType,
	"applicant.employer_category": rule.StringType,
	"applicant.is_staff":          rule.BoolType,
}

var (
	stage1 = &rule.Scope{Catalogue: catalogue, Inputs: inputs}
	stage2 = &rule.Scope{Catalogue: catalogue, Inputs: inputs, Stage2: true}
)

func mustCatalogue(fields []rule.Field) *rule.Catalogue {
	for i := range fields {
		if fields[i].Supply == 0 {
			fields[i].Supply = rule.FromDecisions | rule.FromEvaluate
		}
	}
	c, err := rule.NewCatalogue(fields)
	if err != nil {
		panic(err)
	}
	return c
}

// tb is the common interface of a test, a benchmark, a fuzz target and a rapid
// check.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

var (
	_ tb = (*testing.T)(nil)
	_ tb = (*testing.B)(nil)
)

func parse(t tb, document string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(document))
	if err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return v
}

// readCondition reads a valid condition.
func readCondition(t tb, document string) *rule.Condition {
	t.Helper()
	var faults fault.List
	c := rule.ReadCondition(parse(t, document), stage1, &faults)
	if err := faults.Err(); err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return &c
}

// readFaults returns the faults of a condition.
func readFaults(t tb, document string) []fault.Item {
	t.Helper()
	var faults fault.List
	rule.ReadCondition(parse(t, document), stage1, &faults)
	return faults.Items()
}

func readFacts(t tb, document string) *rule.Facts {
	t.Helper()
	f, err := rule.ReadFacts(parse(t, document), catalogue)
	if err != nil {
		t.Fatalf("%v\n%s", err, document)
	}
	return f
}

// plan has one or more conditions that are compiled together, like the
// conditions of a policy.
type plan struct {
	slots      *rule.Slots
	code       *rule.Code
	conditions []*rule.Condition
	tests      []rule.Test
}

func compile(conditions ...*rule.Condition) *plan { return compileBehind(0, conditions...) }

// compileBehind compiles conditions for a plan in which the given number of
// other fields already have the first slots.
func compileBehind(others int, conditions ...*rule.Condition) *plan {
	slots := rule.NewSlots(catalogue)
	for id := range rule.FieldID(others) {
		slots.Slot(rule.Ref{Name: catalogue.Field(id).Name, ID: id, Type: catalogue.Field(id).Type})
	}
	p := &plan{slots: slots, code: rule.NewCode(slots), conditions: conditions}
	for _, c := range conditions {
		p.tests = append(p.tests, p.code.Add(c))
	}
	return p
}

// eval returns the result of the first condition and checks that Eval,
// Satisfied and Explain agree.
func (p *plan) eval(t tb, facts *rule.Facts) rule.Truth {
	t.Helper()
	var frame rule.Frame
	p.slots.Load(facts, &frame)
	got := p.code.Eval(p.tests[0], &frame)
	if satisfied := p.code.Satisfied(p.tests[0], &frame); satisfied != (got == rule.Holds) {
		t.Errorf("Eval says %s, Satisfied says %t", name(got), satisfied)
	}
	if e := p.code.Explain(p.conditions[0], &frame); e.Truth != got {
		t.Errorf("Eval says %s, Explain says %s", name(got), name(e.Truth))
	}
	return got
}

func name(t rule.Truth) string {
	switch t {
	case rule.Holds:
		return "holds"
	case rule.Fails:
		return "fails"
	case rule.Unknown:
		return "unknown"
	default:
		return fmt.Sprintf("Truth(%d)", t)
	}
}

func canonical(c *rule.Condition) string {
	var w wire.Writer
	c.Write(&w)
	return string(w.Buf)
}

func canonicalFacts(f *rule.Facts) string {
	var w wire.Writer
	f.Write(&w)
	return string(w.Buf)
}
