package signal

import (
	"math/bits"
	"slices"

	"verdict/internal/exact"
	"verdict/internal/rule"
)

const hoursPerDay = 24

// pincodeSpike compares the number of applicants in the window with the
// pincode's own baseline. If the baseline is too short, the fact is absent
// rather than false.
func (a *assessment) pincodeSpike() {
	entity, sent := a.observed.Entity(KindPincode)
	cfg := a.cfg.PincodeSpike
	count := a.counts.PincodeApplicants
	if !sent || !cfg.Enabled || count == 0 {
		return
	}
	if a.counts.BaselineDays < cfg.MinBaselineDays {
		a.fraud.Signals = append(a.fraud.Signals, Signal{ID: PincodeSpike, NotEvaluated: ReasonShortBaseline})
		return
	}
	s := Signal{
		ID: PincodeSpike, Value: count, Threshold: max(cfg.MinCount, a.unusual()),
		WindowHours: cfg.WindowHours, ReasonCode: reasonRing, Entity: entity,
	}
	s.Triggered = s.Value >= s.Threshold
	a.evaluated(s, cfg.Points)
	a.fact("fraud_pincode_spike", rule.Bool(s.Triggered))
}

// unusual returns the smallest number of applicants in the window that reaches the
// configured multiple of the baseline, or 0 if there is no baseline.
func (a *assessment) unusual() int64 {
	// The factors are bounded, so their product is too: 10⁹ applicants, 10⁴
	// hundredths and 720 hours make less than 10¹⁷.
	const most = 1_000_000_000
	if a.counts.BaselineDays == 0 {
		return 0 // without a baseline only MinCount applies
	}
	cfg := a.cfg.PincodeSpike
	expected := min(max(0, a.counts.BaselineApplicants), most) * cfg.RatioHundredths * cfg.WindowHours
	per := 100 * hoursPerDay * a.counts.BaselineDays
	return exact.DivCeil(expected, per)
}

// ipCluster counts the people behind one IP address. Mobile carriers put many
// subscribers behind one address, so a cluster alone is no reason to decline.
func (a *assessment) ipCluster() {
	entity, sent := a.observed.Entity(KindIP)
	cfg := a.cfg.IPCluster
	count := a.counts.IPApplicants
	if !sent || !cfg.Enabled || count == 0 {
		return
	}
	triggered := count >= cfg.DistinctApplicants
	a.evaluated(Signal{
		ID: IPCluster, Triggered: triggered, Value: count, Threshold: cfg.DistinctApplicants,
		WindowHours: cfg.WindowHours, ReasonCode: reasonRing, Entity: entity,
	}, cfg.Points)
	a.fact("fraud_ip_cluster", rule.Bool(triggered))
}

// beneficiary counts the people who want to be paid to one account. An account on
// the allow list, such as the account of a school or a dealer, never triggers the
// signal.
func (a *assessment) beneficiary() {
	entity, sent := a.observed.Entity(KindBeneficiaryAccount)
	cfg := a.cfg.BeneficiaryReuse
	count := a.counts.BeneficiaryApplicants
	if !sent || !cfg.Enabled || count == 0 {
		return
	}
	triggered := count >= cfg.DistinctApplicants && !listed(cfg.AllowlistAccounts, entity)
	a.evaluated(Signal{
		ID: BeneficiaryReuse, Triggered: triggered, Value: count, Threshold: cfg.DistinctApplicants,
		WindowHours: cfg.WindowDays * hoursPerDay, ReasonCode: reasonMule, Entity: entity,
	}, cfg.Points)
	a.fact("fraud_beneficiary_reuse", rule.Bool(triggered))
	a.fact("fraud_beneficiary_applicants", integer(count))
}

// agent checks how many applicants an agent brings and from how many pincodes.
// The signal states the number of applicants, or the number of pincodes if that
// exceeds its limit by at least the same factor.
func (a *assessment) agent() {
	entity, sent := a.observed.Entity(KindAgent)
	cfg := a.cfg.AgentAnomaly
	applicants, pincodes := a.counts.AgentApplicants, a.counts.AgentPincodes
	if !sent || !cfg.Enabled || applicants == 0 {
		return
	}
	s := Signal{
		ID: AgentGeoAnomaly, Measure: "applications", Value: applicants, Threshold: cfg.MaxApplications,
		WindowHours: cfg.WindowHours, ReasonCode: reasonRing, Entity: entity,
	}
	withinLimit := applicants <= cfg.MaxApplications
	if pincodes > cfg.MaxDistinctPincodes &&
		(withinLimit || further(pincodes, cfg.MaxDistinctPincodes, applicants, cfg.MaxApplications)) {
		s.Measure, s.Value, s.Threshold = "distinct_pincodes", pincodes, cfg.MaxDistinctPincodes
	}
	s.Triggered = s.Value > s.Threshold
	a.evaluated(s, cfg.Points)
	a.fact("fraud_agent_anomaly", rule.Bool(s.Triggered))
	a.fact("fraud_agent_pincodes", integer(pincodes))
}

// further reports whether a ÷ limitA is at least b ÷ limitB. It multiplies in 128
// bits, so that no product overflows.
func further(a, limitA, b, limitB int64) bool {
	leftHigh, leftLow := bits.Mul64(uint64(a), uint64(limitB))
	rightHigh, rightLow := bits.Mul64(uint64(b), uint64(limitA))
	return leftHigh > rightHigh || leftHigh == rightHigh && leftLow >= rightLow
}

// shared counts the people behind one device, mobile number or e-mail address.
// Families share phones, so this signal has a lower severity than a shared
// account.
func (a *assessment) shared(name, kind, id string, count int64) {
	entity, sent := a.observed.Entity(kind)
	cfg := a.cfg.reuse(kind)
	if !sent || !cfg.Enabled || count == 0 {
		return
	}
	triggered := count >= cfg.DistinctApplicants && !listed(cfg.Allowlist, entity)
	a.evaluated(Signal{
		ID: id, Triggered: triggered, Value: count, Threshold: cfg.DistinctApplicants,
		WindowHours: cfg.WindowDays * hoursPerDay, ReasonCode: reasonRing, Entity: entity,
	}, cfg.Points)
	a.fact("fraud_"+name+"_reuse", rule.Bool(triggered))
	a.fact("fraud_"+name+"_applicants", integer(count))
}

// ring adds the signal of the connected group that the applicant belongs to. It
// depends only on the person, so that a person cannot leave a ring by omitting
// shared entities.
func (a *assessment) ring() {
	ring, cfg := a.counts.Ring, a.cfg.Ring
	if !cfg.Enabled || ring.People == 0 {
		return
	}
	a.evaluated(Signal{
		ID: ConnectedRing, Triggered: ring.People >= cfg.MinPeople, Value: ring.People, Threshold: cfg.MinPeople,
		WindowHours: a.cfg.ringWindowDays() * hoursPerDay, ReasonCode: reasonRing,
		Entity: Entity{Kind: KindRing, Key: ring.ID, Display: ring.ID},
	}, cfg.Points)
	if ring.Muted {
		a.fraud.muted = append(slices.Clip(a.fraud.muted), KindRing)
	}
	a.fact("fraud_ring_size", integer(ring.People))
	a.fact("fraud_ring_links", integer(ring.Links))
	a.fact("fraud_ring_truncated", rule.Bool(ring.Truncated))
}
