package engine_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"testing"

	"verdict/internal/engine"
	"verdict/internal/field"
)

// The tests of this file check properties of the default policy: leaving a
// field out gives no better result than the best value of the field, and a
// better applicant never gets a worse decision.

// better compares two decisions from the applicant's point of view: by status,
// then by rate, then by limit. A positive result means that a is better.
func better(a, b *engine.Decision) int {
	return cmp.Or(
		cmp.Compare(b.Status, a.Status),
		cmp.Compare(b.Offer.RateBP, a.Offer.RateBP),
		cmp.Compare(a.Offer.LimitPaise, b.Offer.LimitPaise))
}

// applicant returns a plausible applicant with some fields absent.
func applicant(d *dice) object {
	facts := object{"bureau_is_ntc": d.percent(20)}
	if facts["bureau_is_ntc"] == false {
		facts["bureau_score"] = rational(d.between(300, 900), 0)
	}
	near := func(name string, values ...int64) {
		if d.percent(85) {
			facts[name] = micros(pick(d, values...) + pick[int64](d, 0, 0, 1e6, -1e6))
		}
	}
	if d.percent(85) {
		facts["monthly_income"] = rational(
			pick(d, d.between(5_000_00, 200_000_00), 15_000_00, 25_000_00, 24_999_99, 1_000_00), 2)
	}
	if d.percent(85) {
		facts["foir"] = pick(d, rational(d.between(0, 80), 2), micros(d.between(0, 700_000)), json.Number("0.4"),
			json.Number("0.6"))
	}
	near("enquiries_6m", 1e6, 2e6, 4e6, 6e6, 7e6, 12e6, 13e6)
	near("active_tradelines", 1e6, 2e6, 4e6, 7e6, 10e6, 13e6)
	near("max_dpd_12m", 1e6, 1e6, 30e6, 60e6, 15e6)
	near("age", 21e6, 35e6, 60e6, 61e6)
	if d.percent(60) {
		facts["employment_type"] = pick(d, "SALARIED", "SELF_EMPLOYED", "SELF_EMPLOYED_PROFESSIONAL",
			"STUDENT", "OTHER")
	}
	if d.percent(80) {
		facts["requested_amount"] = rational(pick(d, d.between(10_000, 1_500_000), 20_000, 100_000, 500_000), 0)
	}
	if d.percent(30) {
		facts["requested_tenure_months"] = rational(pick[int64](d, 6, 12, 18, 24, 36, 48, 60, 7), 0)
	}
	return facts
}

// ownAccounts adds figures of the applicant's own accounts to the facts. It
// copies the figures of the request, as the service does for a report without
// accounts, and sometimes adds instalments.
func ownAccounts(d *dice, facts object) {
	for own, sent := range map[string]string{
		"bureau_own_max_dpd_12m": "max_dpd_12m", "bureau_own_active_tradelines": "active_tradelines",
	} {
		if facts[sent] != nil {
			facts[own] = facts[sent]
		}
	}
	if d.percent(50) {
		facts["bureau_own_emi"] = rational(d.between(0, 60_000), 0)
	}
}

func TestLeavingOutIsNeverBetter(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	// The best value of a field is the best of these values for the current
	// applicant. For the income it is the largest possible number, because one
	// million a month is not always enough: with a FOIR of 0.449999 and a cap
	// of 0.45, such an income leaves almost no capacity, and the default limit
	// for an unknown income is higher.
	best := map[string][]json.Number{
		"monthly_income":               {"1000000000000"},
		"foir":                         {"0"},
		"enquiries_6m":                 {"0"},
		"bureau_own_max_dpd_12m":       {"0"},
		"bureau_own_active_tradelines": {"2", "3", "4"},
		"bureau_own_emi":               {"0"},
	}
	d := newDice(13)
	for range rounds(1_500, 100_000) {
		facts := applicant(d)
		ownAccounts(d, facts)
		for name, values := range best {
			with, without := maps.Clone(facts), maps.Clone(facts)
			delete(without, name)
			left := decide(t, plan, without)
			found := false
			for _, value := range values {
				with[name] = value
				found = found || better(left, decide(t, plan, with)) <= 0
			}
			if !found {
				t.Fatalf("without %s the applicant is better off than with %v: %s %d %d\nfacts %s", name, values,
					left.Status, left.Offer.RateBP, left.Offer.LimitPaise, encode(t, without))
			}
		}
	}
}

func TestNoBetterApplicantIsWorseOff(t *testing.T) {
	t.Parallel()
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	// Each entry has the range of a field and the direction in which the field
	// is better.
	ranges := []struct {
		name      string
		low, high int64 // in units of 10^-places
		places    int
		higher    bool
	}{
		{"bureau_score", 300, 900, 0, true},
		{"monthly_income", 0, 250_000_00, 2, true},
		{"foir", 0, 800_000, 6, false},
		{"enquiries_6m", 0, 16, 0, false},
		{"bureau_own_max_dpd_12m", 0, 90, 0, false},
		{"bureau_own_emi", 0, 80_000_00, 2, false},
	}
	d := newDice(17)
	for range rounds(1_500, 100_000) {
		facts := applicant(d)
		ownAccounts(d, facts)
		for _, r := range ranges {
			if facts[r.name] == nil {
				continue
			}
			a, b := d.between(r.low, r.high), d.between(r.low, r.high)
			worse, good := min(a, b), max(a, b)
			if !r.higher {
				worse, good = good, worse
			}
			low, high := maps.Clone(facts), maps.Clone(facts)
			low[r.name], high[r.name] = rational(worse, r.places), rational(good, r.places)
			x, y := decide(t, plan, low), decide(t, plan, high)
			if better(x, y) > 0 {
				t.Fatalf("%s %s is better off than %s: %s %d %d against %s %d %d\nfacts %s", r.name, low[r.name],
					high[r.name], x.Status, x.Offer.RateBP, x.Offer.LimitPaise, y.Status, y.Offer.RateBP,
					y.Offer.LimitPaise, encode(t, low))
			}
		}
	}
}
