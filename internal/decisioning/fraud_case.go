package decisioning

import (
	"context"
	"time"

	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// fraudCase is the fraud block of an application: the observed entities and the
// assessment of their counts.
type fraudCase struct {
	config      signal.FraudConfig
	observation signal.Observation
	found       signal.Fraud
	derived     []string // names of the derived facts; the next assessment removes them
	alias       string   // the name of the applicant in the counters after an erasure
	member      string   // the name under which the applicant was counted
}

// newFraudCase reads the fraud block of the request and assesses it without counts.
func (s *Service) newFraudCase(
	ctx context.Context, p tenant.Principal, c *creditCase, settings *frauddesk.Settings,
) error {
	key, err := s.core.Keyed(ctx, operation.ScopeOf(p))
	if err != nil {
		return err
	}
	c.fraud = &fraudCase{config: settings.Config.Fraud, observation: signal.Observe(c.app.Facts, key)}
	if ref := c.fraud.observation.ApplicantRef; ref != "" {
		c.fraud.alias = key(ErasedMember, ref)
	}
	c.assess(signal.Counts{})
	return nil
}

// ErasedMember is the kind of the keyed hash that replaces an erased applicant in the fraud counters.
const ErasedMember = "erased applicant"

// counted reports whether the application is counted: it must have a fraud block that
// names the applicant.
func (c *creditCase) counted() bool { return c.fraud != nil && c.fraud.observation.Counted() }

// assess evaluates the fraud signals with the counts and sets the derived facts. If it
// is called again with other counts, the new facts replace the old ones.
func (c *creditCase) assess(n signal.Counts) {
	f := c.fraud
	for _, name := range f.derived {
		c.app.Facts.Set(name, rule.Value{})
	}
	f.derived = f.derived[:0]
	f.found = signal.Assess(f.observation, n, f.config)
	f.found.Device, f.found.Location = c.app.Device, c.app.Location
	f.found.Derive(func(name string, v rule.Value) {
		c.app.Facts.Set(name, v)
		f.derived = append(f.derived, name)
	})
}

// observed returns the observation for the counters. erased says whether somebody of the scope was
// erased, so that the counters may know the applicant under the alias.
func (f *fraudCase) observed(decisionID string, now time.Time, erased bool) store.Observation {
	o := store.Observation{ApplicantRef: f.observation.ApplicantRef, DecisionID: decisionID, NowMicros: now.UnixMicro()}
	if erased {
		o.Alias = f.alias
	}
	for _, e := range f.observation.Entities {
		o.Entities = append(o.Entities, store.ObservedEntity(e))
	}
	return o
}

// windows returns how far back each kind of entity is counted, and how far back it
// connects people into a ring.
func (f *fraudCase) windows() store.Windows {
	hours := func(n int64) int64 { return n * time.Hour.Microseconds() }
	days := func(n int64) int64 { return hours(24 * n) }
	ties := f.config.Ties(f.observation)
	for kind, n := range ties {
		ties[kind] = days(n)
	}
	return store.Windows{
		Micros: map[string]int64{
			signal.KindPincode:            hours(f.config.PincodeSpike.WindowHours),
			signal.KindIP:                 hours(f.config.IPCluster.WindowHours),
			signal.KindAgent:              hours(f.config.AgentAnomaly.WindowHours),
			signal.KindBeneficiaryAccount: days(f.config.BeneficiaryReuse.WindowDays),
			signal.KindDevice:             days(f.config.DeviceReuse.WindowDays),
			signal.KindMobile:             days(f.config.MobileReuse.WindowDays),
			signal.KindEmail:              days(f.config.EmailReuse.WindowDays),
		},
		Ties:         ties,
		BaselineDays: f.config.PincodeSpike.BaselineDays,
	}
}

func countsOf(n store.ObservedCounts) signal.Counts {
	return signal.Counts{
		PincodeApplicants:     n.Applicants[signal.KindPincode],
		IPApplicants:          n.Applicants[signal.KindIP],
		BeneficiaryApplicants: n.Applicants[signal.KindBeneficiaryAccount],
		AgentApplicants:       n.Applicants[signal.KindAgent],
		AgentPincodes:         n.AgentPincodes,
		DeviceApplicants:      n.Applicants[signal.KindDevice],
		MobileApplicants:      n.Applicants[signal.KindMobile],
		EmailApplicants:       n.Applicants[signal.KindEmail],
		BaselineApplicants:    n.BaselineApplicants,
		BaselineDays:          n.BaselineDays,
		Blocklisted:           n.Blocklisted,
		Muted:                 n.Muted,
		Ring:                  signal.RingCount(n.Ring),
	}
}

// erased reports whether the applicant may have been erased before. A preview has no keys, and looks.
func (c *creditCase) erased(environment string) bool {
	return c.keys == nil || c.keys.Erased(environment)
}

// peek counts without recording the application: a preview or an eligibility check
// records nothing, and an underwriting run records the application only when it stores
// the decision.
func (c *creditCase) peek(ctx context.Context, scope *store.Scope, now time.Time) error {
	if !c.counted() {
		return c.lookUp(ctx, scope, now)
	}
	observation := c.fraud.observed("", now, c.erased(scope.Environment()))
	counts, err := scope.Observations(ctx).Peek(observation, c.fraud.windows())
	if err != nil {
		return err
	}
	c.assess(countsOf(counts))
	return nil
}

// lookUp searches the block list for the entities of an application without an
// applicant, because such an application cannot be counted. It skips an application that
// is counted, because counting includes the search.
func (c *creditCase) lookUp(ctx context.Context, scope *store.Scope, now time.Time) error {
	if c.fraud == nil || c.counted() || len(c.fraud.observation.Entities) == 0 {
		return nil
	}
	blocked, err := scope.Observations(ctx).Blocked(c.fraud.observed("", now, false))
	if err != nil {
		return err
	}
	c.assess(signal.Counts{Blocklisted: blocked})
	return nil
}

// observe records and counts the application in the transaction of the decision, so that
// the second of two concurrent applications counts the first.
func (c *creditCase) observe(tx *store.Tx) (signal.Counts, error) {
	observation := c.fraud.observed(c.id, c.now, c.erased(tx.Environment()))
	observed, err := tx.Observations().Observe(observation, c.fraud.windows())
	if err != nil {
		return signal.Counts{}, err
	}
	c.fraud.member = observed.Member
	counts := countsOf(observed)
	c.assess(counts)
	return counts, nil
}

// reassess evaluates the signals with counts other than the observed ones. It keeps the
// alerts that were raised for the observed counts.
func (c *creditCase) reassess(n signal.Counts) {
	alerts := c.fraud.found.AlertIDs
	c.assess(n)
	c.fraud.found.AlertIDs = alerts
}

// raise opens an alert for each signal that requires one, or adds the application to the
// alert that is already open.
func (s *Service) raise(tx *store.Tx, c *creditCase) error {
	c.fraud.found.AlertIDs = nil
	for _, want := range c.fraud.found.Alerts(c.fraud.config) {
		id, _ := s.core.NewID(tenant.KindAlert, c.now)
		alert, _, err := tx.Alerts().Raise(store.AlertWant{
			ID:          id,
			Type:        want.Type,
			Severity:    want.Severity.String(),
			Entity:      store.ObservedEntity(want.Entity),
			Value:       want.Value,
			Threshold:   want.Threshold,
			WindowHours: want.WindowHours,
			Member:      c.fraud.member,
			DecisionID:  c.id,
			NowMicros:   c.now.UnixMicro(),
			Actor:       operation.ActorSystem,
		})
		if err != nil {
			return err
		}
		c.fraud.found.AlertIDs = append(c.fraud.found.AlertIDs, alert.ID)
	}
	return nil
}
