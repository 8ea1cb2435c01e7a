package rule_test

import (
	"fmt"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// A condition is read and checked once, compiled, and then evaluated on any
// number of applications. If a field is absent, the condition is unknown, and
// an unknown condition is never satisfied.
func Example() {
	fields, err := rule.NewCatalogue([]rule.Field{
		{Name: "foir", Type: rule.NumberType},
		{Name: "age", Type: rule.NumberType},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	document, err := wire.Parse([]byte(`{"op": "or", "args": [
		{"op": "gt", "field": "foir", "value": 0.6},
		{"op": "lt", "field": "age", "value": 21}
	]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var faults fault.List
	condition := rule.ReadCondition(document, &rule.Scope{Catalogue: fields}, &faults)
	if err := faults.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("the rule:", condition.Text())

	slots := rule.NewSlots(fields)
	code := rule.NewCode(slots)
	test := code.Add(&condition)

	var frame rule.Frame
	for _, application := range []string{
		`{"foir": 0.72, "age": 34}`,
		`{"foir": 0.35, "age": 34}`,
		`{"age": 34}`,
	} {
		document, err := wire.Parse([]byte(application))
		if err != nil {
			fmt.Println(err)
			return
		}
		facts, err := rule.ReadFacts(document, fields)
		if err != nil {
			fmt.Println(err)
			return
		}
		slots.Load(facts, &frame)
		fmt.Println(application, "hits:", code.Satisfied(test, &frame))
	}
	// Output:
	// the rule: foir > 0.6 or age < 21
	// {"foir": 0.72, "age": 34} hits: true
	// {"foir": 0.35, "age": 34} hits: false
	// {"age": 34} hits: false
}
