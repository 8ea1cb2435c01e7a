package decisioning

import (
	"context"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/rule"
)

// Improvement is a set of changes that would have led to a better decision, and the
// engine's decision with those changes.
type Improvement struct {
	Changes []ImprovementChange
	Status  string
	Full    bool // the offer is for the requested amount and not for a lower one
	Grade   string
	// The offer with these changes; all fields are 0 if there is no offer.
	LimitPaise, InstalmentPaise int64
	TenureMonths                int
	RateBP                      int64
}

// ImprovementChange is one field that has to change.
type ImprovementChange struct {
	FieldValue        // the present value
	To         string // the necessary value
	Waiting    bool   // the value changes with the passage of time alone
	PayOff     string // monthly obligations to pay off, in rupees; "" for none
}

// improvements returns the sets of changes that would have led to a better decision.
func improvements(
	ctx context.Context, plan *engine.Plan, facts *rule.Facts, d *engine.Decision,
) ([]Improvement, error) {
	better, err := advice.Improve(plan, facts, d, advice.Options{Check: operation.Checking(ctx)})
	if err != nil {
		return nil, err
	}
	var list []Improvement
	for _, found := range better {
		out := Improvement{Status: found.Status.String(), Full: found.Full, Grade: found.Grade}
		if found.Offered {
			out.LimitPaise, out.InstalmentPaise = found.LimitPaise, found.InstalmentPaise
			out.TenureMonths, out.RateBP = found.TenureMonths, found.RateBP
		}
		for _, c := range found.Changes {
			change := ImprovementChange{FieldValue: DescribedField(c.Field), To: c.To.String(), Waiting: c.Waiting}
			if c.From.Type() != rule.Absent {
				change.Value, change.Given = c.From.String(), true
			}
			if c.PayOff.Type() != rule.Absent {
				change.PayOff = c.PayOff.String()
			}
			out.Changes = append(out.Changes, change)
		}
		list = append(list, out)
	}
	return list, nil
}
