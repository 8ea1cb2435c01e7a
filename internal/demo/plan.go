package demo

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/tenant"
)

// envFill holds the state while one environment is filled.
type envFill struct {
	*fill
	env    tenant.Environment
	crowd  *crowd
	rules  ruleSets
	alerts map[string]string // id of the alert, by name of the ring
}

// plan schedules all actions.
func (f *fill) plan() {
	f.administration()
	for _, part := range []struct {
		env       tenant.Environment
		decisions int
	}{
		{tenant.Sandbox, f.options.Decisions / 3},
		{tenant.Live, f.options.Decisions - f.options.Decisions/3},
	} {
		d := &envFill{
			fill:   f,
			env:    part.env,
			crowd:  newCrowd(part.env, f.options.Seed, &f.options.Texts),
			alerts: map[string]string{},
		}
		d.policies()
		d.settings()
		d.applications(part.decisions)
		d.rings()
		d.measurements()
		d.agentRuns()
		d.product()
	}
}

// by returns the principal of a person in this environment.
func (d *envFill) by(p Person) tenant.Principal { return d.as(p, d.env) }

// ago schedules an action. The parameter before is the time from the action to the
// end of the month.
func (d *envFill) ago(before time.Duration, what string, do func(context.Context) error) {
	d.schedule.add(d.end.Add(-before), what+" in "+string(d.env), do)
}

// applications schedules n applications, evenly over the month. The applicants are
// generated when the actions run, in the order of the schedule.
func (d *envFill) applications(n int) {
	apart := days * day / time.Duration(max(n, 1))
	for i := range n {
		wobble := time.Duration(d.crowd.random.Int64N(int64(apart)))
		d.ago(days*day-time.Duration(i)*apart-wobble, "apply", func(ctx context.Context) error {
			_, err := d.apply(ctx, d.crowd.next())
			return err
		})
	}
}

// apply decides an application. One application in three contains only stated
// facts.
func (d *envFill) apply(ctx context.Context, a *applicant) (decisioning.Decided, error) {
	var decided decisioning.Decided
	var err error
	if a.stated() {
		request := application.DecisionRequest(body(a.decision()))
		decided, err = d.service.Decisions.Decide(ctx, d.by(d.staff.asha), request, nil)
	} else {
		request := application.EvaluateRequest(body(a.evaluation(d.clock.now())))
		decided, err = d.service.Decisions.Evaluate(ctx, d.by(d.staff.asha), request, nil)
	}
	if err != nil {
		return decisioning.Decided{}, fmt.Errorf("applicant %d: %w", a.n, err)
	}
	if decided.Status == "REFERRED" {
		d.review(decided.ID, a.n)
	}
	return decided, nil
}

// opinions returns the reviews of referred applications. The note of the last
// review is Texts.Note.
func opinions(texts *Texts) []decisioning.NewReview {
	return []decisioning.NewReview{
		{Outcome: "upheld", ReasonCode: "BUR_ENQ", Note: "Four lenders asked within a month."},
		{
			Outcome:    "overturned",
			ReasonCode: "INC_VERIFIED",
			Note:       "Salary slips and Form 16 seen; the late payment fell due on a bank holiday.",
		},
		{
			Outcome:    decisioning.OutcomeAsks,
			ReasonCode: "KYC_PENDING",
			Note:       "Bank statement of the last six months asked for.",
		},
		{Outcome: "upheld", ReasonCode: "BUR_DPD", Note: texts.Note},
	}
}

// review schedules the review of a referral some hours later. One referral in four
// is not reviewed.
func (d *envFill) review(decisionID string, n int64) {
	if n%4 == 3 {
		return
	}
	later := d.clock.now().Add(time.Duration(1+n*7%50) * time.Hour)
	reviewer := []Person{d.staff.ravi, d.staff.meera}[n%2]
	d.schedule.add(later, "review", func(ctx context.Context) error {
		said := opinions(&d.options.Texts)
		_, err := d.service.Decisions.Reviews.Add(ctx, d.by(reviewer), decisionID, said[n/2%int64(len(said))], nil)
		return err
	})
}

// settings schedules the pincode risks and the fraud thresholds.
func (d *envFill) settings() {
	d.ago(29*day, "set the pincode risks", func(ctx context.Context) error {
		_, err := d.service.Fraud.SetPincodeRisks(ctx, d.by(d.staff.ravi), pincodeRisks(d.options.Texts.Reason), false)
		return err
	})
	d.ago(28*day, "set the fraud thresholds", func(ctx context.Context) error {
		_, err := d.service.Fraud.ChangeConfig(ctx, d.by(d.staff.ravi), func(c signal.Config) (signal.Config, error) {
			c.Fraud.AgentAnomaly.MaxApplications = 18
			c.Device.SIMNewDays = 21
			return c, nil
		}, operation.AnyVersion)
		return err
	})
}
