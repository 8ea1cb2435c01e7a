package decisioning

import (
	"context"

	"verdict/internal/advice"
	"verdict/internal/engine"
	"verdict/internal/operation"
	"verdict/internal/rule"
)

// Improvement is a set of changes that would have turned a decision, as the
// engine decided it with them.
type Improvement struct {
	Changes []ImprovementChange
	Status  string
	Full    bool // the whole amount asked for, instead of a lower one
	Grade   string
	// What is offered then, 0 for nothing.
	LimitPaise, InstalmentPaise int64
	TenureMonths                int
	RateBP                      int64
}

// ImprovementChange is one field that has to change.
type ImprovementChange struct {
	FieldValue        // as it is
	To         string // as it would have to be
	Waiting    bool   // it changes with time, and by doing nothing
	PayOff     string // the obligations a month to pay off, in rupees; "" for none
}

// improvements asks what the applicant could have changed.
func improvements(ctx context.Context, plan *engine.Plan, facts *rule.Facts, d *engine.Decision) ([]Improvement, error) {
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
			change := ImprovementChange{FieldValue: described(c.Field), To: c.To.String(), Waiting: c.Waiting}
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
