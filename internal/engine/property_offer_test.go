package engine_test

import (
	"encoding/json"
	"slices"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/rule"
)

// TestScoreAddsUp checks that the final score of every decision is the sum of
// all points and all deltas.
func TestScoreAddsUp(t *testing.T) {
	t.Parallel()
	eachGenerated(t, rounds(100, 2_000), 20, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		var sum rule.Number
		for _, c := range d.Contributions() {
			sum += c.Points
		}
		for _, r := range d.Rules() {
			sum += r.Delta
		}
		if sum != d.FinalScore {
			t.Errorf("points and deltas add up to %s, the final score is %s", sum, d.FinalScore)
		}
	})
}

// TestOfferInvariants checks that the amounts of an offer are consistent.
func TestOfferInvariants(t *testing.T) {
	t.Parallel()
	made := 0
	eachGenerated(t, rounds(150, 5_000), 20, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		o := &d.Offer
		if !o.Made {
			if d.Status != engine.Declined {
				t.Errorf("%s without an offer", d.Status)
			}
			return
		}
		made++
		band := bandOf(plan, o.BandID)
		require := func(holds bool, what string) {
			if !holds {
				t.Errorf("%s: %+v", what, o)
			}
		}
		require(d.Status != engine.Declined, "a decline offers nothing")
		require(o.Indicative == (d.Status == engine.Referred), "only a referral is indicative")
		require(o.LimitPaise%plan.Policy().LimitStepPaise == 0, "the limit is a multiple of the step")
		require(o.LimitPaise >= band.MinLimitPaise && o.LimitPaise <= band.MaxLimitPaise,
			"the limit is within the band's")
		require(!o.HasRequested || o.LimitPaise <= o.RequestedPaise, "the limit is at most what was asked for")
		require(!o.HasCapacity || o.InstalmentPaise <= o.CapacityPaise, "the instalment fits the capacity")
		require(o.HasCapacity == o.HasPostFOIR, "a known capacity has a FOIR after it")
		charges := int64(0)
		for _, c := range d.Charges() {
			charges += c.Paise + c.TaxPaise
		}
		require(charges == o.ChargesPaise && o.Charged == (len(plan.Policy().Charges) > 0), "the charges add up")
		require(o.NetPaise == o.LimitPaise-o.FeePaise-o.GSTPaise-charges && o.NetPaise > 0,
			"net is the limit less fee, charges and tax")
		require(o.PayablePaise == o.InstalmentPaise*int64(o.TenureMonths-1)+o.LastPaise,
			"payable is the sum of the instalments")
		require(o.InterestPaise == o.PayablePaise-o.LimitPaise && o.LastPaise > 0,
			"interest is what is paid above the limit")
		require(slices.Contains(band.Tenures, o.TenureMonths), "the tenure is one of the band's")
		// Rounding the interest to the paisa changes the APR of a very small
		// loan by more than 0.01 %.
		if o.LimitPaise >= 5_000_00 {
			require(o.APR >= o.RateBP-1, "the APR is at least the rate")
			require(o.FeePaise+charges > 0 || o.APR <= o.RateBP+1, "without a fee the APR is the rate")
		}
		months := 0
		for _, a := range d.Alternatives() {
			require(a.TenureMonths > months && a.TenureMonths != o.TenureMonths,
				"alternatives are other tenures, ascending")
			require(!o.HasCapacity || a.InstalmentPaise <= o.CapacityPaise, "alternatives fit the capacity")
			months = a.TenureMonths
		}
	})
	if made < 500 {
		t.Errorf("only %d offers were made", made)
	}
}

func bandOf(plan *engine.Plan, id string) *engine.Band {
	for i := range plan.Policy().Bands {
		if b := &plan.Policy().Bands[i]; b.ID == id {
			return b
		}
	}
	return nil
}

// TestAlternativesAreKept checks that an applicant who requests the limit and the tenure of an alternative gets that
// limit and the instalment of the alternative.
func TestAlternativesAreKept(t *testing.T) {
	t.Parallel()
	eachGenerated(t, rounds(80, 2_000), 20, func(t *testing.T, _ *generated, plan *engine.Plan, facts object) {
		t.Helper()
		d := decide(t, plan, facts)
		for _, a := range d.Alternatives() {
			facts["requested_tenure_months"] = json.Number(rule.Int(int64(a.TenureMonths)).String())
			facts["requested_amount"] = json.Number(rule.Number(d.Offer.LimitPaise * 10_000).String())
			other := decide(t, plan, facts)
			if other.Offer.Made && other.Offer.BandID == d.Offer.BandID &&
				(other.Offer.LimitPaise != d.Offer.LimitPaise || other.Offer.InstalmentPaise != a.InstalmentPaise) {
				t.Errorf("%d months are promised at %d, and offered %d at %d",
					a.TenureMonths, a.InstalmentPaise, other.Offer.LimitPaise, other.Offer.InstalmentPaise)
			}
		}
	})
}

// TestLimitIsMonotone checks that, within one band, more income never lowers
// the limit and more obligations never raise it. The policies have no rules and
// no factors, so that the band cannot change.
func TestLimitIsMonotone(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(100, 3_000)) {
		g := generatePolicy(seed)
		policy := readObject(t, g.document)
		var document object
		if err := json.Unmarshal(g.document, &document); err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"knockouts", "adjustments", "conditions", "required_fields"} {
			document[section] = []any{}
		}
		document["include_defaults"] = false
		document["scorecard"] = object{
			"base_points": json.Number(num(as[object](policy["scorecard"]), "base_points", 0).FloatString(4)),
			"factors":     []any{},
		}
		plan := compile(t, encode(t, document))
		d := newDice(seed)
		for range 10 {
			facts := g.facts(d)
			checkMonotone(t, plan, facts, "monthly_income", d.between(0, 300_000_00), d.between(0, 300_000_00), 2, +1)
			facts["monthly_income"] = json.Number(rule.Number(d.between(1, 300_000) * 1e6).String())
			checkMonotone(t, plan, facts, "foir", d.between(0, 800_000), d.between(0, 800_000), 6, -1)
		}
	}
}

// checkMonotone compares the decisions for a lower and a higher value of one
// field.
func checkMonotone(t *testing.T, plan *engine.Plan, facts object, name string, a, b int64, places, sign int) {
	t.Helper()
	facts[name] = rational(min(a, b), places)
	low := decide(t, plan, facts)
	facts[name] = rational(max(a, b), places)
	high := decide(t, plan, facts)
	if sign < 0 {
		low, high = high, low
	}
	if low.Offer.LimitPaise > high.Offer.LimitPaise || low.Status < high.Status {
		t.Fatalf("%s between %s and %s: %s %d against %s %d\nfacts %s\npolicy %s", name, rational(min(a, b), places),
			rational(max(a, b), places), low.Status, low.Offer.LimitPaise, high.Status, high.Offer.LimitPaise,
			encode(t, facts), plan.Policy().Document())
	}
}
