package space_test

import (
	"fmt"

	"verdict/internal/engine/space"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// The solver compares conditions over all applicants and gives an example
// applicant.
func Example() {
	read := func(text string) rule.Condition {
		document, err := wire.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		var faults fault.List
		condition := rule.ReadCondition(document, &rule.Scope{Catalogue: field.Catalogue()}, &faults)
		if err := faults.Err(); err != nil {
			panic(err)
		}
		return condition
	}
	strict := read(`{"op": "lt", "field": "age", "value": 18}`)
	mild := read(`{"op": "lt", "field": "age", "value": 21}`)
	impossible := read(`{"op": "and", "args": [
		{"op": "eq", "field": "bureau_is_ntc", "value": true},
		{"op": "gt", "field": "bureau_score", "value": 700}]}`)

	solver := space.NewSolver()
	solver.Space.Reset(field.Catalogue(), space.Params{})
	solver.Reset(space.NewBudget(10_000, nil))
	for _, c := range []rule.Condition{strict, mild, impossible} {
		solver.Space.Reads(&c, nil, 0) // registers the fields of all conditions first
	}
	a, b, c := solver.Shape(&strict), solver.Shape(&mild), solver.Shape(&impossible)
	fmt.Println(strict.Text(), "implies", mild.Text(), "is", solver.Implies(&a, &b))
	fmt.Println(mild.Text(), "implies", strict.Text(), "is", solver.Implies(&b, &a))
	fmt.Println(impossible.Text(), "holds for somebody is", len(c.Upper) > 0)

	// Find an applicant who is below 21 but not below 18.
	older, _ := solver.Region(&strict, false, space.Over)
	between, _ := solver.Intersection(b.Upper, older)
	for _, fact := range solver.Witness(between) {
		fmt.Println("an example:", fact.Name, fact.Value)
	}
	// Output:
	// age < 18 implies age < 21 is true
	// age < 21 implies age < 18 is false
	// bureau_is_ntc = true and bureau_score > 700 holds for somebody is false
	// an example: age 18
}
