package generate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/policytest"
	"verdict/internal/wire"
)

// segmentedJSON is a policy for vehicle loans. Its prices depend on the employer, its limits on the price of the
// vehicle, and it has charges.
const segmentedJSON = `{
	"policy_key": "vehicle", "name": "Vehicle", "semantics": 2, "limit_step": 1000,
	"inputs": [{"name": "applicant.employer", "type": "string"}, {"name": "applicant.vehicle_price", "type": "number"}],
	"knockouts": [{"id": "KO_AGE", "action": "decline", "reason_code": "AGE",
		"condition_ast": {"op": "lt", "field": "age", "value": 21}}],
	"scorecard": {"base_points": 600, "min_score": 300, "max_score": 900, "factors": [
		{"factor": "score", "field": "bureau_score", "reason_code": "SCORE", "missing_points": 0, "bins": [
			{"lt": 650, "points": 0}, {"gte": 650, "lt": 750, "points": 60}, {"gte": 750, "points": 120}]}]},
	"pricing_bands": [
		{"id": "A_CAT", "grade": "A", "min_score": 720, "max_score": 900, "action": "approve",
			"when": {"op": "eq", "field": "applicant.employer", "value": "CAT_A"},
			"interest_rate": 11.5, "tenure_months": 24, "tenures_allowed": [12, 24], "min_limit": 20000,
			"max_limit": 500000, "default_limit": 60000, "foir_cap": 0.55, "processing_fee_pct": 1.75,
			"processing_fee_min": 999, "gst_pct": 18},
		{"id": "A", "grade": "A", "min_score": 720, "max_score": 900, "action": "approve",
			"interest_rate": 14.25, "tenure_months": 24, "tenures_allowed": [12, 24], "min_limit": 20000,
			"max_limit": 400000, "default_limit": 50000, "foir_cap": 0.5, "processing_fee_pct": 2,
			"processing_fee_min": 999, "gst_pct": 18},
		{"id": "B_CAT", "grade": "B", "min_score": 660, "max_score": 719, "action": "approve",
			"when": {"op": "eq", "field": "applicant.employer", "value": "CAT_A"},
			"interest_rate": 15.5, "tenure_months": 24, "min_limit": 20000, "max_limit": 300000, "default_limit": 40000,
			"foir_cap": 0.5, "processing_fee_pct": 2, "processing_fee_min": 999, "gst_pct": 18},
		{"id": "B", "grade": "B", "min_score": 660, "max_score": 719, "action": "refer",
			"interest_rate": 18, "tenure_months": 24, "min_limit": 20000, "max_limit": 200000, "default_limit": 40000,
			"foir_cap": 0.45, "processing_fee_pct": 2.5, "processing_fee_min": 999, "gst_pct": 18},
		{"id": "C", "grade": "C", "min_score": 300, "max_score": 659, "action": "decline"}],
	"limit_caps": [
		{"id": "CAP_LTV", "reason_code": "LTV",
			"of": {"op": "mul", "args": [{"value": 0.85}, {"field": "applicant.vehicle_price"}]}},
		{"id": "CAP_YOUNG", "reason_code": "YOUNG", "of": {"value": 75000},
			"when": {"op": "lt", "field": "age", "value": 25}}],
	"charges": [
		{"id": "insurance", "to": "third_party", "kind": "percent", "amount": 1.25, "min": 750, "max": 3000, "gst": 18},
		{"id": "stamp_duty", "to": "third_party", "kind": "fixed", "amount": 200},
		{"id": "documents", "to": "lender", "kind": "fixed", "amount": 999, "gst": 18}]
}`

func segmentedPolicy(t *testing.T) *engine.Policy {
	t.Helper()
	p, err := engine.ParsePolicy([]byte(segmentedJSON), engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPrices checks that an offer is generated for every segment, cap and charge, and that every goal that is not
// reached has a known reason.
func TestPrices(t *testing.T) {
	t.Parallel()
	set, err := Generate(segmentedPolicy(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d cases, %d of %d goals, %d applications", len(set.Files), set.Goals-len(set.Unreached), set.Goals,
		set.Tries)
	for _, g := range set.Unreached {
		t.Logf("%s: %s", g.Text, g.Why)
		// These goals cannot be reached: no points add up to these ends of bands, and the request of an applicant
		// who is not new to credit always has a score.
		known := strings.Contains(g.Text, ": score ") || g.Text == "factor score: the field is absent"
		if !known && strings.HasPrefix(g.Why, "none of the ") {
			t.Errorf("not covered: %s: %s", g.Text, g.Why)
		}
	}
}

// TestSegmentsAgree checks that the goals of a band are reached only by decisions of that band.
func TestSegmentsAgree(t *testing.T) {
	t.Parallel()
	c := newCoverage(t, segmentedPolicy(t))
	s := newSearch(c)
	s.run()
	subject := policytest.NewSubject(segmentedPolicy(t))
	offers := map[string]int{}
	for i := range s.pool {
		body, err := wire.Parse(s.pool[i].body())
		if err != nil {
			t.Fatal(err)
		}
		answer, err := subject.Answer(body, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		decision, err := wire.Parse(answer)
		if err != nil {
			t.Fatal(err)
		}
		offer := decision.Get("offer")
		band := offer.Get("pricing_band_id").Text()
		if band == "" {
			continue
		}
		offers[band]++
		for g := range c.goals {
			other, _, named := strings.Cut(strings.TrimPrefix(c.goals[g].text, "band "), ": ")
			ofBand := strings.HasPrefix(c.goals[g].text, "band ") && named && !strings.Contains(other, ",")
			if ofBand && other != band && s.pool[i].reached.has(g) {
				t.Fatalf("%q is claimed by a decision of band %s", c.goals[g].text, band)
			}
		}
	}
	for _, id := range []string{"A_CAT", "A", "B_CAT", "B"} {
		if offers[id] == 0 {
			t.Errorf("band %s: no offer", id)
		}
	}
	if !slices.ContainsFunc(s.pool, func(f found) bool { return f.offer && f.status == engine.Approved }) {
		t.Error("no application is approved")
	}
}

// TestManySegments checks that a policy with so many segments that their plans would take too much memory is refused.
func TestManySegments(t *testing.T) {
	t.Parallel()
	p := *segmentedPolicy(t)
	p.Bands = slices.Clone(p.Bands)
	for p.Cost() < maxCost/2 {
		p.Bands = append(p.Bands, p.Bands[0])
	}
	if _, err := NewCoverage(&p); err == nil || !strings.Contains(err.Error(), "bands with a condition") {
		t.Errorf("%v, want that the policy is too large", err)
	}
}
