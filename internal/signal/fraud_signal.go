package signal

import (
	"math/bits"
	"slices"

	"verdict/internal/rule"
)

const hoursPerDay = 24

// pincodeSpike compares the applicants of the window with the pincode's own
// past. Before there is enough of a past, what is usual is not known, and the
// fact is absent rather than false.
func (a *assessment) pincodeSpike() {
	entity, sent := a.observed.Entity(KindPincode)
	cfg := a.cfg.PincodeSpike
	count := a.counts.PincodeApplicants
	if !sent || !cfg.Enabled || count == 0 || a.counts.BaselineDays < max(1, cfg.MinBaselineDays) {
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

// unusual is the least number of applicants in the window that is at least the
// configured multiple of the baseline.
func (a *assessment) unusual() int64 {
	// The factors are bounded, so their product is too: 10⁹ applicants, 10⁴
	// hundredths and 720 hours make less than 10¹⁷.
	const most = 1_000_000_000
	cfg := a.cfg.PincodeSpike
	expected := min(max(0, a.counts.BaselineApplicants), most) * cfg.RatioHundredths * cfg.WindowHours
	per := 100 * hoursPerDay * a.counts.BaselineDays
	return (expected + per - 1) / per
}

// ipCluster counts the people behind one address. Mobile carriers put many
// behind one, which is why this is a signal and not a reason by itself.
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

// beneficiary counts the people who want to be paid on one account. An account
// on the allow list, such as a school's or a dealer's, is not reused however
// many name it.
func (a *assessment) beneficiary() {
	entity, sent := a.observed.Entity(KindBeneficiaryAccount)
	cfg := a.cfg.BeneficiaryReuse
	count := a.counts.BeneficiaryApplicants
	if !sent || !cfg.Enabled || count == 0 {
		return
	}
	allowed := slices.ContainsFunc(cfg.AllowlistAccounts, func(b Account) bool { return b.Key == entity.Key })
	triggered := count >= cfg.DistinctApplicants && !allowed
	a.evaluated(Signal{
		ID: BeneficiaryReuse, Triggered: triggered, Value: count, Threshold: cfg.DistinctApplicants,
		WindowHours: cfg.WindowDays * hoursPerDay, ReasonCode: reasonMule, Entity: entity,
	}, cfg.Points)
	a.fact("fraud_beneficiary_reuse", rule.Bool(triggered))
	a.fact("fraud_beneficiary_applicants", whole(count))
}

// agent looks at how many applicants an agent brings and from how many places.
// The signal shows the applicants, unless there are too many places and they
// are the further beyond their limit.
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
	if pincodes > cfg.MaxDistinctPincodes && (withinLimit || further(pincodes, cfg.MaxDistinctPincodes, applicants, cfg.MaxApplications)) {
		s.Measure, s.Value, s.Threshold = "distinct_pincodes", pincodes, cfg.MaxDistinctPincodes
	}
	s.Triggered = s.Value > s.Threshold
	a.evaluated(s, cfg.Points)
	a.fact("fraud_agent_anomaly", rule.Bool(s.Triggered))
	a.fact("fraud_agent_pincodes", whole(pincodes))
}

// further reports whether a is at least as many times its limit as b is of its
// own, in whole numbers of any size.
func further(a, limitA, b, limitB int64) bool {
	leftHigh, leftLow := bits.Mul64(uint64(a), uint64(limitB))
	rightHigh, rightLow := bits.Mul64(uint64(b), uint64(limitA))
	return leftHigh > rightHigh || leftHigh == rightHigh && leftLow >= rightLow
}

// shared derives the pair of facts of something that is counted like the
// beneficiary account and is no signal of its own: families share phones.
func (a *assessment) shared(name, kind string, count int64) {
	cfg := a.cfg.BeneficiaryReuse
	if _, sent := a.observed.Entity(kind); !sent || !cfg.Enabled || count == 0 {
		return
	}
	a.fact("fraud_"+name+"_reuse", rule.Bool(count >= cfg.DistinctApplicants))
	a.fact("fraud_"+name+"_applicants", whole(count))
}
