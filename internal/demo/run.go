package demo

import (
	"context"
	"time"
)

// underwritten is how many applications each environment's agent is asked
// about.
const underwritten = 9

// agentRuns has the underwriting agent look at a few applications.
func (d *desk) agentRuns() {
	for i := range underwritten {
		d.ago(time.Duration(underwritten-i)*27*time.Hour+31*time.Minute, "ask the agent", func(ctx context.Context) error {
			a := d.crowd.next()
			request := a.decision()
			if i%3 == 0 {
				request = a.evaluation(d.clock.now())
			}
			request["purpose"] = []string{"medical", "home repair", `wedding <b>& "gold"</b>`}[i%3]
			_, err := d.agents.Underwrite(ctx, d.by(d.staff.ravi), body(request), nil)
			return err
		})
	}
}
