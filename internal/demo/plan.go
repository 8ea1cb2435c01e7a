package demo

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// desk is one environment while it is filled.
type desk struct {
	*fill
	env    tenant.Environment
	crowd  *crowd
	rules  ruleSets
	alerts map[string]string // id by ring
}

// plan writes the diary.
func (f *fill) plan() {
	f.administration()
	for _, part := range []struct {
		env       tenant.Environment
		decisions int
	}{
		{tenant.Sandbox, f.options.Decisions / 3},
		{tenant.Live, f.options.Decisions - f.options.Decisions/3},
	} {
		d := &desk{fill: f, env: part.env, crowd: newCrowd(part.env, f.options.Seed, &f.options.Texts), alerts: map[string]string{}}
		d.policies()
		d.settings()
		d.applications(part.decisions)
		d.rings()
		d.measurements()
		d.agentRuns()
	}
}

// by is a person at this desk.
func (d *desk) by(p Person) tenant.Principal { return d.as(p, d.env) }

// ago notes something to be done so long before the end.
func (d *desk) ago(before time.Duration, what string, do func(context.Context) error) {
	d.diary.add(d.end.Add(-before), what+" in "+string(d.env), do)
}

// applications come in all month, a few every hour. They are drawn when they
// come, in the order of the diary, so that the draw does not depend on how many
// there are.
func (d *desk) applications(n int) {
	apart := days * day / time.Duration(max(n, 1))
	for i := range n {
		wobble := time.Duration(d.crowd.dice.Int64N(int64(apart)))
		d.ago(days*day-time.Duration(i)*apart-wobble, "apply", func(ctx context.Context) error {
			_, err := d.apply(ctx, d.crowd.next())
			return err
		})
	}
}

// apply decides an application, one in three from stated facts alone, and
// returns the answer.
func (d *desk) apply(ctx context.Context, a *applicant) (wire.Value, error) {
	ask, request := d.service.Decisions.Evaluate, a.evaluation(d.clock.now())
	if a.stated() {
		ask, request = d.service.Decisions.Decide, a.decision()
	}
	answer, err := ask(ctx, d.by(d.staff.asha), body(request), nil)
	if err != nil {
		return wire.Value{}, fmt.Errorf("applicant %d: %w", a.n, err)
	}
	decision, err := wire.Parse(answer.Body)
	if err != nil {
		return wire.Value{}, err
	}
	if decision.Get("status").Text() == "REFERRED" {
		d.review(decision.Get("decision_id").Text(), a.n)
	}
	return decision, nil
}

// opinions are what people say of what is referred to them; the note of the last
// one is the texts'.
func opinions(texts *Texts) []map[string]any {
	return []map[string]any{
		{"outcome": "upheld", "reason_code": "BUR_ENQ", "note": "Four lenders asked within a month."},
		{"outcome": "overturned", "reason_code": "INC_VERIFIED", "note": "Salary slips and Form 16 seen; the late month was a bank holiday."},
		{"outcome": "more_information", "reason_code": "KYC_PENDING", "note": "Bank statement of the last six months asked for."},
		{"outcome": "upheld", "reason_code": "BUR_DPD", "note": texts.Note},
	}
}

// review has somebody look at a referral some hours later; some wait still.
func (d *desk) review(decisionID string, n int64) {
	if n%4 == 3 {
		return
	}
	later := d.clock.now().Add(time.Duration(1+n*7%50) * time.Hour)
	reviewer := []Person{d.staff.ravi, d.staff.meera}[n%2]
	d.diary.add(later, "review", func(ctx context.Context) error {
		said := opinions(&d.options.Texts)
		_, err := d.service.Decisions.ReviewDecision(ctx, d.by(reviewer), decisionID, body(said[n/2%int64(len(said))]), nil)
		return err
	})
}

// settings are what the lender says about pincodes and fraud.
func (d *desk) settings() {
	d.ago(29*day, "set the pincode risks", func(ctx context.Context) error {
		_, err := d.service.Fraud.SetPincodeRisks(ctx, d.by(d.staff.ravi), body(map[string]any{"entries": pincodeRisks(d.options.Texts.Reason)}))
		return err
	})
	d.ago(28*day, "set the fraud thresholds", func(ctx context.Context) error {
		_, err := d.service.Fraud.ChangeConfig(ctx, d.by(d.staff.ravi), body(map[string]any{
			"fraud":  map[string]any{"agent_anomaly": map[string]any{"max_applications": 18}},
			"device": map[string]any{"sim_new_days": 21},
		}), operation.AnyVersion)
		return err
	})
}
