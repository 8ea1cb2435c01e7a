package engine_test

import (
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// A policy is compiled once. The plan then decides applications and never
// returns an error. Any number of goroutines can share a plan.
func Example() {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())

	var decision engine.Decision // can be reused for the next application
	for _, application := range []string{
		`{"bureau_score": 780, "age": 34, "employment_type": "SALARIED", "monthly_income": 80000, "foir": 0.3}`,
		`{"bureau_score": 780, "age": 34, "employment_type": "SALARIED", "monthly_income": 80000, "foir": 0.9}`,
	} {
		document, err := wire.Parse([]byte(application))
		if err != nil {
			fmt.Println(err)
			return
		}
		facts, err := rule.ReadFacts(document, field.Catalogue())
		if err != nil {
			fmt.Println(err)
			return
		}
		plan.Decide(facts, &decision)

		fmt.Println(decision.Status, decision.Grade)
		if decision.Offer.Made {
			fmt.Printf("  ₹%d for %d months at %d.%02d %%\n", decision.Offer.LimitPaise/100,
				decision.Offer.TenureMonths, decision.Offer.RateBP/100, decision.Offer.RateBP%100)
		}
		for _, reason := range decision.Reasons {
			fmt.Println(" ", decision.Message(reason))
		}
	}
	// Output:
	// APPROVED A
	//   ₹750000 for 60 months at 14.00 %
	// DECLINED C
	//   Existing obligations are high compared with income
}
