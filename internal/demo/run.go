package demo

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/agent"
	"verdict/internal/recovery"
	"verdict/internal/tenant"
)

// underwritten is the number of runs of the underwriting agent in each
// environment.
const underwritten = 9

// agentRuns schedules runs of the underwriting agent on a few applications, and of
// the collections agent on a few overdue loans.
func (d *envFill) agentRuns() {
	for i, dpd := range []int{4, 47, 95, 130} {
		d.ago(time.Duration(50-12*i)*time.Hour, "ask the collections agent", func(ctx context.Context) error {
			_, err := d.agents.Collect(ctx, d.by(d.staff.meera), recovery.NewRequest(body(d.behind(i, dpd))), nil)
			return err
		})
	}
	for i := range underwritten {
		back := time.Duration(underwritten-i)*27*time.Hour + 31*time.Minute
		d.ago(back, "ask the agent", func(ctx context.Context) error {
			a := d.crowd.next()
			request := a.decision()
			if i%3 == 0 {
				request = a.evaluation(d.clock.now())
			}
			request["purpose"] = []string{"medical", "home repair", d.options.Texts.Purpose}[i%3]
			_, err := d.agents.Underwrite(ctx, d.by(d.staff.ravi), agent.NewRequest(body(request)), nil)
			return err
		})
	}
}

// behind returns a loan that is dpd days past due.
func (d *envFill) behind(n, dpd int) map[string]any {
	now := d.clock.now()
	return map[string]any{
		"loan": map[string]any{
			"id":                    fmt.Sprintf("L-%04d", 4100+n),
			"product":               "personal_loan",
			"principal_outstanding": 182_000 - 9_000*n,
			"emi":                   8_965,
			"overdue_amount":        8_965 * (1 + dpd/30),
			"interest_rate":         16,
			"dpd":                   dpd,
			"missed_emis":           1 + dpd/30,
		},
		"borrower": map[string]any{
			"ref":               fmt.Sprintf("KC-%06d", 100_007+7*n),
			"language":          []string{"hi", "en"}[n%2],
			"preferred_channel": "whatsapp",
		},
		"history": []any{map[string]any{
			"at":             tenant.BusinessDay(now.Add(-5*day)) + "T11:02:00+05:30",
			"channel":        "call",
			"disposition":    "PTP",
			"promise_amount": 8_965,
			"promise_date":   now.Add(-2 * day).Format(time.DateOnly),
			"kept":           false,
		}},
		"as_of": now.UTC().Format(time.RFC3339),
	}
}
